import Glibc
import Synchronization

/// An event that one thread waits for and another signals, once. The signal may come before the wait.
///
/// See `AsyncOneShotEvent` for tasks. Both serve the callers that wait for a singleton that another caller makes.
final class OneShotEvent: @unchecked Sendable {
  // Sendable because the flag is used only under the mutex, and mutex and condition are thread-safe.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var isSignaled = false

  init() {
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    pthread_cond_destroy(condition)
    mutex.deallocate()
    condition.deallocate()
  }

  /// Blocks the calling thread until `signal` is called.
  func wait() {
    pthread_mutex_lock(mutex)
    while !isSignaled { pthread_cond_wait(condition, mutex) }
    pthread_mutex_unlock(mutex)
  }

  func signal() {
    pthread_mutex_lock(mutex)
    isSignaled = true
    pthread_cond_signal(condition)
    pthread_mutex_unlock(mutex)
  }
}

/// An event that one task waits for, once. The signal, or the cancellation of the task, may come before the wait.
final class AsyncOneShotEvent: Sendable {
  private enum Phase {
    case idle
    case waiting(CheckedContinuation<Void, any Error>)
    case ended(Result<Void, any Error>)
  }

  private let phase = Lock(Phase.idle)

  /// Suspends the calling task until `signal` is called.
  ///
  /// - Throws: A `CancellationError` as soon as the task is cancelled.
  func wait() async throws {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let result = phase.withLock { phase -> Result<Void, any Error>? in
          if case .ended(let result) = phase { return result }
          phase = .waiting(continuation)
          return nil
        }
        if let result { continuation.resume(with: result) }
      }
    } onCancel: {
      end(.failure(CancellationError()))
    }
  }

  func signal() { end(.success(())) }

  private func end(_ result: Result<Void, any Error>) {
    let continuation = phase.withLock { phase -> CheckedContinuation<Void, any Error>? in
      defer { if case .ended = phase {} else { phase = .ended(result) } }
      if case .waiting(let continuation) = phase { return continuation }
      return nil
    }
    continuation?.resume(with: result)
  }
}
