import Testing
import TroupeCommands
import TroupeHost

@Suite("Reading a command line")
struct CommandSpecTests {
  private static let json = Option("json", "Print JSON.")
  private static let tag = Option("tag", value: "TAG", isRepeatable: true, "Take what carries TAG.")
  private static let log = Option("log", value: "LEVEL", "Show log lines.")

  private static func spec(_ operandCount: ClosedRange<Int> = 0...Int.max) -> CommandSpec {
    CommandSpec("call", "Call.", operands: "NAME [ARG …]", operandCount: operandCount, options: [json, tag, log])
  }

  /// Returns the problem with these arguments. Expects that the remedy names the nearest option or the command's help.
  private func fault(_ arguments: [String], _ operandCount: ClosedRange<Int> = 0...Int.max) throws -> String {
    let failure = try #require(throws: Diagnosis.self) { try Self.spec(operandCount).parse(arguments) }
    #expect(failure.code == .usage)
    #expect(["see troupe call --help", "did you mean --json?"].contains(failure.remedy))
    return failure.statement
  }

  @Test("An empty command line has no options and no operands")
  func empty() throws {
    let parsed = try Self.spec().parse([])
    #expect(parsed.operands == [])
    #expect(!parsed.has(Self.json))
    #expect(parsed.all(Self.tag) == [])
    #expect(parsed.one(Self.log) == nil)
  }

  @Test("Options and operands may be mixed")
  func mixed() throws {
    let parsed = try Self.spec().parse(["area", "--json", "2", "--log", "debug", "3"])
    #expect(parsed.operands == ["area", "2", "3"])
    #expect(parsed.has(Self.json))
    #expect(parsed.one(Self.log) == "debug")
    #expect(!parsed.has(.help))
  }

  @Test(
    "A value follows its option or an equals sign and is used unchanged",
    arguments: [
      (["--log", "debug"], "debug"), (["--log=debug"], "debug"), (["--log=a=b=c"], "a=b=c"), (["--log="], ""),
      (["--log", ""], ""),
      (["--log", "--json"], "--json"), (["--log", "--"], "--"), (["--log=-1"], "-1"), (["--log", " a b "], " a b "),
    ])
  func values(arguments: [String], value: String) throws {
    let parsed = try Self.spec().parse(arguments)
    #expect(parsed.one(Self.log) == value)
    #expect(parsed.operands == [])
    #expect(!parsed.has(Self.json))
  }

  @Test(
    "An option of one letter has one dash, and its value follows it with or without a space",
    arguments: [["-D", "a=b"], ["-Da=b"]])
  func letter(arguments: [String]) throws {
    let define = Option("D", value: "NAME", isRepeatable: true, isLetter: true, "Define NAME.")
    let spec = CommandSpec("adopt", "Adopt.", operandCount: 0...1, options: [define, Option("c", "Print C.")])
    #expect(define.usage == "-D NAME")
    let parsed = try spec.parse(arguments + ["-Dc", "--c", "x"])
    #expect(parsed.all(define) == ["a=b", "c"])
    #expect(parsed.operands == ["x"])
    for wrong in [["-c"], ["--D", "a"], ["-D"]] { #expect(throws: Diagnosis.self) { try spec.parse(wrong) } }
  }

  @Test("A repeatable option has all its values in order")
  func repeatable() throws {
    let parsed = try Self.spec().parse(["--tag", "a", "x", "--tag=b", "--tag", "a"])
    #expect(parsed.all(Self.tag) == ["a", "b", "a"])
    #expect(parsed.one(Self.tag) == "a")
    #expect(parsed.operands == ["x"])
  }

  @Test("After two dashes every word is an operand")
  func dashes() throws {
    let parsed = try Self.spec().parse(["a", "--json", "--", "--log", "-x", "--", "--help"])
    #expect(parsed.operands == ["a", "--log", "-x", "--", "--help"])
    #expect(parsed.has(Self.json))
    #expect(parsed.one(Self.log) == nil)
    #expect(!parsed.has(.help))
  }

  @Test(
    "A negative number, malformed or not, and a single dash are operands",
    arguments: [
      "-1", "-0", "-2.5", "-.5", "-1e3", "-inf", "-nan", "-0x1", "-0X1f", "-0xffffffffffffffff", "-0x1.8p1", "-0b101", "-0B1",
      "-9223372036854775808", "-18446744073709551615", "-1x", "-0b12", "-0x", "-",
    ])
  func negative(argument: String) throws {
    #expect(try Self.spec().parse([argument, "--json"]).operands == [argument])
  }

  @Test(
    "An unknown option is named",
    arguments: [
      ("--jsn", "--jsn"), ("--", nil), ("-j", "-j"), ("--json-x=5", "--json-x"), ("---json", "---json"), ("-json", "-json"),
      ("--JSON", "--JSON"), ("--=x", "--"), ("-infinite", "-infinite"), ("-a1", "-a1"), ("--1", "--1"),
    ])
  func unknown(argument: String, name: String?) throws {
    if let name {
      #expect(try fault([argument]) == "no option \(name)")
    } else {
      #expect(try Self.spec().parse([argument]).operands == [])
    }
  }

  @Test("An option with a typing error leads to the nearest one")
  func misspelled() throws {
    let failure = try #require(throws: Diagnosis.self) { try Self.spec().parse(["--josn"]) }
    #expect(failure.statement == "no option --josn" && failure.remedy == "did you mean --json?")
  }

  @Test("A single option may be given once")
  func repeated() throws {
    #expect(try fault(["--log", "a", "--log=b"]) == "--log is given twice")
    #expect(try fault(["--json", "--json"]) == "--json is given twice")
  }

  @Test("A missing value is reported with its option")
  func missingValue() throws {
    #expect(try fault(["--log"]) == "--log LEVEL lacks its value")
    #expect(try fault(["a", "--tag"]) == "--tag TAG lacks its value")
  }

  @Test("An option without a value refuses one", arguments: ["--json=true", "--json=", "--help=x"])
  func surplusValue(argument: String) throws {
    let name = try #require(argument.split(separator: "=").first)
    #expect(try fault([argument]) == "\(name) takes no value")
  }

  @Test("Too few and too many operands are refused")
  func operands() throws {
    #expect(try fault([], 1...2) == "missing NAME")
    #expect(try fault(["a", "b", "c", "d"], 1...2) == "unexpected argument \"c\"")
    #expect(try fault(["a"], 0...0) == "unexpected argument \"a\"")
    #expect(try Self.spec(1...2).parse(["a"]).operands == ["a"])
    #expect(try Self.spec(1...2).parse(["a", "-1"]).operands == ["a", "-1"])
  }

  @Test("Every command has a help option, which needs no other argument", arguments: ["--help", "-h"])
  func help(argument: String) throws {
    #expect(try Self.spec(1...1).parse([argument]).has(.help))
    #expect(try Self.spec(1...1).parse(["a", "b", argument]).has(.help))
  }
}
