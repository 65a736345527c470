import Foundation
import TestSupport
import Testing

@Suite("Terminal")
struct TerminalTests {
  /// Whether script(1), which runs a program in a terminal, is installed.
  private static let hasScript = FileManager.default.isExecutableFile(atPath: "/usr/bin/script")

  /// The output of `troupe list` on a terminal, with a rejected plugin.
  private func listOnTerminal(_ environment: [String: String]) throws -> String {
    let directory = try Examples.copies("base64")
    try directory.write("broken.so", [])
    let variables = ["directory": directory.path, "TERM": "xterm"].merging(environment) { _, new in new }
    let result = try shell(#"script -qec "'$troupe' list --plugins '$directory'" /dev/null"#, environment: variables)
    #expect(result.status == 0)
    return result.text
  }

  @Test("On a terminal the headings are bold and reasons red", .enabled(if: hasScript))
  func color() throws {
    let text = try listOnTerminal([:])
    #expect(text.hasPrefix("\u{1B}[1mID "))
    #expect(text.contains("\u{1B}[31m    "))
  }

  @Test(
    "With NO_COLOR or a dumb terminal there is no color", .enabled(if: hasScript),
    arguments: [
      ["NO_COLOR": "1"], ["TERM": "dumb"],
    ])
  func noColor(environment: [String: String]) throws {
    let text = try listOnTerminal(environment)
    #expect(text.hasPrefix("ID "))
    #expect(!text.contains("\u{1B}"))
  }

  @Test("An empty NO_COLOR is ignored", .enabled(if: hasScript))
  func emptyNoColor() throws {
    #expect(try listOnTerminal(["NO_COLOR": ""]).contains("\u{1B}[1m"))
  }

  @Test("A help is as wide as the terminal", .enabled(if: hasScript), arguments: [50, 120])
  func helpWidth(columns: Int) throws {
    for command in ["", "call"] {
      let line = #"script -qec "stty cols $columns; '$troupe' help $command" /dev/null"#
      let text = try shell(line, environment: ["columns": "\(columns)", "command": command]).text
      let widths = text.split(whereSeparator: \.isNewline).map(\.count)
      #expect(widths.allSatisfy { $0 <= columns }, "\(text)")
      #expect(widths.contains { $0 > columns - 12 }, "\(text)")
    }
  }

  @Test("During probes a line names the probed plugin from the start of its probe", .enabled(if: hasScript))
  func probing() throws {
    let directory = try TemporaryDirectory()
    let source = try String(contentsOfFile: Repo.fixture("faulty/hang-in-entry.c"), encoding: .utf8)
    for name in ["one", "two"] {
      try directory.add(c: source.replacing("org.example.hang-in-entry", with: "org.example.\(name)"), as: name)
    }
    let line = #"script -qec "'$troupe' resolve --tag nothing --plugins '$directory' --probe-deadline 1" /dev/null"#
    let text = try shell(line, environment: ["directory": directory.path, "TERM": "xterm"]).text
    let start = try #require(
      text.range(of: "probing new plugins: 0 of 2 done, waiting for org.example.one"))
    // The line is erased at the end, so the next message begins on an empty line.
    let end = try #require(text.range(of: "troupe: "))
    #expect(start.lowerBound < end.lowerBound)
    #expect(text[..<end.lowerBound].hasSuffix(" \r"))
  }

  @Test("Output that is not a terminal has no escape codes")
  func noTerminal() throws {
    let directory = try Examples.copies("base64")
    try directory.write("broken.so", [])
    let text = try output(of: troupe("list", plugins: directory.path, environment: ["TERM": "xterm"]))
    #expect(text.hasPrefix("ID "))
    #expect(!text.contains("\u{1B}"))
  }
}
