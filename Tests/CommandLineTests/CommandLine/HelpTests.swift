import Foundation
import TestSupport
import Testing

@Suite("Help")
struct HelpTests {
  /// The commands; "" is the program itself.
  private static let commands = [
    "", "list", "inspect", "graph", "watch", "resolve", "call", "map", "run", "bench", "workers", "new", "adopt", "flags",
    "validate", "catalog", "doctor", "pin", "quarantine", "version",
  ]

  /// The lines of `troupe COMMAND --help`, or of `troupe --help` for "".
  private static func help(_ command: String) throws -> [Substring] {
    let words = [command, "--help"].filter { !$0.isEmpty }
    return output(of: try run(unset() + [Repo.troupe] + words)).split(separator: "\n", omittingEmptySubsequences: false)
  }

  /// The examples in a help.
  private static func examples(_ command: String) throws -> [String] {
    Array(try help(command).drop { $0 != "Examples:" }.dropFirst().prefix { !$0.isEmpty }.map { String($0.dropFirst(2)) })
  }

  @Test("The help and the manual of every command equal their golden files", arguments: commands)
  func golden(command: String) throws {
    let suffix = command.isEmpty ? "" : "-" + command
    try Self.compare(Self.help(command).joined(separator: "\n"), withGolden: "help\(suffix).txt")
    if !command.isEmpty { try Self.compare(output(of: troupe("help", command)), withGolden: "manual\(suffix).txt") }
  }

