internal import FoundationEssentials
internal import Glibc
internal import Synchronization
internal import TroupeHost
internal import TroupeTools

/// The text output of a command: results on standard output, messages and one progress line on standard error. Either may be a file.
enum Terminal {
  /// Empty without a progress line.
  private static let progressLine = Mutex("")

  /// True if standard output is a terminal with color.
  static var hasColor: Bool {
    isatty(StandardOutput.descriptor) == 1 && Environment.value("NO_COLOR") == nil && Environment.value("TERM") != "dumb"
  }

  /// Writes results to standard output.
  static func write(_ text: String) throws(Diagnosis) { try write(Array(text.utf8)) }

  /// Writes bytes to standard output.
  static func write(_ bytes: [UInt8]) throws(Diagnosis) {
    try withoutProgressLine { () throws(Diagnosis) in try ByteStream.output.write(bytes.span) }
  }

  /// Passes a closure a function that writes to standard output. It collects small pieces into large writes, and drops the last ones if the
  /// closure throws.
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

  /// Replaces the progress line, which stays below other output: lines that end with a newline.
  ///
  /// - Precondition: Standard error is a terminal. The caller ends the line with `endProgress`.
  static func showProgress(_ text: String) {
    progressLine.withLock { line in
      // A line that the terminal wraps could not be overwritten. Counts a wide character as one column.
      let new = String(text.onOneLine.prefix(columns(STDERR_FILENO) - 1))
      writeError("\r" + new.padding(to: line.count))
      line = new
    }
  }

  /// - Parameter keepsText: True to leave the text on the terminal, false to erase it.
  static func endProgress(keepsText: Bool) {
    progressLine.withLock { line in
      guard !line.isEmpty else { return }
      if keepsText { writeError("\n") } else { erase(line) }
      line = ""
    }
  }

  /// Erases the progress line during a write.
  private static func withoutProgressLine<Failure>(_ write: () throws(Failure) -> Void) throws(Failure) {
    try progressLine.withLock { line throws(Failure) in
      if line.isEmpty { return try write() }
      erase(line)
      defer { writeError(line) }
      try write()
    }
  }

  private static func erase(_ line: String) { writeError("\r" + String(repeating: " ", count: line.count) + "\r") }

  /// The width of the terminal that a descriptor leads to; 80 if there is none or it does not report one.
  static func columns(_ descriptor: Int32) -> Int {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 1 else { return 80 }
    return Int(size.ws_col)
  }

  private static func writeError(_ text: String) { try? ByteStream.error.write(Array(text.utf8).span) }
}
