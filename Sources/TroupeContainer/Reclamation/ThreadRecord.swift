import Synchronization

/// What writers must know about one thread: the epoch that it reads in, and the entries that it uses without a guard.
///
///     EpochDomain ─→ record of thread A ─→ record of thread B ─→ …
///                      announcedEpoch: 0, or the epoch of its guard
///                      hazards ─→ [ entry, entry, entry | 1, … ]   hazardCount in use
///
/// The hazards are a stack. `push` adds the entry whose factory begins to run, so the stack is also the thread's path of running factories:
/// see `BuildPath`. `keep` adds an entry that must only stay allocated, marked by its lowest bit. Each `push` and `keep` needs a `pop`.
///
/// They are hazard pointers (M. Michael, Hazard Pointers, 2004): a writer frees no entry whose address it finds here. A store costs less
/// than a change of a reference count, and needs no fence. A writer reads the hazards only after it has seen that the thread ended its
/// guard, or began a later one, and the thread stores the hazard before either.
///
/// Records are 128 bytes apart, so no two threads write to one cache line. They are never freed: a new thread takes over the record of an
/// ended one. Only the thread itself changes its record; writers read it.
struct ThreadRecord: ~Copyable {
  /// The epoch of the thread's outermost guard, or 0.
  let announcedEpoch = Atomic<UInt>(0)
  /// False once the thread has ended and another may take the record.
  let isTaken = Atomic<Bool>(true)
  /// Constant once the record is in the list of the domain.
  var next: UnsafeMutablePointer<ThreadRecord>?

  // Atomic one by one, so that a change does not access the whole record, which writers read.
  let hazards: Atomic<UnsafeMutablePointer<Atomic<UInt>>>
  let hazardCount = Atomic<Int>(0)
  let hazardCapacity: Atomic<Int>

  /// Nil before its first use. Only the thread itself uses it.
  var stackBounds: StackBounds?

  init() {
    hazardCapacity = Atomic(16)
    hazards = Atomic(Self.allocate(16))
  }

  private static func allocate(_ capacity: Int) -> UnsafeMutablePointer<Atomic<UInt>> {
    let size = capacity * MemoryLayout<Atomic<UInt>>.stride
    let slots = CacheLine.allocate(byteCount: size).bindMemory(to: Atomic<UInt>.self, capacity: capacity)
    for index in 0..<capacity { (slots + index).initialize(to: Atomic(0)) }
    return slots
  }

  /// True while the thread has a guard. For the thread itself.
  @inline(__always)
  var isReading: Bool { announcedEpoch.load(ordering: .relaxed) != 0 }

  /// Adds the address of an entry, with the lowest bit set to keep it only. The caller has a guard or a reference until then.
  @inline(__always)
  func push(_ address: UInt) {
    let index = hazardCount.load(ordering: .relaxed)
    if index == hazardCapacity.load(ordering: .relaxed) { grow() }
    hazards.load(ordering: .relaxed)[index].store(address, ordering: .relaxed)
    hazardCount.store(index + 1, ordering: .releasing)
  }

  /// Removes the last hazards. Their entries may be freed at once.
  @inline(__always)
  func pop(_ number: Int = 1) {
    let present = hazardCount.load(ordering: .relaxed)
    // As in `EpochGuard.end`, the fence keeps retains before the store.
    atomicMemoryFence(ordering: .releasing)
    hazardCount.store(present - number, ordering: .relaxed)
  }

  /// Doubles the capacity. The old memory stays allocated forever, because writers may be reading it: in total it is smaller than the new.
  @inline(never)
  func grow() {
    let old = hazards.load(ordering: .relaxed)
    let size = hazardCapacity.load(ordering: .relaxed)
    let new = Self.allocate(size * 2)
    for index in 0..<size { new[index].store(old[index].load(ordering: .relaxed), ordering: .relaxed) }
    hazards.store(new, ordering: .releasing)
    hazardCapacity.store(size * 2, ordering: .relaxed)
  }

  /// Calls a closure with the addresses of all hazards. For writers; the thread may change them meanwhile.
  func forEachHazard(_ body: (UInt) -> Void) {
    // The count first: the memory that is loaded afterwards has at least as many.
    let count = hazardCount.load(ordering: .acquiring)
    let hazards = hazards.load(ordering: .acquiring)
    for index in 0..<count { body(hazards[index].load(ordering: .acquiring) & ~1) }
  }

  /// Releases the record of an ended thread, for reuse.
  static func release(_ pointer: UnsafeMutableRawPointer) {
    let record = pointer.assumingMemoryBound(to: ThreadRecord.self)
    record.pointee.announcedEpoch.store(0, ordering: .releasing)
    record.pointee.hazardCount.store(0, ordering: .relaxed)
    record.pointee.stackBounds = nil
    record.pointee.isTaken.store(false, ordering: .releasing)
  }
}
