import Synchronization

/// The scoped entries of a scope.
final class ScopeMemory: @unchecked Sendable {
  // Sendable because the maps are changed under `lock` alone and may be read meanwhile, and the neighbours under the lock of the
  // list alone.

  /// The container above all others, which the scope keeps.
  let root: Unmanaged<Container>
  /// The numbers of the overrides within which the scope was made.
  private let overrides: [Int]
  /// The stand-in for an entry, by the entry's address. Holds a reference.
  private let standIns = AtomicMap()
  /// Guards changes. Whoever has it takes no other lock.
  private let lock = Lock(Garbage())
  /// Whether it is in the list of the root. Set once, under the lock of the list.
  private let isListed = Atomic<Bool>(false)
  fileprivate var previous: Unmanaged<ScopeMemory>?
  fileprivate var next: Unmanaged<ScopeMemory>?

  /// Tables that have become too small, at which readers may still look. They are freed with the scope: all of them together are
  /// no larger than the present ones.
  private struct Garbage {
    var tables: [UnsafeMutableRawPointer] = []

    mutating func add(_ table: UnsafeMutableRawPointer) { tables.append(table) }
  }

  init(root: Container, overrides: [Int]) {
    self.root = .passUnretained(root)
    self.overrides = overrides
  }

  deinit {
    lock.withLock { garbage in
      garbage.tables.forEach { $0.deallocate() }
      garbage.tables = []
    }
  }

  // MARK: Stand-ins

  private static func word(_ entry: Entry) -> UInt { UInt(bitPattern: Unmanaged.passUnretained(entry).toOpaque()) }

  /// Returns the scoped entry of a registration for a reader, or nil if there is none yet.
  func scopedEntry(of origin: Unmanaged<Entry>) -> Unmanaged<Entry>? {
    EntryList.entry(standIns[UInt(bitPattern: origin.toOpaque())])
  }

  /// The stand-in for an entry, or nil if there is none yet.
  func standIn(of origin: Entry) -> Entry? {
    let reading = Reading(Readers.shared)
    defer { reading.end() }
    return scopedEntry(of: .passUnretained(origin))?.takeUnretainedValue()
  }

  /// The stand-in for an entry, made if there is none yet.
  func standIn(for candidate: Container.Candidate) -> Entry {
    let origin = candidate.entry
    if let known = standIn(of: origin) { return known }
    join()
    let new = origin.makeStandIn(within: overrides)
    return lock.withLock { garbage in
      let cell = standIns.cell(for: Self.word(origin)) { garbage.add($0) }
      if let known = EntryList.entry(cell.pointee.value.load(ordering: .relaxed)) { return known.takeUnretainedValue() }
      // Whoever takes an entry away says so first and then comes for its stand-ins: now, or has been here already.
      if !origin.isVisible(at: candidate.home.version.load(ordering: .acquiring)) { return new }
      cell.pointee.value.store(UInt(bitPattern: Unmanaged.passRetained(new).toOpaque()), ordering: .releasing)
      return new
    }
  }

  /// Takes the stand-ins of some entries out.
  fileprivate func take(_ origins: [Unmanaged<Entry>], into taken: inout [Unmanaged<Entry>]) {
    let own = lock.withLock { garbage in
      origins.compactMap { origin -> Unmanaged<Entry>? in
        let key = UInt(bitPattern: origin.toOpaque())
        guard let standIn = EntryList.entry(standIns[key]) else { return nil }
        standIns.cell(for: key) { garbage.add($0) }.pointee.value.store(0, ordering: .releasing)
        return standIn
      }
    }
    taken += own
  }

  /// Takes all stand-ins out.
  func takeAll() -> [Unmanaged<Entry>] {
    var origins: [UInt] = []
    return lock.withLock { garbage in
      var taken: [Unmanaged<Entry>] = []
      standIns.forEach { key, value, _ in
        guard let standIn = EntryList.entry(value) else { return }
        taken.append(standIn)
        origins.append(key)
      }
      for key in origins { standIns.cell(for: key) { garbage.add($0) }.pointee.value.store(0, ordering: .releasing) }
      return taken
    }
  }

  // MARK: The list

  /// Enters itself into the list of the root, unless it is there.
  private func join() {
    if isListed.load(ordering: .acquiring) { return }
    root._withUnsafeGuaranteedRef { root in
      root.scopes.withLock { list in
        if isListed.load(ordering: .relaxed) { return }
        list.insert(self)
        isListed.store(true, ordering: .releasing)
      }
    }
  }

  /// Takes itself out of the list of the root, so that nobody comes for stand-ins any more.
  func leave() {
    guard isListed.load(ordering: .acquiring) else { return }
    root._withUnsafeGuaranteedRef { root in root.scopes.withLock { $0.remove(self) } }
  }
}

/// The scopes below a container that have stand-ins, without references. Each leaves before it ends, so whoever has the lock of the
/// list finds none that has ended.
struct ScopeList {
  private var first: Unmanaged<ScopeMemory>?

  init() {}

  fileprivate mutating func insert(_ memory: ScopeMemory) {
    memory.next = first
    first?._withUnsafeGuaranteedRef { $0.previous = .passUnretained(memory) }
    first = .passUnretained(memory)
  }

  fileprivate mutating func remove(_ memory: ScopeMemory) {
    if let previous = memory.previous {
      previous._withUnsafeGuaranteedRef { $0.next = memory.next }
    } else {
      first = memory.next
    }
    memory.next?._withUnsafeGuaranteedRef { $0.previous = memory.previous }
  }

  /// Takes the stand-ins of some entries out of all scopes.
  func take(_ origins: [Unmanaged<Entry>]) -> [Unmanaged<Entry>] {
    var taken: [Unmanaged<Entry>] = []
    var next = first
    while let memory = next {
      next = memory._withUnsafeGuaranteedRef { memory in
        memory.take(origins, into: &taken)
        return memory.next
      }
    }
    return taken
  }
}
