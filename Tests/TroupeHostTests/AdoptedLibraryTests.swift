import Foundation
import TestSupport
import Testing
import TroupeCall
import TroupeHost

@Suite("The start, the stop and the variables of adopted libraries") struct AdoptedLibraryTests {
  private static func uuid(_ number: Int) -> String { "ad0a0000-0000-4000-8000-00000000000\(number)" }

  private static let functions = [
    ("started_init", "int (int first, const char *name) error(negative)"), ("started_level", "int (void)"),
    ("started_end", "int (const char *path) error(negative)"),
  ]

  /// The text of an adoption file of `started-library.c`.
  ///
  /// - Parameter members: Further members, each with a comma behind it.
  private static func text(_ members: String, variables: [(symbol: String, type: String)] = []) -> String {
    let functions = functions.enumerated().map {
      #"{"uuid": "\#(uuid($0))", "name": "\#($1.0)", "symbol": "\#($1.0)", "signature": "\#($1.1)"}"#
    }
    let variables = variables.enumerated().map {
      #"{"uuid": "\#(uuid(9 - $0))", "name": "\#($1.symbol)", "symbol": "\#($1.symbol)", "type": "\#($1.type)"}"#
    }
    return #"{"id": "org.example.started", "name": "Started", "version": "1.0.0", "library": "./libstarted.so", \#(members)"#
      + #""variables": [\#(variables.joined(separator: ", "))], "functions": [\#(functions.joined(separator: ", "))]}"#
  }

  /// Adds the library and its file to a directory. Returns the path of the file.
  private func add(_ text: String, to directory: PluginDirectory) throws -> String {
    try directory.add("healthy/started-library.c", as: "libstarted")
    return try directory.write("started.troupe.json", text.utf8)
  }

  // MARK: Start and stop

