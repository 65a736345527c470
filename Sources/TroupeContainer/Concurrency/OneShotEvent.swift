import Glibc

/// An event that one thread signals, once, and others wait for. The signal may come before the wait, and is never reset.
///
/// See `AsyncOneShotEvent` for tasks. Both serve the callers that wait for a singleton that another caller makes; the calls of `assemble` that
/// wait for their turn use the other one as well.
final class OneShotEvent: @unchecked Sendable {
  // Sendable because a semaphore is thread-safe.
  private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  init() { sem_init(semaphore, 0, 0) }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  /// Blocks the calling thread until `signal` is called.
  func wait() {
    // Fails if a signal handler runs meanwhile.
    while sem_wait(semaphore) != 0 {}
    sem_post(semaphore)
  }

  func signal() { sem_post(semaphore) }
}

/// An event that one task waits for, once. The signal, or the cancellation of the task, may come before the wait.
struct AsyncOneShotEvent: Sendable {
  private let event = AsyncStream.makeStream(of: Void.self)

  /// Suspends the calling task until `signal` is called.
  ///
  /// - Throws: A `CancellationError` as soon as the task is cancelled.
  func wait() async throws {
    for await _ in event.stream { return }
    throw CancellationError()
  }

  func signal() { event.continuation.yield() }
}
