import Testing
import TroupeCommands

@Suite("Completing a command line")
struct CompletionTests {
  private static let log = Option("log", value: "LEVEL", choices: ["debug", "info"], "Print messages.")
  private static let pins = Option("pins", value: "FILE", "Use the pins of FILE.")
  private static let tag = Option("tag", value: "TAG", isRepeatable: true, "Select TAG.")
  private static let then = Option("then", operands: "NAME", isRepeatable: true, "Call another one.")

  private static func spec(_ operands: String) -> CommandSpec {
    CommandSpec("call", "Call.", operands: operands, operandCount: 0...Int.max, options: [log, pins, tag, then])
  }

  private func words(_ line: [String], _ operands: String = "list|clear [ID]") throws -> [String] {
    let (completion, _) = try #require(Completion.find(line, Self.spec(operands)))
    return completion.candidates.map(\.word) + completion.placeholders
  }

  @Test("A word with a dash is completed to the options that can follow")
  func options() throws {
    #expect(try words(["-"]) == ["--log", "--pins", "--tag", "--then", "--help"])
    #expect(try words(["--log", "debug", "--tag", "a", "--"]) == ["--pins", "--tag", "--then", "--help"])
  }

  @Test("The value of an option is one of its choices, or what its placeholder says")
  func values() throws {
    #expect(try words(["--log", ""]) == ["debug", "info"])
    #expect(try words(["--pins", "a"]) == ["FILE"])
    #expect(try words(["--tag", "--pins", ""], "FILE") == ["FILE"])
  }

  @Test("The value behind an equals sign keeps the option in front of it")
  func inline() throws {
    let (completion, _) = try #require(Completion.find(["--log=de"], Self.spec("")))
    #expect(completion.prefix == "--log=")
    #expect(completion.candidates.map(\.word) == ["debug", "info"])
  }

  @Test(
    "An operand is one of the words of its place, or what its placeholder says",
    arguments: [
      ("list|clear [ID]", [""], ["list", "clear"]), ("list|clear [ID]", ["list", ""], ["ID"]),
      ("list|clear [ID]", ["list", "a", ""], []), ("UUID|NAME [ARG …]", [""], ["UUID", "NAME"]),
      ("UUID|NAME [ARG …]", ["a", "1", "2", ""], ["ARG"]), ("UUID|NAME [ARG …]", ["a", "1", "--then", ""], ["UUID", "NAME"]),
      ("--tag TAG … [FILE …]", ["--tag", "a", ""], ["FILE"]), ("[ID|FILE …]", ["a", "b", ""], ["ID", "FILE"]),
      ("FILE…", ["a", ""], ["FILE"]), ("", [""], []), ("FILE", ["--", "-"], ["FILE"]),
    ])
  func operands(operands: String, line: [String], expected: [String]) throws {
    #expect(try words(line, operands) == expected)
  }

  @Test("The finished options and operands come with the completion")
  func finished() throws {
    let (_, parsed) = try #require(Completion.find(["--pins", "p", "a", ""], Self.spec("ID FILE")))
    #expect(parsed.one(Self.pins) == "p")
    #expect(parsed.operands.first == "a")
  }

  @Test("Behind a wrong word nothing is completed")
  func wrong() {
    #expect(Completion.find(["--unknown", ""], Self.spec("ID")) == nil)
  }
}
