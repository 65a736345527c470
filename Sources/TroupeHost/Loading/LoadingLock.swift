internal import Glibc
internal import Synchronization

/// A lock that separates operations on all plugins of a host, such as a start or a reload, from openings of single plugins.
///
/// Threads that open a plugin share the lock. A plugin may resolve factories of unopened plugins while it is opened. Therefore the
/// exclusive holder may also share the lock, and a sharing thread never waits for a thread that requests exclusive access.
final class LoadingLock: @unchecked Sendable {
  // Sendable because the lock may be used from any thread, and its address is constant.
  private let lock: UnsafeMutablePointer<pthread_rwlock_t>
  /// The thread that holds the lock exclusively, as a number; 0 for none.
  private let holder = Atomic<UInt>(0)
  /// The threads that share the lock, with the number of times.
  private let sharers = Mutex<[UInt: Int]>([:])

  init() {
    lock = .allocate(capacity: 1)
    // The default of the C library: such locks prefer readers.
    pthread_rwlock_init(lock, nil)
  }

  deinit {
    pthread_rwlock_destroy(lock)
    lock.deallocate()
  }

  private static var thread: UInt { UInt(pthread_self()) }

  /// Whether this thread holds the lock, exclusively or shared: it must not request exclusive access then.
  var isHeldByThisThread: Bool {
    // Only this thread can store its own number.
    holder.load(ordering: .relaxed) == Self.thread || sharers.withLock { $0[Self.thread] != nil }
  }

  /// Runs a closure with exclusive access. Ends the process with a message if this thread already holds the lock, since it would wait for
  /// itself.
  func alone<Result, Failure>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    if isHeldByThisThread {
      // Not a precondition: a release build drops its message.
      fatalError(
        "PluginHost.load is called by code that runs while the host loads plugins, such as its log, its progress, a plugin's entry or a service that this calls, and would wait for itself; call it later, or in another task"
      )
    }
    pthread_rwlock_wrlock(lock)
    holder.store(Self.thread, ordering: .relaxed)
    defer {
      holder.store(0, ordering: .relaxed)
      pthread_rwlock_unlock(lock)
    }
    return try body()
  }

  /// Runs a closure with exclusive access, if possible. Waits for an exclusive holder without limit, but only a tenth of a second for
  /// sharing threads, since one of them may wait for this thread. Returns nil after that time, and at once if this thread holds the lock.
  func aloneIfPossible<Result, Failure>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result? {
    guard !isHeldByThisThread else { return nil }
    for _ in 0..<100 {
      guard pthread_rwlock_trywrlock(lock) == 0 else {
        // Returns as soon as no thread holds the lock exclusively.
        together {}
        usleep(1000)
        continue
      }
      holder.store(Self.thread, ordering: .relaxed)
      defer {
        holder.store(0, ordering: .relaxed)
        pthread_rwlock_unlock(lock)
      }
      return try body()
    }
    return nil
  }

  /// Runs a closure with shared access.
  func together<Result, Failure>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    let thread = Self.thread
    if holder.load(ordering: .relaxed) == thread { return try body() }
    pthread_rwlock_rdlock(lock)
    sharers.withLock { $0[thread, default: 0] += 1 }
    defer {
      sharers.withLock { sharers in
        let count = sharers[thread] ?? 1
        sharers[thread] = count == 1 ? nil : count - 1
      }
      pthread_rwlock_unlock(lock)
    }
    return try body()
  }
}
