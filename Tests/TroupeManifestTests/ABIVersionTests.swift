import Testing

@testable import TroupeManifest

@Suite("Versions of an ABI") struct ABIVersionTests {
  @Test("A text with two numbers is a version")
  func parses() {
    #expect(ABIVersion("0.1") == ABIVersion(major: 0, minor: 1))
    #expect(ABIVersion("65535.65535")?.description == "65535.65535")
    for text in ["", ".", "1", "1.", ".1", "1.0.0", "1.65536", "-1.0", "1.-1", "1.0 ", "a.b", "0123abcd"] {
      #expect(ABIVersion(text) == nil, "\(text)")
    }
  }

  @Test(
    "A host loads what was built against its version, or against an older one of the same major number",
    arguments: [
      ("1.2", "1.2", true), ("1.2", "1.0", true), ("1.2", "1.3", false), ("2.0", "1.9", false), ("1.9", "2.0", false),
      ("0.2", "0.1", true), ("1.10", "1.9", true),
    ])
  func loads(host: String, built: String, isLoaded: Bool) throws {
    #expect(try #require(ABIVersion(host)).loads(try #require(ABIVersion(built))) == isLoaded)
  }
}
