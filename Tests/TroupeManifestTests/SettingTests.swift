import Testing
import TroupeManifest

@Suite("Declared settings") struct SettingTests {
  private static let kinds: [(kind: Setting.ValueType, good: [String: String], bad: [String])] = [
    (.text, ["": "", "ä = b": "ä = b"], []),
    (.choice(["fast", "small"]), ["fast": "fast", "small": "small"], ["", "Fast", "fast ", "large"]),
    (.choice(["caf\u{E9}"]), ["caf\u{E9}": "caf\u{E9}"], ["cafe\u{301}"]),
    (
      .integer(1...100), ["1": "1", "100": "100", "+7": "7", "007": "7"],
      ["0", "101", "-5", "1.0", "", " 1", "1e1", "0x10", "9223372036854775808"]
    ),
    (.integer(.min ... .max), ["-9223372036854775808": "-9223372036854775808"], ["9223372036854775808", "true"]),
    (.number(0...1), ["0": "0.0", "0.5": "0.5", "1e-3": "0.001"], ["1.1", "-0.1", "nan", "inf", "", "0,5", "half"]),
    (.number(-.infinity ... .infinity), ["-1e300": "-1e+300"], ["inf", "-infinity", "1e400"]),
    (.boolean, ["true": "true", "false": "false"], ["1", "yes", "TRUE", ""]),
  ]

  @Test("A value of the type, range or choices is converted to its canonical form; other values are refused")
  func values() throws {
    for (kind, good, bad) in Self.kinds {
      let setting = try Setting(key: "a", valueType: kind, defaultValue: try #require(good.keys.first), description: "")
      for (text, canonical) in good { #expect(setting.canonical(text) == canonical, "\(kind) \(text)") }
      for text in bad { #expect(setting.canonical(text) == nil, "\(kind) \(text)") }
    }
  }

  @Test("The expectation names the type, the range or the choices")
  func expectation() throws {
    func expectation(_ kind: Setting.ValueType, _ value: String) throws -> String {
      try Setting(key: "a", valueType: kind, defaultValue: value, description: "").expectation
    }
    #expect(try expectation(.text, "") == "a text")
    #expect(try expectation(.choice(["a", "b"]), "b") == "one of a, b")
    #expect(try expectation(.integer(1...100), "5") == "an integer from 1 to 100")
    #expect(try expectation(.integer(.min ... .max), "5") == "an integer of 64 bits")
    #expect(try expectation(.number(0...0.5), "0") == "a number from 0.0 to 0.5")
    #expect(try expectation(.number(-.infinity ... .infinity), "0") == "a finite number")
    #expect(try expectation(.boolean, "true") == "true or false")
  }

  @Test("A declaration with inconsistent parts is refused")
  func faults() {
    func fault(_ key: String, _ kind: Setting.ValueType, _ value: String, _ description: String = "") -> String? {
      do {
        _ = try Setting(key: key, valueType: kind, defaultValue: value, description: description)
        return nil
      } catch {
        return error.description
      }
    }
    #expect(fault("a.b-c_D9", .text, "") == nil)
    for key in ["", "a=b", "a b", "a:b", "ä", String(repeating: "a", count: 1025)] {
      #expect(fault(key, .text, "")?.hasPrefix("is not a key") == true, "\(key)")
    }
    #expect(fault("a", .integer(1...2), "3") == "has the default \"3\", which is not an integer from 1 to 2")
    #expect(fault("a", .choice([]), "")?.hasPrefix("has 0 choices") == true)
    #expect(fault("a", .choice((0...256).map(String.init)), "0")?.hasPrefix("has 257 choices") == true)
    #expect(fault("a", .choice(["b", "", "c"]), "b") == "has an empty choice")
    #expect(fault("a", .choice(["b", "c", "b"]), "b") == "has the choice \"b\" twice")
    #expect(fault("a", .choice(["\u{E9}", "e\u{301}"]), "\u{E9}") == nil)
    for value in ["a\0b", "two\nlines", String(repeating: "a", count: 1025)] {
      #expect(fault("a", .text, value)?.hasPrefix("has the text") == true, "\(value)")
    }
    #expect(fault("a", .text, "", "two\nlines")?.hasPrefix("has the text") == true)
    #expect(fault("a", .choice(["two\nlines"]), "two\nlines")?.hasPrefix("has the text") == true)
  }
}
