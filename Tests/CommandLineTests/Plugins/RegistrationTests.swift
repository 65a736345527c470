import Foundation
import TestSupport
import Testing

/// Registrations of plugins in Swift and in C and of an adoption file, as hosts in Swift and in C and the command show them.
@Suite("Registrations of plugins", .timeLimit(.minutes(60)))
struct RegistrationTests {
  /// The members of a registration.
  private struct Members: Decodable, Equatable {
    var plugin, name, signature: String
    var uuid, contract: String?
    var lifetime = "transient"
    var tags: [String] = []
    var metadata: [String: String] = [:]
    var isFunction = false
    var location: String?
    var isCallableFromAnyThread = true

    /// The members that `troupe_registration` has.
    var inC: Members {
      var members = self
      (members.location, members.isCallableFromAnyThread) = (nil, true)
      return members
    }
  }

  /// What the host in Swift prints.
  private struct Report: Decodable {
    struct Phase: Decodable {
      let states: [String]
      let registrations: [Members]
      let found: [String: Int]
    }

    let probes: Int
    let phases: [Phase]
  }

  private static let adoption = """
    {"id": "org.example.described-adoption", "name": "Described in a file", "version": "1.0.0", "library": "libm.so.6",
     "functions": [
      {"uuid": "de5c0000-0000-4000-8000-000000000021", "name": "hypot", "symbol": "hypot", "tags": ["hypot", "described"],
       "signature": "double (double x, double y)", "metadata": {"unit": "m"}, "description": "Returns a length.",
       "parameters": {"x": "One side."}, "examples": [{"arguments": [3, 4], "result": 5}]}]}
    """

  private static let expected = [
    Members(
      plugin: "org.example.described-c", name: "box", signature: "void *(int64_t start)",
      uuid: "de5c0000-0000-4000-8000-000000000011", contract: "org.example.box/1", lifetime: "singleton",
      tags: ["box", "described"], metadata: ["description": "Makes a box.", "unit": "pc"]),
    Members(
      plugin: "org.example.described-c", name: "area", signature: "double (double width, double height)",
      uuid: "de5c0000-0000-4000-8000-000000000012", tags: ["area", "described"],
      metadata: [
        "description": "Returns the area of a rectangle.", "parameter.width": "The width.", "example(3, 4.5)": "13.5",
        "unit": "m2",
      ], isFunction: true),
    Members(
      plugin: "org.example.described-adoption", name: "hypot", signature: "double (double x, double y)",
      uuid: "de5c0000-0000-4000-8000-000000000021", tags: ["described", "hypot"],
      metadata: ["description": "Returns a length.", "parameter.x": "One side.", "example(3, 4)": "5", "unit": "m"],
      isFunction: true, isCallableFromAnyThread: false),
    Members(
      plugin: "org.example.described", name: "prefix", signature: "(String) -> Transform",
      uuid: "de5c0000-0000-4000-8000-000000000001", contract: "troupe.transform/1", lifetime: "scoped",
      tags: ["described", "text"],
      metadata: [
        "description": "Writes a text before its input.", "parameter.prefix": "The text.", #"example("a", "b")"#: #""ba""#,
        "unit": "byte",
      ], location: "described_swift/described.swift:7"),
    Members(
      plugin: "org.example.described", name: "width", signature: "() -> String", uuid: "de5c0000-0000-4000-8000-000000000002",
      tags: ["described", "width"], metadata: ["unit": "m"], location: "described_swift/described.swift:13"),
  ]

  private let directory: TemporaryDirectory
  private var plugins: String { directory.file("plugins") }

  init() throws {
    directory = try TemporaryDirectory()
    try FileManager.default.createDirectory(atPath: plugins, withIntermediateDirectories: false)
    try Repo.compile([Repo.fixture("healthy/described.c")], to: "\(plugins)/described-c.so")
    try Repo.compile([Repo.fixture("healthy/described.swift")], to: "\(plugins)/described-swift.so")
    try writeFile("\(plugins)/described-file.troupe.json", Array(Self.adoption.utf8))
  }

  /// A host in Swift and one in C, which find libTroupe.so by LD_LIBRARY_PATH.
  private static let programs = Result {
    let directory = try TemporaryDirectory.untilExit()
    try succeed([
      "swiftc", "-swift-version", "6", "-I", Repo.products + "/Modules", "-I", Repo.headers, "-L", Repo.products, "-lTroupe",
      "-o", directory.file("swift"), Repo.fixture("hosts/registrations.swift"),
    ])
    try succeed([
      "cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-I", Repo.headers, Repo.fixture("hosts/registrations.c"), "-L",
      Repo.products, "-lTroupe", "-o", directory.file("c"),
    ])
    return directory
  }

  /// The variables of programs that share a cache.
  private var environment: [String: String] {
    [
      "LD_LIBRARY_PATH": Repo.products, "XDG_CACHE_HOME": directory.file("cache"),
      "XDG_STATE_HOME": directory.file("state"),
    ]
  }

  /// Runs a host, and expects that its log is empty.
  private func start(_ program: String, contract: String? = nil) throws -> String {
    let variables = environment.merging(contract.map { ["CONTRACT": $0] } ?? [:]) { own, _ in own }
    let program = try Self.programs.get().file(program)
    return output(
      of: try run(unset(except: variables.keys) + ["timeout", "60", program, plugins], environment: variables))
  }

  private func report(contract: String? = nil) throws -> Report {
    try JSONDecoder().decode(Report.self, from: Data(start("swift", contract: contract).utf8))
  }

  private func sorted(_ registrations: [Members]) -> [Members] { registrations.sorted { ($0.uuid ?? "") < ($1.uuid ?? "") } }

