import Testing
import TroupeManifest

@Suite("Ranges of versions")
struct VersionRangeTests {
  private func contains(_ range: String, _ version: String) throws -> Bool {
    try VersionRange(range).contains(try #require(SemanticVersion(version)))
  }

  @Test(
    "Versions within a range",
    arguments: [
      ("", "0.0.1"), ("", "1.0.0-alpha"), ("=1.2.3", "1.2.3"), ("=1.2.3", "1.2.3+build"), (">1.2.3", "1.2.4"),
      (">=1.2.3", "1.2.3"),
      ("<2.0.0", "1.99.0"), ("<=2.0.0", "2.0.0"), ("^1.2.3", "1.2.3"), ("^1.2.3", "1.99.0"), ("^0.2.3", "0.2.9"),
      ("^0.0.3", "0.0.3"), (">=1.2.0 <3.0.0", "2.9.9"), ("^1.0.0 <1.5.0", "1.4.9"), (">=1.0.0-beta", "1.0.0-rc"),
      ("^1.0.0-beta", "1.0.0"), ("^0.0.3-a", "0.0.3"),
    ])
  func within(_ range: String, _ version: String) throws {
    #expect(try contains(range, version))
  }

  @Test(
    "Versions outside of a range",
    arguments: [
      ("=1.2.3", "1.2.4"), (">1.2.3", "1.2.3"), (">=1.2.3", "1.2.2"), ("<2.0.0", "2.0.0"), ("<=2.0.0", "2.0.1"),
      ("^1.2.3", "1.2.2"), ("^1.2.3", "2.0.0"), ("^0.2.3", "0.3.0"), ("^0.0.3", "0.0.4"), ("^0.0.0", "0.0.1"),
      (">=1.2.0 <3.0.0", "3.0.0"), (">2.0.0 <1.0.0", "1.5.0"),
      // Prereleases that the range does not name.
      ("<2.0.0", "2.0.0-alpha"), ("^1.2.0", "1.3.0-alpha"), (">=1.0.0-beta", "1.1.0-beta"), (">=1.0.0-beta", "1.0.0-alpha"),
    ])
  func outside(_ range: String, _ version: String) throws {
    #expect(try !contains(range, version))
  }

  @Test(
    "An invalid range is refused with the reason",
    arguments: [
      ("1.2.3", "does not say what \"1.2.3\" is to it; write ^1.2.3 for compatible versions, or =1.2.3 for just this one"),
      ("~1.2.3", "has \"~1.2.3\", which is no condition such as ^1.2.0 or >=1.2.0"),
      (">=1.2", "has \">=1.2\", in which no semantic version such as 1.2.0 follows the >="),
      (">= 1.2.0", "has \">=\", in which no semantic version such as 1.2.0 follows the >="),
      ("^1.0.0 x", "has \"x\", which is no condition such as ^1.2.0 or >=1.2.0"),
    ])
  func refused(_ range: String, _ reason: String) {
    let error = #expect(throws: ManifestError.self) { try VersionRange(range) }
    #expect(error?.description == reason)
  }

  @Test("A range prints with one space between its conditions, and the text parses to an equal range")
  func description() throws {
    let range = try VersionRange("  >=1.0.0    <2.0.0 ")
    #expect(range.description == ">=1.0.0 <2.0.0")
    #expect(try VersionRange(range.description) == range)
    #expect(try VersionRange("") == .all)
    #expect(range != .all)
  }
}
