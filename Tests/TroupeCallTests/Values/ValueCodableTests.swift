import Foundation
import TestSupport
import Testing
import TroupeCall

@Suite("Values in JSON")
struct ValueCodableTests {
  private func json(_ value: Value) throws -> String {
    String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
  }

  private func value(_ json: String) throws -> Value {
    try JSONDecoder().decode(Value.self, from: Data(json.utf8))
  }

  @Test(
    "A value is written as the natural JSON value",
    arguments: [
      (Value.void, "null"), (.bool(true), "true"), (.bool(false), "false"), (.integer(0), "0"), (.integer(-1), "-1"),
      (.integer(Int128(Int64.min)), "-9223372036854775808"), (.integer(Int128(UInt64.max)), "18446744073709551615"),
      (.double(2.5), "2.5"), (.double(5), "5"),
      (.float(614_839_616), "614839616"), (.double(0x1p62), "4611686018427387904"), (.double(0.1), "0.1"), (.float(0.1), "0.1"),
      (.double(.nan), "\"nan\""), (.float(.nan), "\"nan\""),
      (.double(.infinity), "\"inf\""), (.double(-.infinity), "\"-inf\""), (.float(-.infinity), "\"-inf\""),
      (.string("a\"b"), "\"a\\\"b\""), (.string(""), "\"\""), (.string(nil), "null"), (.null, "null"),
      (.pointer(Value.Pointer(address: 0x7f01)), "\"0x7f01\""),
    ] as [(Value, String)])
  func writes(value: Value, text: String) throws {
    #expect(try json(value) == text)
  }

  @Test(
    "A JSON value is read",
    arguments: [
      ("null", Value.null), ("true", .bool(true)), ("false", .bool(false)), ("0", .integer(0)), ("-1", .integer(-1)),
      ("9007199254740993", .integer(9_007_199_254_740_993)), ("-9223372036854775808", .integer(Int128(Int64.min))),
      ("18446744073709551615", .integer(Int128(UInt64.max))), ("18446744073709551616", .double(0x1p64)),
      ("2.5", .double(2.5)), ("1e300", .double(1e300)), ("\"text\"", .string("text")), ("\"\"", .string("")),
      ("\"nan\"", .string("nan")), ("\"true\"", .string("true")), ("\"5\"", .string("5")),
    ] as [(String, Value)])
  func reads(text: String, expected: Value) throws {
    #expect(try value(text) == expected)
  }

  @Test("The sign of zero is kept")
  func negativeZero() throws {
    guard case .double(let zero) = try value("-0.0") else { throw CLibrary.TestError("-0.0 is no double") }
    #expect(zero.sign == .minus)
  }

  @Test("Arguments of all kinds are read as an array")
  func array() throws {
    let values = try JSONDecoder().decode([Value].self, from: Data(#"[1, 2.5, "x", null, true]"#.utf8))
    #expect(values == [.integer(1), .double(2.5), .string("x"), .null, .bool(true)])
  }

  @Test("Arrays, objects and bytes are read at any nesting")
  func nested() throws {
    let text = #"{"p": {"x": 1.5, "y": [1, [], {}]}, "data": {"base64": "AAH/"}, "base64": 1}"#
    let expected = Value.structure([
      Value.Field("base64", .integer(1)), Value.Field("data", .bytes([0, 1, 255])),
      Value.Field(
        "p",
        .structure([
          Value.Field("x", .double(1.5)),
          Value.Field("y", .array([.integer(1), .array([]), .structure([])])),
        ])),
    ])
    #expect(try value(text) == expected)
    #expect(try value(json(expected)) == expected)
  }

  @Test("Only canonical base64 is read as bytes; other text is a structure's member, and both encode to the original")
  func base64() throws {
    #expect(try value(#"{"base64":"AAE="}"#) == .bytes([0, 1]))
    for text in ["AAF=", "AAE", "A B", "é"] {
      let structure = Value.structure([Value.Field("base64", .string(text))])
      #expect(try value(json(structure)) == structure)
    }
  }

  @Test("A structure whose only member is a text called base64 is converted to a structure type")
  func memberBase64() throws {
    for type in ["struct { string base64; }", "union { int x; string base64; }"] {
      let record = try Signature(parsing: "void (\(type) x)").parameters[0].type
      for text in ["AAE=", "", "abc"] {
        let structure = Value.structure([Value.Field("base64", .string(text))])
        #expect(try value(json(structure)).converted(to: record) == structure)
      }
    }
  }

  @Test("A number at the limit of 64 bits decodes to the same float or long double")
  func limits() throws {
    for number in [0x1p63, 0x1p64, -0x1p63, 0x1p100] as [Float] {
      #expect(try value(json(.float(number))).converted(to: .float) == .float(number))
    }
    let numbers = try ["9223372036854775809", "0.1", "1e4000", "-3.5"].map { try #require(LongDouble($0)) }
    for number in numbers {
      #expect(try value(json(.longDouble(number))).converted(to: .longDouble) == .longDouble(number))
    }
  }

  @Test("Arrays and objects may be nested as deeply as C types, and not much deeper")
  func depth() throws {
    func nested(_ levels: Int) -> String { String(repeating: "[", count: levels) + String(repeating: "]", count: levels) }
    for levels in [1, 18, 33] { #expect(try json(value(nested(levels))) == nested(levels)) }
    for levels in [34, 500, 100_000] { #expect(throws: DecodingError.self) { try value(nested(levels)) } }
  }

  @Test("A fraction that a double cannot hold is not dropped")
  func fraction() throws {
    #expect(try value("9007199254740993.5") == .double(9007199254740993.5))
    #expect(try value("9007199254740993.0") == .integer(9_007_199_254_740_993))
    #expect(try value("18446744073709551614.5") == .double(18446744073709551614.5))
  }

  @Test("An integer below the 64-bit range is not rounded to the smallest 64-bit integer")
  func leastInteger() throws {
    #expect(try value("-9223372036854775808") == .integer(-(1 << 63)))
    #expect(throws: DecodingError.self) { try value("-9223372036854775888") }
  }

  @Test("An integer above 64 bits is not written")
  func tooWide() {
    #expect(throws: EncodingError.self) { try json(.integer(1 << 64)) }
    #expect(throws: EncodingError.self) { try json(.integer(.min)) }
  }

  @Test("An encoded and decoded value converts to the same type with the same value")
  func roundTrip() throws {
    var generator = SplitMix64(seed: 2)
    for round in 0..<2_000 {
      // Random bits and whole numbers of every size.
      let double =
        round % 2 == 0
        ? Double(bitPattern: generator.next()) : -Double(generator.next() >> UInt64.random(in: 0..<64, using: &generator))
      guard case .double(let same) = try value(json(.double(double))).converted(to: .double) else { continue }
      #expect(same.bitPattern == double.bitPattern || same.isNaN && double.isNaN)
      let float = round % 2 == 0 ? Float(bitPattern: UInt32(truncatingIfNeeded: generator.next())) : Float(double)
      guard case .float(let sameFloat) = try value(json(.float(float))).converted(to: .float) else { continue }
      #expect(sameFloat.bitPattern == float.bitPattern || sameFloat.isNaN && float.isNaN)
      let integer = Value.integer(Int128(generator.next()))
      #expect(try value(json(integer)) == integer)
    }
  }
}
