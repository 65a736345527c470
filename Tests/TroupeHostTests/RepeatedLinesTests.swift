import Synchronization
import Testing
import Troupe

@testable import TroupeFiles
@testable import TroupeHost
@testable import TroupeProbing

@Suite("Repeated lines of a log")
struct RepeatedLinesTests {
  /// Logs lines. Returns the lines that are written.
  private static func written(_ lines: [(LogLevel, String)]) -> [String] {
    let written = Mutex<[String]>([])
    let log = RepeatedLines { level, text in written.withLock { $0.append("\(level) \(text)") } }
    for (level, text) in lines { log.log(level, text) }
    // A second call has nothing to write.
    for _ in 0..<2 { log.flush() }
    return written.withLock { $0 }
  }

  @Test("A line is written up to 64 times in a row, and then counted", arguments: [1, 64, 65, 1000])
  func count(_ count: Int) {
    let repeated = Array(repeating: (LogLevel.error, "a"), count: count)
    let expected =
      Array(repeating: "error a", count: min(count, 64))
      + (count > 64 ? ["error the line a was repeated \(count - 64) more times"] : [])
    #expect(Self.written(repeated) == expected)
    #expect(Self.written(repeated + [(.error, "b")]) == expected + ["error b"])
  }

  @Test("Lines that differ in the text or the level are all written")
  func different() {
    let lines = (0..<200).map { (LogLevel.error, "\($0)") } + (0..<200).map { ($0 % 2 == 0 ? LogLevel.error : .info, "x") }
    #expect(Self.written(lines).count == 400)
  }
}
