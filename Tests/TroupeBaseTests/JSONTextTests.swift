import Foundation
import Testing
import TroupeBase

@Suite("Values as JSON")
struct JSONTextTests {
  @Test(
    "A value is written on one line, with the text of numbers and the order of members",
    arguments: [
      ("null", "null"), (" true ", "true"), ("1.50e3", "1.50e3"), ("[ ]", "[]"), ("[1,\n2]", "[1, 2]"), ("{}", "{}"),
      (#"{"b":[{}],"a":"x"}"#, #"{"b": [{}], "a": "x"}"#), (#""\u0041\/☃""#, #""A/☃""#),
      (#""\n\t\"\\\u0001""#, #""\n\t\"\\\u0001""#),
    ])
  func text(source: String, text: String) throws {
    #expect(try JSONReader.read(Array(source.utf8)).text == text)
    #expect(try JSONReader.read(Array(source.utf8), packsNumbers: true).text == text)
  }

  @Test("Every text reads as itself")
  func strings() throws {
    for text in ["", "\u{0}", "\u{7F}\u{85}", "e\u{301}", "\u{1F600}", "</script>", "\r\n"] {
      #expect(try JSONDecoder().decode([String].self, from: Data("[\(text.inJSON)]".utf8)) == [text])
    }
  }
}
