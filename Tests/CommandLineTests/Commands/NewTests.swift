import Foundation
import TestSupport
import Testing

@Suite("troupe new", .timeLimit(.minutes(60)))
struct NewTests {
  /// A template as printed by `--list`.
  struct Template: Decodable, Hashable, Sendable, CustomTestStringConvertible {
    let language, kind, description: String
    let files: [String]

    var testDescription: String { "\(language) \(kind)" }

    /// True for a library of protocols.
    var isInterface: Bool { kind.hasSuffix("interface") }
    /// The id of a plugin with words that build tools reserve, or the module of a library.
    var id: String { isInterface ? "Greetings_2" : "org.example.test-\(language.replacing("+", with: "p"))_\(kind)" }
    /// The last part of the id.
    var name: String { id.replacing("org.example.", with: "") }
  }

  /// The created project as printed by `--json`.
  struct Project: Decodable {
    let id, language, kind, directory: String
    let files, next: [String]
  }

  private static let templates = (try? json([Template].self, troupe("new", "--list", "--json"))) ?? []
  private static let plugins = templates.filter { !$0.isInterface }

  /// A directory whose path has a space.
  private let temporary: TemporaryDirectory
  private let directory: String

  init() throws {
    temporary = try TemporaryDirectory()
    directory = temporary.file("my plugins")
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
  }

  @discardableResult
  private func create(_ template: Template, _ options: String...) throws -> Project {
    let words = ["new", template.id, "--language", template.language, "--kind", template.kind, "--json"] + options
    return try json(Project.self, run(unset() + [Repo.troupe] + words, directory: directory))
  }

