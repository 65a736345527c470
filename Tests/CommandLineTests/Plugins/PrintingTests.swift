import Foundation
import TestSupport
import Testing

@Suite("Plugins that print")
struct PrintingTests {
  private let plugins: TemporaryDirectory

  init() throws {
    plugins = try TemporaryDirectory()
    try Repo.compile([Repo.fixture("healthy/printing.c")], to: plugins.file("printing.so"))
  }

  /// Runs the command and expects success. Text on standard error is allowed.
  private func output(_ words: [String], input: String = "") throws -> (text: String, errors: String) {
    let result = try run(
      unset() + [Repo.troupe] + words + ["--plugins", plugins.path], input: Data(input.utf8))
    #expect(result.status == 0, "\(result.errors)")
    return (result.text, result.errors)
  }

  @Test("The output of a transform has only the data, whenever the plugin is opened", arguments: [[], ["--eager"]])
  func transform(options: [String]) throws {
    let (text, errors) = try output(["run", "--tag", "printing"] + options, input: "data")
    #expect(text == "data")
    for place in ["constructor", "entry", "factory", "feed", "finish"] { #expect(errors.contains("buffered \(place)\n")) }
  }

  @Test(
    "JSON output has only the data",
    arguments: [["resolve", "--tag", "printing"], ["inspect", "org.example.printing"], ["graph"], ["call", "say", "x"]])
  func json(words: [String]) throws {
    let text = try output(words + ["--json"]).text
    #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(text.utf8)) }
  }

  @Test("A thread of a plugin that waits for input delays neither the result nor the end")
  func heldInput() throws {
    #expect(try output(["call", "hold_input"]).text == "held 1\n")
  }

  @Test("Text that a called function prints precedes its result, and with --json goes to standard error")
  func call() throws {
    let plain = try output(["call", "say", "hello "])
    #expect(plain.text == "hello buffered hello 6\n")
    #expect(plain.errors.contains("buffered entry\n"))
    let json = try output(["call", "say", "hello ", "--json"])
    #expect(!json.text.contains("hello"))
    #expect(json.errors.contains("hello "))
  }

  @Test("The probe warns of a plugin that prints")
  func warning() throws {
    let errors = try output(["call", "say", "x"]).errors
    #expect(errors.split(separator: "\n").contains { $0.contains("org.example.printing") && $0.contains("prints") })
  }

  @Test("Repetitions of a log line are counted when the plugin is loaded and when the command ends")
  func repeatedLines() throws {
    let directory = try TemporaryDirectory()
    try directory.add(fixture: "healthy/repeating.c", as: "repeating")
    let errors = try run(unset() + [Repo.troupe, "call", "repeat", "70", "--plugins", directory.path]).errorLines
    #expect(errors.count == 64 + 1 + 64 + 1)
    #expect(errors[64].contains("36 more") && errors[129].contains("6 more"))
  }

  @Test("A plugin that changes the current directory does not change the meaning of relative files")
  func workingDirectory() throws {
    let directory = try TemporaryDirectory()
    for name in ["a", "b", "c"] { try directory.write(name, name.utf8) }
    let result = try shell(
      #"cd "$directory" && "$troupe" run --tag printing --plugins "$plugins" a ./b c"#,
      environment: ["directory": directory.path, "plugins": plugins.path])
    #expect(result.status == 0)
    #expect(result.text == "abc")
  }
}
