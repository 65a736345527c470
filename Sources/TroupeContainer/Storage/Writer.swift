import Synchronization

/// The state of a container's writers, under its lock: the removed objects that wait to be freed, and the entries of each owner.
///
/// All changes of a commit have the same version, which is published last. A reader reads at one version, and so sees either all of
/// a commit or none. A removed entry is freed in two steps. When no reader uses an older version any more, it is unlinked from the
/// lists. When no reader can have found it in a list any more, it is released.
struct Writer {
  /// Entries that are removed and still in the lists.
  private var removed = EpochQueue<Unmanaged<Entry>>()
  /// Entries that are unlinked from the lists.
  private var unlinked = EpochQueue<Unmanaged<Entry>>()
  /// Entries whose factories may still run.
  private var running: [Unmanaged<Entry>] = []
  /// Replaced blocks of lists and tables.
  private var blocks = EpochQueue<UnsafeMutableRawPointer>()
  /// The entries of each owner.
  private var owned = EntriesByOwner()

  /// The number of active overrides of the container.
  private var overrideCount = 0
  /// Whether a background task tries to release entries.
  private var isSweeping = false

  /// Whether removed entries wait for a reader or a factory.
  private var isWaiting: Bool { !removed.isEmpty || !unlinked.isEmpty || !running.isEmpty }

  init() {}

  /// The result of a commit.
  struct Outcome {
    /// The number of removed entries.
    var removed = 0
    /// The entries that no reader can reach. Release them outside the lock, because a deinitializer may run any code.
    var freed: [Entry] = []
    /// The reason if nothing was changed.
    var collision: CollisionError?
    /// Whether the caller must start a sweep.
    var beginsSweep = false
    /// Whether a reader keeps removed entries from being released.
    var waitsForReaders = false
    /// Whether injections were added or removed.
    var changedInjections = false
  }

  /// Commits changes as one change for all readers, or none of them if two registrations collide and the policy forbids it.
  mutating func commit(_ changes: [RegistrationChange], to container: Container) -> Outcome {
    let version = container.version.load(ordering: .relaxed) + 1
    var commit = Commit(version: version, container: container)
    for change in changes where commit.collision == nil {
      switch change {
      case .insert(let entry, let owner):
        add(entry, owner, &commit)
      case .remove(let metatype, let tags):
        for entry in container.liveEntries(metatype, tags) { remove(entry, &commit) }
      case .removeIncluding(let metatype, let tags):
        for entry in container.liveEntries(metatype, including: tags) { remove(entry, &commit) }
      case .removeAll(let tags):
        for entry in container.liveEntries(including: tags) { remove(entry, &commit) }
      case .removeOwner(let owner):
        for entry in owned.of(owner) { remove(entry, &commit) }
      case .replace(let former, let entries, let owner):
        replace(former, entries, owner, &commit)
      case .exchange(let old, let new):
        exchange(old, new, &commit)
      }
    }
    if commit.collision == nil {
      // Before the version, so that a reader of the version sees this store.
      if commit.changesInjections { container.injectionsChanged.store(version, ordering: .relaxed) }
      publish(version, in: container)
    } else {
      commit.removed = undo(commit)
    }
    if !commit.removed.isEmpty || !commit.replaced.isEmpty {
      let scopedEntries =
        container.mayHaveScopedEntries && commit.collision == nil ? container.removeScopedEntries(of: commit.removed) : nil
      let epoch = EpochDomain.shared.pointee.advance()
      if let scopedEntries { unlinked.append(scopedEntries, epoch: epoch) }
      removed.append(commit.removed, epoch: epoch)
      blocks.append(commit.replaced, epoch: epoch)
    }
    var outcome = reclaim(container)
    outcome.removed = commit.collision == nil ? commit.removed.count : 0
    outcome.collision = commit.collision
    outcome.changedInjections = commit.changesInjections
    return outcome
  }

  /// Frees entries that are not, or no longer, in a list.
  mutating func discard(_ entries: [Unmanaged<Entry>], in container: Container) -> Outcome {
    unlinked.append(entries, epoch: EpochDomain.shared.pointee.advance())
    return reclaim(container)
  }

  /// Frees the garbage that no reader can reach. The outcome reports whether a sweep must start for the rest.
  mutating func reclaim(_ container: Container) -> Outcome {
    let freed = free(container)
    let beginsSweep = isWaiting && !isSweeping
    if beginsSweep { isSweeping = true }
    return Outcome(freed: freed, beginsSweep: beginsSweep, waitsForReaders: !removed.isEmpty || !unlinked.isEmpty)
  }

  /// Returns the removed entries that no reader can reach, for the caller to release outside the lock, and whether others are left.
  mutating func sweep(_ container: Container) -> (freed: [Entry], isWaiting: Bool) {
    let freed = free(container)
    isSweeping = isWaiting
    return (freed, isWaiting)
  }

  /// Publishes a version to readers.
  private func publish(_ version: UInt64, in container: Container) {
    container.version.store(version, ordering: .releasing)
    container.publishedFastPathVersion.store(overrideCount == 0 ? version : 0, ordering: .releasing)
  }

