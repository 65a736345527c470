import Synchronization

/// The scoped instances of one scope.
///
/// A scope keeps each instance in a **scoped entry**: a copy of the registration, its origin, that holds the instance as the entry of a
/// singleton does. So the factory and the waiters of a scoped instance need nothing of their own. A scoped entry is in no list of
/// registrations; the scope finds it by the address of its origin:
///
///     root container ─→ TypeTable ─→ Entry of Transaction (.scoped) ←───── origin
///       scopes ─→ ScopeStorage of scope 2 ─→ ScopeStorage of scope 1
///                   scopedEntries: [ origin address │ scoped entry, with its instance ]
///
/// Readers look up with an `EpochGuard`. Changes take `lock`. When a registration is removed, the root's list of scopes finds all scoped
/// entries of it. The scope owns a reference to each of its scoped entries, and joins the list with the first of them, so that an unused
/// scope costs only its own allocation.
final class ScopeStorage: @unchecked Sendable {
  // Sendable because the map is changed only under `lock` and permits concurrent readers, and the index is used only under
  // the lock of the list.

  /// The topmost ancestor, which the scope keeps alive.
  private let root: Unmanaged<Container>
  /// The IDs of the overrides in which the scope was made.
  private let overrides: [Int]
  /// Addresses of scoped entries, keyed by the address of their origin.
  private let scopedEntries = AtomicMap(hasOwnLines: false)
  /// Its holder takes no other lock.
  private let lock = Lock(Garbage())
  /// True once it is in the list of the root. Set under the lock of the list.
  private let isListed = Atomic<Bool>(false)
  /// Its place in that list.
  fileprivate var index = 0

  /// Replaced tables that readers may still use.
  private struct Garbage: ~Copyable {
    private var tables = EpochQueue<UnsafeMutableRawPointer>()

    mutating func add(_ table: UnsafeMutableRawPointer) {
      tables.append([table], epoch: EpochDomain.shared.pointee.advance())
      for unused in tables.removeAll(before: EpochDomain.shared.pointee.oldestAnnounced()) { unused.deallocate() }
    }

    deinit {
      var tables = tables
      for table in tables.removeAll(before: .max) { table.deallocate() }
    }
  }

  init(root: Unmanaged<Container>, overrides: [Int]) {
    self.root = root
    self.overrides = overrides
  }

  // MARK: Scoped entries

  private static func key(_ origin: Entry) -> UInt { UInt(bitPattern: Unmanaged.passUnretained(origin).toOpaque()) }

  /// Returns the scoped entry of a registration, for a caller with a guard. Creates it if necessary and if its container is given. Nil if
  /// there is none, or if the registration was removed.
  func scopedEntry(of origin: Unmanaged<Entry>, owningContainer: Container?) -> Unmanaged<Entry>? {
    if let known = EntryList.entry(scopedEntries[UInt(bitPattern: origin.toOpaque())]) { return known }
    guard let owningContainer else { return nil }
    return origin._withUnsafeGuaranteedRef {
      add($0.makeScopedEntry(within: overrides), for: $0, owningContainer: owningContainer)
    }
  }

  /// Returns the scoped entry of a registration if it exists.
  func scopedEntry(of origin: Entry) -> Entry? {
    let epochGuard = EpochGuard(EpochDomain.shared)
    defer { epochGuard.end() }
    return scopedEntry(of: .passUnretained(origin), owningContainer: nil)?.takeUnretainedValue()
  }

  /// Returns the scoped entry of a candidate, and creates it if necessary.
  func scopedEntry(for candidate: Container.Candidate) -> Entry {
    // An entry that another thread removes meanwhile stays allocated.
    let epochGuard = EpochGuard(EpochDomain.shared)
    defer { epochGuard.end() }
    let known = scopedEntry(of: .passUnretained(candidate.entry), owningContainer: candidate.owningContainer)
    return known?.takeUnretainedValue() ?? candidate.entry.makeScopedEntry(within: overrides)
  }

  /// Adds a scoped entry, or returns the one that another thread has added. Nil if the registration was removed.
  private func add(_ new: Entry, for origin: Entry, owningContainer: Container) -> Unmanaged<Entry>? {
    join()
    return lock.withLock { garbage in
      let cell = scopedEntries.cell(for: Self.key(origin)) { garbage.add($0) }
      if let known = EntryList.entry(cell.pointee.value.load(ordering: .relaxed)) { return known }
      // A removal publishes its version before it takes the scoped entries. While the registration is visible, that is still to come.
      if !origin.isVisible(at: owningContainer.version.load(ordering: .acquiring)) { return nil }
      let entry = Unmanaged.passRetained(new)
      cell.pointee.value.store(UInt(bitPattern: entry.toOpaque()), ordering: .releasing)
      return entry
    }
  }

  /// Removes and returns the scoped entries of some registrations, or all.
  func take(_ origins: [Entry]? = nil) -> [Unmanaged<Entry>] {
    lock.withLock { garbage in
      var keys = origins?.map(Self.key) ?? []
      if origins == nil { scopedEntries.forEach { key, _, _ in keys.append(key) } }
      return keys.compactMap { key -> Unmanaged<Entry>? in
        guard let scopedEntry = EntryList.entry(scopedEntries[key]) else { return nil }
        scopedEntries.cell(for: key) { garbage.add($0) }.pointee.value.store(0, ordering: .releasing)
        return scopedEntry
      }
    }
  }

  /// Ends the scope, which has no references any more, and returns its scoped entries.
  func end() -> [Entry] {
    // No other thread takes scoped entries of a scope that is not in the list.
    if isListed.load(ordering: .acquiring) {
      root._withUnsafeGuaranteedRef { root in root.scopes.withLock { $0.remove(self) } }
    }
    var entries: [Entry] = []
    scopedEntries.forEach { _, value, _ in
      if let scopedEntry = EntryList.entry(value) { entries.append(scopedEntry.takeRetainedValue()) }
    }
    return entries
  }

  // MARK: The list of the root

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
}

/// The scopes below a container without a parent, for the removal of a registration from all of them.
///
/// It holds no references. Each scope leaves the list before it is deallocated, so the holder of the list's lock finds only allocated ones.
struct ScopeList {
  private var storages: [Unmanaged<ScopeStorage>] = []

  fileprivate mutating func insert(_ storage: ScopeStorage) {
    storage.index = storages.count
    storages.append(.passUnretained(storage))
  }

  /// Moves the last scope to the place of the removed one.
  fileprivate mutating func remove(_ storage: ScopeStorage) {
    storages.swapAt(storage.index, storages.count - 1)
    storages[storage.index]._withUnsafeGuaranteedRef { $0.index = storage.index }
    storages.removeLast()
  }

  /// Removes and returns the scoped entries of some registrations in all scopes.
  func take(_ origins: [Entry]) -> [Unmanaged<Entry>] { storages.flatMap { $0._withUnsafeGuaranteedRef { $0.take(origins) } } }
}
