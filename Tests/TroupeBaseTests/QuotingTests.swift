import Testing

import TroupeBase

@Suite("Words of a shell's command line")
struct ShellWordTests {
  @Test(
    "A word is quoted if the shell would read it otherwise",
    arguments: [
      ("/a/b-1.so", "/a/b-1.so"), ("a b", "'a b'"), ("it's", #"'it'\''s'"#), ("", "''"), ("$x", "'$x'"), ("~a", "'~a'"),
      ("'\u{301};x", "''\\''\u{301};x'"),
    ])
  func quoting(word: String, expected: String) {
    #expect(word.shellWord == expected)
  }
}
