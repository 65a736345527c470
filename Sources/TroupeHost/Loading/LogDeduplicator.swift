internal import Synchronization
internal import Troupe
internal import TroupeFiles

/// Limits the repetitions of lines in a plugin's log: writes each of the last 16 different lines 64 times, and then the number of its
/// repetitions. Safe to use from any thread.
final class LogDeduplicator: Sendable {
  private struct Line {
    let level: LogLevel
    let text: String
    var count = 1

    var hidden: Int { max(0, count - LogDeduplicator.maximum) }
  }

  private static let maximum = 64
  private static let maximumLines = 16

  /// The last lines, the latest last.
  private let lines = Mutex<[Line]>([])
  private let write: @Sendable (LogLevel, String) -> Void

  init(_ write: @escaping @Sendable (LogLevel, String) -> Void) { self.write = write }

  /// Writes the numbers of the repetitions.
  func flush() {
    let ended = lines.withLock { lines in
      defer { lines = [] }
      return lines
    }
    for line in ended { writeCount(line) }
  }

  func log(_ level: LogLevel, _ text: String) {
    let (isWritten, ended) = lines.withLock { lines -> (Bool, Line?) in
      if let index = lines.lastIndex(where: { $0.level == level && $0.text == text }) {
        var line = lines.remove(at: index)
        line.count += 1
        lines.append(line)
        return (line.count <= Self.maximum, nil)
      }
      let ended = lines.count == Self.maximumLines ? lines.removeFirst() : nil
      lines.append(Line(level: level, text: text))
      return (true, ended)
    }
    if let ended { writeCount(ended) }
    if isWritten { write(level, text) }
  }

  private func writeCount(_ line: Line) {
    guard line.hidden > 0 else { return }
    write(line.level, "the line \(line.text.shortened()) was repeated \(line.hidden) more times")
  }
}
