import Glibc
import Synchronization

/// Epoch-based reclamation: tells a writer when no reader can still hold a pointer to an object that it has unlinked.
///
/// Readers take no lock and count no references, so a writer cannot free an object as soon as it has unlinked it. Time is divided into
/// epochs instead:
///
///     epoch      7        8        9
///     reader A   ├─ announces 7 ──────────┤ reads      an object unlinked in epoch 7 stays allocated until A ends,
///     reader B            ├─ announces 8 ─┤            one unlinked in epoch 8 until A and B end
///     writer     unlink │ advance │ unlink │ advance
///
/// - A **reader** is a thread with an `EpochGuard`: it announces the current epoch in its `ThreadRecord` before it reads, and withdraws the
///   announcement at the end. It writes only to the cache line of its record.
/// - A **writer** unlinks objects, calls `advance()` and keeps the objects in an `EpochQueue` under the epoch that ended. It may free those
///   of an epoch before `oldestAnnounced()`. A reader that announced a later epoch began after the unlinking and cannot find the object.
///
/// A factory may run for a long time, so no guard is held meanwhile: a hazard pointer in the thread's record keeps its entry.
///
/// See K. Fraser, Practical Lock-Freedom, 2004, section 5.2.3. There the epoch is global and waits for all threads; here each thread
/// announces its own.
struct EpochDomain: ~Copyable {
  /// The current epoch, from 1 on: a `ThreadRecord` announces 0 while its thread does not read.
  let epoch = Atomic<UInt>(1)
  /// The records of all threads, as a linked list, newest first.
  private let records = Atomic<UnsafeMutablePointer<ThreadRecord>?>(nil)
  let key: pthread_key_t

  private init() {
    var key = pthread_key_t()
    let status = pthread_key_create(&key) { $0.map { ThreadRecord.release($0) } }
    precondition(status == 0, "the process has no thread-specific key left for TroupeContainer")
    self.key = key
  }

  /// The only instance. One serves all containers, because a thread may read several at a time.
  // Safe to share: all of its members are atomic or constant.
  nonisolated(unsafe) static let shared: UnsafeMutablePointer<EpochDomain> = {
    // Every resolve reads it.
    let epochs = CacheLine.allocate(byteCount: MemoryLayout<EpochDomain>.size).bindMemory(to: EpochDomain.self, capacity: 1)
    epochs.initialize(to: EpochDomain())
    return epochs
  }()

  // MARK: Readers

  /// The calling thread's record.
  @inline(__always)
  var record: UnsafeMutablePointer<ThreadRecord> {
    if let record = pthread_getspecific(key) { return record.assumingMemoryBound(to: ThreadRecord.self) }
    return makeRecord()
  }

  /// Gives a thread the record of an ended thread, or a new one.
  @inline(never)
  func makeRecord() -> UnsafeMutablePointer<ThreadRecord> {
    let unused = allRecords.first {
      $0.pointee.isTaken.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged
    }
    let record = unused ?? addRecord()
    pthread_setspecific(key, record)
    return record
  }

  private func addRecord() -> UnsafeMutablePointer<ThreadRecord> {
    let memory = CacheLine.allocate(byteCount: MemoryLayout<ThreadRecord>.size, alignment: 128)
    let record = memory.bindMemory(to: ThreadRecord.self, capacity: 1)
    record.initialize(to: ThreadRecord())
    var isAdded = false
    while !isAdded {
      let first = records.load(ordering: .relaxed)
      record.pointee.next = first
      isAdded = records.weakCompareExchange(expected: first, desired: record, ordering: .acquiringAndReleasing).exchanged
    }
    return record
  }

  private var allRecords: some Sequence<UnsafeMutablePointer<ThreadRecord>> {
    sequence(state: records.load(ordering: .acquiring)) { next in
      defer { next = next?.pointee.next }
      return next
    }
  }

  // MARK: Writers

  /// Begins a new epoch and returns the old one, in which the caller has unlinked objects.
  func advance() -> UInt { epoch.wrappingAdd(1, ordering: .sequentiallyConsistent).oldValue }

  /// Returns the oldest epoch that a thread announces, or `UInt.max`. No reader can find an object that was unlinked before it.
  func oldestAnnounced() -> UInt {
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    var oldest = UInt.max
    for record in allRecords {
      let announced = record.pointee.announcedEpoch.load(ordering: .acquiring)
      if announced != 0 { oldest = min(oldest, announced) }
    }
    return oldest
  }

  /// Returns the hazard pointers of all threads. Call it after `oldestAnnounced`: a reader that finds an entry stores its hazard pointer
  /// before it withdraws its announcement.
  func hazards() -> Set<UInt> {
    var hazards: Set<UInt> = []
    for record in allRecords { record.pointee.forEachHazard { hazards.insert($0) } }
    return hazards
  }
}

// MARK: Guards

/// A pin of the current epoch: entries, lists and tables that the thread finds stay allocated until `end()`.
///
/// ```swift
/// let epochGuard = EpochGuard(epochs)
/// defer { epochGuard.end() }
/// let entry = list.first  // Valid until the end. Beyond it only with a retain, or with `record.pointee.push` or `keep`.
/// ```
///
/// End each guard once, on the thread that created it and before it suspends. Keep the time short: meanwhile writers free nothing. A guard
/// inside another one of the same thread has no effect, for a tag whose `==` resolves. Copyable only because the optimizer keeps a
/// `PinnedEntry` in registers then.
struct EpochGuard {
  let record: UnsafeMutablePointer<ThreadRecord>
  /// False inside another guard of the thread, which then ends the reading.
  let isOutermost: Bool

  @inline(__always)
  init(_ epochs: UnsafeMutablePointer<EpochDomain>) {
    record = epochs.pointee.record
    isOutermost = !record.pointee.isReading
    guard isOutermost else { return }
    // A reader of an epoch sees everything that was unlinked before the epoch began.
    let epoch = epochs.pointee.epoch.load(ordering: .acquiring)
    // The announcement has to be visible before anything is read.
    #if arch(x86_64)
      // Here an exchange is a full fence, and faster than one.
      _ = record.pointee.announcedEpoch.exchange(epoch, ordering: .sequentiallyConsistent)
    #else
      record.pointee.announcedEpoch.store(epoch, ordering: .relaxed)
      atomicMemoryFence(ordering: .sequentiallyConsistent)
    #endif
  }

  /// Withdraws the announcement.
  @inline(__always)
  func end() {
    guard isOutermost else { return }
    // Without the fence the optimizer moves the retain of a found object behind the store. A writer could then free the object
    // before it is retained. On x86-64 the fence costs nothing.
    atomicMemoryFence(ordering: .releasing)
    record.pointee.announcedEpoch.store(0, ordering: .relaxed)
  }
}

// MARK: Unlinked objects

/// Unlinked objects that wait for the end of the readers that may have found them: a limbo list, in the order of epochs.
struct EpochQueue<Subject> {
  private var waiting: [(subject: Subject, epoch: UInt)] = []

  var isEmpty: Bool { waiting.isEmpty }

  /// Appends objects that were unlinked in this epoch, which `EpochDomain.advance` has ended.
  mutating func append(_ subjects: some Sequence<Subject>, epoch: UInt) {
    for subject in subjects { waiting.append((subject, epoch)) }
  }

  /// Removes and returns the objects that were unlinked before an epoch.
  mutating func removeAll(before oldest: UInt) -> [Subject] {
    let end = waiting.firstIndex { $0.epoch >= oldest } ?? waiting.count
    defer { waiting.removeFirst(end) }
    return waiting[..<end].map(\.subject)
  }
}
