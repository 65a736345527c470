internal import Synchronization
internal import TroupeFiles

/// Sends each event of a host to the sequences and to the log.
final class PluginEvents: Sendable {
  private struct State {
    var next = 0
    var continuations: [(number: Int, continuation: AsyncStream<PluginEvent>.Continuation)] = []
    /// Whether the host has been shut down and has loaded nothing since.
    var hasEnded = false
    /// The logged faults, by path.
    var logged: [String: Diagnosis] = [:]
  }

  private let state = Mutex(State())
  private let log: Log

  /// Creates events that also go to a log.
  init(log: Log) { self.log = log }

  /// Returns the events from now on. The sequence ends when the host is shut down, or is released.
  func stream() -> AsyncStream<PluginEvent> {
    let (stream, continuation) = AsyncStream.makeStream(of: PluginEvent.self)
    let number = state.withLock { state -> Int? in
      if state.hasEnded { return nil }
      state.next += 1
      state.continuations.append((state.next, continuation))
      return state.next
    }
    guard let number else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      // Removed under the lock and released outside: a release may call back.
      let removed = self?.state.withLock { state in
        state.continuations.firstIndex { $0.number == number }.map { state.continuations.remove(at: $0) }
      }
      withExtendedLifetime(removed) {}
    }
    return stream
  }

  /// Sends a plugin's transition to every sequence and to the log: a fault as a warning, once for as long as it stays the same, and
  /// everything else for debugging.
  ///
  /// - Parameters:
  ///   - event: Not evaluated if there is no sequence and the log ignores it.
  ///   - plugin: The id or, without one, the path.
  func send(_ event: @autoclosure () -> PluginEvent, of plugin: @autoclosure () -> String, in new: PluginState, path: String) {
    let (continuations, isLogged) = state.withLock { state in
      let known = state.logged[path]
      // A plugin that is admitted again may fail again for the same reason.
      if new != .admitted, new.fault != known { state.logged[path] = new.fault }
      return (state.continuations, new.fault.map { $0 == known } ?? false)
    }
    if !continuations.isEmpty {
      let event = event()
      for (_, continuation) in continuations { continuation.yield(event) }
    }
    if isLogged { return }
    guard let fault = new.fault else { return log.write(.debug, plugin(), event().change) }
    // Without an id the file or directory is the subject of the line, and the problem follows it as in every `Diagnosis`.
    let remedy = fault.remedy.isEmpty ? "" : "; \(fault.remedy)"
    let text = plugin() == path ? fault.reason : "\(path.onOneLine) \(event().change)\(remedy)"
    log.write(.warning, plugin(), text, fault)
  }

  /// Ends every sequence. A sequence that begins before `resume` is empty.
  func end() {
    let ended = state.withLock { state in
      state.hasEnded = true
      return state.continuations
    }
    // Outside the lock, which each needs for its removal.
    for (_, continuation) in ended { continuation.finish() }
  }

  /// Allows new sequences after `end`.
  func resume() { state.withLock { $0.hasEnded = false } }
}

/// A change of a plugin's state.
public struct PluginEvent: Sendable, CustomStringConvertible {
  /// The plugin after the change.
  public let plugin: Plugin
  /// The state before; nil when it was found.
  public let previous: PluginState?

  /// The change as a sentence, such as `org.example.grep is loaded`, with the reason if the plugin is rejected. The subject is the id or,
  /// without one, the file.
  public var description: String { "\(plugin.manifest?.id ?? plugin.path.onOneLine) \(change)" }

  /// The change as a sentence without its subject, such as `is loaded`, for callers that name the plugin themselves.
  public var change: String {
    switch plugin.state {
    case .rejected(let fault): "is rejected, since it \(fault.problem)"
    case .quarantined(let fault): "is in quarantine, since it \(fault.problem)"
    case .retired where plugin.staysMapped: "is retired, and its library stays in memory"
    case let state: "is \(state.name)"
    }
  }
}
