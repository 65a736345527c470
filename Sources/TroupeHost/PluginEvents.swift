internal import Synchronization

/// Hands every event of a host to everybody who listens.
final class PluginEvents: Sendable {
  private struct Listeners {
    var next = 0
    var continuations: [(number: Int, continuation: AsyncStream<PluginEvent>.Continuation)] = []
    /// How many steps are under way that end with an event: somebody loads a plugin, activates it, or holds what a retired one
    /// made.
    var steps = 0
    /// Whether the host has been shut down, so that the last of these steps ends every sequence.
    var endsWithSteps = false
  }

  private let listeners = Mutex(Listeners())

  /// What happens from now on. It ends when the host is shut down and no step is under way any more, at the latest with the host.
  func stream() -> AsyncStream<PluginEvent> {
    let (stream, continuation) = AsyncStream.makeStream(of: PluginEvent.self)
    let number = listeners.withLock { listeners -> Int? in
      if listeners.endsWithSteps && listeners.steps == 0 { return nil }
      listeners.next += 1
      listeners.continuations.append((listeners.next, continuation))
      return listeners.next
    }
    guard let number else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      // Taken out first, since what ends with it may call back.
      let gone = self?.listeners.withLock { listeners in
        listeners.continuations.firstIndex { $0.number == number }.map { listeners.continuations.remove(at: $0) }
      }
      withExtendedLifetime(gone) {}
    }
    return stream
  }

  /// Tells everybody. Waits for nobody. The event is not made if nobody listens.
  func send(_ event: @autoclosure () -> PluginEvent) {
    let continuations = listeners.withLock { $0.continuations }
    guard !continuations.isEmpty else { return }
    let event = event()
    for (_, continuation) in continuations { continuation.yield(event) }
  }

  /// Notes that a step has begun.
  func beginStep() { listeners.withLock { $0.steps += 1 } }

  /// Notes that a step has ended, after its event was sent.
  func endStep() { end { $0.steps -= 1 } }

  /// Has every sequence end with the last step.
  func endWithSteps() { end { $0.endsWithSteps = true } }

  /// Has sequences go on, since plugins are loaded again.
  func goOn() { listeners.withLock { $0.endsWithSteps = false } }

  /// Ends every sequence.
  func end() {
    for (_, continuation) in listeners.withLock({ $0.continuations }) { continuation.finish() }
  }

  private func end(after change: (inout Listeners) -> Void) {
    let ended = listeners.withLock { listeners in
      change(&listeners)
      return listeners.endsWithSteps && listeners.steps == 0 ? listeners.continuations : []
    }
    // Not under the lock, which each takes itself to be forgotten.
    for (_, continuation) in ended { continuation.finish() }
  }
}
