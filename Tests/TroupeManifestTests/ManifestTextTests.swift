import Testing
import TroupeManifest

@Suite("Texts of a manifest")
struct ManifestTextTests {
  @Test(
    "Control characters are detected at any position",
    arguments: ["\n", "a\u{0}", "a\u{7F}b", "\u{85}", "e\u{1B}[1m", "\t"])
  func controlCharacters(text: String) {
    #expect(ManifestText.hasControlCharacters(text))
  }

  @Test("Other characters are accepted", arguments: ["", "Grüße 👩‍👩‍👧", "a b", "\u{A0}", "\u{200B}"])
  func others(text: String) {
    #expect(!ManifestText.hasControlCharacters(text))
  }
}
