import Testing
import TroupeManifest

@Suite struct PluginIdentifierTests {
  @Test("Reverse DNS notation is fine", arguments: ["org.example", "org.example.shout", "io.a-b.c_d", "org.3d.viewer", "A.b"])
  func fine(_ id: String) {
    #expect(PluginIdentifier.fault(in: id) == nil)
  }

  @Test(
    "Everything else is refused",
    arguments: [
      "", "shout", "org.", ".org", "org..x", "org.exa mple", "org.exämple", "-org.x", "org.x-", "3d.org", "org/x.y", "org.x\n",
    ])
  func refused(_ id: String) {
    #expect(PluginIdentifier.fault(in: id) != nil)
  }

  @Test("An id may be 255 bytes long and no longer")
  func length() {
    #expect(PluginIdentifier.fault(in: "org." + String(repeating: "a", count: 251)) == nil)
    #expect(PluginIdentifier.fault(in: "org." + String(repeating: "a", count: 252)) != nil)
  }
}
