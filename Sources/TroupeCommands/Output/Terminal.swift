internal import FoundationEssentials
internal import Glibc
internal import Synchronization
internal import TroupeHost

/// Text output on standard output and standard error.
enum Terminal {
  /// The progress line on the terminal; empty without one.
  private static let progressLine = Mutex("")

  /// True if standard output is a terminal with color.
  static var hasColor: Bool {
    isatty(StandardOutput.descriptor) == 1 && Environment.value("NO_COLOR") == nil && Environment.value("TERM") != "dumb"
  }

  /// Writes results to standard output.
  static func write(_ text: String) throws(Diagnosis) { try write(Array(text.utf8)) }

  /// Writes bytes to standard output.
  static func write(_ bytes: [UInt8]) throws(Diagnosis) {
    let failure = withoutProgressLine { () -> Diagnosis? in
      do throws(Diagnosis) {
        try ByteStream.output.write(bytes.span)
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw failure }
  }

  /// Writes the pieces of a closure to standard output.
  static func write(_ body: (_ write: @escaping (String) throws -> Void) throws -> Void) throws {
    var pending = ""
    try body { piece in
      pending += piece
      if pending.utf8.count < 1 << 16 { return }
      try write(pending)
      pending.removeAll(keepingCapacity: true)
    }
    try write(pending)
  }

  /// Writes JSON to standard output, with two spaces of indentation and sorted members, so that two runs can be compared.
  static func writeJSON(_ value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try write([UInt8](encoder.encode(value)) + [UInt8(ascii: "\n")])
  }

  /// Writes a message to standard error, cut to 4 KiB. Ignores a failed write.
  static func printMessage(_ message: String) {
    withoutProgressLine { writeError("troupe: \(message.onOneLine.limited)\n") }
  }

  /// Replaces the progress line. Standard error has to be a terminal. The line stays below other output.
  static func showProgress(_ text: String) {
    progressLine.withLock { line in
      // A line that the terminal wraps could not be overwritten.
      let line = String(text.onOneLine.prefix(columns(STDERR_FILENO) - 1))
      writeError("\r" + line.padding(to: status.count))
      status = line
    }
  }

  /// Ends the progress line.
  ///
  /// - Parameter keepsText: Leaves the text on the terminal.
  static func endProgress(keepsText: Bool) {
    progressLine.withLock { line in
      guard !status.isEmpty else { return }
      if keepsText { writeError("\n") } else { erase(status) }
      status = ""
    }
  }

  /// Erases the progress line during a write.
  private static func withoutProgressLine<Result>(_ write: () -> Result) -> Result {
    progressLine.withLock { line in
      if status.isEmpty { return write() }
      erase(status)
      defer { writeError(status) }
      return write()
    }
  }

  private static func erase(_ status: String) { writeError("\r" + String(repeating: " ", count: status.count) + "\r") }

  /// The width of the terminal that a descriptor leads to; 80 if there is none or it does not report one.
  static func columns(_ descriptor: Int32) -> Int {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 1 else { return 80 }
    return Int(size.ws_col)
  }

  private static func writeError(_ text: String) { try? ByteStream.error.write(Array(text.utf8).span) }
}
