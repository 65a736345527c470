import Testing
import TroupeManifest

@Suite("Requirements")
struct RequirementTests {
  @Test(
    "A plugin with or without a range, and a contract, print as they are written",
    arguments: ["org.example.a", "org.example.a ^1.0.0", "org.example.a >=1.0.0 <2.0.0", "org.example.a/1", "clock/2"])
  func reads(_ text: String) throws {
    #expect(try Requirement(text).description == text)
  }

  @Test("A name with a slash is a contract, and any other the id of a plugin")
  func kinds() throws {
    #expect(try Requirement("org.example.a/1") == .contract("org.example.a/1"))
    #expect(try Requirement(" org.example.a  ^1.0.0 ") == .plugin(id: "org.example.a", VersionRange("^1.0.0")))
    #expect(try Requirement("org.example.a") == .plugin(id: "org.example.a", .all))
  }

  @Test(
    "Other texts are refused with the reason",
    arguments: [
      ("", "is empty; name a plugin, such as org.example.counter ^1.0.0, or a contract, such as org.example.counter/1"),
      ("counter", "is not in reverse DNS notation, such as org.example.shout"),
      ("counter/one", "is not the name of a contract, such as org.example.counter/1"),
      ("org.example.a/1 ^1.0.0", "has a range of versions behind a contract, whose version is in its name"),
      (
        "org.example.a 1.0.0",
        "does not say what \"1.0.0\" is to it; write ^1.0.0 for compatible versions, or =1.0.0 for just this one"
      ),
    ])
  func refused(_ text: String, _ reason: String) {
    let error = #expect(throws: ManifestError.self) { try Requirement(text) }
    #expect(error?.description == reason)
  }

  @Test("A text that is too long is refused")
  func length() {
    #expect(throws: ManifestError.self) { try Requirement("org." + String(repeating: "a", count: 1030)) }
  }
}