  @Test("The host makes the call of start once, before the first other call")
  func start() async throws {
    let directory = try PluginDirectory()
    let variables = [("started_count", "int")]
    _ = try add(Self.text(#""start": "started_init(40, null)","#, variables: variables), to: directory)
    let host = directory.host()
    await host.start()
    #expect(try host.call("started_level") == .integer(41))
    #expect(try host.call("started_level") == .integer(41))
    #expect(try host.call("started_count") == .integer(1))
    host.shutdown()
  }

  @Test(
    "A failing start rejects the plugin, and the diagnosis names the function and its failure",
    arguments: [(#"-3, \"a\""#, "-3"), (#"1, 2"#, "argument 2 \"name\"")])
  func failingStart(arguments: String, failure: String) async throws {
    let directory = try PluginDirectory()
    let file = try add(Self.text(#""start": "started_init(\#(arguments))","#), to: directory)
    let host = directory.host()
    await host.start()
    let diagnosis = try #require(host.diagnosis(file))
    #expect(diagnosis.code == .refused)
    #expect(diagnosis.problem.contains("start called started_init, which failed: "), "\(diagnosis)")
    #expect(diagnosis.problem.contains(failure), "\(diagnosis)")
    #expect(!diagnosis.remedy.isEmpty)
    #expect(host.registrations.isEmpty)
  }

  @Test(
    "A call of stop follows the last use of the library, with its failure in the log", .inProcess, arguments: [true, false])
  func stop(succeeds: Bool) async throws {
    let directory = try PluginDirectory()
    let output = directory.directory.file(succeeds ? "end.txt" : "missing/end.txt")
    _ = try add(
      Self.text(#""start": "started_init(7, \"\")", "stop": "started_end(\"\#(output)\")","#), to: directory)
    let log = LogLines()
    let host = directory.host(log: log, unloads: true)
    await host.start()
    var level: ForeignFunction? = try host.function(try #require(host.functions("started_level").first))
    host.shutdown()
    #expect(try level?() == .integer(7))
    #expect(!FileManager.default.fileExists(atPath: output))
    level = nil
    let warnings = log.texts.filter { $0.hasPrefix("warning org.example.started: stop called started_end, which failed: ") }
    if succeeds {
      #expect(try String(contentsOfFile: output, encoding: .utf8) == "7\n")
      #expect(warnings.isEmpty)
    } else {
      #expect(warnings.count == 1)
    }
  }

  // MARK: Variables

  @Test("A variable is a function without parameters that returns the present value")
  func variables() async throws {
    let directory = try PluginDirectory()
    let variables = [
      ("started_name", "const char *const"), ("started_missing", "const char *"),
      ("started_narrow", "const unsigned char"), ("started_count", "int"),
    ]
    _ = try add(Self.text("", variables: variables), to: directory)
    let host = directory.host()
    await host.start()
    #expect(host.registrations.first { $0.name == "started_name" }?.signature == "const char *(void)")
    #expect(try host.call("started_name") == .string("started"))
    #expect(try host.call("started_missing") == .string(nil))
    #expect(try host.call("started_narrow") == .integer(200))
    for count in 0..<2 {
      #expect(try host.call("started_count") == .integer(Int128(count)))
      _ = try host.call("started_init", .integer(1), .null)
    }
    host.shutdown()
  }

  @Test("A variable of a struct type is a reference to the variable, also behind its pointers")
  func structs() async throws {
    let directory = try PluginDirectory()
    let types =
      #""types": ["struct started_list { const char *name; int (*level)(void); const struct started_list *next; };"],"#
    _ = try add(
      Self.text(types, variables: [("started_list", "struct started_list"), ("started_last", "const struct started_list")]),
      to: directory)
    let host = directory.host()
    await host.start()
    #expect(host.plugins.first?.refusals.isEmpty == true)
    let list = try #require(try host.call("started_list").reference)
    #expect(list.type == "struct started_list")
    #expect(try list.read("name") == .string("list"))
    let last = try #require(try host.call("started_last").reference)
    // In a worker the same object has another number each time.
    #expect(try list.read("next.name") == .string("last"))
    #expect(try last.read("name") == .string("last"))
    #expect(try last.read("next") == .null)
    host.shutdown()
  }

  @Test("An array is read where it is, and an array of char as text")
  func arrays() async throws {
    let directory = try PluginDirectory()
    let variables = [
      ("started_numbers", "const short[3]"), ("started_text", "const char[]"), ("started_texts", "const char *[2]"),
      ("started_points", "struct { double x; short y; }[1]"),
    ]
    _ = try add(Self.text("", variables: variables), to: directory)
    let host = directory.host()
    await host.start()
    #expect(host.registrations.first { $0.name == "started_text" }?.signature == "const char *(void)")
    #expect(try host.call("started_numbers") == .array([.integer(1), .integer(-2), .integer(3)]))
    #expect(try host.call("started_text") == .string("a text"))
    #expect(try host.call("started_texts") == .array([.string("one"), .string("two")]))
    #expect(
      try host.call("started_points")
        == .array([.structure([Value.Field("x", .double(0.5)), Value.Field("y", .integer(7))])]))
    host.shutdown()
  }

  @Test(
    "A variable that is not there, is a function, or cannot be read is refused with the member",
    arguments: [
      ("started_none", "int", Diagnosis.Code.missingSymbol, "variables[0].symbol is \"started_none\", and "),
      ("started_level", "int", .missingSymbol, "variables[0].symbol is \"started_level\", a function"),
      (
        "started_origin", "struct { const char *text; }", .invalidSignature,
        "variables[0].type is struct { const char *text; }, which"
      ),
    ])
  func refusedVariables(symbol: String, type: String, code: Diagnosis.Code, problem: String) async throws {
    let directory = try PluginDirectory()
    _ = try add(Self.text("", variables: [(symbol, type)]), to: directory)
    let host = directory.host()
    await host.start()
    #expect(host.registrations.count == 3)
    let refusal = try #require(host.plugins.first?.refusals.first)
    #expect(refusal.code == code)
    #expect(refusal.problem.contains(problem), "\(refusal)")
    host.shutdown()
  }
}
