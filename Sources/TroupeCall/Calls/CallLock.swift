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
/// library holds both locks. Two threads that do so in opposite orders wait for each other for ever, and so does a callback that C calls on
/// another thread while it holds the lock and waits for the callback. Nobody can tell such a wait from one for a long call, so a call
/// that has waited for `patience` writes one line to the log, and waits on.
///
/// An uncontended call costs 20 to 40 ns more. A child of fork(2) finds all locks unlocked.
@usableFromInline
package final class CallLock: @unchecked Sendable {
  // Sendable because only the thread that holds the mutex uses `depth`, and all else is constant, atomic or has a lock.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  /// The path of the library.
  private let library: String
  private let patience: Duration
  private let report: @Sendable (String) -> Void
  /// The number of times that the thread with the lock has it.
  private var depth = 0
  /// The function of the outermost call that has the lock, or had it last.
  private let holder = Atomic<UInt>(0)
  /// The functions that have waited, each with the holder.
  private let reported = Mutex<Set<[UInt]>>([])

  /// How long a call waits before it reports the wait.
  package static var patience: Duration { .seconds(10) }

  package init(
    library: String, patience: Duration = CallLock.patience, report: @escaping @Sendable (String) -> Void = CallReports.write
  ) {
    guard let mutex = troupe_call_lock_new() else { fatalError("there is no memory for a lock") }
    (self.mutex, self.library, self.patience, self.report) = (mutex, library, patience, report)
  }

  deinit { troupe_call_lock_free(mutex) }

  /// Waits for the lock.
  ///
  /// - Parameter function: The function that the caller runs with it.
  @usableFromInline
  package func lock(for function: UnsafeRawPointer?) {
    if troupe_call_lock_try(mutex) == 0 { wait(for: function) }
    if depth == 0 { holder.store(UInt(bitPattern: function), ordering: .relaxed) }
    depth += 1
  }

  @inline(never)
  private func wait(for function: UnsafeRawPointer?) {
    if troupe_call_lock_wait(mutex, Int(patience / .milliseconds(1))) != 0 { return }
    let holder = holder.load(ordering: .relaxed)
    if reported.withLock({ $0.insert([UInt(bitPattern: function), holder]).inserted }) {
      let waiting = function?.functionName ?? "a call"
      let running = UnsafeRawPointer(bitPattern: holder)?.functionName ?? "another call"
      report(
        """
        \(library): \(waiting) has waited \(patience) for \(running), which has the lock of the library; if \(running) waits \
        for a callback that calls \(waiting) on another thread, neither ends: call \(waiting) on the thread of \(running), or declare \
        "threads": "any" if the library is thread-safe
        """)
    }
    pthread_mutex_lock(mutex)
  }

  /// Waits for the lock for a call in a worker, whose deadline ends the call that has it.
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
  /// - Parameters:
  ///   - image: The handle that the loader gave, which is the same for all that open the library.
  ///   - library: The path of the library.
  package static func of(image: UnsafeMutableRawPointer, library: String) -> CallLock {
    known.withLock { known in
      let lock = known[UInt(bitPattern: image)] ?? CallLock(library: library)
      known[UInt(bitPattern: image)] = lock
      return lock
    }
  }
}
