import Testing
import TroupeBase

@testable import TroupeTools

@Suite("Results of examples") struct ParsedExampleTests {
  private func isEqual(_ text: String, _ other: String) throws -> Bool {
    try JSONReader.read(Array(text.utf8)).isEqual(to: JSONReader.read(Array(other.utf8)))
  }

  @Test(
    "Values are equal in any order of members and any form of numbers",
    arguments: [
      ("5", "5.0"), ("1e3", "1000"), ("3", "3.0000000000000004"), ("[1, 2.5]", "[1.0, 2.5]"),
      (#"{"a": 1, "b": [true, null]}"#, #"{"b": [true, null], "a": 1}"#), (#""é""#, #""\u00e9""#),
    ])
  func equal(one: String, other: String) throws { #expect(try isEqual(one, other)) }

  @Test(
    "Other values differ",
    arguments: [
      ("5", "6"), ("9007199254740993", "9007199254740992"), ("1.0", "1.000001"), ("[1]", "[1, 2]"), ("1", "\"1\""),
      (#"{"a": 1}"#, #"{"b": 1}"#), ("null", "false"), (#""e\u0301""#, #""\u00e9""#),
    ])
  func different(one: String, other: String) throws { #expect(try !isEqual(one, other)) }
}
