import Glibc
import Synchronization

/// A one-shot wake-up of a thread. The wake-up may come before the sleep.
final class OneShotEvent: @unchecked Sendable {
  // Sendable because the flag is used only under the mutex, and mutex and condition are thread-safe.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var isAwake = false

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

  /// Blocks the calling thread until `wake` is called.
  func wait() {
    pthread_mutex_lock(mutex)
    while !isAwake { pthread_cond_wait(condition, mutex) }
    pthread_mutex_unlock(mutex)
  }

  /// Ends the sleep. Called once.
  func signal() {
    pthread_mutex_lock(mutex)
    isAwake = true
    pthread_cond_signal(condition)
    pthread_mutex_unlock(mutex)
  }
}

/// A one-shot wake-up of a task. The wake-up, or the cancellation of the task, may come before the wait.
final class AsyncOneShotEvent: Sendable {
  private enum State {
    case new
    case waiting(CheckedContinuation<Void, any Error>)
    case over(Result<Void, any Error>)
  }

  private let state = Lock(State.new)

  /// Suspends the calling task until `wake` is called. Throws a `CancellationError` as soon as the task is cancelled.
  func wait() async throws {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let result = state.withLock { state -> Result<Void, any Error>? in
          if case .over(let result) = state { return result }
          state = .waiting(continuation)
          return nil
        }
        if let result { continuation.resume(with: result) }
      }
    } onCancel: {
      end(.failure(CancellationError()))
    }
  }

  /// Ends the wait.
  func signal() { end(.success(())) }

  private func end(_ result: Result<Void, any Error>) {
    let continuation = state.withLock { state -> CheckedContinuation<Void, any Error>? in
      defer { if case .over = state {} else { state = .over(result) } }
      if case .waiting(let continuation) = state { return continuation }
      return nil
    }
    continuation?.resume(with: result)
  }
}
