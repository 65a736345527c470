internal import Glibc

/// Tells how much has been streamed, unless standard output is a terminal that shows it.
struct Progress {
  private let line = ProgressLine(isWanted: isatty(STDOUT_FILENO) == 0)
  private let start = ContinuousClock.now
  private var bytes = 0

  init() {}

  /// Counts what has been streamed.
  mutating func add(_ count: Int) {
    bytes += count
    line.show(text)
  }

  private var text: String {
    let seconds = Double((ContinuousClock.now - start).components.seconds)
    let megabytes = Double(bytes) / 1e6
    return "\(Int(megabytes)) MB, \(Int(megabytes / max(seconds, 1))) MB/s "
  }

  /// Leaves the line.
  func end() { line.end(keepsText: true) }
}