  /// Adds to the number of active overrides. Look-ups search the overrides while it is not 0.
  mutating func countOverride(_ difference: Int, in container: Container) {
    overrideCount += difference
    // A new version, so that a scope does not use its cached entries any more.
    publish(container.version.load(ordering: .relaxed) + 1, in: container)
  }

  /// A commit before its publication.
  private struct Commit {
    let version: UInt64
    let container: Container
    /// Blocks of lists and tables that readers may still use.
    var replaced: [UnsafeMutableRawPointer] = []
    var removed: [Unmanaged<Entry>] = []
    /// The inserted entries, if a collision can undo the commit.
    var inserted: [Unmanaged<Entry>] = []
    /// The reason if nothing is to be changed.
    var collision: CollisionError?
    /// Whether the commit adds or removes injections.
    var changesInjections = false

    /// Records the insertion or removal of an entry.
    mutating func note(_ entry: Entry) {
      if ObjectIdentifier(entry.metatype) == ObjectIdentifier(Injection.self) { changesInjections = true }
    }
  }

  /// Returns the entries with the type, tags and argument types of an entry.
  private func collisions(_ entry: Entry, _ container: Container) -> [Unmanaged<Entry>] {
    container.liveEntries(entry.metatype, entry.tags).filter { other in
      other._withUnsafeGuaranteedRef { $0.collides(with: entry) }
    }
  }

  /// Returns the colliding registrations that an entry replaces, or nil if the entry must not be registered.
  private func entriesToReplace(
    for entry: Entry, among others: [Unmanaged<Entry>], _ commit: inout Commit
  ) -> [Unmanaged<Entry>]? {
    switch commit.container.collisionPolicy {
    case .replace: return others
    case .keep: return others.isEmpty ? others : nil
    case .fail:
      guard let other = others.last else { return others }
      let existing = other._withUnsafeGuaranteedRef { $0.location }
      commit.collision = CollisionError(key: entry.key, existing: existing, new: entry.location)
      return nil
    }
  }

  /// Registers an entry, if the collision policy permits it.
  private mutating func add(_ entry: Entry, _ owner: Owner?, _ commit: inout Commit) {
    guard let others = entriesToReplace(for: entry, among: collisions(entry, commit.container), &commit) else { return }
    others.forEach { remove($0, &commit) }
    insert(entry, owner, &commit)
  }

  /// Removes the entries of an owner and registers entries for another owner, or the same one. An entry with the key of a removed
  /// one inherits its position.
  private mutating func replace(_ former: Owner?, _ entries: [Entry], _ owner: Owner, _ commit: inout Commit) {
    let old = former.map { owned.of($0) } ?? []
    guard !old.isEmpty else {
      for entry in entries where commit.collision == nil { add(entry, owner, &commit) }
      return
    }
    for entry in old { remove(entry, &commit) }
    var places = InheritedPositions(of: old, for: entries)
    for (index, entry) in entries.enumerated() {
      // Entries that inherit a position are not in the lists yet.
      let placed = places.taken(with: entry)
      guard let others = entriesToReplace(for: entry, among: collisions(entry, commit.container) + placed, &commit) else {
        if commit.collision == nil { continue }
        return
      }
      others.forEach { remove($0, &commit) }
      if let sequence = places.sequence(at: index) ?? placed.first?._withUnsafeGuaranteedRef({ $0.sequence }) {
        places.take(stamp(entry, owner, sequence: sequence, &commit))
      } else {
        insert(entry, owner, &commit)
      }
    }
    for (metatype, entries) in places.takenByType() { merge(entries, metatype, &commit) }
  }

  /// Replaces a registered entry by one with the same key and for the same owner. Does nothing if the old one was removed.
  private mutating func exchange(_ old: Entry, _ new: Entry, _ commit: inout Commit) {
    guard old.removedIn.load(ordering: .relaxed) == .max else { return }
    remove(Unmanaged.passUnretained(old), &commit)
    merge([stamp(new, old.owner, sequence: old.sequence, &commit)], new.metatype, &commit)
  }

  /// Inserts entries of a type that inherit positions into the lists.
  private func merge(_ entries: [Unmanaged<Entry>], _ metatype: any Any.Type, _ commit: inout Commit) {
    let table = commit.container.tableForWriting(metatype) { commit.replaced.append($0) }
    table.pointee.merge(entries) { commit.replaced.append($0) }
  }

  /// Appends an entry to the lists.
  private mutating func insert(_ entry: Entry, _ owner: Owner?, _ commit: inout Commit) {
    let sequence = Self.sequence.wrappingAdd(1, ordering: .relaxed).newValue
    let reference = stamp(entry, owner, sequence: sequence, &commit)
    let table = commit.container.tableForWriting(entry.metatype) { commit.replaced.append($0) }
    table.pointee.insert(reference) { commit.replaced.append($0) }
  }

