public import Synchronization

/// A thread's state for reading containers: its epoch, its running factories and the entries that it keeps.
///
/// `EpochDomain` creates one record for each thread that resolves, 128 bytes apart so that no two threads write to the same cache
/// lines. Records are never freed: a new thread reuses the record of an ended one.
///
/// The addresses of these entries are hazard pointers (M. Michael, Hazard Pointers, 2004): a writer does not free these entries. A
/// store takes less time than a change of a reference count. It needs no fence: a writer reads the addresses only after it has seen
/// that the thread stopped reading, or began later, and the thread writes both after the address.
@frozen @usableFromInline
struct ThreadRecord: ~Copyable {
  /// The epoch in which the thread began to read, or 0 while it is not reading. Written by the thread, read by writers.
  @usableFromInline let announced = Atomic<UInt>(0)
  /// Whether a thread owns this record.
  let isTaken = Atomic<Bool>(true)
  /// The next record of the process; constant once the record is in the list.
  var next: UnsafeMutablePointer<ThreadRecord>?

  // Written by the thread, read by writers. Atomic, so that a change does not access the whole record.
  /// The addresses of the entries whose factories run on the thread, outermost first, and of those
  /// that it keeps, with the lowest bit set.
  @usableFromInline let entries: Atomic<UnsafeMutablePointer<Atomic<UInt>>>
  /// The number of addresses.
  @usableFromInline let count = Atomic<Int>(0)
  /// The number of allocated slots.
  @usableFromInline let capacity: Atomic<Int>

  /// The stack of the thread; nil before its first use. Only the thread itself uses it.
  var stack: StackBounds?

  init() {
    capacity = Atomic(16)
    entries = Atomic(Self.allocate(16))
  }

  private static func allocate(_ capacity: Int) -> UnsafeMutablePointer<Atomic<UInt>> {
    let size = capacity * MemoryLayout<Atomic<UInt>>.stride
    let slots = CacheLine.allocate(byteCount: size).bindMemory(to: Atomic<UInt>.self, capacity: capacity)
    for index in 0..<capacity { (slots + index).initialize(to: Atomic(0)) }
    return slots
  }

  /// Adds the address of an entry, with the lowest bit set if the entry is only kept.
  @inlinable @inline(__always)
  func push(_ address: UInt) {
    let index = count.load(ordering: .relaxed)
    if index == capacity.load(ordering: .relaxed) { grow() }
    entries.load(ordering: .relaxed)[index].store(address, ordering: .relaxed)
    count.store(index + 1, ordering: .releasing)
  }

  /// Removes the last entries that were pushed or kept. The caller must not use them afterwards.
  @inlinable @inline(__always)
  func pop(_ number: Int = 1) {
    let present = count.load(ordering: .relaxed)
    // As at the end of reading, the fence keeps retains before the store.
    atomicMemoryFence(ordering: .releasing)
    count.store(present - number, ordering: .relaxed)
  }

  /// Doubles the room for addresses. Writers may still read the former memory, so it stays allocated. All of it together is smaller
  /// than the new one.
  @usableFromInline @inline(never)
  func grow() {
    let former = entries.load(ordering: .relaxed)
    let size = capacity.load(ordering: .relaxed)
    let larger = Self.allocate(size * 2)
    for index in 0..<size { larger[index].store(former[index].load(ordering: .relaxed), ordering: .relaxed) }
    entries.store(larger, ordering: .releasing)
    capacity.store(size * 2, ordering: .relaxed)
  }

  /// Calls a closure with the addresses of all entries. For writers; the thread may change them meanwhile.
  func forEachAddress(_ body: (UInt) -> Void) {
    // The count first: the memory then has room for at least so many.
    let count = count.load(ordering: .acquiring)
    let addresses = entries.load(ordering: .acquiring)
    for index in 0..<count { body(addresses[index].load(ordering: .acquiring) & ~1) }
  }
}
