import Foundation
import TestSupport
import Testing

/// Plugins and programs that were built before a change of the library that they share, in a table of changes, builds of the library, and
/// users of it.
@Suite("A change of a shared interface", .timeLimit(.minutes(60)))
struct InterfaceChangeTests {
  /// How the library is built.
  enum Build: String, CaseIterable, Sendable { case evolution, mark, neither }

  /// What becomes of an old user of the changed library.
  enum Outcome: Sendable {
    case works
    /// It is rejected, with this text in the reason. The loader itself says so of a program.
    case rejected(String)
  }

  struct Change: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Replacements in the library.
    let library: [String: String]
    /// Replacements that let its users compile again.
    var users: [String: String] = [:]
    /// The outcomes with library evolution.
    var implementer = Outcome.works, caller = Outcome.works, program = Outcome.works
    /// False if the mark stays the same.
    var changesLayout = true
  }

  private static let changes = [
    Change(
      testDescription: "a requirement in front, with a default",
      library: ["  func greet": "  func bow() -> String\n  func greet"]),
    Change(
      testDescription: "a requirement at the end, with a default",
      library: ["Tone { get }": "Tone { get }\n  func bow() -> String"]),
    Change(
      testDescription: "a requirement without a default", library: ["  func greet": "  func nod() -> String\n  func greet"],
      users: ["var tone: Tone { .loud }": "var tone: Tone { .loud }\n  func nod() -> String { \"nods\" }"],
      implementer: .rejected("does not implement Greetings.Greeter.nod()")),
    Change(
      testDescription: "a getter with a default in a protocol of getters",
      library: ["var color: String { get }": "var size: Int { get }\n  var color: String { get }"]),
    Change(
      testDescription: "a getter without a default in a protocol of getters",
      library: [
        "var color: String { get }": "var width: Int { get }\n  var color: String { get }",
        "color: String { \"blue\" }": "color: String { \"blue\" }\n  public var width: Int { 1 }",
      ],
      users: ["color: String { \"red\" }": "color: String { \"red\" }\n  var width: Int { 1 }"],
      implementer: .rejected("does not implement Greetings.Style.width, which ")),
    Change(
      testDescription: "another order of requirements",
      library: [
        "func greet(_ person: Person) -> String\n  var tone: Tone { get }":
          "var tone: Tone { get }\n  func greet(_ person: Person) -> String"
      ]),
    Change(
      testDescription: "a stored property in front", library: ["public var name": "public var height = 2\n  public var name"]),
    Change(
      testDescription: "a private stored property", library: ["public var age": "private var height = 2\n  public var age"]),
    Change(testDescription: "an enum case in front", library: ["case plain": "case quiet, plain"]),
    Change(
      testDescription: "another signature of a requirement",
      library: ["greet(_ person: Person) -> String": "greet(_ person: Person) -> String?"],
      users: ["greet(_ person: Person) -> String": "greet(_ person: Person) -> String?", "age: 3))": "age: 3))!"],
      implementer: .rejected("Greetings.Greeter.greet(_:)"), caller: .rejected("Greetings.Greeter.greet(_:)"),
      program: .rejected("$s9Greetings7GreeterP5greet")),
    Change(
      testDescription: "another signature of a function",
      library: ["title(_ person: Person)": "title(_ person: Person, _ degree: Int = 1)"],
      implementer: .rejected("Greetings.title(_:)"), caller: .rejected("Greetings.title(_:)")),
    Change(
      testDescription: "a removed function", library: ["public func title": "func title"],
      users: ["title(": "String(describing: "],
      implementer: .rejected("Greetings.title(_:)"), caller: .rejected("Greetings.title(_:)")),
    Change(
      testDescription: "a renamed type", library: ["struct Box": "struct Crate"], users: ["Box(": "Crate("],
      implementer: .rejected("Greetings.Box")),
    Change(
      testDescription: "another generic parameter",
      library: ["Box<Value: Sendable>": "Box<Value: Sendable, Other>"], users: ["Box(": "Box<Int, Int>("],
      implementer: .rejected("Greetings.Box")),
    Change(
      testDescription: "a struct that the protocol uses", library: ["age: Int": "age: Int32"],
      implementer: .rejected("Greetings.Person"), caller: .rejected("Greetings.Person"),
      program: .rejected("$s9Greetings6Person")),
    Change(testDescription: "a comment", library: ["public protocol": "/// Greets.\npublic protocol"], changesLayout: false),
  ]

  // MARK: Sources

  private static let library = """
    public protocol Greeter: Sendable {
      func greet(_ person: Person) -> String
      var tone: Tone { get }
    }
    extension Greeter {
      public func bow() -> String { "bows" }
    }
    public struct Person: Sendable {
      public var name: String
      public var age: Int
      public init(name: String, age: Int) {
        self.name = name
        self.age = age
      }
    }
    public enum Tone: Sendable { case plain, loud }
    public struct Box<Value: Sendable>: Sendable {
      public var value: Value
      public init(value: Value) { self.value = value }
    }
    public func title(_ person: Person) -> String { "Dr. " + person.name }
    public protocol Style: Sendable {
      var color: String { get }
    }
    extension Style {
      public var size: Int { 5 }
    }
    public struct Blue: Style {
      public init() {}
      public var color: String { "blue" }
    }
    public func text(_ style: any Style) -> String { "\\(style.color) \\(style.size)" }

    """

  private static let implementer = """
    import Greetings
    import Troupe

    struct Red: Style {
      var color: String { "red" }
    }
    struct Polite: Greeter {
      func greet(_ person: Person) -> String { "\\(title(person)) \\(person.age) \\(Box(value: 7).value) \\(text(Red()))" }
      var tone: Tone { .loud }
    }
    @Plugin(id: "org.example.polite", version: "1.0.0")
    struct PolitePlugin: Assembly {
      func register(in registrar: any Registrar) {
        registrar.register((any Greeter).self, id: "0d3f4a52-6d0c-4c5e-9a43-3f7b1a0c2e91", name: "polite", tags: "greeter") { _ in Polite() }
      }
    }

    """

  private static let caller = """
    import Greetings
    import Troupe

    @inline(never)
    func color<S: Style>(_: S.Type) -> KeyPath<S, String> { \\S.color }
    @Plugin(id: "org.example.chorus", version: "1.0.0")
    struct ChorusPlugin: Assembly {
      func register(in registrar: any Registrar) {
        registrar.register(String.self, id: "5b8c9d0e-2f61-4a7b-8c3d-9e4f5a6b7c80", name: "chorus", tags: "chorus") { resolver in
          let greeters: [any Greeter] = try resolver.resolve(tags: "greeter")
          return greeters.map { $0.greet(Person(name: "all", age: 3)) }.sorted().joined(separator: " & ") + ", "
            + title(Person(name: "Bob", age: 4)) + ", " + Blue()[keyPath: color(Blue.self)]
        }
      }
    }

    """

  private static let program = """
    import Greetings
    import TroupeHost

    struct Own: Greeter {
      func greet(_ person: Person) -> String { "Own \\(person.name) \\(person.age)" }
      var tone: Tone { .loud }
    }
    func text(_ greeter: any Greeter) -> String {
      let greeting = greeter.greet(Person(name: "Ann", age: 3))
      if case .loud = greeter.tone { return "\\(greeting) loud, \\(greeter.bow())" }
      return "\\(greeting) plain, \\(greeter.bow())"
    }
    let host = PluginHost(directories: [CommandLine.arguments[1]])
    await host.start()
    host.container.register((any Greeter).self, tags: "greeter") { _ in Own() }
    let greeters: [any Greeter] = try host.container.resolve(tags: "greeter")
    let choruses: [String] = try host.container.resolve(tags: "chorus")
    print((greeters.map(text) + choruses).sorted().joined(separator: "; "))
    host.shutdown()

    """

  // MARK: Builds

  /// A library with its users in a directory of its own.
  private struct Tree {
    let directory: TemporaryDirectory
    let build: Build

    init(_ build: Build) throws {
      (directory, self.build) = (try TemporaryDirectory(), build)
      for name in ["lib", "implementer", "caller", "bin"] {
        try FileManager.default.createDirectory(
          atPath: directory.file(name), withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
      }
    }

    /// Compiles the library and its users.
    func compile(_ change: Change? = nil) throws {
      func write(_ name: String, _ text: String, _ replacements: [String: String]) throws -> String {
        var changed = text
        for (old, new) in replacements {
          try #require(text.contains(old) || name != "Greetings.swift")
          changed = changed.replacing(old, with: new)
        }
        return try directory.write(name, changed.utf8)
      }
      let source = try write("Greetings.swift", InterfaceChangeTests.library, change?.library ?? [:])
      let lib = directory.file("lib")
      var options = ["--interface", "Greetings", "--json"]
      if build == .mark { options += ["--fixed", lib, source] }
      var flags = try json([String].self, run(unset() + [Repo.troupe, "flags"] + options))
      if build == .neither {
        flags = [
          "-emit-library", "-emit-module", "-parse-as-library", "-module-name", "Greetings", "-Xlinker", "-soname", "-Xlinker",
          "libGreetings.so",
        ]
      }
      try succeed(["swiftc", "-O"] + flags + ["-o", lib + "/libGreetings.so", source])
      let linking = ["-I", lib, "-L", lib, "-lGreetings", "-Xlinker", "-rpath", "-Xlinker", "$ORIGIN/../lib"]
      for (name, text) in [("implementer", InterfaceChangeTests.implementer), ("caller", InterfaceChangeTests.caller)] {
        let path = try write("\(name).swift", text, change?.users ?? [:])
        try Repo.compile([path], to: directory.file("\(name)/\(name).so"), options: linking)
      }
      let path = try write("main.swift", InterfaceChangeTests.program, change?.users ?? [:])
      let program = try json([String].self, run(unset() + [Repo.troupe, "flags", "--json"]))
      try succeed(["swiftc", "-O"] + program + linking + ["-o", directory.file("bin/program"), path])
    }

    /// Replaces a directory by that of another tree.
    func take(_ name: String, from other: Tree) throws {
      try succeed(["rm", "-r", directory.file(name)])
      try succeed(["cp", "-r", other.directory.file(name), directory.path])
    }

    func runProgram(plugins: String) throws -> Run {
      try run(
        unset() + [directory.file("bin/program"), directory.file(plugins)],
        environment: ["SWIFT_BACKTRACE": "enable=no", "XDG_CACHE_HOME": directory.file("cache"), "HOME": directory.path])
    }
  }

  // MARK: The table

  private static let own = "Own Ann 3 loud, bows"
  private static let polite = "Dr. Ann 3 7 red 5 loud, bows; " + own

  private func expect(_ run: Run, _ outcome: Outcome, _ text: String, else rejected: String) {
    switch outcome {
    case .works:
      #expect(run.text == text + "\n" && run.status == 0, "\(run.errors)")
      #expect(!run.errors.contains("Greetings"), "\(run.errors)")
    case .rejected(let reason):
      #expect(run.text == (rejected.isEmpty ? "" : rejected + "\n"), "\(run.errors)")
      #expect(run.errors.contains(reason), "\(run.errors)")
      // Not by a signal.
      #expect(rejected.isEmpty ? (1...127).contains(run.status) : run.status == 0, "\(run.errors)")
    }
  }

  @Test(
    "Old plugins work in a rebuilt program with a changed library, or are rejected with the declaration", arguments: changes)
  func evolution(change: Change) throws {
    try expectOutcomes(of: change, .evolution, change.implementer, change.caller, change.program)
  }

  @Test("Old plugins and programs do not load with a library of another mark", arguments: changes)
  func mark(change: Change) throws {
    let plugin = change.changesLayout ? Outcome.rejected("was built against Greetings ") : .works
    let program = change.changesLayout ? Outcome.rejected("version `Greetings_") : .works
    try expectOutcomes(of: change, .mark, plugin, plugin, program)
  }

  private func expectOutcomes(
    of change: Change, _ build: Build, _ implementer: Outcome, _ caller: Outcome, _ program: Outcome
  ) throws {
    let (old, new, mixed) = (try Tree(build), try Tree(build), try Tree(build))
    try old.compile()
    try new.compile(change)
    for name in ["lib", "bin"] { try mixed.take(name, from: new) }
    for name in ["implementer", "caller"] { try mixed.take(name, from: old) }
    expect(try mixed.runProgram(plugins: "implementer"), implementer, Self.polite, else: Self.own)
    expect(try mixed.runProgram(plugins: "caller"), caller, "\(Self.own); Own all 3, Dr. Bob, blue", else: Self.own)
    try mixed.take("bin", from: old)
    try mixed.take("implementer", from: new)
    expect(
      try mixed.runProgram(plugins: "implementer"), program,
      try new.runProgram(plugins: "implementer").text.trimmingCharacters(in: .newlines), else: "")
  }

  private static let requirement = Change(
    testDescription: "a requirement without a default", library: ["  func greet": "  func nod() -> String\n  func greet"],
    users: [
      "var tone: Tone { .loud }": "var tone: Tone { .loud }\n  func nod() -> String { \"nods\" }",
      "{ $0.greet(": "{ $0.nod() + $0.greet(",
    ])

  @Test("A plugin that is not linked with the library is compared with that of the program")
  func notLinked() throws {
    let (old, new) = (try Tree(.evolution), try Tree(.evolution))
    try old.compile()
    try new.compile(Self.requirement)
    try Repo.compile(
      [old.directory.file("implementer.swift")], to: new.directory.file("implementer/implementer.so"),
      options: ["-I", old.directory.file("lib")])
    expect(
      try new.runProgram(plugins: "implementer"),
      .rejected("does not implement Greetings.Greeter.nod(), which \(new.directory.file("lib/libGreetings.so")) requires"), "",
      else: Self.own)
  }

  @Test("A plugin is rejected if it calls a requirement without a default that an older program does not implement")
  func olderProgram() throws {
    let (old, new, mixed) = (try Tree(.evolution), try Tree(.evolution), try Tree(.evolution))
    try old.compile()
    try new.compile(Self.requirement)
    for name in ["lib", "caller", "implementer"] { try mixed.take(name, from: new) }
    try mixed.take("bin", from: old)
    let (library, program) = (mixed.directory.file("lib/libGreetings.so"), mixed.directory.file("bin/program"))
    expect(
      try mixed.runProgram(plugins: "caller"),
      .rejected("calls Greetings.Greeter.nod(), which \(library) requires and \(program) does not implement"), "",
      else: Self.own)
    // It calls no requirement that the program lacks.
    let result = try mixed.runProgram(plugins: "implementer")
    #expect(result.status == 0 && result.text.hasSuffix("\(Self.own)\n"), "\(result.errors)")
  }

  @Test("A library with neither library evolution nor a mark is loaded with one warning that names it and the guide")
  func neither() throws {
    let tree = try Tree(.neither)
    try tree.compile()
    for plugins in ["implementer", "caller"] {
      let result = try tree.runProgram(plugins: plugins)
      #expect(result.status == 0)
      #expect(result.text == (plugins == "caller" ? "\(Self.own); Own all 3, Dr. Bob, blue\n" : Self.polite + "\n"))
      #expect(
        result.errors.components(separatedBy: "/lib/libGreetings.so, a Swift library without library evolution").count == 2,
        "\(result.errors)")
      #expect(result.errors.contains("Shared interfaces"), "\(result.errors)")
    }
  }
}
