import TestSupport
import Testing
import TroupeBase

@Suite("Reading JSON") struct JSONReaderTests {
  /// Returns the fault of a text as a sentence, or nil.
  static func fault(_ text: [UInt8], packsNumbers: Bool = false) -> String? {
    do {
      _ = try JSONReader.read(text, packsNumbers: packsNumbers)
      return nil
    } catch {
      return error.sentence(in: JSONLines(text))
    }
  }

  /// Returns a value as a text that shows all of its parts.
  static func shown(_ node: JSONNode) -> String {
    switch node.content {
    case .object(let members): "{" + members.map { "\($0.name)=\(shown($0.value))" }.joined(separator: " ") + "}"
    case .array, .numbers: "[" + (node.elements ?? []).map(shown).joined(separator: " ") + "]"
    case .string(let text): "'\(text)'"
    case .number(let text): text
    case .boolean(let value): "\(value)"
    case .null: "null"
    }
  }

  @Test(
    "Valid JSON is read",
    arguments: [
      ("{}", "{}"), (" [ ] ", "[]"), ("\t{\"a\" : 1 ,\r\n\"b\":[true,false,null]}\n", "{a=1 b=[true false null]}"),
      ("[-1, 0.5e+1 ,7,\n 2E-3 ]", "[-1 0.5e+1 7 2E-3]"), ("[1,2,true]", "[1 2 true]"), ("[1,[2,3],[]]", "[1 [2 3] []]"),
      ("-0.5e+10", "-0.5e+10"), ("0", "0"), ("-12E-3", "-12E-3"),
      ("123456789012345678901234567890e999999", "123456789012345678901234567890e999999"),
      (#""a\"\\\/\b\f\n\r\tz""#, "'a\"\\/\u{8}\u{C}\n\r\tz'"), (#""\u00e4\uD83d\ude00é""#, "'ä😀é'"),
      // Two Unicode forms of one letter are two names.
      ("{\"é\":1,\"e\u{301}\":2}", "{é=1 e\u{301}=2}"),
    ])
  func read(_ text: String, _ expected: String) throws {
    for packsNumbers in [false, true] {
      let shown = try Self.shown(JSONReader.read(Array(text.utf8), packsNumbers: packsNumbers))
      #expect(shown.utf8.elementsEqual(expected.utf8), "\(shown)")
    }
  }

  @Test(
    "Invalid JSON has a fault with its position and the expected token",
    arguments: [
      ("", "line 1, column 1: the text is empty; expected a value"),
      ("{", "line 1, column 2: the text ends here; expected a member's name in quotes"),
      ("{\"a\"", "line 1, column 5: a ends here; expected a colon"),
      ("{\"a\":\n  [1 2]}", "line 2, column 6: a has 2 here; expected a comma or ]"),
      ("{\"a\":[1,]}", "line 1, column 9: a[1] has ] here; expected a value"),
      ("{\"a\":{\"b\":[{\"c\":tru}]}}", "line 1, column 17: a.b[0].c has t here; expected a value"),
      ("{\"a\":1,}", "line 1, column 8: the text has } here; expected a member's name in quotes"),
      ("{\"a\":1,\"\\u0061\":2}", "line 1, column 8: a occurs twice"),
      ("{\"a b\":{\"\":01}}", "line 1, column 13: [\"a b\"] has 1 here; expected a comma or }"),
      ("1.", "line 1, column 3: the text ends here; expected a digit"),
      ("-", "line 1, column 2: the text ends here; expected a digit"),
      ("1e+x", "line 1, column 4: the text has x here; expected a digit"),
      ("+1", "line 1, column 1: the text has + here; expected a value"),
      ("\"a\nb\"", "line 1, column 3: the text has the end of the line here; expected the end of the string"),
      ("\"\\u12g4\"", "line 1, column 6: the text has g here; expected four hexadecimal digits"),
      ("\"\\udc00\"", "line 1, column 2: the text has \\ here; expected a character, not half of one"),
      ("\"\\ud800\\u0041\"", "line 1, column 2: the text has \\ here; expected a character, not half of one"),
      ("\"abc", "line 1, column 5: the text ends here; expected the quote that ends the string"),
      ("nul", "line 1, column 1: the text has n here; expected a value"),
      ("{} {}", "line 1, column 4: the text has { here; expected the end of the text"),
      ("\u{FEFF}{}", "line 1, column 1: the text begins with a byte order mark"),
    ])
  func faults(_ text: String, _ expected: String) throws {
    let fault = try #require(Self.fault(Array(text.utf8)))
    #expect(Self.fault(Array(text.utf8), packsNumbers: true) == fault)
    #expect(fault.hasPrefix("is malformed at " + expected), "\(fault)")
  }

  @Test(
    "Bytes that are not UTF-8 are a fault at their position",
    arguments: [[0xFF], [0xC3], [0xED, 0xA0, 0x80], [0x80]] as [[UInt8]])
  func notUTF8(_ bytes: [UInt8]) {
    let text = Array("\"aé".utf8) + bytes + Array("\"".utf8)
    #expect(Self.fault(text) == "is malformed at line 1, column 5: the text is not UTF-8")
  }

  @Test("Values may be nested 64 deep, and deeper nesting is a fault at any depth")
  func depth() throws {
    for (opening, closing) in [("[", "]"), ("{\"a\":", "}")] {
      func nested(_ depth: Int) -> [UInt8] {
        Array((String(repeating: opening, count: depth) + "1" + String(repeating: closing, count: depth)).utf8)
      }
      #expect(Self.fault(nested(64)) == nil)
      for depth in [65, 200_000] {
        #expect(Self.fault(nested(depth))?.hasSuffix("has values nested more than 64 deep") == true)
      }
    }
  }

  @Test("The paths of many values below long names need little memory")
  func manyDeepValues() throws {
    let name = String(repeating: "n", count: 10_000)
    var text = ""
    for _ in 0..<50 { text += "{\"\(name)\":" }
    text += "[" + String(repeating: "1,", count: 200_000) + "1]" + String(repeating: "}", count: 50)
    // 200,000 paths of half a megabyte each would exceed any memory.
    #expect(Self.fault(Array(text.utf8)) == nil)
  }

  @Test("A valid text that is changed and cut at random never ends the process")
  func damaged() throws {
    let good = Array(#"{"id": "a\u00e4", "functions": [{"a": [1.5e3, true, null]}, {"b": {"c": "\ud83d\ude00"}}]}"#.utf8)
    var generator = SplitMix64(seed: 4)
    for _ in 0..<20_000 {
      var text = good
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let index = text.indices.randomElement(using: &generator) ?? 0
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: text[index] = UInt8.random(in: 0...255, using: &generator)
        case 1: text.remove(at: index)
        case 2: text.insert(Array("{}[]\",:\\u0e-".utf8).randomElement(using: &generator) ?? 0, at: index)
        default: text.removeSubrange(index...)
        }
        if text.isEmpty { text = [0] }
      }
      let fault = Self.fault(text)
      if let fault { #expect(fault.hasPrefix("is malformed at line ")) }
      #expect(Self.fault(text, packsNumbers: true) == fault)
    }
  }
}
