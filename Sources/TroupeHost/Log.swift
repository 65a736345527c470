internal import Glibc
public import Troupe

/// A line of the host's log.
public struct LogMessage: Sendable, CustomStringConvertible {
  /// How much it matters.
  public let level: LogLevel
  /// The plugin that wrote it or that it is about.
  public let plugin: String
  /// The line.
  public let text: String

  /// The line with the plugin in front.
  public var description: String { "\(plugin): \(text)" }
}

/// Where a host's log goes.
public struct Log: Sendable {
  private let handler: @Sendable (LogMessage) -> Void

  /// Passes every line to a handler, on the thread that it is written on.
  public init(_ handler: @escaping @Sendable (LogMessage) -> Void) {
    self.handler = handler
  }

  /// Writes lines of a level and above to standard error.
  public static func standardError(from level: LogLevel = .warning) -> Log {
    Log { message in
      guard message.level >= level else { return }
      let line = "\(message.level): \(message)\n"
      _ = Array(line.utf8).withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
  }

  func write(_ level: LogLevel, _ plugin: String, _ text: String) {
    handler(LogMessage(level: level, plugin: plugin, text: text))
  }
}
