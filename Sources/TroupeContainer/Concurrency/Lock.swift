import Synchronization

/// A value with a mutex. Not recursive.
///
/// The flag beside the mutex is for the thread sanitizer, which does not see the synchronization inside the standard library: each
/// thread reads the flag after it locks the mutex and writes it before it unlocks. That takes two ordinary instructions.
struct Lock<Value: ~Copyable>: ~Copyable {
  private let mutex: Mutex<Value>
  private let handover = Atomic<Bool>(false)

  init(_ value: consuming sending Value) {
    mutex = Mutex(value)
  }

  /// Waits for the mutex and passes the value to a closure.
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

// Sendable as a mutex of the same value is: the value is reached only under the mutex, and the flag is atomic.
extension Lock: @unchecked Sendable where Value: ~Copyable {}
