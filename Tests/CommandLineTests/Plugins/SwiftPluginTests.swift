import Foundation
import TestSupport
import Testing

@Suite("Plugins in Swift", .timeLimit(.minutes(60)))
struct SwiftPluginTests {
  @Test("A transform of one image is a transform in the other images")
  func sharedTypes() throws {
    let directory = try Examples.copies("counter")
    try directory.add("healthy/chain")
    try directory.add("healthy/upper")
    // number-lines in C, then upper in Swift, driven by a third plugin.
    let result = try troupe("run", "--tag", "chain", plugins: directory.path, input: Data("a\nb\n".utf8))
    #expect(output(of: result) == "     1\tA\n     2\tB\n")
    let census = try json([ListedInstance].self, troupe("resolve", "--tag", "census", "--json", plugins: directory.path))
    #expect(census.map(\.instance) == ["2 transforms, 2 after a cast"])
    let row = try json([ListedInstance].self, troupe("resolve", "--tag", "text", "--json", plugins: directory.path))
    #expect(row.map(\.name) == ["number-lines", "upper"])
    #expect(row.last?.instance == "Upper")
  }

  @Test(
    "Asynchronous and main-actor factories are awaited, and errors show the lines that register them",
    arguments: ["", "import Foundation\n"])
  func contexts(imports: String) throws {
    let directory = try TemporaryDirectory()
    let sources = try TemporaryDirectory()
    // A plugin that links Foundation brings the main run loop; the main actor must still work.
    let source = try String(contentsOfFile: Repo.fixture("healthy/contexts.swift"), encoding: .utf8)
    try Repo.compile([try sources.write("Contexts.swift", (imports + source).utf8)], to: directory.file("contexts.so"))
    let stages = try troupe("run", "--tag", "context", plugins: directory.path, input: Data("> ".utf8))
    #expect(output(of: stages) == "> abcd")
    let scoped = try troupe("run", "--tag", "scoped", plugins: directory.path, input: Data("> ".utf8))
    #expect(output(of: scoped) == "> e")
    let row = try json([ListedInstance].self, troupe("resolve", "--tag", "context", "--json", plugins: directory.path))
    #expect(row.map(\.name) == ["async", "async-plain", "main", "main-plain"])
    let argument = try json(
      [ListedInstance].self, troupe("resolve", "--tag", "argument", "--arg", "hi", "--json", plugins: directory.path))
    #expect(argument.map(\.instance) == ["hi!"])
    expectFailure(
      try troupe("resolve", "--tag", "failing", plugins: directory.path), 69, "failing of org.example.contexts",
      "the device is not plugged in")
    let lines = (imports + source).split(separator: "\n", omittingEmptySubsequences: false)
    let line = try #require(lines.firstIndex { $0.contains("\"needy\"") }) + 1
    expectFailure(
      try troupe("resolve", "--tag", "needy", plugins: directory.path), 69, "needy of org.example.contexts",
      "(contexts/Contexts.swift:\(line))")
  }

