internal import CFFI
internal import Glibc
internal import Synchronization

/// In which callbacks a thread is, so that nobody frees one under it.
///
/// A thread writes the address of a callback into its own record when it comes in, and clears it when it leaves: hazard pointers
/// (M. Michael, Hazard Pointers, 2004). Nothing is counted, since an atomic count would cost as much as the call. Whoever frees
/// has the system order a fence on all threads and then looks through the records. Records lie 128 bytes apart, and a thread
/// that ends leaves its record to the next that begins.
struct CallbackThread: ~Copyable {
  /// The callbacks that the thread is in, outermost first, as far as there is room.
  private let callbacks = InlineArray<8, Atomic<UInt>> { _ in Atomic(0) }
  /// How many callbacks the thread is in. Only the thread itself touches it.
  private var depth = 0
  private let isTaken = Atomic<Bool>(true)
  /// The next record of the process; constant once the record is in the list.
  private var next: UnsafeMutablePointer<CallbackThread>?

  private init() {}

  /// The records of all threads, newest first.
  // Safe to share: it is atomic.
  private nonisolated(unsafe) static let records = Atomic<UnsafeMutablePointer<CallbackThread>?>(nil)
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let status = pthread_key_create(&key) { CallbackThread.giveBack($0) }
    precondition(status == 0, "the process has no thread-specific key left for TroupeCall")
    return key
  }()
  /// Whether the system orders fences on all threads; otherwise each has its own.
  private static let hasBarrier = troupe_barrier_prepare() == 1

  /// What a thread needs to come in; the same for all, and kept by each callback, since a global constant is asked for its value
  /// through a function.
  struct Entrance {
    private let key = CallbackThread.key
    private let hasBarrier = CallbackThread.hasBarrier

    /// Runs a closure while the calling thread is in a callback.
    @inline(__always)
    func within(_ callback: UnsafeMutableRawPointer, _ body: () -> Void) {
      let record =
        pthread_getspecific(key)?.assumingMemoryBound(to: CallbackThread.self) ?? CallbackThread.makeRecord()
      let depth = record.pointee.depth
      let hasRoom = depth < record.pointee.callbacks.count
      if hasRoom {
        record.pointee.callbacks[depth].store(UInt(bitPattern: callback), ordering: .releasing)
        if !hasBarrier { atomicMemoryFence(ordering: .sequentiallyConsistent) }
      } else {
        _ = Unmanaged<AnyObject>.fromOpaque(callback).retain()
      }
      record.pointee.depth = depth + 1
      body()
      record.pointee.depth = depth
      if hasRoom {
        record.pointee.callbacks[depth].store(0, ordering: .releasing)
      } else {
        Unmanaged<AnyObject>.fromOpaque(callback).release()
      }
    }
  }

  /// Which of some callbacks a thread is in.
  static func running(_ callbacks: Set<UInt>) -> Set<UInt> {
    if hasBarrier { _ = troupe_barrier() } else { atomicMemoryFence(ordering: .sequentiallyConsistent) }
    var running: Set<UInt> = []
    var next = records.load(ordering: .acquiring)
    while let record = next {
      for index in record.pointee.callbacks.indices {
        let address = record.pointee.callbacks[index].load(ordering: .acquiring)
        if callbacks.contains(address) { running.insert(address) }
      }
      next = record.pointee.next
    }
    return running
  }

  /// Takes a record for a thread that has none: one that a thread has left behind, or a new one.
  @inline(never)
  private static func makeRecord() -> UnsafeMutablePointer<CallbackThread> {
    var next = records.load(ordering: .acquiring)
    while let record = next {
      if record.pointee.isTaken.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged {
        pthread_setspecific(key, record)
        return record
      }
      next = record.pointee.next
    }
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 128, alignment: 128)
    let record = memory.bindMemory(to: CallbackThread.self, capacity: 1)
    record.initialize(to: CallbackThread())
    var first = records.load(ordering: .relaxed)
    while true {
      record.pointee.next = first
      let (exchanged, original) = records.weakCompareExchange(
        expected: first, desired: record, ordering: .acquiringAndReleasing)
      if exchanged { break }
      first = original
    }
    pthread_setspecific(key, record)
    return record
  }

  /// Leaves a record to the next thread. Called when its thread ends, which is then in no callback.
  private static func giveBack(_ pointer: UnsafeMutableRawPointer?) {
    guard let record = pointer?.assumingMemoryBound(to: CallbackThread.self) else { return }
    for index in record.pointee.callbacks.indices { record.pointee.callbacks[index].store(0, ordering: .releasing) }
    record.pointee.depth = 0
    record.pointee.isTaken.store(false, ordering: .releasing)
  }
}
