import Synchronization

/// What the writers of a container share, under its lock: what has been taken out of reach and waits to be freed, and who owns
/// what.
///
/// Everything that changes together is stamped with the same version, and the version is published last. So a reader, which
/// looks at one version, sees all of a change or nothing of it. What has gone is freed in two steps: when no reader looks at
/// an older version any more, it is taken out of the lists; when no reader can have met it in a list any more, it is
/// released.
struct Writer {
  /// Entries that are removed and still in the lists.
  private var removed = EpochQueue<Unmanaged<Entry>>()
  /// Entries that are in no list any more.
  private var unlinked = EpochQueue<Unmanaged<Entry>>()
  /// Entries whose factories may still run.
  private var running: [Unmanaged<Entry>] = []
  /// Blocks of lists and tables that have been replaced.
  private var blocks = EpochQueue<UnsafeMutableRawPointer>()
  /// Who has registered what.
  private var owned = OwnedEntries()

  /// How many overrides of the container last at present.
  private var overrideCount = 0
  /// Whether somebody looks now and then whether entries can be released.
  private var isSweeping = false

  /// Whether entries wait for somebody who keeps them.
  private var isWaiting: Bool { !removed.isEmpty || !unlinked.isEmpty || !running.isEmpty }

  init() {}

  /// How a commit ended.
  struct Outcome {
    /// How many entries went.
    var removed = 0
    /// What nobody can reach any more; to be released outside the lock, because that may run anybody's code.
    var freed: [Entry] = []
    /// Why nothing was changed, if so.
    var collision: CollisionError?
    /// Whether somebody has to sweep from now on.
    var beginsSweep = false
    /// Whether a reader keeps removed entries from being released.
    var waitsForReaders = false
    /// Whether injections came or went.
    var changedInjections = false
  }

  /// Makes changes visible at once, or none of them if two registrations collide that must not.
  mutating func commit(_ changes: [Change], to container: Container) -> Outcome {
    let version = container.version.load(ordering: .relaxed) + 1
    var commit = Commit(version: version, container: container)
    for change in changes where commit.collision == nil {
      switch change {
      case .insert(let entry, let owner):
        add(entry, owner, &commit)
      case .remove(let metatype, let tags):
        for entry in container.writerEntries(metatype, tags) { remove(entry, &commit) }
      case .removeIncluding(let metatype, let tags):
        for entry in container.writerEntries(metatype, including: tags) { remove(entry, &commit) }
      case .removeAll(let tags):
        for entry in container.writerEntries(including: tags) { remove(entry, &commit) }
      case .removeOwner(let owner):
        for entry in owned.of(owner) { remove(entry, &commit) }
      case .replace(let former, let entries, let owner):
        replace(former, entries, owner, &commit)
      case .exchange(let old, let new):
        exchange(old, new, &commit)
      }
    }
    if commit.collision == nil {
      // Before the version, so that whoever sees that sees this.
      if commit.changesInjections { container.injectionsChanged.store(version, ordering: .relaxed) }
      publish(version, in: container)
    } else {
      commit.removed = undo(commit)
    }
    if !commit.removed.isEmpty || !commit.replaced.isEmpty {
      let standIns =
        container.mayHaveStandIns && commit.collision == nil ? container.takeStandIns(of: commit.removed) : nil
      let epoch = Readers.shared.pointee.advance()
      if let standIns { unlinked.append(standIns, epoch: epoch) }
      removed.append(commit.removed, epoch: epoch)
      blocks.append(commit.replaced, epoch: epoch)
    }
    var outcome = reclaim(container)
    outcome.removed = commit.collision == nil ? commit.removed.count : 0
    outcome.collision = commit.collision
    outcome.changedInjections = commit.changesInjections
    return outcome
  }

  /// Frees entries that were in no list, or are in none any more.
  mutating func discard(_ entries: [Unmanaged<Entry>], in container: Container) -> Outcome {
    unlinked.append(entries, epoch: Readers.shared.pointee.advance())
    return reclaim(container)
  }

  /// Frees the garbage that no reader can reach. The outcome says whether a sweep has to begin for the rest.
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

  /// Lets readers see a version.
  private func publish(_ version: UInt64, in container: Container) {
    container.version.store(version, ordering: .releasing)
    container.quickVersion.store(overrideCount == 0 ? version : 0, ordering: .releasing)
  }

  /// Has everybody take the long way for as long as one more override lasts, or one less.
  mutating func countOverride(_ difference: Int, in container: Container) {
    overrideCount += difference
    // A version of its own, so that a scope does not go on to use what it remembers.
    publish(container.version.load(ordering: .relaxed) + 1, in: container)
  }

