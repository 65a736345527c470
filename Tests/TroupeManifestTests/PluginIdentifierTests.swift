import Testing
import TroupeManifest

@Suite struct PluginIdentifierTests {
  @Test("Reverse DNS notation is valid", arguments: ["org.example", "org.example.shout", "io.a-b.c_d", "org.3d.viewer", "A.b"])
  func fine(_ id: String) {
    #expect(PluginIdentifier.problem(in: id) == nil)
  }

  @Test(
    "Other texts are refused",
    arguments: [
      "", "shout", "org.", ".org", "org..x", "org.exa mple", "org.exämple", "-org.x", "org.x-", "3d.org", "org/x.y", "org.x\n",
    ])
  func refused(_ id: String) {
    #expect(PluginIdentifier.problem(in: id) != nil)
  }

  @Test("An id is refused exactly if it does not match a regular expression for the rules")
  func rules() {
    let rules = /(?=[a-zA-Z])([a-zA-Z0-9_]([a-zA-Z0-9_-]*[a-zA-Z0-9_])?)(\.[a-zA-Z0-9_]([a-zA-Z0-9_-]*[a-zA-Z0-9_])?)+/
    var ids = [""]
    for _ in 0..<5 {
      ids = ids.flatMap { id in ["a", "7", "-", "_", "."].map { id + $0 } }
      for id in ids { #expect((PluginIdentifier.problem(in: id) == nil) == (id.wholeMatch(of: rules) != nil), "\(id)") }
    }
  }

  @Test("An id may be at most 255 bytes long")
  func length() {
    #expect(PluginIdentifier.problem(in: "org." + String(repeating: "a", count: 251)) == nil)
    #expect(PluginIdentifier.problem(in: "org." + String(repeating: "a", count: 252)) != nil)
  }
}
