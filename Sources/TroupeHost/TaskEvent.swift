internal import Synchronization

/// An event that tasks wait for, and that is signaled once. The signal may come before the waits. A cancelled task waits as well.
final class TaskEvent: Sendable {
  private enum Phase {
    case pending([CheckedContinuation<Void, Never>])
    case signaled
  }

  private let phase = Mutex(Phase.pending([]))

  var isSignaled: Bool {
    phase.withLock { if case .signaled = $0 { true } else { false } }
  }

  /// Suspends the calling task until `signal` is called.
  nonisolated(nonsending) func wait() async {
    await withCheckedContinuation { continuation in
      let isSignaled = phase.withLock { phase in
        guard case .pending(let waiting) = phase else { return true }
        phase = .pending(waiting + [continuation])
        return false
      }
      if isSignaled { continuation.resume() }
    }
  }

  func signal() {
    let waiting = phase.withLock { phase in
      guard case .pending(let waiting) = phase else { return [CheckedContinuation<Void, Never>]() }
      phase = .signaled
      return waiting
    }
    for continuation in waiting { continuation.resume() }
  }
}

/// A lock that tasks wait for in the order of their calls. Not recursive: its holder that asks again waits for ever.
final class TaskLock: Sendable {
  /// The end of the last caller.
  private let last = Mutex<TaskEvent?>(nil)

  nonisolated(nonsending)
    func withLock<Result, Failure>(
      _ body: nonisolated(nonsending) () async throws(Failure) -> Result
    ) async throws(Failure) -> Result
  {
    let end = TaskEvent()
    let previous = last.withLock { last in
      defer { last = end }
      return last
    }
    await previous?.wait()
    defer { end.signal() }
    return try await body()
  }
}
