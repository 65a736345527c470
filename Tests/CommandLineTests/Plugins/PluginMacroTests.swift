import Foundation
import TestSupport
import Testing

/// Compiles small sources against the built tree, as plugin authors do.
@Suite("@Plugin", .timeLimit(.minutes(60)))
struct PluginMacroTests {
  /// A faulty source. `▸` in it marks the expected location of the diagnostic.
  struct Wrong: CustomTestStringConvertible {
    let what: String
    let source: String
    let message: String

    init(_ what: String, _ source: String, _ message: String) {
      self.what = what
      self.source = source
      self.message = message
    }

    var testDescription: String { what }
  }

  private static let register = "{ func register(in registrar: any Registrar) {} }"
  private static let noInitializer =
    "@Plugin needs 'Example' to have an initializer 'init()' that is neither private nor throwing nor asynchronous"
  private static let notAType = "@Plugin stands on a class, struct or enum that is an Assembly"

  private static func registering(_ id: String) -> String {
    """
    @Plugin(id: "org.example.a", version: "1.0.0") struct Example: Assembly {
      func register(in registrar: any Registrar) {
        for _ in 0..<1 { registrar.register(id: \(id), name: "one", tags: "tag") { _ in 1 } }
      }
    }
    """
  }

  private static let wrongFactories = [
    "grep", "6F1F6C0E-6D4C-4F0B-8F0F-2F6F2A3F7C5", "{6f1f6c0e-6d4c-4f0b-8f0f-2f6f2a3f7c55}",
  ].map { id in
    Wrong(
      "the id \(id) of a factory", registering("▸\"\(id)\""),
      "the id \"\(id)\" of a factory is not a UUID; make one with uuidgen")
  }

