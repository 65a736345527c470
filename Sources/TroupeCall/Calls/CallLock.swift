internal import CCallbacks
internal import Glibc
internal import Synchronization

/// Lets one thread at a time run the functions of a library that does not promise to be thread-safe.
///
/// A C library keeps state that its functions share, such as the buffer that `strerror` returns. So there is one lock for each open library
/// and process: for all of its functions, all files that adopt it, and all hosts that have it open. A call holds it from before the function
/// runs until its result is copied and what the function handed over is freed, since the next call may overwrite both.
///
/// The lock is recursive: a callback may call the library again on its thread. A thread that calls a library within a callback of another
/// library holds both locks. Two threads that do so in opposite orders wait for each other for ever.
///
/// An uncontended call costs 20 to 40 ns more. A child of fork(2) finds all locks unlocked.
@usableFromInline
package final class CallLock: @unchecked Sendable {
  // Sendable because the address of the mutex is constant, and only the thread that holds the mutex uses `depth`.
  let mutex: UnsafeMutablePointer<pthread_mutex_t>
  /// The number of times that the thread with the lock has it.
  private var depth = 0

  package init() {
    guard let mutex = troupe_call_lock_new() else { fatalError("there is no memory for a lock") }
    self.mutex = mutex
  }

  deinit { troupe_call_lock_free(mutex) }

  @usableFromInline
  package func lock() {
    pthread_mutex_lock(mutex)
    depth += 1
  }

  @usableFromInline
  package func unlock() {
    depth -= 1
    pthread_mutex_unlock(mutex)
  }

  /// Waits for the lock, and asks every 50 ms whether to go on. Returns false, without the lock, if not.
  package func lock(unless isCancelled: () -> Bool) -> Bool {
    while pthread_mutex_trylock(mutex) != 0, troupe_call_lock_wait(mutex, 50) == 0 {
      if isCancelled() { return false }
    }
    depth += 1
    return true
  }

  /// Runs a closure without the lock, which the thread holds.
  ///
  /// A callback of a function in a worker runs in the process of the host. If it calls the library again, another thread of the worker
  /// makes that call, for which this one must not hold the lock.
  package func whileUnlocked<Result>(_ body: () throws -> Result) rethrows -> Result {
    let held = depth
    depth = 0
    for _ in 0..<held { pthread_mutex_unlock(mutex) }
    defer {
      for _ in 0..<held { pthread_mutex_lock(mutex) }
      depth = held
    }
    return try body()
  }

  // MARK: The locks of a process

  private static let known = Mutex<[UInt: CallLock]>([:])

  /// Returns the lock of an open library. The locks of closed libraries stay, since another library may be at the same address.
  ///
  /// - Parameter image: The handle that the loader gave, which is the same for all that open the library.
  package static func of(image: UnsafeMutableRawPointer) -> CallLock {
    known.withLock { known in
      let lock = known[UInt(bitPattern: image)] ?? CallLock()
      known[UInt(bitPattern: image)] = lock
      return lock
    }
  }
}
