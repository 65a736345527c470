import Glibc
import Synchronization
import Testing

@testable import TroupeSandbox

@Suite("The output of a worker")
struct WorkerOutputTests {
  /// A log that takes a millisecond for each line.
  private final class SlowLog: Sendable {
    let lines = Mutex<[String]>([])

    func take(_ line: String) {
      let end = Deadline.after(.milliseconds(1))
      while Deadline.now < end {}
      lines.withLock { $0.append(line) }
    }

    /// Waits for a number of lines, and returns them.
    func lines(atLeast count: Int) async -> [String] {
      while lines.withLock(\.count) < count { await Task.yield() }
      return lines.withLock(\.self)
    }
  }

  private static let numbers = (0..<1000).map(String.init)

  /// Returns an output to which a process has written, and its log.
  private static func output(of text: String) throws -> (WorkerOutput, SlowLog) {
    let log = SlowLog()
    let output = try WorkerOutput { log.take($0) }
    #expect(write(output.descriptor, text, text.utf8.count) == text.utf8.count)
    return (output, log)
  }

  private static func outputOfNumbers() throws -> (WorkerOutput, SlowLog) {
    try output(of: numbers.map { $0 + "\n" }.joined())
  }

  @Test("A slow log does not hold a call: the lines that it has not taken follow, in their order")
  func slow() async throws {
    let (output, log) = try Self.outputOfNumbers()
    output.readToEnd()
    #expect(log.lines.withLock(\.count) < 1000)
    #expect(await log.lines(atLeast: 1000) == Self.numbers)
    #expect(output.outputTail == "\"998 / 999\"")
  }

  @Test("A log line behind a text without an end is a line of its own")
  func logLine() async throws {
    let line = WorkerLogLine(level: 3, plugin: "org.example.a", text: "broken")
    let (output, log) = try Self.output(of: "loading… \(line.line)rest")
    output.readToEnd()
    #expect(log.lines.withLock(\.self) == ["loading… ", String(line.line.dropLast()), "rest"])
    #expect(output.outputTail == "\"loading… / rest\"")
  }

  @Test("At the end the lines that a slow log has not taken are counted")
  func end() async throws {
    let (output, log) = try Self.outputOfNumbers()
    output.finish()
    var lines = await log.lines(atLeast: 1)
    while lines.last?.hasSuffix(" more lines are dropped, since the log takes them too slowly") != true {
      lines = await log.lines(atLeast: lines.count + 1)
    }
    let dropped = try #require(lines.last?.split(separator: " ").first.flatMap { Int($0) })
    #expect(lines.dropLast() + Self.numbers.suffix(dropped) == Self.numbers[...])
  }
}
