public import Synchronization

/// A thread's access to containers. Registrations that the thread finds stay allocated until the access ends.
@frozen @usableFromInline
struct EpochGuard {
  /// The thread's record.
  @usableFromInline let record: UnsafeMutablePointer<ThreadRecord>
  /// Whether the thread was not reading before. A tag's `==` can come back to the container.
  @usableFromInline let isOutermost: Bool

  /// Begins to read.
  @inlinable @inline(__always)
  init(_ epochs: UnsafeMutablePointer<EpochDomain>) {
    record = epochs.pointee.record
    isOutermost = record.pointee.announced.load(ordering: .relaxed) == 0
    guard isOutermost else { return }
    // A reader of an epoch sees everything that was unlinked before the epoch began.
    let epoch = epochs.pointee.epoch.load(ordering: .acquiring)
    // The announcement has to be visible before anything is read.
    #if arch(x86_64)
      // Here an exchange is a full fence, and faster than one.
      _ = record.pointee.announced.exchange(epoch, ordering: .sequentiallyConsistent)
    #else
      record.pointee.announced.store(epoch, ordering: .relaxed)
      atomicMemoryFence(ordering: .sequentiallyConsistent)
    #endif
  }

  /// Ends the access. A found object may be used afterwards only if a reference to it was taken before.
  @inlinable @inline(__always)
  func end() {
    guard isOutermost else { return }
    // Without the fence the optimizer moves the retain of a found object behind the store. A writer could then free the object
    // before it is retained. On x86-64 the fence costs nothing.
    atomicMemoryFence(ordering: .releasing)
    record.pointee.announced.store(0, ordering: .relaxed)
  }
}