  @Test("During activation a plugin can resolve later registrations, and its log appears under its name")
  func activation() throws {
    let directory = try TemporaryDirectory()
    try directory.add("healthy/activation")
    try directory.add("healthy/upper")
    let result = try troupe("resolve", "--tag", "case", "--log", "info", plugins: directory.path)
    #expect(result.status == 0)
    #expect(result.errors == "troupe: info: org.example.activation: hi in capitals is HI\n")
    let debug = try troupe("resolve", "--tag", "case", "--log=debug", plugins: directory.path)
    #expect(
      debug.errorLines == [
        "troupe: debug: org.example.activation: is admitted", "troupe: debug: org.example.upper: is admitted",
        "troupe: debug: org.example.activation: registering", "troupe: debug: org.example.activation: is loaded",
        "troupe: debug: org.example.upper: is loaded", "troupe: info: org.example.activation: hi in capitals is HI",
        "troupe: debug: org.example.activation: is active", "troupe: debug: org.example.upper: is active",
        "troupe: debug: org.example.upper: is draining",
        "troupe: debug: org.example.upper: is retired",
        "troupe: debug: org.example.activation: is draining",
        "troupe: debug: org.example.activation: is retired",
      ])
    _ = try output(of: troupe("resolve", "--tag", "case", plugins: directory.path))
  }

  @Test(
    "An unusable plugin is refused with the reason, and leaves no registration",
    arguments: [
      ("bad-uuid", ["\"bad\"", "has a refused registration: ", "\"number-one\", which is not a UUID", "uuidgen"]),
      ("duplicate-uuid", ["\"second\"", "0b0e7c70-6f0a-4e53-9a51-5e2e6a3d0f02", "\"first\" of org.example.duplicate-uuid"]),
      ("throwing-activation", ["failed when it was activated", "the device is not plugged in"]),
    ])
  func refused(fixture: String, parts: [String]) throws {
    let directory = try Examples.copies("grep")
    let path = try directory.add("faulty/" + fixture)
    let number = try troupe("resolve", "--tag", "number", plugins: directory.path)
    #expect(number.status == 69)
    #expect(number.errorLines.count == 2)
    let refusal = try #require(number.errorLines.first)
    #expect(refusal.hasPrefix("troupe: \(path): "))
    for part in parts { #expect(refusal.contains(part)) }
    // One remedy, and no entry, which a plugin in Swift does not write.
    #expect(!refusal.contains("own entry"))
    if parts.last == "uuidgen" { #expect(!refusal.contains("fix it, or remove it")) }
    #expect(number.errors.hasSuffix("known tags: filter, grep, text, grep-for\n"))
    // The other plugins work.
    let grep = try troupe("resolve", "--tag", "grep", "--json", plugins: directory.path)
    #expect(grep.status == 0)
    #expect(grep.errors == refusal + "\n")
  }

  @Test("A UUID that is already registered is refused, in Swift as in C")
  func uuidOfAnother() throws {
    let directory = try Examples.copies("base64")
    let source = """
      import Troupe

      @Plugin(id: "org.example.taken", version: "1.0.0")
      struct Taken: Assembly {
        func register(in registrar: any Registrar) {
          registrar.register(Int.self, id: "32921d82-82f7-461e-b6b8-8b086d6393f2", name: "taken", tags: "taken") { _ in 1 }
        }
      }
      """
    let sources = try TemporaryDirectory()
    try Repo.compile([try sources.write("Taken.swift", source.utf8)], to: directory.file("taken.so"))
    let result = try troupe("resolve", "--tag", "taken", plugins: directory.path)
    #expect(result.status == 69)
    #expect(result.errors.contains("\"base64-encode\" of org.example.base64"))
  }

  @Test("A registrar that is used too late logs an error, and the timely registrations work")
  func lateRegistration() throws {
    let directory = try TemporaryDirectory()
    try directory.add("faulty/late-registration")
    let result = try troupe("resolve", "--tag", "number", "--json", plugins: directory.path)
    #expect(result.status == 0)
    #expect(result.errorLines.count == 1)
    #expect(result.errors.hasPrefix("troupe: error: org.example.late-registration: "))
    #expect(result.errors.contains("after its entry has returned"))
    #expect(result.text.contains("in-time"))
    #expect(!result.text.contains("\"late\""))
    #expect(try troupe("resolve", "--tag", "late", plugins: directory.path).status == 69)
  }

  @Test("A plugin built by another minor version of Swift is rejected without being loaded, with the remedy")
  func otherCompiler() throws {
    let swift = try #require(try json([String: String].self, troupe("version", "--json"))["swift"])
    let other = swift.dropLast() + (swift.hasSuffix("9") ? "8" : "9")
    let directory = try Examples.copies("base64")
    try directory.add(
      try Examples.directory() + "/grep.so", replacing: "\"compiler\":\"\(swift)\"", with: "\"compiler\":\"\(other)\"")
    try rejected(directory, "was built by Swift \(other), this host runs with Swift \(swift); rebuild it with Swift \(swift) ")
  }

  @Test(
    "A plugin built against a newer interface of Troupe, or one of another major version, is rejected without being loaded",
    arguments: ["0.9", "9.0"])
  func otherInterface(_ other: String) throws {
    let versions = try json([String: String].self, troupe("version", "--json"))
    let (interface, release) = (try #require(versions["interface"]), try #require(versions["troupe"]))
    let directory = try Examples.copies("base64")
    try directory.add(
      try Examples.directory() + "/grep.so", replacing: "\"interface\":\"\(interface)\"", with: "\"interface\":\"\(other)\"")
    try rejected(
      directory,
      "requires interface \(other) of Troupe (Troupe \(release)), this host has \(interface) (Troupe \(release)); update the host to "
    )
  }

  @Test("A plugin built against another release with the same interface works")
  func otherRelease() throws {
    let example = try Examples.directory() + "/grep.so"
    let version = try #require(try json([String: String].self, troupe("version", "--json"))["troupe"])
    let directory = try TemporaryDirectory()
    try directory.add(example, replacing: "\"sdk\":\"\(version)\"", with: "\"sdk\":\"\(version.dropLast())9\"")
    #expect(try output(of: troupe("run", "--tag", "grep", plugins: directory.path, input: Data("a\n".utf8))) == "a\n")
  }

  /// Expects that of base64 and grep only the second is rejected, with a reason that contains this.
  private func rejected(_ directory: TemporaryDirectory, _ reason: String) throws {
    let plugins = try json([ListedPlugin].self, troupe("list", "--json", plugins: directory.path))
    #expect(plugins.map(\.state) == ["admitted", "rejected"])
    let given = try #require(plugins.last?.reason)
    #expect(given.contains(reason), "\(given)")
    #expect(given.contains("rebuild it with Swift "), "\(given)")
    // inspect shows the fields that it read before the fault.
    #expect(plugins.last?.id == "org.example.grep")
    expectFailure(
      try troupe("inspect", directory.file("grep.so")), 65, String(reason.prefix { $0 != ";" }),
      showing: ["id        org.example.grep", "state     rejected\n", "remedy    "])
  }

  @Test("A plugin without symbols works")
  func stripped() throws {
    let directory = try Examples.copies("grep")
    try succeed(["strip", directory.file("grep.so")])
    #expect(try output(of: troupe("run", "--tag", "grep", plugins: directory.path, input: Data("a\n".utf8))) == "a\n")
  }

  @Test("The package example builds with the package manager, and the command loads the result")
  func package() throws {
    let scratch = try TemporaryDirectory()
    // Not optimized; an optimized build takes twice as long.
    try succeed(["swift", "build", "--package-path", Repo.root + "/plugins/grep", "--scratch-path", scratch.file("build")])
    let directory = try TemporaryDirectory()
    try succeed(["cp", scratch.file("build/debug/libgrep.so"), directory.path])
    let result = try troupe(
      "run", "--tag", "grep-for", "--arg", "^t", plugins: directory.path, input: Data("one\ntwo\nthree\n".utf8))
    #expect(output(of: result) == "two\nthree\n")
  }
}
