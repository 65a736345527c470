import Foundation
import TestSupport
import Testing

@Suite("Declared settings on the command line", .timeLimit(.minutes(60)))
struct SettingsTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    try Repo.compile([Repo.fixture("healthy/settings.c")], to: directory.file("settings.so"))
  }

  private struct Declared: Decodable {
    struct Setting: Decodable, Equatable {
      let key, type: String
      let minimum, maximum: Double?
      let choices: [String]?
      let description: String
    }
    let settings: [Setting]
  }

  private static let expected: [Declared.Setting] = [
    .init(key: "width", type: "integer", minimum: 1, maximum: 1000, choices: nil, description: "Bytes in a line"),
    .init(key: "ratio", type: "number", minimum: 0, maximum: 1, choices: nil, description: "Share of the input"),
    .init(key: "strict", type: "boolean", minimum: nil, maximum: nil, choices: nil, description: "Fail on long words"),
    .init(key: "prefix", type: "text", minimum: nil, maximum: nil, choices: nil, description: "Text before each line"),
    .init(
      key: "break", type: "choice", minimum: nil, maximum: nil, choices: ["word", "character"],
      description: "Where a line ends"),
  ]

  @Test("inspect lists them as text and as JSON")
  func inspect() throws {
    let path = directory.file("settings.so")
    #expect(try json(Declared.self, troupe("inspect", path, "--json")).settings == Self.expected)
    let text = try troupe("inspect", path).text
    #expect(
      text.contains(
        """

        setting width
          an integer from 1 to 1000, by default 76
          Bytes in a line

        setting ratio
          a number from 0.0 to 1.0, by default 0.5
          Share of the input

        """), "\(text)")
  }

  @Test("A plugin reads the default or the value of --set")
  func values() throws {
    func call(_ name: String, _ key: String, _ set: String...) throws -> String {
      let words =
        ["call"] + set.flatMap { ["--set", "org.example.settings:\($0)"] } + ["--plugins", directory.path, name, key]
      return output(of: try run(unset() + [Repo.troupe] + words))
    }
    #expect(try call("integer", "width") == "76\n")
    #expect(try call("integer", "width", "width=007", "ratio=1") == "7\n")
    #expect(try call("configured", "width", "width=007") == "7\n")
    #expect(try call("number", "ratio") == "0.5\n")
    #expect(try call("boolean", "strict", "strict=true") == "true\n")
    #expect(try call("text", "prefix", "prefix=a = b") == "a = b\n")
    #expect(try call("text", "break", "break=character") == "character\n")
  }

  @Test(
    "An unknown key and an unfit value are wrong usage, with the nearest key or the range",
    arguments: [
      (
        "widht=5",
        ["--set: org.example.settings has no setting \"widht\"; ", "\"width\"", "width, ratio, strict, prefix, break"]
      ),
      ("color=red", ["\"color\"", "width, ratio, strict, prefix, break"]),
      ("width=0", ["--set: org.example.settings is configured with width = \"0\"", "1 to 1000"]),
      ("break=letter", ["break = \"letter\"", "one of word, character"]),
      ("strict=yes", ["strict = \"yes\"", "true or false"]),
    ])
  func faults(setting: String, parts: [String]) throws {
    let option = "org.example.settings:" + setting
    for command in [["call", "integer", "width"], ["resolve", "--tag", "settings"], ["graph"]] {
      let words = [command[0], "--set", option, "--plugins", directory.path] + command.dropFirst()
      let result = try run(unset() + [Repo.troupe] + words)
      #expect(result.status == 64, "\(command) \(result.errors)")
      #expect(result.errorLines.count == 1, "\(result.errors)")
      for part in parts { #expect(result.errors.contains(part), "\(result.errors)") }
    }
  }

  @Test("Without declarations every configuration key is accepted")
  func undeclared() throws {
    let directory = try TemporaryDirectory()
    try Repo.compile([Repo.fixture("healthy/services.c")], to: directory.file("services.so"))
    let result = try troupe("call", "--set", "org.example.services:any=thing", "configuration", "any", plugins: directory.path)
    #expect(output(of: result) == "thing\n")
  }

  @Test("A Swift plugin may declare more settings than one literal of the manifest holds")
  func many() throws {
    let directory = try TemporaryDirectory()
    let settings = (0..<100).map { #".integer("key\#($0)", default: \#($0), "The setting \#($0).")"# }.joined(separator: ", ")
    let source = try directory.write(
      "Many.swift",
      """
      import Troupe

      @Plugin(id: "org.example.many", version: "1.0.0", settings: [\(settings)])
      struct ManyPlugin: Assembly {
        func register(in registrar: any Registrar) {}
      }

      """.utf8)
    let path = try Repo.compile([source], to: directory.file("many.so"))
    let declared = try json(Declared.self, troupe("inspect", path, "--json")).settings
    #expect(declared.map(\.key) == (0..<100).map { "key\($0)" })
  }

  @Test("A Swift plugin declares them in @Plugin and reads them as typed values")
  func swift() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.add("healthy/settings")
    let declared = try json(Declared.self, troupe("inspect", path, "--json")).settings
    #expect(declared.map(\.key) == Self.expected.map(\.key) + ["offset"])
    #expect(Array(declared.prefix(5)) == Self.expected)
    let plain = try json([ListedInstance].self, troupe("resolve", "--tag", "settings", "--json", plugins: directory.path))
    #expect(plain.map(\.instance) == ["77 1.0 true > word -3"])
    let set = try json(
      [ListedInstance].self,
      troupe(
        "resolve", "--tag", "settings", "--json", "--set", "org.example.settings:width=9", "--set",
        "org.example.settings:strict=true", plugins: directory.path))
    #expect(set.map(\.instance) == ["10 1.0 false > word -3"])
    expectFailure(
      try troupe("resolve", "--tag", "settings", "--set", "org.example.settings:ratoi=1", plugins: directory.path), 64,
      "\"ratio\"")
  }
}
