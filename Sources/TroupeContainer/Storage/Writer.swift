import Synchronization

/// The state of a container's writers, under its lock: how registrations are added and removed, and when removed ones are freed.
///
/// **A commit is atomic for readers.** All entries that it adds or removes get one new version. They are in the lists before the version is
/// published. A reader loads the version once and ignores the entries that are not visible at it. If two registrations collide and the policy
/// forbids it, `undo` takes the unpublished commit back.
///
/// **A removed entry is freed in three steps**, each as soon as it is possible: at a later commit, or by the sweep
/// (`Container+Commit.swift`). No step waits for a reader.
///
///     removed     in the lists, not visible from the new version on
///        │        no reader has begun before the commit
///     unlinked    in no list
///        │        no reader has begun before the unlinking, so none can find it any more
///     running     no hazard pointer and no untracked run of its factory
///        │
///     released    by the caller, outside the lock: a deinitializer may run any code
///
/// Replaced blocks of lists and tables wait for the readers that began before the replacement only.
///
/// The container owns one reference to each entry, which passes through these steps: `Unmanaged` everywhere, because a reference count would
/// make readers contend.
struct Writer {
  private var removed = EpochQueue<Unmanaged<Entry>>()
  private var unlinked = EpochQueue<Unmanaged<Entry>>()
  private var running: [Unmanaged<Entry>] = []
  private var retiredBlocks = EpochQueue<UnsafeMutableRawPointer>()
  private var owned = EntriesByOwner()

  /// The registrations without tags that replaced another one, which `validate()` reports.
  private var replacements: [ObjectIdentifier: Replacement] = [:]

  /// The number of active overrides of the container.
  private var overrideCount = 0
  /// True while a background task sweeps.
  private var isSweeping = false

  private var hasGarbage: Bool { !removed.isEmpty || !unlinked.isEmpty || !running.isEmpty }

  init() {}

  /// What the caller must do after a commit, outside the lock.
  struct Outcome {
    var removedCount = 0
    /// Release these.
    var freed: [Entry] = []
    /// Nothing was changed, for this reason.
    var collision: CollisionError?
    /// Start a sweep.
    var beginsSweep = false
    /// A reader keeps removed entries from being released.
    var waitsForReaders = false
    /// Injections were added or removed.
    var changedInjections = false
  }

  // MARK: Commits

  /// Commits all changes, or none of them if two registrations collide and the policy forbids it.
  mutating func commit(_ changes: [RegistrationChange], to container: Container) -> Outcome {
    let version = container.version.load(ordering: .relaxed) + 1
    var commit = Commit(version: version, container: container)
    for change in changes where commit.collision == nil {
      switch change {
      case .insert(let entry, let owner):
        add(entry, owner, &commit)
      case .remove(let metatype, let tags):
        for entry in container.liveEntries(metatype, exactly: tags) { remove(entry, &commit) }
      case .removeIncluding(let metatype, let tags):
        for entry in container.liveEntries(metatype, including: tags) { remove(entry, &commit) }
      case .removeAll(let tags):
        for entry in container.liveEntries(including: tags) { remove(entry, &commit) }
      case .removeOwner(let owner):
        for entry in owned.entries(of: owner) { remove(entry, &commit) }
      case .replace(let former, let entries, let owner):
        replace(former, entries, owner, &commit)
      case .exchange(let old, let new):
        exchange(old, new, &commit)
      }
    }
    if commit.collision == nil {
      // Before the version: a reader of the version sees this store.
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
      retiredBlocks.append(commit.replaced, epoch: epoch)
    }
    var outcome = reclaim(container)
    outcome.removedCount = commit.collision == nil ? commit.removed.count : 0
    outcome.collision = commit.collision
    outcome.changedInjections = commit.changesInjections
    return outcome
  }

  private func publish(_ version: UInt64, in container: Container) {
    container.version.store(version, ordering: .releasing)
    container.publishedFastPathVersion.store(overrideCount == 0 ? version : 0, ordering: .releasing)
  }

  /// Adds to the number of active overrides, which disable the fast path.
  mutating func countOverride(_ difference: Int, in container: Container) {
    overrideCount += difference
    // A new version, so that a scope does not use its cached entries any more.
    publish(container.version.load(ordering: .relaxed) + 1, in: container)
  }

  /// A commit before its publication.
  private struct Commit {
    let version: UInt64
    let container: Container
    /// Replaced blocks of lists and tables.
    var replaced: [UnsafeMutableRawPointer] = []
    var removed: [Unmanaged<Entry>] = []
    /// The inserted entries, under the policy `.fail`.
    var inserted: [Unmanaged<Entry>] = []
    /// The reason to undo the commit.
    var collision: CollisionError?
    var changesInjections = false

