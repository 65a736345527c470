internal import Synchronization

/// Cancels a call of a worker from another thread.
package final class CallToken: Sendable {
  private let state = Mutex<(isCancelled: Bool, process: WorkerProcess?)>((false, nil))

  package init() {}

  /// Ends the worker of the call, or prevents the call if it has not begun.
  package func cancel() {
    state.withLock { state in
      state.isCancelled = true
      state.process?.terminate(.cancelled)
    }
  }

  package var isCancelled: Bool { state.withLock(\.isCancelled) }

  /// Sets the worker of the call, which is about to begin. Throws if the call has been cancelled.
  func begin(_ process: WorkerProcess) throws(WorkerError) {
    let isCancelled = state.withLock { state in
      state.process = process
      return state.isCancelled
    }
    if isCancelled { throw .cancelled }
  }

  /// Ends the call, which cannot be cancelled any more.
  func finish() { state.withLock { $0.process = nil } }
}
