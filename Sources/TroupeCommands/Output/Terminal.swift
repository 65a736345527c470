internal import Glibc
internal import TroupeHost

/// Standard output and standard error, as far as the command writes to them as text.
enum Terminal {
  /// Whether standard output is a terminal that wants colour.
  static var hasColor: Bool {
    isatty(STDOUT_FILENO) == 1 && environment("NO_COLOR") == nil && environment("TERM") != "dumb"
  }

  /// A variable of the environment, or nil if it is not set or empty.
  static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Writes results.
  static func write(_ text: String) throws(CommandFailure) {
    try StandardStream.output.write(Array(text.utf8).span)
  }

  /// Writes a line about a problem. What cannot be written is lost: there is nowhere left to say so.
  static func complain(_ message: String) {
    try? StandardStream.error.write(Array("troupe: \(message.onOneLine)\n".utf8).span)
  }
}
