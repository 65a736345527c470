internal import Glibc
public import Troupe

/// A line of the host's log.
public struct LogMessage: Sendable, CustomStringConvertible {
  /// How much it matters.
  public let level: LogLevel
  /// The plugin that wrote it or that it is about.
  public let plugin: String
  /// The line, cut to 4 KiB. A cut line ends with its size.
  public let text: String
  /// The fault that the line reports, if it reports that a plugin was rejected or is in quarantine; nil for any other line.
  public let fault: PluginFault?

  /// The line with the plugin in front.
  public var description: String { "\(plugin): \(text)" }
}

/// Where a host's log goes.
public struct Log: Sendable {
  /// Lines below it are not even put together.
  private let lowest: LogLevel
  private let handler: @Sendable (LogMessage) -> Void

  /// Passes lines of a level and above to a handler, on the thread that they are written on, which waits for it.
  ///
  /// The handler may ask the host anything, such as for its `plugins`. Many lines are written while the host loads or replaces
  /// plugins; it must not have the host do such a thing then, nor wait for another thread that does: `retire` and `reload`
  /// throw an error, and `load`, `start` and `refresh` end the process. A task of its own, or one that reads
  /// `PluginHost.events`, may.
  ///
  /// - Parameter level: All lines by default. Lines below it cost next to nothing.
  public init(from level: LogLevel = .debug, _ handler: @escaping @Sendable (LogMessage) -> Void) {
    lowest = level
    self.handler = handler
  }

  /// Writes lines of a level and above to standard error.
  public static func standardError(from level: LogLevel = .warning) -> Log {
    Log(from: level) { message in
      let line = "\(message.level): \(message)\n"
      _ = Array(line.utf8).withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
  }

  package func write(
    _ level: LogLevel, _ plugin: @autoclosure () -> String, _ text: @autoclosure () -> String, _ fault: PluginFault? = nil
  ) {
    guard level >= lowest else { return }
    handler(LogMessage(level: level, plugin: plugin(), text: text().limited, fault: fault))
  }
}
