import Foundation
import TestSupport
import Testing

@Suite("troupe bench")
struct BenchTests {
  private struct Report: Decodable {
    struct Change: Decodable {
      let median, change, noise: Double
    }

    let kind, name, plugin, unit: String
    let uuid, signature: String?
    let median, p95, p99, noise: Double
    let overhead: Double?
    let runs: Int
    let input, output: Int?
    let comparison: Change?
  }

  private func report(_ operands: String, input: Data = Data(), environment: [String: String] = [:]) throws -> Report {
    let line = #""$troupe" bench --for 0.01 --json --plugins "$plugins" "# + operands
    let result = try shell(line, input: input, environment: environment)
    #expect(result.status == 0, "\(result.errors)")
    return try JSONDecoder().decode(Report.self, from: result.output)
  }

  @Test("A function is measured with its arguments, and so is the call alone")
  func function() throws {
    let report = try report("area 3 4.5")
    #expect((report.kind, report.name, report.plugin) == ("function", "area", "org.example.geometry"))
    #expect(report.unit == "ns")
    #expect(report.signature == "double (double width, double height)")
    #expect(0 < report.median && report.median <= report.p95 && report.p95 <= report.p99)
    #expect(try #require(report.overhead) > 0)
    #expect(report.runs > 0)
    #expect(report.input == nil)
  }

  @Test(
    "A function is measured that takes a callback, a buffer or text, or returns a struct",
    arguments: ["qsort '[3,1,2]' int32 compare_int32", "strlen text", "zlib_crc32 0 '{\"base64\":\"AAEC\"}'", "div 7 2"])
  func arguments(call: String) throws {
    #expect(try report(call).median > 0)
  }

  @Test("A transform is measured with text, a file or standard input")
  func transform() throws {
    let text = try report("base64-encode")
    #expect((text.kind, text.unit) == ("transform", "MB/s"))
    #expect(try #require(text.input) >= 16 << 20)
    let piped = try report("base64-encode -", input: Data(repeating: 7, count: 300_000))
    #expect((piped.input, piped.overhead) == (300_000, nil))
    #expect(try #require(piped.output) >= 400_000)
    #expect(piped.p99 <= piped.p95 && piped.p95 <= piped.median)
  }

  @Test("A tag is an unknown option, with the names that the command takes")
  func tag() throws {
    expectFailure(
      try troupe("bench", "--tag", "base64"), 64,
      "no option --tag; name a transform by its name or UUID, and see troupe bench --help")
  }

  @Test("An earlier report is compared with the new one")
  func comparison() throws {
    let directory = try TemporaryDirectory()
    let file = directory.path + "/earlier.json"
    let environment = ["file": file]
    let first = try shell(
      #""$troupe" bench --for 0.01 --json --plugins "$plugins" area 3 4.5 > "$file""#, environment: environment)
    #expect(first.status == 0)
    let earlier = try JSONDecoder().decode(Report.self, from: Data(contentsOf: URL(filePath: file)))
    let report = try report(#"--compare "$file" area 3 4.5"#, environment: environment)
    let change = try #require(report.comparison)
    #expect(change.median == earlier.median)
    #expect(abs(change.change - (report.median / earlier.median - 1)) < 1e-9)
    let other = try shell(
      #""$troupe" bench --for 0.01 --plugins "$plugins" --compare "$file" base64-encode"#, environment: environment)
    #expect(other.status == 65)
  }

  @Test(
    "A wrong command line, argument or file ends the command with its status",
    arguments: [
      ("", 64), ("area 3", 64), ("area 3 4 --for 0", 64), ("area 3 4 --for x", 64), ("none", 69), ("area 3 4 --arg x", 64),
      ("base64-encode --arguments '[]'", 64), ("base64-encode /nonexistent", 66), ("area 3 4 --compare /nonexistent", 66),
      ("area 3 4 --compare /etc/passwd", 65), ("base64-decode /etc/passwd", 65),
    ])
  func failures(operands: String, status: Int32) throws {
    let result = try shell(#""$troupe" bench --plugins "$plugins" "# + operands)
    #expect(result.status == status, "\(result.errors)")
    #expect(result.output.isEmpty)
    #expect(result.errors.split(separator: "\n").count == 1)
  }
}
