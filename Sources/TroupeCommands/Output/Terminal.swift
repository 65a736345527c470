internal import Glibc
internal import Synchronization
internal import TroupeHost

/// Standard output and standard error, as far as the command writes to them as text.
enum Terminal {
  /// The line that tells how far something has come, if one stands on the terminal; otherwise empty.
  private static let status = Mutex("")

  /// Whether standard output is a terminal that wants colour.
  static var hasColor: Bool {
    isatty(STDOUT_FILENO) == 1 && Environment.value("NO_COLOR") == nil && Environment.value("TERM") != "dumb"
  }

  /// Writes results.
  static func write(_ text: String) throws(CommandFailure) {
    let failure = aside { () -> CommandFailure? in
      do throws(CommandFailure) {
        try ByteStream.output.write(Array(text.utf8).span)
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw failure }
  }

  /// Writes a line about a problem. What cannot be written is lost: there is nowhere left to say so.
  static func complain(_ message: String) {
    aside { writeError("troupe: \(message.onOneLine)\n") }
  }

  /// Shows a line on standard error, which has to be a terminal, in place of the one before. It stays below what else is written.
  static func showStatus(_ text: String) {
    status.withLock { status in
      // One that the terminal breaks could not be written over.
      let line = String(text.onOneLine.prefix(columns - 1))
      writeError("\r" + line.padding(to: status.count))
      status = line
    }
  }

  /// Leaves that line, if there is one, to what comes next.
  ///
  /// - Parameter keepsText: Whether what it says still holds.
  static func endStatus(keepsText: Bool) {
    status.withLock { status in
      guard !status.isEmpty else { return }
      if keepsText { writeError("\n") } else { erase(status) }
      status = ""
    }
  }

  /// Writes something with that line out of the way.
  private static func aside<Result>(_ write: () -> Result) -> Result {
    status.withLock { status in
      if status.isEmpty { return write() }
      erase(status)
      defer { writeError(status) }
      return write()
    }
  }

  private static func erase(_ status: String) { writeError("\r" + String(repeating: " ", count: status.count) + "\r") }

  /// How wide the terminal is that standard error is; 80 if it does not say.
  private static var columns: Int {
    var size = winsize()
    guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 1 else { return 80 }
    return Int(size.ws_col)
  }

  private static func writeError(_ text: String) { try? ByteStream.error.write(Array(text.utf8).span) }
}