  private static let wrongArguments = [
    // The compiler itself reports missing arguments.
    Wrong("no id", #"@Plugin(▸version: "1.0.0") struct Example: Assembly \#(register)"#, "missing argument for parameter 'id'"),
    Wrong(
      "no version", #"@Plugin(id: "org.example.a"▸) struct Example: Assembly \#(register)"#,
      "missing argument for parameter 'version'"),
    Wrong(
      "an id that is not reverse DNS", #"@Plugin(id: ▸"shout", version: "1.0.0") struct Example: Assembly \#(register)"#,
      "the id \"shout\" is not in reverse DNS notation, such as org.example.shout"),
    Wrong(
      "an id with an empty part", #"@Plugin(id: ▸"org..shout", version: "1.0.0") struct Example: Assembly \#(register)"#,
      "the id \"org..shout\" has an empty part"),
    Wrong(
      "an id with a space", #"@Plugin(id: ▸"org.example.a b", version: "1.0.0") struct Example: Assembly \#(register)"#,
      "the id \"org.example.a b\" has a part with characters other than letters, digits, hyphens and underscores"),
    Wrong(
      "an empty id", #"@Plugin(id: ▸"", version: "1.0.0") struct Example: Assembly \#(register)"#,
      "the id \"\" is not in reverse DNS notation"),
    Wrong(
      "a version that is not semantic", #"@Plugin(id: "org.example.a", version: ▸"1.0") struct Example: Assembly \#(register)"#,
      "the version \"1.0\" is not a semantic version, such as 1.0.0"),
    Wrong(
      "an id with an interpolation",
      #"@Plugin(id: ▸"org.example.\(1)", version: "1.0.0") struct Example: Assembly \#(register)"#,
      "the id of a plugin is a string literal"),
    Wrong(
      "a description of more than 1024 bytes",
      #"@Plugin(id: "org.example.a", version: "1.0.0", description: ▸"\#(String(repeating: "é", count: 513))") struct Example: Assembly \#(register)"#,
      "é\" is longer than 1024 bytes"),
    Wrong(
      "a description with an interpolation",
      #"@Plugin(id: "org.example.a", version: "1.0.0", description: ▸"\(1)") struct Example: Assembly \#(register)"#,
      "the description of a plugin is a string literal"),
    Wrong(
      "an id in a variable",
      "let id = \"org.example.a\"\n@Plugin(id: ▸id, version: \"1.0.0\") struct Example: Assembly \(register)",
      "the id of a plugin is a string literal"),
    Wrong(
      "a version that is put together",
      #"@Plugin(id: "org.example.a", version: ▸"1" + ".0.0") struct Example: Assembly \#(register)"#,
      "the version of a plugin is a string literal"),
    Wrong(
      "an empty name", #"@Plugin(id: "org.example.a", name: ▸"", version: "1.0.0") struct Example: Assembly \#(register)"#,
      "the name \"\" is empty"),
    Wrong(
      "a name on several lines",
      "@Plugin(\n  id: \"org.example.a\",\n  name: ▸\"\\(1)\",\n  version: \"1.0.0\"\n) struct Example: Assembly \(register)",
      "the name of a plugin is a string literal"),
    Wrong(
      "a requirement without a sign",
      #"@Plugin(id: "org.example.a", version: "1.0.0", requires: ["org.example.b", ▸"org.example.c 1.0.0"]) struct Example: Assembly \#(register)"#,
      "the requirement \"org.example.c 1.0.0\" does not say what \"1.0.0\" is to it"),
    Wrong(
      "requirements in a variable",
      "let list = [\"org.example.b\"]\n@Plugin(id: \"org.example.a\", version: \"1.0.0\", requires: ▸list) struct Example: Assembly \(register)",
      "'requires:' takes a list of string literals in square brackets"),
    Wrong(
      "settings in a variable",
      "let list: [PluginSetting] = []\n@Plugin(id: \"org.example.a\", version: \"1.0.0\", settings: ▸list) struct Example: Assembly \(register)",
      "'settings:' takes a list such as"),
    Wrong(
      "a setting with a default in a variable",
      "let width = 76\n@Plugin(id: \"org.example.a\", version: \"1.0.0\", settings: [▸.integer(\"width\", default: width, \"Bytes\")]) struct Example: Assembly \(register)",
      "'settings:' takes a list such as"),
    Wrong(
      "a setting whose default is out of range",
      #"@Plugin(id: "org.example.a", version: "1.0.0", settings: [▸.integer("width", default: 0, in: 1...9, "Bytes")]) struct Example: Assembly \#(register)"#,
      "the setting \"width\" has the default \"0\", which is not an integer from 1 to 9"),
    Wrong(
      "a setting with a choice that is none",
      #"@Plugin(id: "org.example.a", version: "1.0.0", settings: [▸.choice("a", ["b"], default: "c", "D")]) struct Example: Assembly \#(register)"#,
      "the setting \"a\" has the default \"c\", which is not one of b"),
    Wrong(
      "a setting with a key that is none",
      #"@Plugin(id: "org.example.a", version: "1.0.0", settings: [▸.text("a=b", default: "", "C")]) struct Example: Assembly \#(register)"#,
      "the setting \"a=b\" is not a key"),
    Wrong(
      "two settings with one key",
      #"@Plugin(id: "org.example.a", version: "1.0.0", settings: [.boolean("a", default: true, "B"), ▸.text("a", default: "", "C")]) struct Example: Assembly \#(register)"#,
      "the setting \"a\" is declared twice"),
    Wrong(
      "a provided contract that is none",
      #"@Plugin(id: "org.example.a", version: "1.0.0", provides: [▸"org.example.b"]) struct Example: Assembly \#(register)"#,
      "the provided contract \"org.example.b\" is not the name of a contract"),
  ]

  private static let wrongTypes = [
    Wrong(
      "a stored property without a value",
      "struct ▸Example: Assembly { let a: Int; func register(in registrar: any Registrar) {} }",
      noInitializer),
    Wrong(
      "a class with a variable without a value",
      "final class ▸Example: Assembly {\n  var a: Int\n  func register(in registrar: any Registrar) {}\n}", noInitializer),
    Wrong(
      "an initializer with an argument only",
      "struct ▸Example: Assembly { init(a: Int) {}; func register(in registrar: any Registrar) {} }", noInitializer),
    Wrong(
      "a failable initializer", "struct ▸Example: Assembly { init?() {}; func register(in registrar: any Registrar) {} }",
      noInitializer),
    Wrong(
      "a throwing initializer", "struct ▸Example: Assembly { init() throws {}; func register(in registrar: any Registrar) {} }",
      noInitializer),
    Wrong(
      "an asynchronous initializer",
      "struct ▸Example: Assembly { init() async {}; func register(in registrar: any Registrar) {} }", noInitializer),
    Wrong(
      "a private initializer", "struct ▸Example: Assembly { private init() {}; func register(in registrar: any Registrar) {} }",
      noInitializer),
    Wrong("an enumeration", "enum ▸Example: Assembly { case a; func register(in registrar: any Registrar) {} }", noInitializer),
    Wrong(
      "a struct that is not an assembly", "struct ▸Example { func register(in registrar: any Registrar) {} }",
      "@Plugin needs 'Example' to conform to 'Assembly'"),
    Wrong(
      "a class with another protocol", "final class ▸Example: Sendable { func register(in registrar: any Registrar) {} }",
      "@Plugin needs 'Example' to conform to 'Assembly'"),
    Wrong("a protocol", "protocol Example: Assembly {}", notAType),
    Wrong("an extension", "extension Int: Assembly { public func register(in registrar: any Registrar) {} }", notAType),
    Wrong("an actor", "actor Example {}", notAType),
    Wrong("a function", "func example() {}", notAType),
    // The compiler refuses it before it expands the macro.
    Wrong("a variable", "let example = 1", "macro cannot be attached to let ('example')"),
    Wrong(
      "a generic type", "struct Example▸<T>: Assembly { func register(in registrar: any Registrar) {} }",
      "@Plugin needs to make an instance of 'Example', which a generic type does not allow"),
  ]

  @Test("Wrong arguments are reported at the argument", arguments: wrongArguments + wrongFactories)
  func arguments(wrong: Wrong) throws { try check(wrong.source, wrong.message) }

  @Test("An unfit type is reported at the attribute or at the unfit part", arguments: wrongTypes)
  func types(wrong: Wrong) throws {
    let attribute = "@Plugin(id: \"org.example.a\", version: \"1.0.0\")\n"
    try check((wrong.source.contains("▸") ? "" : "▸") + attribute + wrong.source, wrong.message)
  }

  @Test("A nested type is reported at its name")
  func nested() throws {
    try check(
      "enum Outer {\n  @Plugin(id: \"org.example.a\", version: \"1.0.0\")\n  struct ▸Example: Assembly \(Self.register)\n}",
      "@Plugin stands on a type at file scope")
  }

  @Test("Two wrong arguments are both reported")
  func two() throws {
    let source = "@Plugin(id: \"shout\", version: \"1\") struct Example: Assembly \(Self.register)"
    let errors = try errors(source).map(\.message)
    #expect(errors.contains { $0.hasPrefix("the id \"shout\" is not") })
    #expect(errors.contains { $0.hasPrefix("the version \"1\" is not") })
  }

  /// Expects that the first diagnostic of the compiler is a message at the mark in the source.
  private func check(_ marked: String, _ message: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let before = try #require(marked.split(separator: "▸", omittingEmptySubsequences: false).first)
    let line = before.count { $0 == "\n" } + 2
    let column = before.split(separator: "\n", omittingEmptySubsequences: false).last.map { $0.utf8.count + 1 }
    let errors = try errors(marked.replacing("▸", with: ""))
    let first = try #require(errors.first { $0.message.contains(message) }, "\(errors)", sourceLocation: sourceLocation)
    #expect(first.line == line, "\(first)", sourceLocation: sourceLocation)
    #expect(first.column == column, "\(first)", sourceLocation: sourceLocation)
  }

  @Test("The manifest has the requirements and provisions of a Swift plugin, and no code runs")
  func needs() throws {
    let directory = try TemporaryDirectory()
    let source = """
      import Troupe
      @Plugin(
        id: "org.example.a", version: "1.0.0", requires: ["org.example.b ^1.0.0", "org.example.c/1"],
        provides: ["org.example.d/2"])
      struct Example: Assembly \(Self.register)
      """
    let file = try directory.write("Example.swift", source.utf8)
    let built = try run(Repo.compilation(of: [file], to: directory.file("example.so")))
    #expect(built.status == 0, "\(built.errors)")
    let text = try output(of: troupe("list", "--json", plugins: directory.path))
    let plugins = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
    #expect(plugins[0]["requires"] as? [String] == ["org.example.b ^1.0.0", "org.example.c/1"])
    #expect(plugins[0]["provides"] as? [String] == ["org.example.d/2"])
    #expect((plugins[0]["reason"] as? String)?.contains("org.example.b ^1.0.0") == true)
  }

  @Test("A type that is not an assembly gets one error, whether or not it could conform", arguments: [register, "{}"])
  func noAssembly(body: String) throws {
    let directory = try TemporaryDirectory()
    let source = "import Troupe\n@Plugin(id: \"org.example.a\", version: \"1.0.0\")\nstruct Example \(body)\n"
    let file = try directory.write("Example.swift", source.utf8)
    let result = try run(
      Repo.compilation(of: [file], to: directory.file("example.so"), options: ["-diagnostic-style", "llvm"]))
    #expect(result.status != 0)
    let errors = result.errors.split(separator: "\n").filter { $0.contains(" error: ") }
    #expect(errors.first?.contains("@Plugin needs") == true, "\(result.errors)")
    // Without the method the compiler also reports the missing protocol requirement.
    if body != "{}" { #expect(errors.count == 1, "\(result.errors)") }
  }

  @Test("A second plugin in one library, in the same file or another, is an error", arguments: [1, 2])
  func twoPlugins(files: Int) throws {
    let directory = try TemporaryDirectory()
    let sources = ["one", "two"].map { name in
      "@Plugin(id: \"org.example.\(name)\", version: \"1.0.0\") struct \(name.capitalized): Assembly \(Self.register)\n"
    }
    let texts = files == 1 ? [sources.joined()] : sources
    let paths = try texts.enumerated().map { try directory.write("Example\($0).swift", "import Troupe\n\($1)".utf8) }
    let result = try run(Repo.compilation(of: paths, to: directory.file("example.so"), options: ["-diagnostic-style", "llvm"]))
    #expect(result.status != 0)
    let errors = result.errors.split(separator: "\n").filter { $0.contains(" error: ") }
    #expect(errors.count == 1, "\(result.errors)")
    #expect(errors.first?.contains("one library holds one @Plugin: remove this one") == true, "\(result.errors)")
  }

  private struct CompilerError {
    let line, column: Int
    let message: String
  }

  /// The compiler's errors in the lines after the source's import.
  private func errors(_ source: String) throws -> [CompilerError] {
    let directory = try TemporaryDirectory()
    let file = try directory.write("Example.swift", "import Troupe\n\(source)\n".utf8)
    let result = try run(
      Repo.compilation(of: [file], to: directory.file("example.so"), options: ["-diagnostic-style", "llvm"]))
    #expect(result.status != 0)
    return result.errors.split(separator: "\n").compactMap { line in
      guard line.hasPrefix(file + ":") else { return nil }
      let parts = line.dropFirst(file.count + 1).split(separator: ":", maxSplits: 2)
      guard parts.count == 3, parts[2].hasPrefix(" error: "), let row = Int(parts[0]), let column = Int(parts[1])
      else { return nil }
      return CompilerError(line: row, column: column, message: String(parts[2].dropFirst(8)))
    }
  }

  @Test(
    "A valid type compiles and loads under its own name",
    arguments: [
      "struct Example: Assembly { METHOD }",
      "final class Example: Assembly { METHOD }",
      "final class Example: Assembly { init() {}\nMETHOD }",
      "class Base { init() {} }\nATTRIBUTE\nfinal class Example: Base, Assembly { METHOD }",
      "struct Example: Assembly { let a: Int\ninit(a: Int = 1, b: String = \"\") { self.a = a }\nMETHOD }",
      "struct Example: Assembly { init?(a: Int) { nil }\ninit() {}\nMETHOD }",
      "struct Example: Assembly { var a: Int?; var f: Int!; var b = 1, c = 2; var d: Int { 3 }; static let e = 4\nMETHOD }",
      "public final class Example: Assembly { lazy var a = 1; var b = 1 { didSet {} }\npublic init() {}\npublic METHOD }",
      "struct Example: Assembly { fileprivate init() {}\nMETHOD }",
      "enum Example: Assembly { case a\ninit() { self = .a }\nMETHOD }",
      "ATTRIBUTE\nstruct Example {}\nextension Example: Assembly { METHOD }",
      "class Base: Assembly { init() {}\nMETHOD }\nATTRIBUTE\nfinal class Example: Base {}",
      "@MainActor final class Helper {}\nATTRIBUTE\nstruct Example: Assembly { METHOD }",
    ])
  func fitType(source: String) throws {
    let method = "func register(in registrar: any Registrar) { registrar.register(Int.self, tags: \"one\") { _ in 1 } }"
    let attribute = "@Plugin(id: \"org.example.fit\", version: \"1.0.0-rc.1+7\")"
    let whole = (source.contains("ATTRIBUTE") ? source : "ATTRIBUTE\n" + source).replacing("ATTRIBUTE", with: attribute)
    let directory = try TemporaryDirectory()
    let path = try compile(whole.replacing("METHOD", with: method), in: directory)
    let inspection = try json(Inspection.self, troupe("inspect", path, "--json"))
    // A class may inherit an activation, so its plugin is loaded eagerly.
    let state = source.contains("Base") ? "loaded" : "admitted"
    #expect(
      inspection.plugin
        == ListedPlugin(
          id: "org.example.fit", name: "Example", version: "1.0.0-rc.1+7", language: "swift", abi: "1.0", path: path,
          state: state, reason: nil))
    #expect(inspection.factories.map(\.tags) == [["one"]])
  }

  @Test(
    "A name is stored as it is written",
    arguments: [
      (#""say \"hi\"""#, "say \"hi\""), (#""back\\slash""#, "back\\slash"), (#""👋🏽 Grüße""#, "👋🏽 Grüße"),
      (##"#"raw \ "text""#"##, "raw \\ \"text\""), (#""\u{e9}t\u{e9}""#, "été"), ("\"\"\"\n  three\n  \"\"\"", "three"),
    ])
  func name(literal: String, name: String) throws {
    let directory = try TemporaryDirectory()
    let attribute = "@Plugin(id: \"org.example.name\", name: \(literal), version: \"1.0.0\")"
    try compile("\(attribute)\nstruct Example: Assembly \(Self.register)", in: directory)
    let plugins = try json([ListedPlugin].self, troupe("list", "--json", plugins: directory.path))
    #expect(plugins.map(\.name) == [name])
    #expect(plugins.map(\.state) == ["admitted"])
  }

  @Test("Without a name the plugin is named after its type, without backticks")
  func typeName() throws {
    let directory = try TemporaryDirectory()
    let attribute = "@Plugin(id: \"org.example.name\", version: \"1.0.0\")"
    try compile("\(attribute)\nstruct `class`: Assembly \(Self.register)", in: directory)
    let plugins = try json([ListedPlugin].self, troupe("list", "--json", plugins: directory.path))
    #expect(plugins.map(\.name) == ["class"])
  }

  @Test("A name with a newline, which a manifest must not contain, is reported at the name")
  func newline() throws {
    try check(
      #"@Plugin(id: "org.example.a", name: ▸"two\nlines", version: "1.0.0") struct Example: Assembly \#(Self.register)"#,
      #"the name "two\nlines" has control characters"#)
  }

  @discardableResult
  private func compile(_ source: String, in directory: TemporaryDirectory) throws -> String {
    let sources = try TemporaryDirectory()
    return try Repo.compile(
      [try sources.write("Example.swift", "import Troupe\n\(source)\n".utf8)], to: directory.file("example.so"))
  }
}
