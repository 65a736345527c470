internal import Glibc

/// Shows the number of streamed bytes on the terminal, unless standard output is a terminal, too.
struct StreamProgress {
  private let line = ProgressLine(isWanted: isatty(StandardOutput.descriptor) == 0)
  private let start = ContinuousClock.now
  private var bytes = 0

  init() {}

  /// Counts streamed bytes.
  mutating func add(_ count: Int) {
    bytes += count
    line.show(text)
  }

  private var text: String {
    let seconds = Double((ContinuousClock.now - start).components.seconds)
    let megabytes = Double(bytes) / 1e6
    return "\(Int(megabytes)) MB, \(Int(megabytes / max(seconds, 1))) MB/s "
  }

  /// Ends the line and keeps its text.
  func end() { line.end(keepsText: true) }
}