  /// A change that is being made and not yet published.
  private struct Commit {
    let version: UInt64
    let container: Container
    /// Blocks of lists and tables that readers may still look at.
    var replaced: [UnsafeMutableRawPointer] = []
    var removed: [Unmanaged<Entry>] = []
    /// What comes, where a collision can take it back.
    var inserted: [Unmanaged<Entry>] = []
    /// Why nothing is to be changed, if so.
    var collision: CollisionError?
    /// Whether injections come or go.
    var changesInjections = false

    /// Notes that an entry comes or goes.
    mutating func note(_ entry: Entry) {
      if ObjectIdentifier(entry.metatype) == ObjectIdentifier(Injection.self) { changesInjections = true }
    }
  }

  /// What is registered with the type, tags and argument types of an entry.
  private func collisions(_ entry: Entry, _ container: Container) -> [Unmanaged<Entry>] {
    container.writerEntries(entry.metatype, entry.tags).filter { other in
      other._withUnsafeGuaranteedRef { $0.collides(with: entry) }
    }
  }

  /// Which of the registrations that collide with an entry have to go for it; nil if it is not to be registered.
  private func makeRoom(
    for entry: Entry, among others: [Unmanaged<Entry>], _ commit: inout Commit
  ) -> [Unmanaged<Entry>]? {
    switch commit.container.collisionPolicy {
    case .replace: return others
    case .keep: return others.isEmpty ? others : nil
    case .fail:
      guard let other = others.last else { return others }
      let existing = other._withUnsafeGuaranteedRef { $0.place }
      commit.collision = CollisionError(key: entry.key, existing: existing, new: entry.place)
      return nil
    }
  }

  /// Registers an entry, if what it collides with allows it.
  private mutating func add(_ entry: Entry, _ owner: Owner?, _ commit: inout Commit) {
    guard let others = makeRoom(for: entry, among: collisions(entry, commit.container), &commit) else { return }
    others.forEach { remove($0, &commit) }
    insert(entry, owner, &commit)
  }