  // MARK: In Swift

  @Test("A host in Swift lists all members before the plugins are open and after, and finds registrations by their texts")
  func swift() throws {
    let report = try report()
    #expect(report.probes == 3)
    // A plugin in Swift is activated after the resolve that opened it.
    let opened: Set = ["loaded", "active"]
    #expect(report.phases.map { $0.states.allSatisfy(opened.contains) } == [false, true])
    #expect(Set(report.phases[0].states) == ["admitted"])
    for phase in report.phases { #expect(sorted(phase.registrations) == sorted(Self.expected)) }
    // Metadata that is no text belongs to the open plugin.
    let found = ["prefix": 1, "width": 1, "box": 1, "area": 1, "hypot": 1]
    #expect(report.phases.map(\.found) == [0, 1].map { found.merging(["wide": $0]) { own, _ in own } })
  }

  @Test("Hosts with different contracts for a Swift type share one probe, and each describes the registration with its own")
  func contracts() throws {
    let resolve = { try troupe("resolve", "--tag", "width", plugins: plugins, environment: environment) }
    #expect(try output(of: resolve()).contains("4.5"))
    for contract in ["org.example.text/1", nil, "org.example.text/2"] as [String?] {
      let report = try report(contract: contract)
      #expect(report.probes == 0)
      for phase in report.phases {
        #expect(phase.registrations.filter { $0.name == "width" }.map(\.contract) == [contract])
        #expect(phase.registrations.filter { $0.name == "prefix" }.map(\.contract) == ["troupe.transform/1"])
      }
      #expect(try output(of: resolve()).contains("4.5"))
    }
  }

  // MARK: Elsewhere

  @Test("A host in C lists the same members, and an instance has those of its registration")
  func inC() throws {
    let printed = try start("c").split(separator: "\n\n").map { text in
      var members = Members(plugin: "", name: "", signature: "")
      for line in text.split(separator: "\n") {
        let (key, value) = try #require(Self.pair(line))
        switch key {
        case "plugin": members.plugin = value
        case "name": members.name = value
        case "signature": members.signature = value
        case "uuid": members.uuid = value
        case "contract": members.contract = value
        case "lifetime": members.lifetime = value
        case "isFunction": members.isFunction = value == "1"
        case "tag": members.tags.append(value)
        default:
          let (key, value) = try #require(Self.pair(value[...]))
          members.metadata[key] = value
        }
      }
      return members
    }
    #expect(sorted(printed.dropLast()) == sorted(Self.expected.map(\.inC)))
    #expect(printed.last == Self.expected[0].inC)
  }

  private static func pair(_ line: Substring) -> (String, String)? {
    line.firstIndex(of: "=").map { (String(line[..<$0]), String(line[line.index(after: $0)...])) }
  }

  @Test("The JSON of inspect and resolve has the same members", arguments: expected.indices)
  func command(index: Int) throws {
    let expected = Self.expected[index]
    let texts = expected.metadata
    let inspection = try json(
      Inspection.self, troupe("inspect", expected.plugin, "--json", plugins: plugins, environment: environment))
    let found = try #require(inspection.factories.first { $0.name == expected.name })
    #expect(
      found
        == InspectedFactory(
          uuid: expected.uuid, name: expected.name, contract: expected.contract, tags: expected.tags,
          signature: expected.signature, lifetime: expected.lifetime, description: texts["description"] ?? "",
          parameters: Self.entries(texts, "parameter.", ""),
          examples: Self.entries(texts, "example(", ")").map { ["arguments": $0.key, "result": $0.value] },
          metadata: texts.filter { $0.key == "unit" }))
    let argument = expected.name == "box" ? ["--arg", "3"] : expected.name == "prefix" ? ["--arg", "a"] : []
    let words = ["resolve", "--plugins", plugins, "--tag", expected.uuid ?? "", "--json"] + argument
    let run = try run(unset(except: environment.keys) + [Repo.troupe] + words, environment: environment)
    let instance = try #require(try json([ListedInstance].self, run).first)
    #expect(
      instance
        == ListedInstance(
          plugin: expected.plugin, uuid: expected.uuid, name: expected.name, contract: expected.contract, tags: expected.tags,
          instance: instance.instance))
  }

  private static func entries(_ texts: [String: String], _ prefix: String, _ suffix: String) -> [String: String] {
    let entries = texts.filter { $0.key.hasPrefix(prefix) }
    return Dictionary(
      uniqueKeysWithValues: entries.map { (String($0.key.dropFirst(prefix.count).dropLast(suffix.count)), $0.value) })
  }

  @Test("The page of a plugin in the catalog shows the same members, without running the plugin")
  func catalog() throws {
    _ = try report()
    let site = directory.file("site")
    let words = [Repo.troupe, "catalog", plugins, "-o", site]
    _ = output(of: try run(unset(except: environment.keys) + words, environment: environment))
    for expected in Self.expected {
      let page = try String(contentsOfFile: "\(site)/plugins/\(expected.plugin).html", encoding: .utf8)
      // The declaration of a function has its name in the middle.
      let signature = expected.isFunction ? expected.signature.replacing(" (", with: " \(expected.name)(") : expected.signature
      let texts = Self.entries(expected.metadata, "example(", ")").flatMap { [$0.key, $0.value] }
      let values =
        [expected.name, expected.uuid, expected.contract, signature, expected.isFunction ? nil : expected.lifetime]
        + expected.tags + texts + [expected.metadata["description"], expected.metadata["unit"]]
      for value in values.compactMap(\.self) {
        let text = value.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
        #expect(page.contains(">\(text.replacing("\"", with: "&quot;"))<"), "\(expected.name): \(value)")
      }
    }
  }
}
