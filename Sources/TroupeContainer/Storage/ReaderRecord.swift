public import Synchronization

/// What one thread keeps for reading containers: whether it is reading, and what it is building.
///
/// Records are made by `Readers`, one for each thread that ever resolves, 128 bytes apart so that no two threads write to the
/// same cache lines, and never freed: a thread that ends leaves its record to the next that begins.
@frozen @usableFromInline
struct ReaderRecord: ~Copyable {
  /// The epoch in which the thread began to read, or 0 while it is not reading. Written by the thread, read by writers.
  @usableFromInline let announced = Atomic<UInt>(0)
  /// Whether a thread has this record.
  let isTaken = Atomic<Bool>(true)
  /// The next record of the process; constant once the record is in the list.
  var next: UnsafeMutablePointer<ReaderRecord>?
  /// The innermost factory that runs on the thread. Only the thread itself touches it.
  @usableFromInline var building: UnsafeMutablePointer<BuildFrame>?

  /// The stack of the thread, once it has been asked for. Only the thread itself touches it.
  var stack: ThreadStack?

  init() {}
}

/// A factory that runs on a thread; it lives on that thread's stack.
@frozen @usableFromInline
struct BuildFrame {
  /// The entry whose factory it is.
  @usableFromInline let entry: Unmanaged<Entry>
  /// The factory that asked for it, on the same thread.
  @usableFromInline let outer: UnsafeMutablePointer<BuildFrame>?

  @inlinable
  init(entry: Unmanaged<Entry>, outer: UnsafeMutablePointer<BuildFrame>?) {
    self.entry = entry
    self.outer = outer
  }
}
