import Synchronization

/// A value that one thread at a time has. Not recursive.
///
/// It is a `Mutex` and a flag. The flag is for the thread sanitizer, which does not see what happens inside the standard library:
/// everybody reads it on coming and writes it on going, so that everybody is seen to come after who was there before. That
/// takes two ordinary instructions.
struct Lock<Value>: ~Copyable {
  private let mutex: Mutex<Value>
  private let handover = Atomic<Bool>(false)

  init(_ value: consuming sending Value) {
    mutex = Mutex(value)
  }

  /// Waits for the value and has it for as long as a closure runs.
  borrowing func withLock<Result, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    try mutex.withLock { (value: inout sending Value) throws(Failure) -> sending Result in
      _ = handover.load(ordering: .acquiring)
      defer { handover.store(false, ordering: .releasing) }
      return try body(&value)
    }
  }
}

// Sendable as a mutex of the same value is: the value is reached only under it, and the flag is atomic.
extension Lock: @unchecked Sendable {}
