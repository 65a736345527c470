import Foundation
import TestSupport
import Testing

@Suite("The fingerprint of the interface for plugins in Swift")
struct InterfaceFingerprintTests {
  /// A copy of the fingerprinted sources at another path.
  private let copy: TemporaryDirectory

  init() throws {
    copy = try TemporaryDirectory()
    try succeed(["mkdir", copy.file("Sources"), copy.file("scripts")])
    try succeed(["cp", Repo.root + "/scripts/interface-fingerprint", copy.file("scripts/")])
    try succeed(["cp", "-r", Repo.root + "/include", Repo.root + "/Package.swift", copy.path])
    let modules = ["Troupe", "TroupeContainer", "TroupeScopes", "TroupeManifest"].map { "\(Repo.root)/Sources/\($0)" }
    try succeed(["cp", "-r"] + modules + [copy.file("Sources")])
  }

  private func fingerprint(of root: String) throws -> String {
    try succeed([root + "/scripts/interface-fingerprint"]).text
  }

  private func change(_ file: String, _ old: String, _ new: String) throws {
    let path = copy.file(file)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    try #require(text.contains(old))
    try text.replacing(old, with: new, maxReplacements: 1).write(toFile: path, atomically: true, encoding: .utf8)
  }

  @Test("It is the same at every path, in every working directory and in every locale")
  func deterministic() throws {
    let own = try fingerprint(of: Repo.root)
    #expect(own.wholeMatch(of: /[0-9a-f]{32}\n/) != nil)
    #expect(try fingerprint(of: copy.path) == own)
    #expect(try succeed(["-C", "/", "LC_ALL=C.UTF-8", copy.file("scripts/interface-fingerprint")]).text == own)
  }

  @Test(
    "It changes with the code that is compiled into plugins",
    arguments: [
      ("Sources/Troupe/Transform.swift", "\n  func finish(to output: any TransformOutput) throws", "\n  func finish() throws"),
      ("Sources/TroupeContainer/Keys/Key.swift", "struct Key", "final class Key"),
      ("Sources/TroupeScopes/Resolvable.swift", "\n  init(scope", "\n  init(in"),
      ("include/troupe.h", "\n#include \"troupe/host.h\"\n", "\n"),
      ("include/troupe/plugin.h", "uint32_t tag_count;", "uint64_t tag_count;"),
      ("Package.swift", "\"InternalImportsByDefault\"", "\"NonisolatedNonsendingByDefault\""),
    ])
  func changes(file: String, old: String, new: String) throws {
    let before = try fingerprint(of: copy.path)
    try change(file, old, new)
    #expect(try fingerprint(of: copy.path) != before)
  }

  @Test(
    "It stays the same after a change of comments, of the release or of other modules",
    arguments: [
      ("Sources/Troupe/Transform.swift", "/// A stage of a stream", "/// A stage"),
      ("Sources/TroupeManifest/Release.swift", "0.1.0", "0.1.1"),
      ("include/troupe.h", "Every string is UTF-8", "Strings are UTF-8"),
      ("Package.swift", ".target(name: \"TroupeTesting\"", ".target(name: \"TroupeOther\""),
    ])
  func stays(file: String, old: String, new: String) throws {
    let before = try fingerprint(of: copy.path)
    try change(file, old, new)
    #expect(try fingerprint(of: copy.path) == before)
  }
}
