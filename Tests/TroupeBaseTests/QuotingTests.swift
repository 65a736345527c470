import Testing
import TroupeBase

@Suite("Quoting text in messages")
struct QuotingTests {
  @Test(
    "A short text is shown completely, on one line",
    arguments: [
      ("", "\"\""), ("plain", "\"plain\""), ("a\"b\\c", "\"a\\\"b\\\\c\""), ("\n\r\t\0", "\"\\n\\r\\t\\0\""),
      ("\u{1b}[31m", "\"\\u{1b}[31m\""), ("\u{202e}é数\u{1F600}", "\"\\u{202e}é数\u{1F600}\""), ("\u{85}", "\"\\u{85}\""),
    ] as [(String, String)])
  func short(text: String, quoted: String) {
    #expect(text.quoted() == quoted)
  }

  @Test("For a long text a part around the position is shown, at any position")
  func long() {
    for filling in ["a", "é", "数", "\u{1F600}"] {
      let text = String(repeating: filling, count: 1000)
      for position in [0, 1, 2, 3, 59, 60, 61, 500, text.utf8.count - 1, text.utf8.count, text.utf8.count + 7] {
        let quoted = text.quoted(around: position)
        #expect(quoted.utf8.count < 200)
        #expect(quoted.allSatisfy { "\"…\(filling)".contains($0) })
        #expect(quoted.hasPrefix("\"…") == (position > 60))
      }
    }
    let text = String(repeating: "a", count: 500) + "HERE" + String(repeating: "b", count: 500)
    #expect(text.quoted(around: 500).contains("aHEREb"))
    #expect(text.quoted(around: 500).hasPrefix("\"…a"))
    #expect(text.quoted(around: 500).hasSuffix("b…\""))
  }

  @Test(
    "A word is quoted if the shell would read it otherwise",
    arguments: [
      ("/a/b-1.so", "/a/b-1.so"), ("a b", "'a b'"), ("it's", #"'it'\''s'"#), ("", "''"), ("$x", "'$x'"), ("~a", "'~a'"),
      ("'\u{301};x", "''\\''\u{301};x'"),
    ])
  func shellWord(word: String, expected: String) {
    #expect(word.shellWord == expected)
  }
}
