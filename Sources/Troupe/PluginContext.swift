/// The host's services for one Swift plugin besides the container: its configuration and the log.
///
/// ```swift
/// func register(in registrar: any Registrar) {
///   let pattern = registrar.plugin.configuration("pattern") ?? "."
///   registrar.plugin.log(.debug, "the pattern is \(pattern)")
/// }
/// ```
///
/// Safe to use from any thread.
public final class PluginContext: Sendable {
  /// The plugin's id.
  public let id: String
  private let configured: [String: String]
  private let logger: @Sendable (LogLevel, String) -> Void

  /// Creates a context, for a host or for a test without a host.
  public init(
    id: String, configuration: [String: String] = [:], log: @escaping @Sendable (LogLevel, String) -> Void = { _, _ in }
  ) {
    self.id = id
    self.configured = configuration
    self.logger = log
  }

  /// Returns the value of a key: the configured one, or else the default of the declared setting. Returns nil if there is neither.
  public func configuration(_ key: String) -> String? { configured[key] }

  /// Returns the value of a key as a `Bool`, `Int`, `Double` or another type that is written as text.
  ///
  /// ```swift
  /// let width = registrar.plugin.configuration("width", as: Int.self) ?? 76
  /// ```
  ///
  /// Returns nil if there is no value or if the text is not of the type. A setting that `@Plugin(settings:)` declares always has a
  /// value of its type.
  public func configuration<Value: LosslessStringConvertible>(_ key: String, as type: Value.Type) -> Value? {
    configured[key].flatMap(Value.init)
  }

  /// Writes a line to the host's log under the plugin's name.
  public func log(_ level: LogLevel, _ message: String) { logger(level, message) }
}

/// A registrar that works for a plugin.
public protocol PluginRegistrar: Registrar {
  /// The configuration and the log of the plugin.
  var plugin: PluginContext { get }
  /// Fails the plugin with a reason after the return of `register(in:)`.
  func fail(_ reason: String)
}

extension Registrar {
  /// The configuration and the log of the plugin of this registrar. Outside a plugin, such as in a unit test, the configuration is empty
  /// and the log is discarded.
  public var plugin: PluginContext {
    (unannotated as? any PluginRegistrar)?.plugin ?? PluginContext(id: "")
  }
}

/// The severity of a line of the log.
@frozen public enum LogLevel: Int32, Sendable, Comparable, CaseIterable {
  /// Details for debugging.
  case debug = 0
  /// Normal operation.
  case info = 1
  /// A problem that does not stop the work.
  case warning = 2
  /// A failure.
  case error = 3

  /// Orders the levels by severity.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
