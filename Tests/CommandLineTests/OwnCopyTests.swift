import Foundation
import TestSupport
import Testing

@Suite("Plugins that bring a copy of Troupe along", .timeLimit(.minutes(10)))
struct OwnCopyTests {
  /// What a copy of Troupe in a plugin is refused for, and what is to be done about it.
  private static let problem = "has a copy of Troupe's types of its own"
  private static let rejected = "state     rejected"
  private static let remedy = "link it with -L DIRECTORY -lTroupe and with none of Troupe's object files or static libraries"

  /// Returns the object files of modules. The package manager keeps those of removed sources.
  private static func objects(_ modules: String...) -> [String] {
    modules.flatMap { module in
      let sources = FileManager.default.enumerator(atPath: Tree.root + "/Sources/" + module)?.compactMap { $0 as? String } ?? []
      return sources.filter { $0.hasSuffix(".swift") }.map { source in
        Tree.products + "/\(module).build/" + URL(filePath: source).lastPathComponent + ".o"
      }
    }
  }

  /// The compiler call for a plugin in Swift that does not link the library.
  @discardableResult
  private static func compile(_ sources: [String], to library: String, _ options: [String]) throws -> String {
    try succeed(Tree.compilation(of: sources, to: library, options: options).filter { $0 != "-lTroupe" })
    return library
  }

  /// Expects that the plugin is refused from its file alone, with the reason and the remedy, also once it is stripped.
  ///
  /// - Parameter isListed: Whether that is found out when it is listed; of one that says it is in C, only before it would be
  ///   opened.
  private func expectRefusal(_ path: String, _ problem: String = problem, isListed: Bool = true) throws {
    let folder = try TemporaryDirectory()
    for (name, options) in [("whole", nil), ("stripped", []), ("unneeded", ["--strip-unneeded"])] {
      let copy = folder.file(name + ".so")
      try succeed(["cp", path, copy])
      if let options { try succeed(["strip"] + options + [copy]) }
      expectFailure(try troupe("inspect", copy), 65, problem, Self.remedy, showing: [Self.rejected])
    }
    guard isListed else { return }
    let plugins = try json([ListedPlugin].self, troupe("list", "--json", plugins: folder.path))
    #expect(plugins.count == 3)
    for plugin in plugins {
      #expect(plugin.state == "rejected")
      #expect(plugin.reason?.hasPrefix(problem) == true, "\(plugin)")
      #expect(plugin.reason?.contains(Self.remedy) == true)
      #expect(plugin.id != nil)
    }
  }

  @Test("A plugin that is linked with our modules, and not with the library, is refused")
  func linkedStatically() throws {
    let folder = try TemporaryDirectory()
    let objects = Self.objects("Troupe", "TroupeContainer", "TroupeManifest")
    try expectRefusal(Self.compile([Tree.fixture("healthy/upper.swift")], to: folder.file("upper.so"), objects))
  }

  @Test("A plugin that links the library, and one of our modules a second time, is refused")
  func linkedTwice() throws {
    let folder = try TemporaryDirectory()
    let path = try Tree.compile(
      [Tree.fixture("healthy/upper.swift")], to: folder.file("upper.so"), options: Self.objects("TroupeContainer"))
    try expectRefusal(path)
  }

  @Test("A plugin in Swift that links neither is refused")
  func notLinked() throws {
    let folder = try TemporaryDirectory()
    let path = try Self.compile([Tree.fixture("healthy/upper.swift")], to: folder.file("upper.so"), [])
    try expectRefusal(path, "is in Swift and does not link libTroupe.so, which has the host's types")
  }

  @Test("A plugin that says it is in C and holds Swift with a copy is refused, also without section headers")
  func inC() throws {
    let (folder, parts) = (try TemporaryDirectory(), try TemporaryDirectory())
    let source = try parts.write(
      "Counting.swift",
      """
      import TroupeContainer

      @c(counted) public func counted() -> CInt {
        CInt((try? Container().resolve(Int.self)) ?? 0)
      }
      """.utf8)
    let entry = parts.file("entry.o")
    try succeed(["cc", "-c", "-fPIC", "-I", Tree.root + "/include", "-o", entry, Tree.fixture("healthy/empty.c")])
    let path = try Self.compile([source], to: folder.file("counting.so"), Self.objects("TroupeContainer") + [entry])
    try expectRefusal(path, isListed: false)
    var bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
    for offset in Array(40..<48) + Array(58..<64) { bytes[offset] = 0 }
    expectFailure(
      try troupe("inspect", try folder.write("bare.so", bytes)), 65, Self.problem, Self.remedy, showing: [Self.rejected])
  }

  @Test("A library that a file adopts and that has a copy is refused")
  func adopted() throws {
    let (folder, parts) = (try TemporaryDirectory(), try TemporaryDirectory())
    let source = try parts.write("Plain.swift", "@c(plain) public func plain() -> CInt { 1 }\n".utf8)
    try Self.compile([source], to: folder.file("libplain.so"), Self.objects("TroupeContainer"))
    let path = try folder.write(
      "plain.troupe.json",
      #"{"id": "org.example.plain", "name": "Plain", "version": "1.0.0", "library": "./libplain.so", "functions": []}"#.utf8)
    try succeed(["chmod", "644", path])
    expectFailure(
      try troupe("inspect", path), 65, "\"./libplain.so\" is ", Self.problem, Self.remedy, showing: [Self.rejected])
  }

  @Test("A plugin in Swift without section headers does not say which compiler built it")
  func withoutSections() throws {
    let folder = try Examples.copies("grep")
    var bytes = [UInt8](try Data(contentsOf: URL(filePath: folder.file("grep.so"))))
    for offset in Array(40..<48) + Array(58..<64) { bytes[offset] = 0 }
    let path = try folder.write("grep.so", bytes)
    expectFailure(
      try troupe("inspect", path), 65, "does not say which compiler built it", "do not strip the section .comment",
      showing: [Self.rejected])
  }

  @Test("The symbols that tell a copy are those of types that the library has, and no plugin that links it has one")
  func symbols() throws {
    let folder = try Examples.copies("grep")
    let library = try succeed(["nm", "-D", "--defined-only", Tree.products + "/libTroupe.so"]).text
    let plugin = try succeed(["nm", "-D", "--defined-only", folder.file("grep.so")]).text
    for symbol in [
      "$s15TroupeContainer0B0CMn", "$s6Troupe13PluginContextCMn", "$s10TroupeHost06PluginB0CMn",
      "$s14TroupeManifest15SemanticVersionVMn", "$s10TroupeCall9SignatureVMn",
    ] {
      #expect(library.contains(" \(symbol)\n"))
      #expect(!plugin.contains(" \(symbol)\n"))
    }
  }
}