    /// Records the insertion or removal of an entry.
    mutating func note(_ entry: Entry) {
      if ObjectIdentifier(entry.metatype) == ObjectIdentifier(Injection.self) { changesInjections = true }
    }
  }

  /// Returns the registrations with which an entry collides.
  private func collisions(_ entry: Entry, _ container: Container) -> [Unmanaged<Entry>] {
    container.liveEntries(entry.metatype, exactly: entry.tags).filter { other in
      other._withUnsafeGuaranteedRef { $0.collides(with: entry) }
    }
  }

  /// Applies the collision policy: returns the registrations that an entry replaces, or nil if it must not be registered.
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

  private mutating func add(_ entry: Entry, _ owner: Owner?, _ commit: inout Commit) {
    guard let others = entriesToReplace(for: entry, among: collisions(entry, commit.container), &commit) else { return }
    let type = ObjectIdentifier(entry.metatype)
    let replacement = replacements[type]
    others.forEach { remove($0, &commit) }
    insert(entry, owner, &commit)
    guard entry.tags.isEmpty, let other = others.last else { return }
    let old = other._withUnsafeGuaranteedRef { $0.codeLocation }
    // Code that runs again is meant to replace its own registration.
    let isSameCode = old?.text == entry.codeLocation?.text
    replacements[type] = isSameCode ? replacement : Replacement(old: old, new: entry.codeLocation)
  }

  /// The source locations of a registration and of the one that replaced it.
  struct Replacement {
    let old: CodeLocation?
    let new: CodeLocation?
  }

  /// Returns how an entry replaced another registration, or nil.
  func replacement(by entry: Entry) -> Replacement? {
    guard entry.tags.isEmpty, let known = replacements[ObjectIdentifier(entry.metatype)] else { return nil }
    return known.new?.text == entry.codeLocation?.text ? known : nil
  }

  /// Replaces the entries of an owner: see `RegistrationChange.replace`.
  private mutating func replace(_ former: Owner?, _ entries: [Entry], _ owner: Owner, _ commit: inout Commit) {
    let old = former.map { owned.entries(of: $0) } ?? []
    guard !old.isEmpty else {
      for entry in entries where commit.collision == nil { add(entry, owner, &commit) }
      return
    }
    for entry in old { remove(entry, &commit) }
    let positions = InheritedPositions(of: old, for: entries)
    for (index, entry) in entries.enumerated() {
      guard let others = entriesToReplace(for: entry, among: collisions(entry, commit.container), &commit) else {
        if commit.collision == nil { continue }
        return
      }
      others.forEach { remove($0, &commit) }
      // One that has just inherited a position passes it on.
      if let predecessor = positions.predecessors[index] ?? others.first(where: positions.isInherited(by:)) {
        replace(predecessor, by: entry, owner, &commit)
      } else {
        insert(entry, owner, &commit)
      }
    }
  }

  /// Replaces an entry by one with the same key and owner: see `RegistrationChange.exchange`.
  private mutating func exchange(_ old: Entry, _ new: Entry, _ commit: inout Commit) {
    if old.isRemoved { return }
    remove(Unmanaged.passUnretained(old), &commit)
    replace(Unmanaged.passUnretained(old), by: new, old.owner, &commit)
  }

  /// Registers an entry at the position of a removed one with the same key.
  private mutating func replace(_ old: Unmanaged<Entry>, by new: Entry, _ owner: Owner?, _ commit: inout Commit) {
    let sequence = old._withUnsafeGuaranteedRef { $0.sequence }
    EntryList.replace(old, by: stamp(new, owner, sequence: sequence, &commit))
  }

  private mutating func insert(_ entry: Entry, _ owner: Owner?, _ commit: inout Commit) {
    let sequence = Self.sequence.wrappingAdd(1, ordering: .relaxed).newValue
    let reference = stamp(entry, owner, sequence: sequence, &commit)
    let table = commit.container.tableForWriting(entry.metatype) { commit.replaced.append($0) }
    table.pointee.insert(reference) { commit.replaced.append($0) }
  }

