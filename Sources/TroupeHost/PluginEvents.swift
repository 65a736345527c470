internal import Synchronization
internal import TroupeFiles

/// Sends each event of a host to the sequences, to other receivers and to the log.
final class PluginEvents: Sendable {
  struct Receiver: Sendable {
    let receive: @Sendable (PluginEvent) -> Void
    /// Called once, after the last event of a host that is shut down.
    let end: @Sendable () -> Void
  }

  private struct State {
    var next = 0
    var receivers: [(id: Int, receiver: Receiver)] = []
    /// Whether the host has been shut down and has loaded nothing since.
    var hasEnded = false
    /// The logged faults, by path.
    var logged: [String: Diagnosis] = [:]
  }

  private let state = Mutex(State())
  private let log: Log

  init(log: Log) { self.log = log }

  /// Returns the events from now on. The sequence ends when the host is shut down, or is released.
  func stream() -> AsyncStream<PluginEvent> {
    let (stream, continuation) = AsyncStream.makeStream(of: PluginEvent.self)
    let receiver = Receiver(receive: { continuation.yield($0) }, end: { continuation.finish() })
    guard let id = add(receiver) else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in self?.remove(id) }
    return stream
  }

  /// Adds a receiver of the events from now on. Returns its ID, or nil after the end.
  func add(_ receiver: Receiver) -> Int? {
    state.withLock { state in
      if state.hasEnded { return nil }
      state.next += 1
      state.receivers.append((state.next, receiver))
      return state.next
    }
  }

  /// Removes a receiver. A thread that sends an event meanwhile may still call it.
  func remove(_ id: Int) {
    // Removed under the lock and released outside: a release may call back.
    let removed = state.withLock { state in
      state.receivers.firstIndex { $0.id == id }.map { state.receivers.remove(at: $0) }
    }
    withExtendedLifetime(removed) {}
  }

  /// Sends a plugin's transition to every receiver and to the log: a fault as a warning, once for as long as it stays the same, and
  /// everything else for debugging.
  ///
  /// - Parameters:
  ///   - event: Not evaluated if there is no receiver and the log ignores it.
  ///   - plugin: The id or, without one, the path.
  func send(_ event: @autoclosure () -> PluginEvent, of plugin: @autoclosure () -> String, in new: PluginState, path: String) {
    let (receivers, isLogged) = state.withLock { state in
      let known = state.logged[path]
      // A plugin that is admitted again may fail again for the same reason.
      if new != .admitted, new.diagnosis != known { state.logged[path] = new.diagnosis }
      return (state.receivers, new.diagnosis.map { $0 == known } ?? false)
    }
    if !receivers.isEmpty {
      let event = event()
      for (_, receiver) in receivers { receiver.receive(event) }
    }
    if isLogged { return }
    guard let diagnosis = new.diagnosis else { return log.write(.debug, plugin(), event().change) }
    // Without an id the file or directory is the subject of the line, and the problem follows it as in every `Diagnosis`.
    let remedy = diagnosis.remedy.isEmpty ? "" : "; \(diagnosis.remedy)"
    let text = plugin() == path ? diagnosis.reason : "\(path.onOneLine) \(event().change)\(remedy)"
    log.write(.warning, plugin(), text, diagnosis)
  }

  /// Ends every sequence. A sequence that begins before `resume` is empty.
  func end() {
    let ended = state.withLock { state in
      state.hasEnded = true
      return state.receivers
    }
    // Outside the lock, which each needs for its removal.
    for (_, receiver) in ended { receiver.end() }
  }

  /// Allows new sequences after `end`.
  func resume() { state.withLock { $0.hasEnded = false } }
}

/// Receives the events of a host until it is released.
package final class EventObservation: Sendable {
  private let events: PluginEvents
  private let id: Int?

  fileprivate init(_ events: PluginEvents, _ receiver: PluginEvents.Receiver) {
    self.events = events
    id = events.add(receiver)
    if id == nil { receiver.end() }
  }

  deinit { if let id { events.remove(id) } }
}

extension PluginHost {
  /// Calls a closure with each event from now on, on the thread that sends it, and another one when the host is shut down. Both may
  /// query the host; see `Log.init(from:_:)`. A thread that sends an event while the observation is released may still call them.
  package func observe(
    _ receive: @escaping @Sendable (PluginEvent) -> Void, end: @escaping @Sendable () -> Void
  ) -> EventObservation {
    EventObservation(changes, PluginEvents.Receiver(receive: receive, end: end))
  }
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
    case .rejected(let diagnosis): "is rejected, since it \(diagnosis.problem)"
    case .quarantined(let diagnosis): "is in quarantine, since it \(diagnosis.problem)"
    case let state: "is \(state.name)"
    }
  }
}
