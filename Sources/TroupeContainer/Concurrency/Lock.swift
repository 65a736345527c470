import Synchronization

/// A value protected by a mutex that the thread sanitizer understands.
///
/// The sanitizer does not see the synchronization of `Mutex`, which is inside the standard library. So each thread also acquires an
/// atomic flag after it locks the mutex and releases it before it unlocks. That costs two ordinary instructions.
///
/// Not recursive: a `withLock` inside its own closure ends the program.
struct Lock<Value: ~Copyable>: ~Copyable {
  private let mutex: Mutex<Value>
  private let sanitizerFlag = Atomic<Bool>(false)

  init(_ value: consuming sending Value) { mutex = Mutex(value) }

  borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    try mutex.withLock { (value: inout sending Value) throws(Failure) -> sending Result in
      _ = sanitizerFlag.load(ordering: .acquiring)
      defer { sanitizerFlag.store(false, ordering: .releasing) }
      return try body(&value)
    }
  }
}

// Sendable, as `Mutex` is: the value is accessed only under the mutex, and the flag is atomic.
extension Lock: @unchecked Sendable where Value: ~Copyable {}
