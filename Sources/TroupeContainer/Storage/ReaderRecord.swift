public import Synchronization

/// A thread's state for reading containers: its epoch and its running factories.
///
/// `Readers` creates one record for each thread that resolves, 128 bytes apart so that no two threads write to the same cache
/// lines. Records are never freed: a new thread reuses the record of an ended one.
///
/// The addresses of running entries are hazard pointers (M. Michael, Hazard Pointers, 2004): a writer does not free these entries. A
/// store takes less time than a change of a reference count. It needs no fence: a writer reads the addresses only after it has seen
/// that the thread stopped reading, or began later, and the thread writes both after the address.
@frozen @usableFromInline
struct ReaderRecord: ~Copyable {
  /// The epoch in which the thread began to read, or 0 while it is not reading. Written by the thread, read by writers.
  @usableFromInline let announced = Atomic<UInt>(0)
  /// Whether a thread owns this record.
  let isTaken = Atomic<Bool>(true)
  /// The next record of the process; constant once the record is in the list.
  var next: UnsafeMutablePointer<ReaderRecord>?

  // Written by the thread, read by writers. Atomic, so that a change does not access the whole record.
  /// The addresses of the entries whose factories run on the thread, outermost first.
  @usableFromInline let running: Atomic<UnsafeMutablePointer<Atomic<UInt>>>
  /// How many factories run on the thread.
  @usableFromInline let runningCount = Atomic<Int>(0)
  /// How many addresses have room.
  @usableFromInline let capacity: Atomic<Int>

  /// The stack of the thread; nil before its first use. Only the thread itself uses it.
  var stack: ThreadStack?

  init() {
    capacity = Atomic(16)
    running = Atomic(.allocate(capacity: 16))
  }

  /// Marks the factory of an entry as the innermost that runs on the thread. The caller has found the entry while reading, which may
  /// end now, or owns it.
  @inlinable @inline(__always)
  func push(_ entry: Unmanaged<Entry>) {
    let count = runningCount.load(ordering: .relaxed)
    if count == capacity.load(ordering: .relaxed) { grow() }
    (running.load(ordering: .relaxed) + count).initialize(to: Atomic(UInt(bitPattern: entry.toOpaque())))
    runningCount.store(count + 1, ordering: .releasing)
  }

  /// Marks the innermost factory as ended. Nothing may use its entry afterwards.
  @inlinable @inline(__always)
  func pop() {
    let count = runningCount.load(ordering: .relaxed)
    // As at the end of reading, the fence keeps retains before the store.
    atomicMemoryFence(ordering: .releasing)
    runningCount.store(count - 1, ordering: .relaxed)
  }

  /// Doubles the room for addresses. Writers may still read the former memory, so it stays allocated. All of it together is smaller
  /// than the new one.
  @usableFromInline @inline(never)
  func grow() {
    let count = capacity.load(ordering: .relaxed)
    let former = running.load(ordering: .relaxed)
    let larger = UnsafeMutablePointer<Atomic<UInt>>.allocate(capacity: count * 2)
    for index in 0..<count { (larger + index).initialize(to: Atomic(former[index].load(ordering: .relaxed))) }
    running.store(larger, ordering: .releasing)
    capacity.store(count * 2, ordering: .relaxed)
  }

  /// Returns the entry of a running factory, counted from the outermost.
  @inlinable @inline(__always)
  func entry(at index: Int) -> Unmanaged<Entry> {
    let address = running.load(ordering: .relaxed)[index].load(ordering: .relaxed)
    // The address of an entry is not 0.
    return .fromOpaque(UnsafeRawPointer(bitPattern: address).unsafelyUnwrapped)
  }

  /// Calls a closure with the addresses of the entries whose factories run. For writers; the thread may change them meanwhile.
  func forEachRunning(_ body: (UInt) -> Void) {
    // The count first: the memory then has room for at least so many.
    let count = runningCount.load(ordering: .acquiring)
    let addresses = running.load(ordering: .acquiring)
    for index in 0..<count { body(addresses[index].load(ordering: .acquiring)) }
  }
}
