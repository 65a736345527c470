/// That a plugin came to another state.
public struct PluginEvent: Sendable, CustomStringConvertible {
  /// The plugin as it is from now on.
  public let plugin: Plugin
  /// The state before; nil when it was found.
  public let previous: PluginState?

  /// The change as a sentence without its subject, such as `is loaded`, with the reason if it is rejected.
  public var description: String {
    switch plugin.state {
    case .rejected(let fault): "is rejected: \(fault.problem)"
    case .quarantined(let fault): "is in quarantine: \(fault.problem)"
    case .retired where plugin.staysMapped: "is retired, and its library stays in memory"
    case let state: "is \(state.name)"
    }
  }
}
