import Synchronization

/// The state of a container's writers, under its lock: how registrations are added and removed, and when removed ones are freed.
///
/// **A commit is atomic for readers.** All entries that it adds or removes get one new version. They are in the lists before the version is
/// published. A reader loads the version once and ignores the entries that are not visible at it. If two registrations collide and the policy
/// forbids it, `undo` takes the unpublished commit back.
///
/// **A removed entry is freed in three steps**, each as soon as it is possible: in the commit itself, in a later one, or by the sweep
/// (`Container+Commit.swift`). No step waits for a reader under the lock.
///
///     removed     in the lists, not visible from the new version on
///        │        every reader from before the commit has ended
///     unlinked    in no list
///        │        every reader from before the unlinking has ended, so none can find it
///     running     no hazard pointer and no untracked run of its factory
///        │
///     released    by the caller, outside the lock: a deinitializer may run any code
///
/// Replaced blocks of lists and tables wait for the readers that began before the replacement only.
///
/// The container owns one reference to each entry, which passes through these steps.
struct Writer {
  private var removed = EpochQueue<Unmanaged<Entry>>()
  private var unlinked = EpochQueue<Unmanaged<Entry>>()
  private var running: [Unmanaged<Entry>] = []
  private var retiredBlocks = EpochQueue<UnsafeMutableRawPointer>()
  /// The addresses of the live entries of each owner, so that a plugin is unregistered at once.
  private var owned: [Owner: Set<UnsafeMutableRawPointer>] = [:]

  /// The number of active overrides of the container.
  private var overrideCount = 0
  /// True while a background task sweeps.
  private var isSweeping = false

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
    var commit = Commit(version: container.version.load(ordering: .relaxed) + 1, container: container)
    for change in changes where commit.collision == nil {
      switch change {
      case .insert(let entry, let owner):
        add(entry, owner, &commit)
      case .remove(let metatype, let tags):
        remove(container.entries(metatype, exactly: tags, where: \.isLive), &commit)
      case .removeIncluding(let metatype, let tags):
        remove(container.entries(metatype, including: tags, where: \.isLive), &commit)
      case .removeOwner(let owner):
        removeEntries(of: owner, &commit)
      case .replace(let former, let entries, let owner):
        replace(former, entries, owner, &commit)
      case .exchange(let old, let new):
        if !old.isLive { continue }
        remove([old], &commit)
        insert(new, old.owner, at: old, &commit)
      }
    }
    if commit.collision == nil {
      // Before the version: a reader of the version sees this store.
      if commit.changesInjections { container.injectionsChanged.store(commit.version, ordering: .relaxed) }
      publish(commit.version, in: container)
    } else {
      undo(&commit)
    }
    if !commit.removed.isEmpty || !commit.replaced.isEmpty {
      var scopedEntries: [Unmanaged<Entry>] = []
      if container.mayHaveScopedEntries {
        scopedEntries = container.removeScopedEntries(of: commit.removed.map { $0.takeUnretainedValue() })
      }
      let epoch = EpochDomain.shared.pointee.advance()
      unlinked.append(scopedEntries, epoch: epoch)
      removed.append(commit.removed, epoch: epoch)
      retiredBlocks.append(commit.replaced, epoch: epoch)
    }
    var outcome = reclaim(container)
    outcome.removedCount = commit.collision == nil ? commit.removed.count : 0
    outcome.collision = commit.collision
    outcome.changedInjections = commit.collision == nil && commit.changesInjections
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
    var inserted: [Entry] = []
    /// The sequence numbers of removed entries whose positions others inherit.
    var inherited: Set<Int> = []
    /// The reason to undo the commit.
    var collision: CollisionError?

