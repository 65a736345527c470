import Testing
import TroupeHost

@Suite("Arguments for Swift factories") struct FactoryArgumentsTests {
  /// An alias, because `@Test` writes parameter types at a position where `any Any.Type` does not parse.
  typealias AnyType = any Any.Type

  /// Converts one argument. Returns the value as text with its type, or the error.
  static func result(_ arguments: FactoryArguments, _ type: AnyType) -> String {
    do {
      let values = try arguments.values(for: [type])
      return values.map { "\($0) \(Swift.type(of: $0))" }.joined()
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
      ("x", Int.self, "argument 1: \"x\" is not a Int"), ("300", UInt8.self, "argument 1: \"300\" is not a UInt8"),
      ("1", [Int].self, "argument 1 is a Array<Int>, which cannot be read from text"),
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
      (.integer(256), UInt8.self, "argument 1: 256 is not a UInt8"), (.integer(-1), UInt.self, "argument 1: -1 is not a UInt"),
      (.integer(1 << 62 + 1), Float.self, "argument 1: 4611686018427387905 is not a Float"),
      (.double(0.5), Int.self, "argument 1: 0.5 is not a Int"),
      (.double(1e300), Float.self, "argument 1: 1e+300 is not a Float"),
      (.double(1e300), Int.self, "argument 1: 1e+300 is not a Int"), (.double(.nan), Int.self, "argument 1: nan is not a Int"),
      (.integer(1), Bool.self, "argument 1: 1 is not a Bool"), (.bool(true), Int.self, "argument 1: true is not a Int"),
      (.string(nil), String.self, "argument 1: null is not a String"), (.string("5"), Int.self, "argument 1: 5 is not a Int"),
      (.null, String.self, "argument 1: null is not a String"), (.integer(5), String.self, "argument 1: 5 is not a String"),
    ] as [(Value, AnyType, String)])
  func value(_ value: Value, _ type: AnyType, _ result: String) {
    #expect(Self.result(.values([value]), type) == result)
  }

  @Test("A JSON array is read element by element, and other JSON is refused")
  func json() throws {
    let values = try FactoryArguments.json(#"[5, 2.5, "x", true]"#).values(for: [
      Int8.self, Double.self, String.self, Bool.self,
    ])
    #expect(values.map { "\($0)" } == ["5", "2.5", "x", "true"])
    #expect(Self.result(.json("[9223372036854775808]"), Int.self) == "argument 1: 9223372036854775808 is not a Int")
    #expect(Self.result(.json("[1, 2]"), Int.self) == "2 arguments given, 1 expected; give one for each of (Int)")
    #expect(Self.result(.json("{}"), Int.self).hasPrefix("the text is not a JSON array of arguments but an object"))
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
      guard let error = $0 as? ArgumentError else { return false }
      return error.isCount && error.description.hasSuffix(" arguments given, 2 expected; give one for each of (Int, String)")
    }
    #expect(throws: ArgumentError.self) { try arguments.values(for: [Int.self]) }
  }
}
