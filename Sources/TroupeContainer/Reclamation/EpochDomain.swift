public import Glibc
public import Synchronization

/// Epoch-based reclamation: reports to a writer when no reader can hold an unlinked pointer any more.
///
/// See K. Fraser, Practical Lock-Freedom, 2004, section 5.2.3; here each thread announces its epoch. A reader announces the epoch
/// before it reads, and withdraws the announcement at the end. Both write only to the reader's own cache line. A writer unlinks an
/// object, then begins a new epoch. Once no thread announces an older epoch, no reader can have a pointer to the object.
@frozen @usableFromInline
struct EpochDomain: ~Copyable {
  /// The current epoch, from 1 on: 0 means that a thread is not reading.
  @usableFromInline let epoch = Atomic<UInt>(1)
  /// The records of all threads, newest first.
  private let records = Atomic<UnsafeMutablePointer<ThreadRecord>?>(nil)
  @usableFromInline let key: pthread_key_t

  private init() {
    var key = pthread_key_t()
    let status = pthread_key_create(&key) { $0.map { ThreadRecord.releaseRecord($0) } }
    precondition(status == 0, "the process has no thread-specific key left for TroupeContainer")
    self.key = key
  }

  /// The only instance.
  // Safe to share: all of its members are atomic or constant.
  @usableFromInline nonisolated(unsafe) static let shared: UnsafeMutablePointer<EpochDomain> = {
    // Every resolve reads it.
    let epochs = CacheLine.allocate(byteCount: MemoryLayout<EpochDomain>.size).bindMemory(to: EpochDomain.self, capacity: 1)
    epochs.initialize(to: EpochDomain())
    return epochs
  }()

  /// The calling thread's record.
  @inlinable @inline(__always)
  var record: UnsafeMutablePointer<ThreadRecord> {
    if let record = pthread_getspecific(key) { return record.assumingMemoryBound(to: ThreadRecord.self) }
    return makeRecord()
  }

  /// Returns a record for a thread without one: the record of an ended thread, or a new one.
  @usableFromInline @inline(never)
  func makeRecord() -> UnsafeMutablePointer<ThreadRecord> {
    var next = records.load(ordering: .acquiring)
    while let record = next {
      if record.pointee.isTaken.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged {
        pthread_setspecific(key, record)
        return record
      }
      next = record.pointee.next
    }
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 128, alignment: 128)
    let record = memory.bindMemory(to: ThreadRecord.self, capacity: 1)
    record.initialize(to: ThreadRecord())
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

  /// Begins a new epoch and returns the old one, with which to mark the unlinked objects.
  func advance() -> UInt {
    epoch.wrappingAdd(1, ordering: .sequentiallyConsistent).oldValue
  }

  /// Returns the oldest epoch that a thread announces; objects of earlier epochs can be freed.
  func oldestAnnounced() -> UInt {
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    var oldest = UInt.max
    var next = records.load(ordering: .acquiring)
    while let record = next {
      let announced = record.pointee.announced.load(ordering: .acquiring)
      if announced != 0 { oldest = min(oldest, announced) }
      next = record.pointee.next
    }
    return oldest
  }

  /// Returns the addresses of the entries that threads keep. Call it after `oldestAnnounced`.
  func kept() -> Set<UInt> {
    var kept: Set<UInt> = []
    var next = records.load(ordering: .acquiring)
    while let record = next {
      record.pointee.forEachAddress { kept.insert($0) }
      next = record.pointee.next
    }
    return kept
  }
}

extension ThreadRecord {
  /// Releases the record of an ended thread, for reuse by another thread.
  fileprivate static func releaseRecord(_ pointer: UnsafeMutableRawPointer) {
    let record = pointer.assumingMemoryBound(to: ThreadRecord.self)
    record.pointee.announced.store(0, ordering: .releasing)
    record.pointee.count.store(0, ordering: .relaxed)
    record.pointee.stack = nil
    record.pointee.isTaken.store(false, ordering: .releasing)
  }
}