    var changesInjections: Bool {
      func isInjection(_ entry: Entry) -> Bool { ObjectIdentifier(entry.metatype) == ObjectIdentifier(Injection.self) }
      return inserted.contains(where: isInjection) || removed.contains { $0._withUnsafeGuaranteedRef(isInjection) }
    }
  }

  /// Registers an entry under the collision policy, at the position of a predecessor or as the last one.
  private mutating func add(_ entry: Entry, _ owner: Owner?, at predecessor: Entry? = nil, _ commit: inout Commit) {
    let others = commit.container.entries(entry.metatype, exactly: entry.tags) { $0.isLive && $0.collides(with: entry) }
    if let other = others.last {
      switch commit.container.collisionPolicy {
      case .replace: break
      case .keep: return
      case .fail:
        commit.collision = CollisionError(key: entry.key, existing: other.location, new: entry.location)
        return
      }
    }
    remove(others, &commit)
    // One that has just inherited a position passes it on.
    insert(entry, owner, at: predecessor ?? others.first { commit.inherited.contains($0.sequence) }, &commit)
    guard entry.tags.isEmpty, let other = others.last, let new = commit.inserted.last else { return }
    // Code that runs again is meant to replace its own registration.
    let isSameCode = other.location == entry.location
    if let replaced = isSameCode ? other.details.replaced : other.codeLocation { new.details.replaced = replaced }
  }

  /// Replaces the entries of an owner. So that a reload of a plugin keeps the order of arrays, a new entry inherits the sequence number of an
  /// old one with the same key, preferably of one with which it collides. With keys A, B and C, argument types in parentheses, and sequence
  /// numbers behind #:
  ///
  ///     old    A #3, B #4, A(Int) #5        new    A(Int) inherits #5,  C is appended,  A inherits #3        #4 is dropped
  private mutating func replace(_ former: Owner?, _ entries: [Entry], _ owner: Owner, _ commit: inout Commit) {
    let old = former.map { removeEntries(of: $0, &commit) } ?? []
    var available = Dictionary(grouping: old, by: \.key)
    var predecessors = [Entry?](repeating: nil, count: entries.count)
    // First the entries that collide, so that no other entry inherits their positions.
    for mustCollide in [true, false] where !available.isEmpty {
      for (index, entry) in entries.enumerated() where predecessors[index] == nil {
        let key = entry.key
        guard let first = available[key]?.firstIndex(where: { !mustCollide || $0.collides(with: entry) }) else { continue }
        predecessors[index] = available[key]?.remove(at: first)
      }
    }
    commit.inherited.formUnion(predecessors.compactMap { $0?.sequence })
    for (entry, predecessor) in zip(entries, predecessors) where commit.collision == nil {
      add(entry, owner, at: predecessor, &commit)
    }
  }

  /// Puts an entry into the lists, at the position of a removed one with the same key or as the last one. Inserts a copy if the entry is or
  /// was in a container, because readers may be reading it.
  private mutating func insert(_ entry: Entry, _ owner: Owner?, at predecessor: Entry?, _ commit: inout Commit) {
    let isNew = entry.addedIn.compareExchange(expected: .max, desired: commit.version, ordering: .relaxed).exchanged
    let entry = isNew ? entry : entry.copied(to: entry.key)
    if !isNew { entry.addedIn.store(commit.version, ordering: .relaxed) }
    entry.sequence = predecessor?.sequence ?? Self.sequence.wrappingAdd(1, ordering: .relaxed).newValue
    entry.owner = owner
    if commit.container.isLearning { entry.learn(in: commit.container) }
    let reference = Unmanaged.passRetained(entry)
    own(entry)
    commit.inserted.append(entry)
    if let predecessor { return EntryList.replace(.passUnretained(predecessor), by: reference) }
    let table = commit.container.tableForWriting(entry.metatype) { commit.replaced.append($0) }
    table.pointee.insert(reference) { commit.replaced.append($0) }
  }

  private mutating func remove(_ entries: [Entry], _ commit: inout Commit) {
    for entry in entries {
      entry.removedIn.store(commit.version, ordering: .relaxed)
      commit.removed.append(.passUnretained(entry))
      guard let owner = entry.owner, let index = owned.index(forKey: owner) else { continue }
      owned.values[index].remove(Unmanaged.passUnretained(entry).toOpaque())
      if owned.values[index].isEmpty { owned.remove(at: index) }
    }
  }

  @discardableResult
  private mutating func removeEntries(of owner: Owner, _ commit: inout Commit) -> [Entry] {
    let entries = entries(of: owner)
    owned[owner] = nil
    remove(entries, &commit)
    return entries
  }

  /// Undoes a commit that was not published. Of its removed entries those remain that it added.
  private mutating func undo(_ commit: inout Commit) {
    let removed = commit.removed.map { $0.takeUnretainedValue() }
    for entry in removed where entry.addedIn.load(ordering: .relaxed) != commit.version {
      entry.removedIn.store(.max, ordering: .relaxed)
      own(entry)
    }
    remove(commit.inserted.filter(\.isLive), &commit)
    commit.removed.removeAll { $0._withUnsafeGuaranteedRef(\.isLive) }
  }

  private mutating func own(_ entry: Entry) {
    if let owner = entry.owner { owned[owner, default: []].insert(Unmanaged.passUnretained(entry).toOpaque()) }
  }

  /// The last sequence number, of all containers: it orders the registrations of a child and its parent.
  private static let sequence = Atomic<Int>(0)

  /// Returns the entries of an owner in the order of registration.
  func entries(of owner: Owner) -> [Entry] {
    owned[owner, default: []].map { Unmanaged<Entry>.fromOpaque($0).takeUnretainedValue() }
      .sorted { $0.sequence < $1.sequence }
  }

  // MARK: Garbage

  /// Frees entries that are in no list.
  mutating func discard(_ entries: [Unmanaged<Entry>], in container: Container) -> Outcome {
    unlinked.append(entries, epoch: EpochDomain.shared.pointee.advance())
    return reclaim(container)
  }

  /// Frees what no reader can reach.
  ///
  /// - Parameter endsSweep: True for the background task, which continues if the outcome begins a sweep.
  mutating func reclaim(_ container: Container, endsSweep: Bool = false) -> Outcome {
    let freed = free(container)
    let waitsForReaders = !removed.isEmpty || !unlinked.isEmpty
    let beginsSweep = (waitsForReaders || !running.isEmpty) && (endsSweep || !isSweeping)
    isSweeping = beginsSweep || (isSweeping && !endsSweep)
    return Outcome(freed: freed, beginsSweep: beginsSweep, waitsForReaders: waitsForReaders)
  }

  /// Deallocates the blocks and returns the entries that no reader can reach.
  private mutating func free(_ container: Container) -> [Entry] {
    // The second round passes on the entries that the first has unlinked, if no reader is active.
    for _ in 0..<2 where !(removed.isEmpty && unlinked.isEmpty && retiredBlocks.isEmpty) {
      let oldest = EpochDomain.shared.pointee.oldestAnnounced()
      for block in retiredBlocks.removeAll(before: oldest) { block.deallocate() }
      running += unlinked.removeAll(before: oldest)
      unlink(removed.removeAll(before: oldest), container)
    }
    if running.isEmpty { return [] }
    let hazards = EpochDomain.shared.pointee.hazards()
    let end = running.partition { entry in
      !hazards.contains(UInt(bitPattern: entry.toOpaque()))
        && entry._withUnsafeGuaranteedRef { $0.untrackedRunCount.load(ordering: .acquiring) == 0 }
    }
    defer { running.removeSubrange(end...) }
    return running[end...].map { $0.takeRetainedValue() }
  }

  /// Unlinks removed entries that no reader of the version before can see.
  private mutating func unlink(_ entries: [Unmanaged<Entry>], _ container: Container) {
    if entries.isEmpty { return }
    var replaced: [UnsafeMutableRawPointer] = []
    for entry in entries {
      let metatype = entry._withUnsafeGuaranteedRef { $0.metatype }
      container.tableForWriting(metatype) { replaced.append($0) }.pointee.remove(entry) { replaced.append($0) }
    }
    let epoch = EpochDomain.shared.pointee.advance()
    unlinked.append(entries, epoch: epoch)
    retiredBlocks.append(replaced, epoch: epoch)
  }

  /// Frees everything at the end of the container, when it has no reader. Returns the entries that are in no list.
  mutating func freeAll() -> [Entry] {
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
  /// Removes the entries of a type, or of all types, with tags that include these.
  case removeIncluding((any Any.Type)?, [Tag])
  case removeOwner(Owner)
  /// Removes the entries of the first owner, if one is given, and registers entries for the second. An entry with the key of a
  /// removed one inherits its position.
  case replace(Owner?, [Entry], Owner)
  /// Replaces the first entry by the second, which has the same key. Does nothing if the first was removed.
  case exchange(Entry, Entry)

  /// True if its purpose is to remove registrations.
  var isRemoval: Bool {
    switch self {
    case .remove, .removeIncluding, .removeOwner, .replace: true
    case .insert, .exchange: false
    }
  }
}
