internal import Glibc

/// A line on standard error that tells how much has been streamed, for a person who waits: only on a terminal, only when
/// standard output is somewhere else, and only when it takes more than a second.
struct Progress {
  private let isShown = isatty(STDERR_FILENO) == 1 && isatty(STDOUT_FILENO) == 0
  private let start = ContinuousClock.now
  private var last = ContinuousClock.now
  private var bytes = 0
  private var hasWritten = false

  init() {}

  /// Counts what has been streamed.
  mutating func add(_ count: Int) {
    bytes += count
    guard isShown else { return }
    let now = ContinuousClock.now
    guard now - last >= .seconds(1) else { return }
    last = now
    hasWritten = true
    let seconds = Double((now - start).components.seconds)
    let megabytes = Double(bytes) / 1e6
    let line = "\r\(Int(megabytes)) MB, \(Int(megabytes / max(seconds, 1))) MB/s "
    try? StandardStream.error.write(Array(line.utf8).span)
  }

  /// Leaves the line.
  func end() {
    if hasWritten { try? StandardStream.error.write([UInt8(ascii: "\n")].span) }
  }
}
