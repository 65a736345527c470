import Foundation
import TestSupport
import Testing

@Suite("Large buffers")
struct LargeBufferTests {
  /// A plugin that writes the peak memory of the process in KiB to standard error at exit.
  private static let plugins = Result {
    let directory = try TemporaryDirectory.untilExit()
    try directory.add(fixture: "healthy/numbers.c", as: "numbers")
    return directory
  }

  /// Calls a function and returns its output and the command's peak memory in bytes.
  private func fill(_ name: String, _ count: Int, _ options: [String]) throws -> (text: String, peak: Int) {
    let result = try run(
      unset() + [Repo.troupe, "call", name, "\(count)", "--plugins", Self.plugins.get().path] + options)
    #expect(result.status == 0, "\(result.errors)")
    let peak = result.errors.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) }
    return (result.text, try #require(peak) * 1024)
  }

  @Test(
    "An output of numbers or structs costs at most 1.2 times its size, including its text", arguments: [[], ["--json"]],
    [("count_up", 2_000_000), ("points", 1_000_000)])
  func memory(options: [String], function: (name: String, count: Int)) throws {
    let numbers = 2_000_000
    let (text, peak) = try fill(function.name, function.count, options)
    #expect(text.utf8.count { $0 == UInt8(ascii: ",") } == numbers - 1)
    let least = try fill(function.name, 1, options).peak
    #expect(Double(peak - least) <= 1.2 * Double(8 * numbers))
  }

  @Test("The text of an output is JSON", arguments: [[], ["--json"]])
  func text(options: [String]) throws {
    let object = try JSONSerialization.jsonObject(with: Data(fill("count_up", 1000, options).text.utf8)) as? [String: Any]
    let outputs = options.isEmpty ? object : object?["result"] as? [String: Any]
    #expect(outputs?["values"] as? [Double] == (0..<1000).map { Double($0) / 4 })
  }

  @Test(
    "A buffer above the limit is refused before its memory is touched",
    arguments: [
      ["count_up", "2305843009213693952"], ["count_up", "134217729"], ["count_up", "9", "--max-buffer-size", "64"],
      ["result", "2305843009213693952"], ["result", "134217729"], ["result", "2", "--max-buffer-size", "8"],
    ])
  func limit(words: [String]) throws {
    let result = try run(unset() + [Repo.troupe, "call"] + words + ["--plugins", Self.plugins.get().path])
    #expect(result.status == (words[0] == "result" ? 69 : 65))
    #expect(result.text == "")
    #expect(result.errors.contains("--max-buffer-size"))
  }

  @Test("The buffer limit is a number of bytes", arguments: ["0", "-1", "1G", ""])
  func invalidLimit(text: String) throws {
    expectFailure(
      try run(unset() + [Repo.troupe, "call", "result", "1", "--max-buffer-size", text, "--plugins", Self.plugins.get().path]),
      64,
      "--max-buffer-size")
  }
}
