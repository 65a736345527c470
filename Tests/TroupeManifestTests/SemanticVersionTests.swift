import Testing
import TroupeManifest

@Suite struct SemanticVersionTests {
  @Test(
    "A version prints as it is written",
    arguments: ["0.0.0", "1.2.3", "1.0.0-alpha.1", "1.0.0+build.7", "10.20.30-rc.1+a-b"])
  func roundTrip(_ text: String) throws {
    #expect(try #require(SemanticVersion(text)).description == text)
  }

  @Test(
    "Other texts are refused",
    arguments: [
      "", "1", "1.2", "1.2.3.4", "01.2.3", "1.02.3", "1.2.03", "a.b.c", "1.2.-3", "1.2.3-", "1.2.3-01", "1.2.3-a..b", "1.2.3+",
      "1.2.3-ä", " 1.2.3", "1.2.3 ", "v1.2.3", "1.2.99999999999999999999", "1.2.3-٣",
    ])
  func refused(_ text: String) {
    #expect(SemanticVersion(text) == nil)
  }

  @Test("The precedence is that of the specification's example")
  func precedence() throws {
    let order = [
      "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0",
      "1.0.1", "1.1.0", "2.0.0",
    ]
    let versions = try order.map { try #require(SemanticVersion($0)) }
    #expect(versions.shuffled().sorted() == versions)
  }

  @Test("Build metadata does not affect precedence")
  func build() throws {
    #expect(SemanticVersion("1.0.0+a") == SemanticVersion("1.0.0+b"))
  }
}