  /// The entries of the test's directory.
  private func entries() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: directory) }

  /// Runs a shell line in a project, with the command of a tree on the PATH and the user's files in the test's directory.
  private func shell(_ line: String, in project: String, troupe: String = Repo.products) throws -> Run {
    let variables = ProcessInfo.processInfo.environment
    let home = variables["HOME"] ?? "/"
    // With a umask that lets others write, the host would reject the plugin. Build tools keep their caches below the home.
    return try run(
      unset(except: ["XDG_DATA_HOME", "HOME"]) + ["-u", "MAKEFLAGS", "-u", "MAKEOVERRIDES", "sh", "-c", "umask 022; " + line],
      environment: [
        "PATH": "\(troupe):\(variables["PATH"] ?? ""):\(home)/.cargo/bin", "XDG_DATA_HOME": temporary.file("my data"),
        "HOME": home,
      ], directory: "\(directory)/\(project)")
  }

  @Test("The list has three kinds of plugins for each language, two of libraries in Swift, and functions for adopted libraries")
  func list() throws {
    let languages = ["c", "c++", "swift", "rust", "zig"]
    let kinds = languages.flatMap { language in
      (["transform", "functions", "service"] + (language == "swift" ? ["interface", "fixed-interface"] : [])).map {
        "\(language) \($0)"
      }
    }
    #expect(Self.templates.map(\.testDescription) == kinds + ["json functions"])
    #expect(Self.templates.allSatisfy { $0.files.contains("test.sh") && $0.files.contains("README.md") })
    let table = try output(of: troupe("new", "--list")).split(separator: "\n")
    #expect(table.count == Self.templates.count + 1)
    #expect(table.allSatisfy { $0.count <= 132 })
  }

  @Test("A project has the listed files, without placeholders and with new UUIDs", arguments: templates)
  func files(template: Template) throws {
    let project = try create(template)
    #expect(project.id == template.id && project.directory == template.name)
    #expect(try entries() == [template.name])
    #expect(project.files == template.files.map { $0.replacing("@NAME@", with: template.name) })
    #expect(project.files.contains(".gitignore"))
    let other = try create(template, "--directory", "other")
    var uuids: [String] = []
    for directory in [project.directory, other.directory] {
      for file in project.files {
        let text = try String(contentsOfFile: "\(self.directory)/\(directory)/\(file)", encoding: .utf8)
        #expect(!text.contains(/@[A-Z]+[1-9]?@/), "\(file)")
        #expect(text.hasSuffix("\n"), "\(file)")
        uuids += text.matches(of: /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/).map { String($0.output.0) }
        if file == "README.md" {
          #expect((10...30).contains(text.split(separator: "\n", omittingEmptySubsequences: false).count))
        }
      }
    }
    #expect((template.isInterface ? uuids.isEmpty : uuids.count >= 4) && Set(uuids).count == uuids.count)
  }

  @Test(
    "A project builds without a warning, passes its test and installs, also in a path with a space",
    arguments: plugins.filter { ["c", "c++", "swift", "rust", "json"].contains($0.language) })
  func build(template: Template) throws {
    try create(template)
    let result = try shell("make && make test && make install", in: template.name)
    let text = result.text + result.errors
    #expect(result.status == 0 && !text.contains("warning"), "\(text)")
    #expect(result.text.contains("passed: ") && !text.contains("FAILED"), "\(text)")
    let files = try FileManager.default.contentsOfDirectory(atPath: temporary.file("my data/troupe/plugins"))
    #expect(files.contains("\(template.name).so") || files.contains("\(template.name).troupe.json"))
    try expectUse(of: template, plugins: temporary.file("my data/troupe/plugins"))
    #expect(try shell("make clean && ls build", in: template.name).status != 0)
  }

  @Test(
    "A project builds and passes its test if its names resemble those of the template or of a library",
    arguments: [
      ("c", "service", "org.example.of-text"), ("c++", "service", "org.example.of-all"), ("c", "transform", "org.example._"),
      ("rust", "service", "org.example.of-text"), ("swift", "functions", "c.types"),
      ("swift", "transform", "foundation.essentials"),
    ])
  func similarNames(language: String, kind: String, id: String) throws {
    try succeed([Repo.troupe, "new", id, "--language", language, "--kind", kind, "--directory", directory + "/project"])
    let result = try shell("make test", in: "project")
    #expect(result.status == 0, "\(result.text)\(result.errors)")
  }

  @Test("A directory may end in slashes and dots", arguments: ["a//", "./a/./", "a/."])
  func endOfDirectory(name: String) throws {
    let words = ["new", "org.example.a", "--language", "c", "--directory", name]
    try succeed(unset() + [Repo.troupe] + words, directory: directory)
    #expect(try entries() == ["a"])
    expectFailure(try run(unset() + [Repo.troupe] + words, directory: directory), 64, "exists")
  }

  @Test("A path with a $, from which no host loads a plugin, ends with 64 before anything is written")
  func dollar() throws {
    let words = ["new", "org.example.a", "--language", "c", "--directory"]
    expectFailure(
      try run(unset() + [Repo.troupe] + words + ["q$x"], directory: directory), 64, "q$x: would have a $ in its path")
    #expect(try entries() == [])
    let parent = directory + "/a$b"
    try succeed(["mkdir", parent])
    expectFailure(try run(unset() + [Repo.troupe] + words + ["c"], directory: parent), 64, "c: would have a $ in its path")
    #expect(try FileManager.default.contentsOfDirectory(atPath: parent) == [])
  }

  @Test(
    "A library of protocols builds without a warning and passes its test, also in a path with a space, and a package uses it",
    arguments: templates.filter(\.isInterface))
  func interface(template: Template) throws {
    try create(template)
    let prefix = temporary.file("my prefix")
    let result = try shell("make && make test && make install PREFIX='\(prefix)'", in: template.name)
    let text = result.text + result.errors
    #expect(result.status == 0 && !text.contains("warning"), "\(text)")
    #expect(result.text.contains("passed: ") && !text.contains("FAILED"), "\(text)")
    let module = "\(prefix)/lib/\(template.name)/\(template.name).swiftmodule"
    #expect(FileManager.default.fileExists(atPath: module))
    if template.kind == "fixed-interface" { #expect(try shell("make mark", in: template.name).status == 0) }
    try writeClient(of: template)
    let client = try shell("swift run", in: "client")
    #expect(client.status == 0 && client.text == "Good day, Ann\n", "\(client.text)\(client.errors)")
    let symbols = try run(["nm", "-D", "\(directory)/client/.build/debug/client"]).text
    let mark = symbols.firstMatch(of: /w _swift_FORCE_LOAD_\$_Greetings_2_([0-9a-f]{16})@Greetings_2_([0-9a-f]{16})/)
    #expect((mark != nil) == (template.kind == "fixed-interface"))
    #expect(mark?.output.1 == mark?.output.2)
  }

  /// Writes a package whose program depends on the package of a library.
  private func writeClient(of template: Template) throws {
    try succeed(["mkdir", "-p", "\(directory)/client/Sources"])
    try succeed(["cp", "\(directory)/\(template.name)/Tests/main.swift", "\(directory)/client/Sources"])
    try temporary.write(
      "my plugins/client/Package.swift",
      """
      // swift-tools-version: 6.2
      import PackageDescription
      let package = Package(
        name: "client", dependencies: [.package(path: "../\(template.name)")],
        targets: [
          .executableTarget(
            name: "client", dependencies: [.product(name: "\(template.name)", package: "\(template.name)")], path: "Sources")
        ])

      """.utf8)
  }

  @Test("A package whose mark is not that of the declarations does not link, and the message says what to run")
  func staleMark() throws {
    let template = try #require(Self.templates.first { $0.kind == "fixed-interface" })
    try create(template)
    #expect(try shell("make mark", in: template.name).status == 0)
    try writeClient(of: template)
    let source = "\(directory)/\(template.name)/Sources/\(template.name).swift"
    let text = try String(contentsOfFile: source, encoding: .utf8)
    try writeFile(source, text.replacing("public let name", with: "public let age = 1\n  public let name").utf8)
    let stale = try shell("swift build", in: "client")
    #expect(stale.status != 0)
    #expect((stale.text + stale.errors).contains("error: declarations of Greetings_2 have changed; run make mark in /"))
    #expect(try shell("make mark", in: template.name).status == 0)
    let result = try shell("swift run", in: "client")
    #expect(result.text == "Good day, Ann\n", "\(result.errors)")
  }

  @Test("A library is compatible with its release after additions, and a break is named")
  func compare() throws {
    let template = try #require(Self.templates.first { $0.kind == "interface" })
    try create(template)
    let source = "\(directory)/\(template.name)/Sources/\(template.name).swift"
    let text =
      try String(contentsOfFile: source, encoding: .utf8) + """

        public func rest() async {}
        public var place: String { "here" }
        @c(area) public func area(_ side: Int) -> Int { Int(side) }
        open class Host {
          public init() {}
          public convenience init(_ count: Int) { self.init() }
        }

        """
    try writeFile(source, text.utf8)
    let first = try shell("make compare", in: template.name)
    #expect(first.status != 0 && first.errors.contains("error: release.json is missing; run make release"))
    #expect(try shell("make release", in: template.name).status == 0)
    func compare(_ text: String) throws -> Run {
      try writeFile(source, text.utf8)
      return try shell("make -B compare", in: template.name)
    }
    let addition = "\(text)\npublic func bow() {}\nextension Person { public var age: Int { 3 } }\n"
    let nonisolated = text.replacing("public func rest", with: "nonisolated public func rest")
    for text in [text, "// A comment.\n" + text, addition, nonisolated] {
      let result = try compare(text)
      #expect(result.status == 0 && result.text.contains("\ncompatible with release.json\n"), "\(result.text)\(result.errors)")
    }
    for (old, new, message) in [
      ("public init", "init", "Constructor Person.init(name:) has been removed"),
      ("-> String", "-> String\n  func bow()", "Func Greeter.bow() has been added as a protocol requirement"),
      (
        "public func rest", "nonisolated(nonsending) public func rest",
        "func rest() async has become nonisolated(nonsending), so that older clients use it wrongly"
      ),
      (
        "place: String { ", "place: String { get async throws { \"there\" } } \n  public var other: String { ",
        "var place: Swift.String has become get async throws, so that older clients use it wrongly"
      ),
      (
        "side: Int", "side: Int32",
        "@c(area) is no longer func area(_ side: Swift.Int) -> Swift.Int and has become func area(_ side: Swift.Int32) -> Swift.Int, "
          + "so that older clients use it wrongly"
      ),
      ("public init() {", "public required init() {", "Host.init() has become required, so that older clients use it wrongly"),
      (
        "convenience init(_ count: Int) { self.init() ", "init(_ count: Int) { ",
        "Host.init(_ count: Swift.Int) is no longer convenience, so that older clients use it wrongly"
      ),
      (
        "public var place", "@MainActor public var place",
        "var place: Swift.String has become @_Concurrency.MainActor, so that older clients use it wrongly"
      ),
    ] {
      let result = try compare(text.replacing(old, with: new))
      #expect(result.status != 0)
      #expect(result.text.contains("breaks clients: \(message)\n"), "\(result.text)")
    }
  }

  /// Writes a library that imports Troupe.
  private func writeSource(of template: Template, title: String = "title", greet: String = "greet") throws {
    let text = """
      import Troupe
      public protocol Greeter: Sendable { func \(greet)(_ person: Person) -> String }
      public protocol Stage: Transform { var \(title): String { get } }
      public struct Person: Sendable {
        public let name: String
        public init(name: String) { self.name = name }
      }

      """
    try writeFile("\(directory)/\(template.name)/Sources/\(template.name).swift", text.utf8)
  }

  @Test("A library may import Troupe", arguments: templates.filter(\.isInterface))
  func importsTroupe(template: Template) throws {
    try create(template)
    try writeSource(of: template)
    let result = try shell("make test", in: template.name)
    #expect(result.status == 0 && result.text.contains("passed: "), "\(result.text)\(result.errors)")
  }

  @Test("A comparison reads a library that imports Troupe, names a renamed declaration once, and refuses what it cannot read")
  func compareImporting() throws {
    let template = try #require(Self.templates.first { $0.kind == "interface" })
    try create(template)
    try writeSource(of: template)
    let first = try shell("make -s release && make -s compare", in: template.name)
    #expect(first.status == 0 && first.text == "compatible with release.json\n", "\(first.text)\(first.errors)")
    try writeSource(of: template, title: "titles", greet: "greetings")
    let broken = try shell("make -s -B compare", in: template.name)
    #expect(broken.status != 0)
    #expect(
      broken.text == """
        breaks clients: Func Greeter.greet(_:) has been renamed to Func greetings(_:)
        breaks clients: Var Stage.title has been renamed to Var titles

        """, "\(broken.errors)")
    let missing = try shell("mkdir empty && sh scripts/compare --record empty new.json", in: template.name)
    #expect(missing.status == 1 && missing.errors.contains("error: the module Greetings_2 cannot be loaded from empty; add -I"))
    #expect(try shell("ls new.json", in: template.name).status != 0)
    let edited = try shell(
      "sed -i 's/\"name\": \"Greetings_2\"/\"name\": \"NO_MODULE\"/' release.json && sh scripts/compare build release.json",
      in: template.name)
    #expect(edited.status == 1 && edited.errors.contains("error: release.json contains no declaration; run make release"))
  }

  /// Uses a plugin as the last line of `troupe new` shows.
  private func expectUse(of template: Template, plugins: String) throws {
    switch template.kind {
    case "transform":
      #expect(try output(of: troupe("run", "--tag", template.name, plugins: plugins, input: Data("a\nb".utf8))) == "> a\n> b")
    case "service":
      #expect(try output(of: troupe("run", "--tag", template.name, plugins: plugins, input: Data("a\n".utf8))) == "1\ta\n")
    default:
      let isAdopted = template.language == "json"
      let result =
        try isAdopted ? troupe("call", "split", "2.5", plugins: plugins) : troupe("call", "mean", "[1, 2, 6]", plugins: plugins)
      #expect(output(of: result) == (isAdopted ? "{\"return\": 0.5, \"whole\": 2.0}\n" : "3.0\n"))
    }
    struct Listed: Decodable { let language: String }
    let languages = try json([Listed].self, troupe("list", "--json", plugins: plugins)).map(\.language)
    #expect(languages == [template.language == "json" ? "c" : template.language])
    let check = try run(unset() + [Repo.troupe, "catalog", plugins, "--probe", "--check"])
    #expect(check.status == 0, "\(check.text)\(check.errors)")
  }

  @Test(
    "In an installation, the shown commands work as they are",
    arguments: templates.filter { $0.kind == "functions" && $0.language != "zig" })
  func next(template: Template) throws {
    let words = [template.id, "--language", template.language, "--kind", template.kind, "--directory", "it's new", "--json"]
    let project = try json(Project.self, run(unset() + [Place.installed.troupe(), "new"] + words, directory: directory))
    #expect(project.next.count == 4)
    let result = try shell("set -e\n" + project.next.joined(separator: "\n"), in: ".", troupe: Place.prefix() + "/bin")
    #expect(result.status == 0, "\(result.errors)")
  }

  @Test(
    "A project in Zig builds, passes its test and installs", .enabled(if: Zig.command != nil), .timeLimit(.minutes(60)),
    arguments: templates.filter { $0.language == "zig" })
  func zig(template: Template) throws {
    try create(template)
    let zig = try #require(Zig.command)
    let result = try shell("make test ZIG='\(zig)' && make install ZIG='\(zig)' && \(zig) build test", in: template.name)
    #expect(result.status == 0, "\(result.text)\(result.errors)")
    try expectUse(of: template, plugins: temporary.file("my data/troupe/plugins"))
  }

  @Test(
    "The project's CMake files build it against an installed tree, and ctest passes",
    arguments: templates.filter { $0.language.hasPrefix("c") })
  func cmake(template: Template) throws {
    try create(template)
    let commands =
      "cmake -B build && cmake --build build && ctest --test-dir build --output-on-failure && cmake --install build"
    let result = try shell(commands, in: template.name, troupe: Place.prefix() + "/bin")
    #expect(result.status == 0 && !(result.text + result.errors).contains("arning"), "\(result.text)\(result.errors)")
    try expectUse(of: template, plugins: temporary.file("my data/troupe/plugins"))
  }

  @Test(
    "An id that no plugin can have ends with 64 before anything is written",
    arguments: [
      "shout", "org..shout", "org.example.", "org.example.a b", "1org.example", "org.example/shout", "org.example.-a", "",
      "../org.example", "org.example." + String(repeating: "x", count: 189),
    ])
  func invalidID(id: String) throws {
    let result = try run(unset() + [Repo.troupe, "new", id, "--language", "c"], directory: directory)
    expectFailure(result, 64, "as in org.example.word-count")
    #expect(try entries() == [])
  }

  @Test(
    "A wrong command line ends with 64 before anything is written",
    arguments: [
      ([], "missing ID"), (["org.example.a"], "missing --language"),
      (["org.example.a", "--language", "cobol"], "got \"cobol\""),
      (["org.example.a", "--language", "c", "--kind", "driver"], "got \"driver\""),
      (["org.example.a", "--language", "json", "--kind", "service"], "write one of functions"),
      (["org.example.a", "--language", "c", "--directory", ""], "--directory is empty"),
      (["org.example.a", "--list"], "takes no id"),
      (["org.example.a", "--language", "swift", "--kind", "interface"], "expected the name of a Swift module"),
      (["Greetings", "--language", "c", "--kind", "interface"], "write one of transform, functions, service"),
      (["org.example.a", "org.example.b", "--language", "c"], "unexpected argument"),
    ])
  func usage(words: [String], message: String) throws {
    expectFailure(try run(unset() + [Repo.troupe, "new"] + words, directory: directory), 64, message)
    #expect(try entries() == [])
  }

  @Test("An existing file or directory ends with 64 and stays as it is", arguments: ["file", "empty", "link"])
  func existing(name: String) throws {
    try temporary.write("my plugins/file", "old".utf8)
    try succeed(["mkdir", directory + "/empty"])
    try succeed(["ln", "-s", "nowhere", directory + "/link"])
    let before = try entries().sorted()
    let result = try run(unset() + [Repo.troupe, "new", "org.example.\(name)", "--language", "c"], directory: directory)
    expectFailure(result, 64, "\(name): exists", "--directory")
    #expect(try entries().sorted() == before)
    #expect(try String(contentsOfFile: directory + "/file", encoding: .utf8) == "old")
  }

  @Test("A directory that cannot be created ends with 66 if its place does not exist, and leaves nothing")
  func missingPlace() throws {
    for place in ["missing/a", "\(String(repeating: "x", count: 300))", "file/a"] {
      try temporary.write("my plugins/file", "old".utf8)
      let words = ["new", "org.example.a", "--language", "c", "--directory", place]
      expectFailure(try run(unset() + [Repo.troupe] + words, directory: directory), 66, "cannot be created")
      #expect(try entries() == ["file"])
    }
  }

  @Test("A directory without the permission to write ends with 77, and leaves nothing")
  func unwritable() throws {
    // Not even root creates a directory in this file system.
    expectFailure(
      try troupe("new", "org.example.a", "--language", "c", "--directory", "/sys/a"), 77, "/sys/a: cannot be created")
    if getuid() != 0 {
      try setMode(0o555, of: directory)
      expectFailure(try run(unset() + [Repo.troupe, "new", "org.example.a", "--language", "c"], directory: directory), 77)
      try setMode(0o755, of: directory)
    }
    #expect(try entries() == [])
  }

  @Test("A full disk or a limit of file sizes ends with 74 and leaves nothing")
  func fileSize() throws {
    let line = "ulimit -f 1; trap '' XFSZ; exec \"\(Repo.troupe)\" new org.example.a --language c"
    let result = try run(unset() + ["bash", "-c", line], directory: directory)
    expectFailure(result, 74, "cannot be created")
    #expect(try entries() == [])
  }
}

/// The compiler of Zig.
private enum Zig {
  /// The command that runs it, from a system or from the Python package ziglang; nil without one.
  static let command = ["zig", "python3 -m ziglang"].first { (try? run(["sh", "-c", $0 + " version"]))?.status == 0 }
}
