import Synchronization
import Testing
import Troupe

@testable import TroupeFiles
@testable import TroupeHost
@testable import TroupeSandbox

@Suite("Repeated lines of a log")
struct LogDeduplicatorTests {
  /// Logs lines. Returns the lines that are written.
  private static func written(_ lines: [(LogLevel, String)]) -> [String] {
    let written = Mutex<[String]>([])
    let log = LogDeduplicator { level, text in written.withLock { $0.append("\(level) \(text)") } }
    for (level, text) in lines { log.log(level, text) }
    // A second call has nothing to write.
    for _ in 0..<2 { log.flush() }
    return written.withLock { $0 }
  }

  @Test("A line is written up to 64 times, and then counted", arguments: [1, 64, 65, 1000])
  func count(_ count: Int) {
    let repeated = Array(repeating: (LogLevel.error, "a"), count: count)
    let written = Array(repeating: "error a", count: min(count, 64))
    let counted = count > 64 ? ["error the line a was repeated \(count - 64) more times"] : []
    #expect(Self.written(repeated) == written + counted)
    #expect(Self.written(repeated + [(.error, "b")]) == written + ["error b"] + counted)
    // The sixteenth different line ends the count.
    let others = (0..<16).map { "\($0)" }
    #expect(
      Self.written(repeated + others.map { (.error, $0) })
        == written + others.dropLast().map { "error \($0)" } + counted + ["error 15"])
  }

  @Test("Lines that differ in the text or the level are counted separately")
  func different() {
    #expect(Self.written((0..<200).map { (.error, "\($0)") }).count == 200)
    let alternating = (0..<200).map { ($0 % 2 == 0 ? LogLevel.error : .info, "x") }
    #expect(Self.written(alternating).count == 2 * 64 + 2)
  }
}
