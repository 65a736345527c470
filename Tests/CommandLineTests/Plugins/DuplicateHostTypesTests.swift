import Foundation
import TestSupport
import Testing

@Suite("Plugins that contain a copy of Troupe", .timeLimit(.minutes(60)))
struct DuplicateHostTypesTests {
  /// The expected reason and remedy for a plugin that contains a copy of Troupe.
  private static let problem = "has a copy of Troupe's types of its own"
  private static let rejected = "state     rejected"
  private static let remedy =
    "link it with the options of troupe flags --plugin and with none of Troupe's object files or static libraries"

  /// Returns the object files of modules. The package manager also keeps those of removed sources.
  private static func objects(_ modules: String...) -> [String] {
    modules.flatMap { module in
      let sources = FileManager.default.enumerator(atPath: Repo.root + "/Sources/" + module)?.compactMap { $0 as? String } ?? []
      return sources.filter { $0.hasSuffix(".swift") }.map { source in
        Repo.products + "/\(module).build/" + URL(filePath: source).lastPathComponent + ".o"
      }
    }
  }

  /// The compiler call for a Swift plugin that does not link the library.
  @discardableResult
  private static func compile(_ sources: [String], to library: String, _ options: [String]) throws -> String {
    try succeed(Repo.compilation(of: sources, to: library, options: options).filter { $0 != "-lTroupe" })
    return library
  }

  /// Expects that the host rejects the plugin from its file alone, with the reason and the remedy, also after stripping.
  ///
  /// - Parameter isListed: Whether `list` already detects it. For a plugin that declares C, only a load does, before it opens the
  ///   library.
  private func expectRefusal(_ path: String, _ problem: String = problem, isListed: Bool = true) throws {
    let directory = try TemporaryDirectory()
    for (name, options) in [("whole", nil), ("stripped", []), ("unneeded", ["--strip-unneeded"])] {
      let copy = directory.file(name + ".so")
      try succeed(["cp", path, copy])
      if let options { try succeed(["strip"] + options + [copy]) }
      expectFailure(try troupe("inspect", copy), 65, problem, Self.remedy, showing: [Self.rejected])
    }
    guard isListed else { return }
    let plugins = try json([ListedPlugin].self, troupe("list", "--json", plugins: directory.path))
    #expect(plugins.count == 3)
    for plugin in plugins {
      #expect(plugin.state == "rejected")
      #expect(plugin.reason?.hasPrefix(problem) == true, "\(plugin)")
      #expect(plugin.reason?.contains(Self.remedy) == true)
      #expect(plugin.id != nil)
    }
  }

  @Test("A plugin that links our modules instead of the library is refused")
  func linkedStatically() throws {
    let directory = try TemporaryDirectory()
    let objects = Self.objects("Troupe", "TroupeContainer", "TroupeManifest")
    try expectRefusal(Self.compile([Repo.fixture("healthy/upper.swift")], to: directory.file("upper.so"), objects))
  }

  @Test("A plugin that links the library and a second copy of one of our modules is refused")
  func linkedTwice() throws {
    let directory = try TemporaryDirectory()
    let path = try Repo.compile(
      [Repo.fixture("healthy/upper.swift")], to: directory.file("upper.so"), options: Self.objects("TroupeContainer"))
    try expectRefusal(path)
  }

  @Test("A Swift plugin that links neither is refused")
  func notLinked() throws {
    let directory = try TemporaryDirectory()
    let path = try Self.compile([Repo.fixture("healthy/upper.swift")], to: directory.file("upper.so"), [])
    try expectRefusal(path, "is in Swift and does not link libTroupe.so, which has the host's types")
  }

  @Test("A plugin that declares C but contains Swift with a copy is refused, also without section headers")
  func inC() throws {
    let (directory, parts) = (try TemporaryDirectory(), try TemporaryDirectory())
    let source = try parts.write(
      "Counting.swift",
      """
      import TroupeContainer

      @c(counted) public func counted() -> CInt {
        CInt((try? Container().resolve(Int.self)) ?? 0)
      }
      """.utf8)
    let entry = parts.file("entry.o")
    try succeed(["cc", "-c", "-fPIC", "-I", Repo.root + "/include", "-o", entry, Repo.fixture("healthy/empty.c")])
    let path = try Self.compile([source], to: directory.file("counting.so"), Self.objects("TroupeContainer") + [entry])
    try expectRefusal(path, isListed: false)
    var bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
    for offset in Array(40..<48) + Array(58..<64) { bytes[offset] = 0 }
    expectFailure(
      try troupe("inspect", try directory.write("bare.so", bytes)), 65, Self.problem, Self.remedy, showing: [Self.rejected])
  }

  @Test("An adopted library with a copy is refused")
  func adopted() throws {
    let (directory, parts) = (try TemporaryDirectory(), try TemporaryDirectory())
    let source = try parts.write("Plain.swift", "@c(plain) public func plain() -> CInt { 1 }\n".utf8)
    try Self.compile([source], to: directory.file("libplain.so"), Self.objects("TroupeContainer"))
    let path = try directory.write(
      "plain.troupe.json",
      #"""
      {"id": "org.example.plain", "name": "Plain", "version": "1.0.0", "library": "./libplain.so", "functions": [
        {"uuid": "5d2c8a44-3f0e-4b53-9a57-6f5a1f6f0c12", "name": "plain", "symbol": "plain", "signature": "int (void)"}]}
      """#.utf8)
    try succeed(["chmod", "644", path])
    expectFailure(
      try troupe("inspect", path), 65, "adopts \(directory.file("libplain.so")), which \(Self.problem)", Self.remedy,
      showing: [Self.rejected])
  }

  @Test("A Swift plugin without section headers has the compiler's version in its manifest")
  func withoutSections() throws {
    let directory = try Examples.copies("grep")
    var bytes = [UInt8](try Data(contentsOf: URL(filePath: directory.file("grep.so"))))
    for offset in Array(40..<48) + Array(58..<64) { bytes[offset] = 0 }
    let path = try directory.write("grep.so", bytes)
    let run = try troupe("inspect", path)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.text.contains("Swift 6."), "\(run.text)")
  }

  @Test("The symbols that identify a copy belong to types of the library, and no plugin that links the library has one")
  func symbols() throws {
    let directory = try Examples.copies("grep")
    let library = try succeed(["nm", "-D", "--defined-only", Repo.products + "/libTroupe.so"]).text
    let plugin = try succeed(["nm", "-D", "--defined-only", directory.file("grep.so")]).text
    for symbol in [
      "$s15TroupeContainer0B0CMn", "$s6Troupe13PluginContextCMn", "$s10TroupeHost06PluginB0CMn",
      "$s14TroupeManifest15SemanticVersionVMn", "$s15TroupeSignature0B0VMn",
      "$s10TroupeCall5ValueOMn",
    ] {
      #expect(library.contains(" \(symbol)\n"))
      #expect(!plugin.contains(" \(symbol)\n"))
    }
  }
}
