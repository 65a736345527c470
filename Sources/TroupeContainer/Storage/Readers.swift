public import Glibc
public import Synchronization

/// Lets a writer know when no reader can hold a pointer any more that it has taken out of a structure.
///
/// This is epoch-based reclamation (K. Fraser, Practical Lock-Freedom, 2004, section 5.2.3), with an announcement per thread. A
/// reader announces the epoch before it looks at anything, and withdraws the announcement when it is done; both write only to
/// the reader's own cache line. A writer takes something out of reach, then begins a new epoch; once no thread announces an
/// older one, nobody can have seen what was taken out.
@frozen @usableFromInline
struct Readers: ~Copyable {
  /// The present epoch; from 1 on, since 0 means that a thread is not reading.
  @usableFromInline let epoch = Atomic<UInt>(1)
  /// The records of all threads, newest first.
  private let records = Atomic<UnsafeMutablePointer<ReaderRecord>?>(nil)
  @usableFromInline let key: pthread_key_t

  private init() {
    var key = pthread_key_t()
    let status = pthread_key_create(&key) { $0.map { ReaderRecord.giveBack($0) } }
    precondition(status == 0, "the process has no thread-specific key left for TroupeContainer")
    self.key = key
  }

  /// The only instance.
  // Safe to share: everything in it is atomic or constant.
  @usableFromInline nonisolated(unsafe) static let shared: UnsafeMutablePointer<Readers> = {
    // Every resolve reads it.
    let readers = CacheLine.allocate(byteCount: MemoryLayout<Readers>.size).bindMemory(to: Readers.self, capacity: 1)
    readers.initialize(to: Readers())
    return readers
  }()

  /// The calling thread's record.
  @inlinable @inline(__always)
  var record: UnsafeMutablePointer<ReaderRecord> {
    if let record = pthread_getspecific(key) { return record.assumingMemoryBound(to: ReaderRecord.self) }
    return makeRecord()
  }

  /// Takes a record for a thread that has none: one that a thread has left behind, or a new one.
  @usableFromInline @inline(never)
  func makeRecord() -> UnsafeMutablePointer<ReaderRecord> {
    var next = records.load(ordering: .acquiring)
    while let record = next {
      if record.pointee.isTaken.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged {
        pthread_setspecific(key, record)
        return record
      }
      next = record.pointee.next
    }
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 128, alignment: 128)
    let record = memory.bindMemory(to: ReaderRecord.self, capacity: 1)
    record.initialize(to: ReaderRecord())
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

  /// Begins a new epoch and gives the old one, with which to mark what has been taken out of reach.
  func advance() -> UInt {
    epoch.wrappingAdd(1, ordering: .sequentiallyConsistent).oldValue
  }

  /// The oldest epoch that a thread announces; what was marked with an earlier one can be freed.
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

  /// The addresses of the entries that threads keep. To be asked after `oldestAnnounced`.
  func kept() -> Set<UInt> {
    var kept: Set<UInt> = []
    var next = records.load(ordering: .acquiring)
    while let record = next {
      for index in record.pointee.kept.indices {
        let address = record.pointee.kept[index].load(ordering: .acquiring)
        if address != 0 { kept.insert(address) }
      }
      next = record.pointee.next
    }
    return kept
  }
}

extension ReaderRecord {
  /// Leaves a record to the next thread. Called when its thread ends.
  fileprivate static func giveBack(_ pointer: UnsafeMutableRawPointer) {
    let record = pointer.assumingMemoryBound(to: ReaderRecord.self)
    record.pointee.announced.store(0, ordering: .releasing)
    for index in record.pointee.kept.indices { record.pointee.kept[index].store(0, ordering: .releasing) }
    record.pointee.keptCount.store(0, ordering: .relaxed)
    record.pointee.building = nil
    record.pointee.stack = nil
    record.pointee.isTaken.store(false, ordering: .releasing)
  }
}
