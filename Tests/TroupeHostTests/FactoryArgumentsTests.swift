import Testing
import TroupeHost

@Suite("Arguments for Swift factories") struct FactoryArgumentsTests {
  /// An alias, because `@Test` writes parameter types at a position where `any Any.Type` does not parse.
  typealias AnyType = any Any.Type

  /// Converts one argument. Returns the value as text with its type, or the code or the text of the error.
  static func result(_ arguments: FactoryArguments, _ type: AnyType) -> String {
    do {
      let values = try arguments.values(for: [type])
      return values.map { "\($0) \(Swift.type(of: $0))" }.joined()
    } catch let error as Diagnosis {
      return error.code.rawValue
    } catch {
      return "\(error)"
    }
  }

  @Test(
    "Text is converted to the factory's type",
    arguments: [
      ("5", Int.self, "5 Int"), ("-5", Int8.self, "-5 Int8"), ("0.1", Double.self, "0.1 Double"),
      ("0.1", Float.self, "0.1 Float"),
      ("true", Bool.self, "true Bool"), ("", String.self, " String"), ("ä", Character.self, "ä Character"),
      ("x", Int.self, "invalidData"), ("300", UInt8.self, "invalidData"),
      ("1", [Int].self, "invalidData"),
    ] as [(String, AnyType, String)])
  func text(_ text: String, _ type: AnyType, _ result: String) {
    #expect(Self.result(.text([text]), type) == result)
  }

  @Test(
    "A value is converted to the factory's type if the conversion is exact",
    arguments: [
      (.integer(5), Int.self, "5 Int"), (.integer(255), UInt8.self, "255 UInt8"), (.integer(5), Double.self, "5.0 Double"),
      (.double(0.1), Double.self, "0.1 Double"), (.double(0.5), Float.self, "0.5 Float"), (.double(3), Int.self, "3 Int"),
      (.double(.infinity), Float.self, "inf Float"), (.float(0.5), Double.self, "0.5 Double"),
      (.bool(true), Bool.self, "true Bool"),
      (.string("x"), String.self, "x String"), (.string("x"), Value.self, "x Value"), (.null, Value.self, "null Value"),
      (.integer(256), UInt8.self, "invalidData"), (.integer(-1), UInt.self, "invalidData"),
      (.integer(1 << 62 + 1), Float.self, "invalidData"),
      (.double(0.5), Int.self, "invalidData"),
      (.double(1e300), Float.self, "invalidData"),
      (.double(1e300), Int.self, "invalidData"), (.double(.nan), Int.self, "invalidData"),
      (.integer(1), Bool.self, "invalidData"), (.bool(true), Int.self, "invalidData"),
      (.string(nil), String.self, "invalidData"), (.string("5"), Int.self, "invalidData"),
      (.null, String.self, "invalidData"), (.integer(5), String.self, "invalidData"),
    ] as [(Value, AnyType, String)])
  func value(_ value: Value, _ type: AnyType, _ result: String) {
    #expect(Self.result(.values([value]), type) == result)
  }

  @Test("An argument of another type is reported with its type")
  func wrongType() throws {
    for arguments in [FactoryArguments.text(["x"]), .json("[\"x\"]")] {
      let diagnosis = try #require(throws: Diagnosis.self) { try arguments.values(for: [Int.self]) }
      #expect(diagnosis.problem == "is \"x\", expected Int")
      #expect(diagnosis.remedy == "give a value of the type Int")
    }
  }

  @Test("A JSON array is read element by element, and other JSON is refused")
  func json() throws {
    let values = try FactoryArguments.json(#"[5, 2.5, "x", true]"#).values(for: [
      Int8.self, Double.self, String.self, Bool.self,
    ])
    #expect(values.map { "\($0)" } == ["5", "2.5", "x", "true"])
    #expect(Self.result(.json("[9223372036854775808]"), Int.self) == "invalidData")
    #expect(Self.result(.json("[1, 2]"), Int.self) == "usage")
    #expect(Self.result(.json("{}"), Int.self).contains("an object"))
  }

  @Test("A NULL string is nil for an optional parameter")
  func optional() throws {
    let values = try FactoryArguments.values([.string(nil), .string("x")]).values(for: [String?.self, String?.self])
    #expect(values.map { $0 as? String } == [nil, "x"])
    #expect(try FactoryArguments.json("[null]").values(for: [String?.self]).map { $0 as? String } == [nil])
  }

  @Test(
    "Too few and too many arguments are a separate error",
    arguments: [
      FactoryArguments.text([]), .text(["1", "2", "3"]), .values([]), .values([.null, .null, .null]),
    ])
  func count(_ arguments: FactoryArguments) {
    #expect {
      try arguments.values(for: [Int.self, String.self])
    } throws: {
      ($0 as? Diagnosis)?.code == .usage
    }
    #expect(throws: Diagnosis.self) { try arguments.values(for: [Int.self]) }
  }
}
