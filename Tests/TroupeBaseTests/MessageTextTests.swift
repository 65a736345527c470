import Testing

import TroupeBase

@Suite("Untrusted text on one line")
struct StringOneLineTests {
  @Test(
    "Line breaks, terminal controls and bidirectional controls are removed or replaced by spaces",
    arguments: [
      ("one\ntwo\r\n", "one two  "), ("\u{1B}[31mred", " [31mred"), ("\u{9B}31m", " 31m"), ("a\u{7F}", "a "),
      ("a\u{2028}b\u{2029}c", "a b c"), ("\u{202E}txt.exe\u{202C}", "txt.exe"), ("\u{2067}a\u{2069}\u{200F}\u{61C}", "a"),
    ])
  func dangerous(text: String, line: String) {
    #expect(text.onOneLine == line)
  }

  @Test("A long text is cut to a number of bytes, between scalars, and ends with its size", arguments: ["x", "ß", "日", "👩‍🔬"])
  func limited(part: String) {
    let text = String(repeating: part, count: 10_000)
    let limited = text.limited(to: 100)
    #expect(60...100 ~= limited.utf8.count)
    let kept = limited.prefix { $0 != "…" }
    #expect(text.unicodeScalars.starts(with: kept.unicodeScalars))
    #expect(limited.hasSuffix("… (\(text.utf8.count) bytes)"))
    #expect(text.limited.utf8.count <= 4096)
    #expect(part.limited == part)
  }

  @Test("Other text is unchanged", arguments: ["", "plain text", "größer", "שלום", "👩‍🔬 e\u{301}", "日本語"])
  func harmless(text: String) {
    #expect(text.onOneLine.unicodeScalars.elementsEqual(text.unicodeScalars))
  }
}
