internal import Synchronization

/// Cancels a call of a worker from another thread.
package final class CallToken: Sendable {
  private let state = Mutex<(isCancelled: Bool, process: WorkerProcess?)>((false, nil))

  package init() {}

  /// Ends the worker of the call, or prevents the call if it has not begun.
  package func cancel() {
    let process = state.withLock { state in
      state.isCancelled = true
      return state.process
    }
    process?.terminate(isBlameless: true)
  }

  var isCancelled: Bool { state.withLock(\.isCancelled) }

  /// Sets the worker of the call; nil after the call. Throws if the call has been cancelled.
  func setProcess(_ process: WorkerProcess?) throws(WorkerError) {
    let isCancelled = state.withLock { state in
      state.process = process
      return state.isCancelled
    }
    if isCancelled, process != nil { throw .cancelled }
  }
}