  /// Makes an entry part of a commit and returns the entry for the lists: a copy if the entry is or was in a container, because
  /// readers may still read it.
  private mutating func stamp(
    _ entry: Entry, _ owner: Owner?, sequence: Int, _ commit: inout Commit
  ) -> Unmanaged<Entry> {
    let isNew = entry.addedIn.compareExchange(expected: .max, desired: commit.version, ordering: .relaxed).exchanged
    let entry = isNew ? entry : entry.copied(to: entry.key)
    if !isNew { entry.addedIn.store(commit.version, ordering: .relaxed) }
    entry.sequence = sequence
    entry.owner = owner
    if commit.container.isLearning { entry.learn(in: commit.container) }
    let reference = Unmanaged.passRetained(entry)
    owned.insert(reference)
    // Under any other policy, no collision undoes the commit.
    if commit.container.collisionPolicy == .fail { commit.inserted.append(reference) }
    commit.note(entry)
    return reference
  }

  private mutating func remove(_ entry: Unmanaged<Entry>, _ commit: inout Commit) {
    entry._withUnsafeGuaranteedRef { present in
      present.removedIn.store(commit.version, ordering: .relaxed)
      commit.note(present)
    }
    owned.remove(entry)
    commit.removed.append(entry)
  }

  /// Undoes an unpublished commit, and returns the entries to remove. No reader has seen the commit.
  private mutating func undo(_ commit: Commit) -> [Unmanaged<Entry>] {
    var undone = Commit(version: commit.version, container: commit.container)
    for entry in commit.removed {
      entry._withUnsafeGuaranteedRef { present in
        if present.addedIn.load(ordering: .relaxed) == commit.version {
          undone.removed.append(entry)
        } else {
          present.removedIn.store(.max, ordering: .relaxed)
          owned.insert(entry)
        }
      }
    }
    for entry in commit.inserted where entry._withUnsafeGuaranteedRef({ $0.removedIn.load(ordering: .relaxed) }) == .max {
      remove(entry, &undone)
    }
    return undone.removed
  }

  /// Frees blocks that no reader can reach, and returns the entries that no reader can reach. Never waits for a reader.
  private mutating func free(_ container: Container) -> [Entry] {
    // The second round frees the entries that the first has unlinked, if no reader is active.
    for _ in 0..<2 where !(removed.isEmpty && unlinked.isEmpty && blocks.isEmpty) {
      let oldest = EpochDomain.shared.pointee.oldestAnnounced()
      for block in blocks.removeAll(before: oldest) { block.deallocate() }
      running += unlinked.removeAll(before: oldest)
      unlink(container, before: oldest)
    }
    if running.isEmpty { return [] }
    let kept = EpochDomain.shared.pointee.hazards()
    var freed: [Entry] = []
    running.removeAll { entry in
      let runs =
        kept.contains(UInt(bitPattern: entry.toOpaque()))
        || entry._withUnsafeGuaranteedRef { $0.untrackedRunCount.load(ordering: .acquiring) != 0 }
      if !runs { freed.append(entry.takeRetainedValue()) }
      return !runs
    }
    return freed
  }

  /// Unlinks the entries that no reader sees any more.
  private mutating func unlink(_ container: Container, before oldest: UInt) {
    let ready = removed.removeAll(before: oldest)
    guard !ready.isEmpty else { return }
    var replaced: [UnsafeMutableRawPointer] = []
    for entry in ready {
      let metatype = entry._withUnsafeGuaranteedRef { $0.metatype }
      container.tableForWriting(metatype) { replaced.append($0) }.pointee.remove(entry) { replaced.append($0) }
    }
    let epoch = EpochDomain.shared.pointee.advance()
    unlinked.append(ready, epoch: epoch)
    blocks.append(replaced, epoch: epoch)
  }

  /// Frees all objects at the end of the container, when it has no reader.
  mutating func freeAll() -> [Entry] {
    if blocks.isEmpty && unlinked.isEmpty && running.isEmpty { return [] }
    for block in blocks.removeAll(before: .max) { block.deallocate() }
    defer { running = [] }
    // The lists free the removed entries that they still contain.
    return (unlinked.removeAll(before: .max) + running).map { $0.takeRetainedValue() }
  }

  /// The last sequence number of all containers. A common sequence orders the registrations of a child and its parent.
  private static let sequence = Atomic<Int>(0)
}

/// A change of a container.
enum RegistrationChange {
  /// Registers an entry. An entry with the same type, tags and argument types is a collision.
  case insert(Entry, Owner?)
  /// Removes the entries with a type and exactly these tags, for any arguments.
  case remove(any Any.Type, [Tag])
  /// Removes the entries of a type with tags that include these.
  case removeIncluding(any Any.Type, [Tag])
  /// Removes the entries of all types with tags that include these.
  case removeAll([Tag])
  /// Removes the entries of an owner.
  case removeOwner(Owner)
  /// Removes the entries of the first owner, if one is given, and registers entries for the second. An entry with the key of a
  /// removed one inherits its position.
  case replace(Owner?, [Entry], Owner)
  /// Replaces the first entry by the second, which has the same key. Does nothing if the first was removed.
  case exchange(Entry, Entry)

  /// Whether it removes registrations, other than by a collision or an exchange.
  var isRemoval: Bool {
    switch self {
    case .remove, .removeIncluding, .removeAll, .removeOwner, .replace: true
    case .insert, .exchange: false
    }
  }
}
