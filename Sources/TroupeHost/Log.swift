internal import Glibc
public import Troupe
public import TroupeFiles

/// A line of the host's log.
public struct LogMessage: Sendable, CustomStringConvertible {
  /// The severity.
  public let level: LogLevel
  /// The plugin that wrote the line, or that the line is about.
  public let plugin: String
  /// The line, cut to 4 KiB. A cut line ends with its size.
  public let text: String
  /// The number of the worker process that wrote the line; nil if it was written in this process.
  public let worker: Int32?
  /// The fault that the line reports, if it reports that a plugin was rejected or is in quarantine; nil for any other line.
  public let diagnosis: Diagnosis?

  /// The line with the plugin in front.
  public var description: String { "\(plugin)\(worker.map { " (worker \($0))" } ?? ""): \(text)" }
}

/// The destination of a host's log.
public struct Log: Sendable {
  /// The lowest level. Lines below it are not composed.
  let lowest: LogLevel
  private let handler: @Sendable (LogMessage) -> Void

  /// Passes lines of a level and above to a handler. Calls the handler on the thread that writes the line.
  ///
  /// The handler may query the host, such as its `plugins`. The host writes many lines while it loads or replaces plugins. During such a
  /// line `load` and `retire` throw an error with the code `.busy`, and the handler must not wait for another thread or a task that loads, retires
  /// or replaces plugins. A separate task, or one that reads `PluginHost.events`, may start it.
  ///
  /// - Parameter level: The lowest level, by default that of all lines. Lines below it cost almost nothing.
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
    _ level: LogLevel, _ plugin: @autoclosure () -> String, _ text: @autoclosure () -> String, _ diagnosis: Diagnosis? = nil,
    worker: Int32? = nil
  ) {
    guard level >= lowest else { return }
    handler(LogMessage(level: level, plugin: plugin(), text: text().limited, worker: worker, diagnosis: diagnosis))
  }
}
