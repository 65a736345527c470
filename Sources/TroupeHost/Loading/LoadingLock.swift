internal import Glibc
internal import Synchronization

/// Keeps what changes all plugins of a host, such as a start or a reload, apart from everything that opens a plugin.
///
/// Who opens a plugin shares the lock with others who do so. A plugin that is being opened may resolve what has yet to be opened; so
/// the thread that has the lock to itself may share it, too, and nobody who shares it waits for somebody who wants it for itself.
final class LoadingLock: @unchecked Sendable {
  // Sendable because the lock is there for any thread, and its place is constant.
  private let lock: UnsafeMutablePointer<pthread_rwlock_t>
  /// The thread that has the lock to itself, as a number; 0 if none has.
  private let holder = Atomic<UInt>(0)

  init() {
    lock = .allocate(capacity: 1)
    // As the C library has them by default, such locks prefer those who share them.
    pthread_rwlock_init(lock, nil)
  }

  deinit {
    pthread_rwlock_destroy(lock)
    lock.deallocate()
  }

  private static var thread: UInt { UInt(pthread_self()) }

  /// Does something while no other thread does anything under the lock.
  func alone<Result, Failure>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    precondition(
      holder.load(ordering: .relaxed) != Self.thread, "a plugin changes its host while that loads or replaces plugins")
    pthread_rwlock_wrlock(lock)
    holder.store(Self.thread, ordering: .relaxed)
    defer {
      holder.store(0, ordering: .relaxed)
      pthread_rwlock_unlock(lock)
    }
    return try body()
  }

  /// Does something while nobody else has the lock for itself.
  func together<Result, Failure>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    // Only this thread can have made it this thread's.
    let isOwn = holder.load(ordering: .relaxed) == Self.thread
    if !isOwn { pthread_rwlock_rdlock(lock) }
    defer { if !isOwn { pthread_rwlock_unlock(lock) } }
    return try body()
  }
}
