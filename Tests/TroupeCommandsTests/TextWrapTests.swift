import Testing
import TroupeCommands

@Suite("Text in columns")
struct TextWrapTests {
  @Test(
    "A text is broken at spaces into lines that fit",
    arguments: [
      ("one two three", 7, ["one two", "three"]), ("one two three", 6, ["one", "two", "three"]),
      ("one two three", 13, ["one two three"]), ("one two three", 12, ["one two", "three"]), ("", 10, []),
      ("  one   two  ", 10, ["one two"]), ("äöü €uro", 8, ["äöü €uro"]),
    ])
  func lines(text: String, width: Int, lines: [String]) {
    #expect(TextWrap.lines(text, width: width) == lines)
  }

  @Test("A word that is wider than a line has a line of its own")
  func longWord() {
    #expect(TextWrap.lines("a abcdefgh b c", width: 4) == ["a", "abcdefgh", "b c"])
    #expect(TextWrap.lines("abcdefgh", width: 0) == ["abcdefgh"])
  }

  @Test("No line is too wide, and every word is kept", arguments: 1...40)
  func invariants(width: Int) {
    let text = "The quick brown fox jumps over the lazy dog, and the lazy dog sleeps on in the warm afternoon sunshine"
    let lines = TextWrap.lines(text, width: width)
    #expect(lines.joined(separator: " ") == text)
    #expect(lines.allSatisfy { $0.count <= width || !$0.contains(" ") })
  }

  @Test(
    "A text is padded to a width and never cut",
    arguments: [("ab", 4, "ab  "), ("ab", 2, "ab"), ("ab", 1, "ab"), ("", 2, "  "), ("ä€", 3, "ä€ ")])
  func padding(text: String, width: Int, padded: String) {
    #expect(text.padding(to: width) == padded)
  }
}