  /// Prepares an entry for the lists: gives it version, position and owner. Returns a copy if the entry is or was in a container, because
  /// readers may be reading it.
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
    if commit.container.collisionPolicy == .fail { commit.inserted.append(reference) }
    commit.note(entry)
    return reference
  }

  private mutating func remove(_ entry: Unmanaged<Entry>, _ commit: inout Commit) {
    entry._withUnsafeGuaranteedRef { present in
      present.removedIn.store(commit.version, ordering: .relaxed)
      commit.note(present)
      if present.tags.isEmpty && !replacements.isEmpty { replacements[ObjectIdentifier(present.metatype)] = nil }
    }
    owned.remove(entry)
    commit.removed.append(entry)
  }

  /// Undoes a commit that was not published, and returns the entries that it added.
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
    for entry in commit.inserted where !entry._withUnsafeGuaranteedRef({ $0.isRemoved }) {
      remove(entry, &undone)
    }
    return undone.removed
  }

  /// The last sequence number, of all containers: it orders the registrations of a child and its parent.
  private static let sequence = Atomic<Int>(0)

  /// Returns the entries of an owner in the order in which they were registered.
  func entries(of owner: Owner) -> [Entry] {
    owned.entries(of: owner).map { $0.takeUnretainedValue() }
  }

  // MARK: Garbage

  /// Frees entries that are in no list.
  mutating func discard(_ entries: [Unmanaged<Entry>], in container: Container) -> Outcome {
    unlinked.append(entries, epoch: EpochDomain.shared.pointee.advance())
    return reclaim(container)
  }

  /// Frees what no reader can reach.
  mutating func reclaim(_ container: Container) -> Outcome {
    let freed = free(container)
    let beginsSweep = hasGarbage && !isSweeping
    if beginsSweep { isSweeping = true }
    return Outcome(freed: freed, beginsSweep: beginsSweep, waitsForReaders: !removed.isEmpty || !unlinked.isEmpty)
  }

  /// Frees what no reader can reach, for the background task. Returns the entries to release, and whether others are left.
  mutating func sweep(_ container: Container) -> (freed: [Entry], hasGarbage: Bool) {
    let freed = free(container)
    isSweeping = hasGarbage
    return (freed, hasGarbage)
  }

  /// Deallocates the blocks and returns the entries that no reader can reach.
  private mutating func free(_ container: Container) -> [Entry] {
    // The second round passes on the entries that the first has unlinked, if no reader is active.
    for _ in 0..<2 where !(removed.isEmpty && unlinked.isEmpty && retiredBlocks.isEmpty) {
      let oldest = EpochDomain.shared.pointee.oldestAnnounced()
      for block in retiredBlocks.removeAll(before: oldest) { block.deallocate() }
      running += unlinked.removeAll(before: oldest)
      unlink(container, before: oldest)
    }
    if running.isEmpty { return [] }
    let hazards = EpochDomain.shared.pointee.hazards()
    var freed: [Entry] = []
    running.removeAll { entry in
      let runs =
        hazards.contains(UInt(bitPattern: entry.toOpaque()))
        || entry._withUnsafeGuaranteedRef { $0.untrackedRunCount.load(ordering: .acquiring) != 0 }
      if !runs { freed.append(entry.takeRetainedValue()) }
      return !runs
    }
    return freed
  }

  /// Unlinks the removed entries that no reader of the version before can see.
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
    retiredBlocks.append(replaced, epoch: epoch)
  }

  /// Frees everything at the end of the container, when it has no reader.
  mutating func freeAll() -> [Entry] {
    if retiredBlocks.isEmpty && unlinked.isEmpty && running.isEmpty { return [] }
    for block in retiredBlocks.removeAll(before: .max) { block.deallocate() }
    defer { running = [] }
    // The container releases the removed entries that are still in the lists, with the others.
    return (unlinked.removeAll(before: .max) + running).map { $0.takeRetainedValue() }
  }
}

/// One change of a commit.
enum RegistrationChange {
  /// Registers an entry. The policy decides about a collision: an entry with the same type, tags and argument types.
  case insert(Entry, owner: Owner?)
  /// Removes the entries with a type and exactly these tags, for any arguments.
  case remove(any Any.Type, [Tag])
  /// Removes the entries of a type with tags that include these.
  case removeIncluding(any Any.Type, [Tag])
  /// Removes the entries of all types with tags that include these.
  case removeAll([Tag])
  case removeOwner(Owner)
  /// Removes the entries of the first owner, if one is given, and registers entries for the second. An entry with the key of a
  /// removed one inherits its position.
  case replace(Owner?, [Entry], Owner)
  /// Replaces the first entry by the second, which has the same key. Does nothing if the first was removed.
  case exchange(Entry, Entry)

  /// True if its purpose is to remove registrations.
  var isRemoval: Bool {
    switch self {
    case .remove, .removeIncluding, .removeAll, .removeOwner, .replace: true
    case .insert, .exchange: false
    }
  }
}