  private static func compare(_ text: String, withGolden name: String) throws {
    let file = Repo.fixture("golden/\(name)")
    if ProcessInfo.processInfo.environment["TROUPE_RENEW_GOLDEN"] != nil {
      try Data(text.utf8).write(to: URL(filePath: file))
    }
    let difference = try run(["diff", "-u", file, "-"], input: Data(text.utf8))
    #expect(
      difference.status == 0,
      "\(difference.text)\(difference.errors)If this is how it should be: TROUPE_RENEW_GOLDEN=1 swift test --filter HelpTests")
  }

  @Test("A help begins with the purpose and fits on a screen of 50 lines and 80 columns", arguments: commands)
  func screen(command: String) throws {
    let lines = try Self.help(command)
    let usage = try #require(lines.firstIndex { $0.hasPrefix("usage: troupe") })
    #expect(1...4 ~= usage && lines.count <= 51 && lines.allSatisfy { $0.count <= 80 }, "\(lines.count) \(lines)")
    #expect(try Self.examples(command).count == 3)
  }

  @Test("A manual has no paragraph of more than 40 words besides the members of JSON", arguments: commands.dropFirst())
  func manual(command: String) throws {
    let paragraphs = try output(of: troupe("help", command)).components(separatedBy: "\n\n")
    for paragraph in paragraphs where !paragraph.contains("JSON: ") && !paragraph.contains("\n  ") {
      #expect(paragraph.split(whereSeparator: \.isWhitespace).count <= 40, "\(paragraph)")
    }
  }

  @Test("The topic of signatures equals its golden file, and an unknown topic leads to it")
  func topic() throws {
    try Self.compare(output(of: troupe("help", "signatures")), withGolden: "topic-signatures.txt")
    expectFailure(try troupe("help", "signature"), 64, #"did you mean "signatures"?"#)
    #expect(output(of: try troupe("--complete", "help", "sig")).hasPrefix("signatures\t"))
  }

  @Test("The examples of every command work as they stand", .timeLimit(.minutes(60)), arguments: commands)
  func examples(command: String) throws { try Self.runExamples(try Self.examples(command), command) }

  @Test("The commands in the topic of signatures work as they stand")
  func topicExamples() throws {
    let lines = output(of: try troupe("help", "signatures")).split(separator: "\n")
    let commands = lines.filter { $0.hasPrefix("  troupe ") }.map { String($0.dropFirst(2)) }
    #expect(commands.count >= 3)
    try Self.runExamples(commands, "signatures")
  }

  private static func runExamples(_ examples: [String], _ command: String) throws {
    let directory = try TemporaryDirectory()
    try succeed(["cp", "-r", Examples.directory(), directory.file("plugins")])
    try succeed(["ln", "-s", Repo.troupe, directory.file("troupe")])
    try directory.write("notes.txt", "one\ntwo\n".utf8)
    try directory.write("container.json", #"{"nodes": [], "edges": []}"#.utf8)
    try directory.write("rooms.csv", "name,width,height\nkitchen,3,4.5\nhall,2,6\n".utf8)
    try directory.write("main.swift", "import TroupeHost\nprint(PluginHost(directories: []).plugins.count)\n".utf8)
    try copyFile(Repo.fixture("healthy/upper.swift"), to: directory.file("shout.swift"))
    try copyFile(Repo.root + "/plugins/geometry/geometry.c", to: directory.file("half.c"))
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let environment = [
      "PATH": directory.path + ":" + path, "HOME": directory.file("home"), "TROUPE_PLUGIN_PATH": directory.file("plugins"),
    ]
    try succeed(["mkdir", directory.file("home")])
    for example in examples {
      // troupe watch runs until it is interrupted.
      let limit = command == "watch" ? "3" : "240"
      let result = try run(
        unset(except: environment.keys) + ["timeout", "--preserve-status", "-s", "INT", limit, "sh", "-c", "exec " + example],
        environment: environment, directory: directory.path)
      #expect(result.status == 0, "\(example): \(result.errors)")
    }
  }

  @Test("troupe COMMAND -h prints the help, also behind wrong words", arguments: commands.dropFirst())
  func ways(command: String) throws {
    let help = output(of: try troupe(command, "--help"))
    #expect(try output(of: troupe(command, "-h")) == help)
    if command != "call" { #expect(try output(of: troupe(command, "one", "two", "--help")) == help) }
  }

  @Test("The help of a function has its description, its parameters and its examples as commands")
  func function() throws {
    let help = try output(of: troupe("call", "area", "--help", plugins: Examples.directory()))
    let wanted = [
      "usage: troupe call area WIDTH HEIGHT [OPTION …]", "Returns the area of a rectangle.",
      "  double width    The width, in any unit.", "  result: double", "  troupe call area 3 4.5", "  13.5",
      "plugin  org.example.geometry",
    ]
    for line in wanted { #expect(help.split(separator: "\n").contains(Substring(line)), "\(help)") }
    let uuid = "f5e07a66-2458-483c-8415-8bead275f039"
    #expect(try output(of: troupe("call", uuid, "--help", plugins: Examples.directory())) == help)
    let text = try output(of: troupe("call", "zlib_crc32", "--help", plugins: Examples.directory()))
    #expect(text.contains("  const unsigned char bytes[count]") && !text.contains("#3"))
    #expect(text.contains("\n  troupe call zlib_crc32 0 123456789\n  3421780262\n"))
    expectFailure(try troupe("call", "none", "--help", plugins: Examples.directory()), 69, "\"none\"", "troupe")
  }

  @Test("The examples in the help of a function are commands that select it and have its arguments")
  func examples() throws {
    let directory = try TemporaryDirectory()
    let uuids = (0..<4).map { "5b1a7c52-6f0a-4b3e-8f0e-3c9b1a2d4e0\($0)" }
    let examples = #""examples": [{"arguments": ["a\n\tb"], "result": 4}, {"arguments": [null], "result": 0}]"#
    let functions = zip(uuids, ["twin", "twin", "-dash", "lines"]).map { uuid, name in
      #"{"uuid": "\#(uuid)", "symbol": "strlen", "name": "\#(name)", "signature": "size_t (const char *text)", \#(examples)}"#
    }
    let text =
      #"{"id": "org.example.texts", "name": "Texts", "version": "1.0.0", "library": "libc.so.6", "functions": [\#(functions.joined(separator: ", "))]}"#
    try setMode(0o644, of: directory.write("texts.troupe.json", text.utf8))
    for (uuid, selector) in zip(uuids, [uuids[0], uuids[1], uuids[2], "lines"]) {
      let help = try output(of: troupe("call", uuid, "--help", plugins: directory.path))
      let lines = help.split(separator: "\n")
      #expect(lines[0].hasPrefix("usage: troupe call \(selector) TEXT"))
      #expect(lines.contains(#"  troupe call \#(selector) --arguments '[null]'"#), "\(help)")
      let command = #"  troupe call \#(selector) --arguments '["a\n\tb"]'"#
      #expect(lines.contains(Substring(command)), "\(help)")
      let words = ["call", selector, "--arguments", #"["a\n\tb"]"#, "--plugins", directory.path]
      #expect(try output(of: run(unset() + [Repo.troupe] + words)) == "4\n")
    }
  }

  @Test("troupe -h and troupe help print the same as troupe --help")
  func program() throws {
    let help = try output(of: troupe("--help"))
    #expect(try output(of: troupe("-h")) == help)
    #expect(try output(of: troupe("help")) == help)
  }

  @Test("The help of the program names every command")
  func everyCommand() throws {
    let lines = try output(of: troupe("--help")).split(separator: "\n")
    for command in Self.commands.dropFirst() { #expect(lines.contains { $0.hasPrefix("  \(command)  ") }, "\(command)") }
  }

  @Test("An unknown command ends with 64 and the nearest one", arguments: [("lst", "list"), ("--version2", "version")])
  func misspelledCommand(name: String, nearest: String) throws {
    for words in [[name], ["help", name]] {
      let message = "troupe: no command \"\(name)\"; did you mean \"\(nearest)\"?\n"
      #expect(try run(unset() + [Repo.troupe] + words).errors == message)
    }
  }

  @Test("A command that is like no other ends with 64 and lists the known ones", arguments: ["frobnicate", "-x", ""])
  func unknownCommand(name: String) throws {
    let list =
      "list, inspect, graph, watch, resolve, call, map, run, bench, workers, new, adopt, flags, validate, catalog, doctor, pin, quarantine, version"
    expectFailure(try troupe(name), 64, "no command \"\(name)\"", list)
    expectFailure(try troupe("help", name), 64, "\"\(name)\"", list)
  }

  @Test("An option before the command ends with 64 and a hint where options belong")
  func optionFirst() throws {
    expectFailure(try troupe("--json", "list"), 64, "\"--json\"", "options follow the command")
  }

  @Test("A missing command ends with 64")
  func noCommand() throws {
    expectFailure(try run(unset() + [Repo.troupe]), 64, "missing command", "troupe --help")
  }

  @Test(
    "An unknown option ends with 64 and the nearest one or the help", arguments: commands.dropFirst(),
    ["--jsn", "-j", "--plguins", "--x=y"])
  func unknownOption(command: String, option: String) throws {
    let name = try #require(option.split(separator: "=").first)
    let help = try Self.help(command)
    let expected = ["--jsn": "--json", "--plguins": "--plugins"][name]
    let hasNearest = expected.map { word in help.contains { $0.hasPrefix("  \(word) ") } } ?? false
    let remedy = hasNearest ? "did you mean \(expected ?? "")?" : expected == nil ? "troupe \(command) --help" : "no option"
    expectFailure(try troupe(command, option), 64, "no option \(name);", remedy)
  }

  @Test(
    "A malformed option ends with 64",
    arguments: [
      (["list", "--plugins"], "--plugins DIR"), (["list", "--json=yes"], "--json"),
      (["list", "--json", "--json"], "--json"), (["resolve", "--tag"], "--tag TAG"),
      (["run", "--tag", "a", "--set", "pattern=b"], "expected ID:KEY=VALUE, got \"pattern=b\""),
      (["run", "--tag", "a", "--set", "a:b"], "\"a:b\""),
      (
        ["call", "a", "--probe-deadline", "soon"],
        "--probe-deadline: expected a number of seconds from 0.001 to 86400, got \"soon\""
      ),
      (["call", "a", "--probe-deadline", "0"], "86400, got \"0\""),
      (["call", "a", "--probe-deadline=-1"], "86400, got \"-1\""),
      (["call", "a", "--probe-deadline", "nan"], "86400, got \"nan\""),
      (["call", "a", "--probe-deadline", "inf"], "86400, got \"inf\""),
      (["call", "a", "--probe-deadline", ""], "86400, got \"\""),
      (["list", "--probe-deadline", "1"], "option --probe-deadline"),
      (["quarantine", "show"], "no action \"show\"; give list or clear"),
      (["quarantine", "list", "org.example.a"], "\"org.example.a\""),
      (["quarantine"], "troupe: missing list|clear;"), (["call"], "troupe: missing UUID|NAME;"),
      (["run", "--tag", "a", "--log", "loud"], "--log: expected debug, info, warning or error, got \"loud\""),
    ])
  func badOption(words: [String], message: String) throws {
    expectFailure(try run(unset() + [Repo.troupe] + words), 64, message)
  }

  @Test("An error shows only the beginning and the size of a word of 100,000 characters")
  func longWords() throws {
    let word = String(repeating: "x", count: 100_000)
    let lines = [
      [word], ["help", word], ["list", "--" + word], ["list", word], ["list", "--plugins", word], ["call", word],
      ["call", "a", "--bytes", word], ["call", "a", "--set", word], ["call", "a", "--set", word + ":a=b"],
      ["call", "a", "--probe-deadline", word], ["call", "a", "--log", word], ["call", "a", "@" + word],
      ["run", "--tag", "a", word], ["resolve", "--tag", word], ["resolve", "--contract", word], ["graph", "--format", word],
      ["inspect", word],
      ["inspect", "./" + word], ["quarantine", word], ["quarantine", "list", word],
    ]
    for line in lines {
      let result = try run(unset() + [Repo.troupe] + line)
      let (command, errors) = (line.map { $0.prefix(20) }, result.errors)
      #expect(result.status != 0 && result.errorLines.count == 1, "\(command)")
      #expect(errors.utf8.count < 1000 && errors.contains("xxx… (100"), "\(command) \(errors.prefix(1000))")
    }
  }

  @Test("Control characters of the command line do not reach the terminal")
  func controlCharacters() throws {
    let result = try troupe("a\u{1B}[31m\nb")
    expectFailure(result, 64)
    #expect(!result.errors.contains("\u{1B}"))
  }
}
