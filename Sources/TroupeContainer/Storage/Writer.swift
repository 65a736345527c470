import Glibc
import Synchronization

/// What the writers of a container share, under its lock: what has been taken out of reach and waits to be freed, and who owns
/// what.
///
/// Everything that changes together is stamped with the same version, and the version is published last. So a reader, which
/// looks at one version, sees all of a change or nothing of it. What has gone is freed in two steps: when no reader looks at
/// an older version any more, it is taken out of the lists; when no reader can have met it in a list any more, it is
/// released.
struct Writer {
  /// Something that waits until no reader announces `epoch` or an earlier one.
  private struct Waiting<Subject> {
    let subject: Subject
    let epoch: UInt
  }

  /// Entries that are not visible any more and still in the lists.
  private var gone: [Waiting<Unmanaged<Entry>>] = []
  /// Entries that are in no list any more.
  private var unlinked: [Waiting<Unmanaged<Entry>>] = []
  /// Blocks of lists and tables that have been replaced.
  private var blocks: [Waiting<UnsafeMutableRawPointer>] = []
  /// The entries of each owner.
  private var owned: [Owner: Set<OwnedEntry>] = [:]

  /// Whether anything waits to be freed.
  private var hasGarbage: Bool { !gone.isEmpty || !unlinked.isEmpty || !blocks.isEmpty }

  init() {}

  /// Makes changes visible at once.
  ///
  /// - Returns: How many entries went, and what nobody can reach any more; to be released outside the lock, because that may
  ///   run anybody's code.
  mutating func commit(_ changes: [Change], to container: Container) -> (removed: Int, freed: [Entry]) {
    let version = container.version.load(ordering: .relaxed) + 1
    var replaced: [UnsafeMutableRawPointer] = []
    var removed: [Unmanaged<Entry>] = []
    for change in changes {
      switch change {
      case .insert(let entry, let owner):
        insert(entry, owner, version, container, removed: &removed, replaced: &replaced)
      case .remove(let metatype, let tags):
        for entry in container.writerEntries(metatype, tags) { remove(entry, version, &removed) }
      case .removeOwner(let owner):
        for entry in owned[owner] ?? [] { remove(entry.entry, version, &removed) }
      }
    }
    container.version.store(version, ordering: .releasing)
    if !removed.isEmpty || !replaced.isEmpty {
      let epoch = Readers.shared.pointee.advance()
      gone += removed.map { Waiting(subject: $0, epoch: epoch) }
      blocks += replaced.map { Waiting(subject: $0, epoch: epoch) }
    }
    return (removed.count, reclaim(container, patience: removed.isEmpty ? 0 : 200))
  }

  private mutating func insert(
    _ entry: Entry, _ owner: Owner?, _ version: UInt64, _ container: Container, removed: inout [Unmanaged<Entry>],
    replaced: inout [UnsafeMutableRawPointer]
  ) {
    let others = container.writerEntries(entry.metatype, entry.tags).filter { other in
      other._withUnsafeGuaranteedRef { $0.collides(with: entry) }
    }
    if !others.isEmpty {
      switch container.collisionPolicy {
      case .replace: others.forEach { remove($0, version, &removed) }
      case .keep: return
      case .fail: preconditionFailure("\(entry.key) is registered twice")
      }
    }
    entry.born.store(version, ordering: .relaxed)
    entry.sequence = Self.sequence.wrappingAdd(1, ordering: .relaxed).newValue
    entry.owner = owner
    let reference = Unmanaged.passRetained(entry)
    if let owner { owned[owner, default: []].insert(OwnedEntry(entry: reference)) }
    let table = container.writerTable(entry.metatype) { replaced.append($0) }
    table.pointee.insert(reference) { replaced.append($0) }
  }

  private mutating func remove(_ entry: Unmanaged<Entry>, _ version: UInt64, _ removed: inout [Unmanaged<Entry>]) {
    entry._withUnsafeGuaranteedRef { present in
      present.died.store(version, ordering: .relaxed)
      if let owner = present.owner {
        owned[owner]?.remove(OwnedEntry(entry: entry))
        if owned[owner]?.isEmpty ?? false { owned[owner] = nil }
      }
    }
    removed.append(entry)
  }

  /// Frees what no reader can be looking at, and gives the entries among it.
  ///
  /// - Parameter patience: How often to look again while readers are at work. Reading takes well under a microsecond unless a
  ///   tag's `==` is slow; what is left over waits for the next change.
  private mutating func reclaim(_ container: Container, patience: Int) -> [Entry] {
    var freed: [Unmanaged<Entry>] = []
    for attempt in 0...patience {
      guard hasGarbage else { break }
      if attempt > 0 { sched_yield() }
      let oldest = Readers.shared.pointee.oldestAnnounced()
      blocks.removeAll { block in
        guard block.epoch < oldest else { return false }
        block.subject.deallocate()
        return true
      }
      unlinked.removeAll { entry in
        guard entry.epoch < oldest else { return false }
        freed.append(entry.subject)
        return true
      }
      unlink(container, before: oldest)
    }
    return freed.map { $0.takeRetainedValue() }
  }

  /// Takes entries out of the lists that no reader sees any more.
  private mutating func unlink(_ container: Container, before oldest: UInt) {
    let ready = gone.filter { $0.epoch < oldest }.map(\.subject)
    guard !ready.isEmpty else { return }
    gone.removeAll { $0.epoch < oldest }
    var replaced: [UnsafeMutableRawPointer] = []
    for entry in ready {
      let metatype = entry._withUnsafeGuaranteedRef { $0.metatype }
      container.writerTable(metatype) { replaced.append($0) }.pointee.remove(entry) { replaced.append($0) }
    }
    let epoch = Readers.shared.pointee.advance()
    unlinked += ready.map { Waiting(subject: $0, epoch: epoch) }
    blocks += replaced.map { Waiting(subject: $0, epoch: epoch) }
  }

  /// Frees everything, when the container is gone and nobody reads it.
  mutating func freeAll() -> [Entry] {
    blocks.forEach { $0.subject.deallocate() }
    blocks = []
    defer { unlinked = [] }
    // What is gone but still in the lists is freed with the lists.
    return unlinked.map { $0.subject.takeRetainedValue() }
  }

  /// Numbers registrations in all containers, so that those of a child and its parent can be put in order.
  private static let sequence = Atomic<Int>(0)
}

/// A change to a container.
enum Change {
  /// Registers an entry, replacing what has the same type, tags and arguments.
  case insert(Entry, Owner?)
  /// Removes everything with these type and tags, whatever its arguments.
  case remove(any Any.Type, [Tag])
  /// Removes everything of an owner.
  case removeOwner(Owner)
}

/// An entry as a member of a set.
private struct OwnedEntry: Hashable {
  let entry: Unmanaged<Entry>

  static func == (left: Self, right: Self) -> Bool { left.entry.toOpaque() == right.entry.toOpaque() }
  func hash(into hasher: inout Hasher) { hasher.combine(entry.toOpaque()) }
}

extension Entry {
  /// Whether another entry of the same type and tags takes the place of this one: both have the same arguments.
  func collides(with other: Entry) -> Bool {
    if kind == .dynamic || other.kind == .dynamic { return true }
    if kind == .plain && other.kind == .plain { return true }
    return (argumentTypes ?? []).map { ObjectIdentifier($0) } == (other.argumentTypes ?? []).map { ObjectIdentifier($0) }
  }
}
