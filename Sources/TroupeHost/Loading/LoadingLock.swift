internal import Glibc
internal import Synchronization

/// Keeps what changes all plugins of a host, such as a start or a reload, apart from everything that opens a plugin.
///
/// Who opens a plugin shares the lock with others who do so. A plugin that is being opened may resolve what has yet to be
/// opened; so the thread that has the lock to itself may share it, too, and nobody who shares it waits for somebody who wants
/// it for itself.
final class LoadingLock: @unchecked Sendable {
  // Sendable because the lock is there for any thread, and its place is constant.
  private let lock: UnsafeMutablePointer<pthread_rwlock_t>
  /// The thread that has the lock to itself, as a number; 0 if none has.
  private let holder = Atomic<UInt>(0)
  /// The threads that share it, and how often each does.
  private let sharers = Mutex<[UInt: Int]>([:])

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

  /// Whether this thread has the lock, for itself or together with others: it must not ask to have it alone then.
  var isHeldByThisThread: Bool {
    // Only this thread can have made it this thread's.
    holder.load(ordering: .relaxed) == Self.thread || sharers.withLock { $0[Self.thread] != nil }
  }

  /// Does something while no other thread does anything under the lock. A thread that has it already would wait for itself, so
  /// that the process ends with a message.
  func alone<Result, Failure>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    if isHeldByThisThread {
      // Not a precondition, whose message is lost in a release build.
      fatalError(
        "a PluginHost is started, or has plugins loaded or refreshed, by what runs while it does such a thing already, such as its log, its progress, a plugin's entry or a service that this calls, and would wait for itself; do it later, or in another task"
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

  /// Does something while no other thread does anything under the lock. Waits for whoever has the lock to himself, and for a
  /// tenth of a second for those who share it, since one of them may be waiting for this; otherwise gives nil. It does so at
  /// once if this thread has the lock.
  func aloneIfPossible<Result, Failure>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result? {
    guard !isHeldByThisThread else { return nil }
    for _ in 0..<100 {
      guard pthread_rwlock_trywrlock(lock) == 0 else {
        // Comes back as soon as nobody has it to himself.
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

  /// Does something while nobody else has the lock for itself.
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
