internal import TroupeFiles

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
