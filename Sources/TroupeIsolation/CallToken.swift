internal import Synchronization

/// Cancels a call of a worker from another thread: ends the worker of a function, or cancels the task of a factory that the worker awaits.
package final class CallToken: Sendable {
  private let state = Mutex(State())

  private struct State {
    var isCancelled = false
    var target: Target?
  }

  private enum Target {
    case process(WorkerProcess)
    case factory(FactorySignal)

    func cancel() {
      switch self {
      case .process(let process): process.terminate(.cancelled)
      case .factory(let signal): signal.cancel()
      }
    }
  }

  package init() {}

  /// Cancels the call. The call of a function that has not begun is prevented; a factory that has not begun runs in a cancelled task.
  package func cancel() {
    state.withLock { state in
      state.isCancelled = true
      state.target?.cancel()
    }
  }

  package var isCancelled: Bool { state.withLock(\.isCancelled) }

  /// Sets the worker of the call, which is about to begin. Throws if the call has been cancelled.
  func begin(_ process: WorkerProcess) throws(WorkerError) {
    let isCancelled = state.withLock { state in
      state.target = .process(process)
      return state.isCancelled
    }
    if isCancelled { throw .cancelled }
  }

  /// Sets the signal of the factory that the call awaits.
  package func begin(_ signal: FactorySignal) {
    state.withLock { state in
      state.target = .factory(signal)
      if state.isCancelled { signal.cancel() }
    }
  }

  /// Ends the call, which cannot be cancelled any more.
  package func finish() { state.withLock { $0.target = nil } }
}
