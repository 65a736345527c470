internal import Synchronization
internal import Troupe
internal import TroupeFiles

/// Limits the repetitions of one line in a plugin's log: writes the first 64, and then their number. Safe to use from any thread.
final class RepeatedLines: Sendable {
  private struct Line {
    let level: LogLevel
    let text: String
    var count = 1

    /// The number of repetitions that are not written.
    var hidden: Int { max(0, count - RepeatedLines.maximum) }
  }

  private static let maximum = 64

  private let last = Mutex<Line?>(nil)
  private let write: @Sendable (LogLevel, String) -> Void

  init(_ write: @escaping @Sendable (LogLevel, String) -> Void) { self.write = write }

  /// Writes the number of repetitions of the last line.
  func flush() {
    writeCount(
      last.withLock { last in
        defer { last = nil }
        return last
      })
  }

  /// Writes a line unless it repeats the previous one too often.
  func log(_ level: LogLevel, _ text: String) {
    let (isWritten, previous) = last.withLock { last -> (Bool, Line?) in
      if let line = last, line.level == level, line.text == text {
        last?.count += 1
        return (line.count < Self.maximum, nil)
      }
      defer { last = Line(level: level, text: text) }
      return (true, last)
    }
    writeCount(previous)
    if isWritten { write(level, text) }
  }

  private func writeCount(_ line: Line?) {
    guard let line, line.hidden > 0 else { return }
    write(line.level, "the line \(line.text.shortened()) was repeated \(line.hidden) more times")
  }
}