  /// Takes back everything of an owner and registers entries for another one, or the same, those in the places of what went
  /// that have a key of it.
  private mutating func replace(_ former: Owner?, _ entries: [Entry], _ owner: Owner, _ commit: inout Commit) {
    let old = former.map { owned.of($0) } ?? []
    guard !old.isEmpty else {
      for entry in entries where commit.collision == nil { add(entry, owner, &commit) }
      return
    }
    for entry in old { remove(entry, &commit) }
    var places = Places(of: old, for: entries)
    for (index, entry) in entries.enumerated() {
      // What takes over a place is not in the lists yet.
      let placed = places.taken(with: entry)
      guard let others = makeRoom(for: entry, among: collisions(entry, commit.container) + placed, &commit) else {
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

  /// Puts an entry in the place of one with the same key, for its owner, if that has not gone.
  private mutating func exchange(_ old: Entry, _ new: Entry, _ commit: inout Commit) {
    guard old.died.load(ordering: .relaxed) == .max else { return }
    remove(Unmanaged.passUnretained(old), &commit)
    merge([stamp(new, old.owner, sequence: old.sequence, &commit)], new.metatype, &commit)
  }

  /// Puts entries of a type that take over places into the lists.
  private func merge(_ entries: [Unmanaged<Entry>], _ metatype: any Any.Type, _ commit: inout Commit) {
    let table = commit.container.writerTable(metatype) { commit.replaced.append($0) }
    table.pointee.merge(entries) { commit.replaced.append($0) }
  }

  /// Puts an entry at the end of the lists.
  private mutating func insert(_ entry: Entry, _ owner: Owner?, _ commit: inout Commit) {
    let sequence = Self.sequence.wrappingAdd(1, ordering: .relaxed).newValue
    let reference = stamp(entry, owner, sequence: sequence, &commit)
    let table = commit.container.writerTable(entry.metatype) { commit.replaced.append($0) }
    table.pointee.insert(reference) { commit.replaced.append($0) }
  }

  /// Makes an entry part of a change and gives what is to be put into the lists: a copy, if the entry is or was in a container,
  /// since readers may still look at that.
  private mutating func stamp(
    _ entry: Entry, _ owner: Owner?, sequence: Int, _ commit: inout Commit
  ) -> Unmanaged<Entry> {
    let isNew = entry.born.compareExchange(expected: .max, desired: commit.version, ordering: .relaxed).exchanged
    let entry = isNew ? entry : entry.copied(to: entry.key)
    if !isNew { entry.born.store(commit.version, ordering: .relaxed) }
    entry.sequence = sequence
    entry.owner = owner
    if commit.container.isLearning { entry.learn(in: commit.container) }
    let reference = Unmanaged.passRetained(entry)
    owned.insert(reference)
    // Under any other policy there is no such collision.
    if commit.container.collisionPolicy == .fail { commit.inserted.append(reference) }
    commit.note(entry)
    return reference
  }

  private mutating func remove(_ entry: Unmanaged<Entry>, _ commit: inout Commit) {
    entry._withUnsafeGuaranteedRef { present in
      present.died.store(commit.version, ordering: .relaxed)
      commit.note(present)
    }
    owned.remove(entry)
    commit.removed.append(entry)
  }

  /// Takes back changes that were not published, and gives the entries that go with them; no reader has seen either.
  private mutating func undo(_ commit: Commit) -> [Unmanaged<Entry>] {
    var undone = Commit(version: commit.version, container: commit.container)
    for entry in commit.removed {
      entry._withUnsafeGuaranteedRef { present in
        if present.born.load(ordering: .relaxed) == commit.version {
          undone.removed.append(entry)
        } else {
          present.died.store(.max, ordering: .relaxed)
          owned.insert(entry)
        }
      }
    }
    for entry in commit.inserted where entry._withUnsafeGuaranteedRef({ $0.died.load(ordering: .relaxed) }) == .max {
      remove(entry, &undone)
    }
    return undone.removed
  }

  /// Frees blocks that no reader can reach, and returns the entries that no reader can reach. Never waits for a reader.
  private mutating func free(_ container: Container) -> [Entry] {
    // The second round frees the entries that the first has unlinked, if no reader is active.
    for _ in 0..<2 where !(removed.isEmpty && unlinked.isEmpty && blocks.isEmpty) {
      let oldest = Readers.shared.pointee.oldestAnnounced()
      for block in blocks.removeAll(before: oldest) { block.deallocate() }
      running += unlinked.removeAll(before: oldest)
      unlink(container, before: oldest)
    }
    if running.isEmpty { return [] }
    let kept = Readers.shared.pointee.kept()
    var freed: [Entry] = []
    running.removeAll { entry in
      let runs =
        kept.contains(UInt(bitPattern: entry.toOpaque()))
        || entry._withUnsafeGuaranteedRef { $0.runCount.load(ordering: .acquiring) != 0 }
      if !runs { freed.append(entry.takeRetainedValue()) }
      return !runs
    }
    return freed
  }

  /// Removes entries from the lists that no reader sees any more.
  private mutating func unlink(_ container: Container, before oldest: UInt) {
    let ready = removed.removeAll(before: oldest)
    guard !ready.isEmpty else { return }
    var replaced: [UnsafeMutableRawPointer] = []
    for entry in ready {
      let metatype = entry._withUnsafeGuaranteedRef { $0.metatype }
      container.writerTable(metatype) { replaced.append($0) }.pointee.remove(entry) { replaced.append($0) }
    }
    let epoch = Readers.shared.pointee.advance()
    unlinked.append(ready, epoch: epoch)
    blocks.append(replaced, epoch: epoch)
  }

  /// Frees everything, when the container is gone and nobody reads it.
  mutating func freeAll() -> [Entry] {
    for block in blocks.removeAll(before: .max) { block.deallocate() }
    defer { running = [] }
    // Removed entries that are still in the lists are freed with the lists.
    return (unlinked.removeAll(before: .max) + running).map { $0.takeRetainedValue() }
  }

  /// Numbers registrations in all containers, so that those of a child and its parent can be put in order.
  private static let sequence = Atomic<Int>(0)
}

/// A change to a container.
enum Change {
  /// Registers an entry. What has the same type, tags and argument types is a collision.
  case insert(Entry, Owner?)
  /// Removes everything with these type and tags, whatever its arguments.
  case remove(any Any.Type, [Tag])
  /// Removes everything of a type with tags that include these.
  case removeIncluding(any Any.Type, [Tag])
  /// Removes everything of every type with tags that include these.
  case removeAll([Tag])
  /// Removes everything of an owner.
  case removeOwner(Owner)
  /// Removes everything of the first owner, if there is one, and registers entries for the second, those in the places of what
  /// went that have a key of it.
  case replace(Owner?, [Entry], Owner)
  /// Puts the second entry in the place of the first, which is registered here and has the same key, unless that has gone.
  case exchange(Entry, Entry)

  /// Whether it only removes registrations, or those of an owner.
  var isRemoval: Bool {
    switch self {
    case .remove, .removeIncluding, .removeAll, .removeOwner, .replace: true
    case .insert, .exchange: false
    }
  }
}

extension Entry {
  /// Whether another entry of the same type and tags takes the place of this one: both have the same arguments.
  func collides(with other: Entry) -> Bool {
    if kind == .plain && other.kind == .plain { return true }
    // What looks at its arguments by itself may take any.
    guard let own = argumentTypes, let others = other.argumentTypes else { return true }
    return own.map { ObjectIdentifier($0) } == others.map { ObjectIdentifier($0) }
  }
}
