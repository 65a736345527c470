internal import Synchronization

/// Hands every event of a host to everybody who listens.
final class PluginEvents: Sendable {
  private struct Listeners {
    var next = 0
    var continuations: [Int: AsyncStream<PluginEvent>.Continuation] = [:]
  }

  private let listeners = Mutex(Listeners())

  /// What happens from now on. It ends with the host.
  func stream() -> AsyncStream<PluginEvent> {
    let (stream, continuation) = AsyncStream.makeStream(of: PluginEvent.self)
    let number = listeners.withLock { listeners in
      listeners.next += 1
      listeners.continuations[listeners.next] = continuation
      return listeners.next
    }
    continuation.onTermination = { [weak self] _ in
      // Taken out first, since what ends with it may call back.
      let gone = self?.listeners.withLock { $0.continuations.removeValue(forKey: number) }
      withExtendedLifetime(gone) {}
    }
    return stream
  }

  /// Tells everybody. Waits for nobody. The event is not made if nobody listens.
  func send(_ event: @autoclosure () -> PluginEvent) {
    let continuations = listeners.withLock { Array($0.continuations.values) }
    guard !continuations.isEmpty else { return }
    let event = event()
    for continuation in continuations { continuation.yield(event) }
  }

  /// Ends every sequence.
  func end() {
    for continuation in listeners.withLock({ Array($0.continuations.values) }) { continuation.finish() }
  }
}
