/// That a plugin came to another state.
public struct PluginEvent: Sendable, CustomStringConvertible {
  /// The plugin as it is from now on.
  public let plugin: Plugin
  /// The state before; nil when it was found.
  public let previous: PluginState?

  /// The change as a sentence, such as `org.example.grep is loaded`, with the reason if the plugin is rejected. One that does
  /// not say who it is is named by its file.
  public var description: String { "\(plugin.manifest?.id ?? plugin.path.onOneLine) \(change)" }

  /// The change as a sentence without its subject, such as `is loaded`, for those who name the plugin themselves.
  public var change: String {
    switch plugin.state {
    case .rejected(let fault): "is rejected, since it \(fault.problem)"
    case .quarantined(let fault): "is in quarantine, since it \(fault.problem)"
    case .retired where plugin.staysMapped: "is retired, and its library stays in memory"
    case let state: "is \(state.name)"
    }
  }
}
