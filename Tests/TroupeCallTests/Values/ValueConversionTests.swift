import Testing
import TroupeCall

@Suite("Converting values")
struct ValueConversionTests {
  /// Parses a type.
  static func type(_ text: String) throws -> CType {
    try text == "void" ? .void : Signature(parsing: "void (\(text))").parameters[0].type
  }

  /// The result of a conversion: the value or the error.
  static func convert(_ value: Value, _ type: String) throws -> Result<Value, CallError> {
    let type = try Self.type(type)
    do {
      return .success(try value.converted(to: type))
    } catch {
      return .failure(error)
    }
  }

  @Test(
    "A value that the type holds exactly is converted",
    arguments: [
      (Value.bool(true), "bool", Value.bool(true)), (.integer(0), "bool", .bool(false)), (.integer(1), "bool", .bool(true)),
      (.bool(true), "int8_t", .integer(1)), (.bool(false), "uint64_t", .integer(0)),
      (.double(3), "int", .integer(3)), (.double(-0.0), "int", .integer(0)), (.float(-128), "int8_t", .integer(-128)),
      (.double(0x1p63), "uint64_t", .integer(1 << 63)), (.double(-0x1p63), "int64_t", .integer(-1 << 63)),
      (.integer(3), "double", .double(3)), (.integer(3), "float", .float(3)),
      (.integer(1 << 53), "double", .double(0x1p53)), (.integer(1 << 24), "float", .float(0x1p24)),
      (.integer(-1 << 63), "double", .double(-0x1p63)), (.integer((1 << 64) - 2048), "double", .double(0x1.fffffffffffffp63)),
      (.float(0.1), "double", .double(Double(Float(0.1)))), (.double(0.1), "float", .float(0.1)),
      (.double(1e-60), "float", .float(0)), (.double(.infinity), "float", .float(.infinity)),
      (.float(-.infinity), "double", .double(-.infinity)), (.double(0x1.fffffep127), "float", .float(.greatestFiniteMagnitude)),
      (.string("inf"), "double", .double(.infinity)), (.string("-inf"), "float", .float(-.infinity)),
      (.string("text"), "string", .string("text")), (.string(""), "string", .string("")),
      (.string(nil), "string", .string(nil)),
      (.null, "string", .string(nil)), (.string(nil), "void *", .null), (.null, "char *", .null),
      (.pointer(Value.Pointer(address: 16)), "const void *", .pointer(Value.Pointer(address: 16))), (.void, "void", .void),
    ] as [(Value, String, Value)])
  func fits(value: Value, type: String, expected: Value) throws {
    #expect(try value.converted(to: Self.type(type)) == expected)
  }

  @Test(
    "A value that the type cannot hold is refused with the range",
    arguments: [
      (Value.integer(2), "bool", "bool cannot hold 2; give true or false"),
      (.double(2.5), "int", "int cannot hold 2.5; give an integer from -2147483648 to 2147483647"),
      (.double(.nan), "uint8_t", "uint8_t cannot hold nan; give an integer from 0 to 255"),
      (
        .double(.infinity), "int64_t",
        "int64_t cannot hold inf; give an integer from -9223372036854775808 to 9223372036854775807"
      ),
      (
        .double(0x1p64), "uint64_t",
        "uint64_t cannot hold 1.8446744073709552e+19; give an integer from 0 to 18446744073709551615"
      ),
      (.double(1e300), "int", "int cannot hold 1e+300; give an integer from -2147483648 to 2147483647"),
      (.integer(16_777_217), "float", "float cannot hold 16777217 exactly; give the nearest that it holds, 16777216.0"),
      (
        .integer((1 << 53) + 1), "double",
        "double cannot hold 9007199254740993 exactly; give the nearest that it holds, 9007199254740992.0"
      ),
      (
        .double(1e39), "float",
        "float cannot hold 1e+39; give a number from -3.4028235e+38 to 3.4028235e+38"
      ),
      (.string("a\0b"), "string", "\"a\\0b\" contains a NUL, which would end it early; give text without a NUL"),
    ] as [(Value, String, String)])
  func outOfRange(value: Value, type: String, description: String) throws {
    guard case .failure(let error) = try Self.convert(value, type) else { throw CLibrary.TestError("\(value) fits") }
    #expect(error.code == .argumentRange)
    #expect(error.argument == nil)
    #expect(error.description == description)
  }

  @Test(
    "A value of another kind is refused",
    arguments: [
      (Value.string("5"), "int"), (.string("5"), "double"), (.string("Inf"), "double"), (.string("true"), "bool"),
      (.double(1), "bool"), (.float(0), "bool"), (.bool(true), "double"), (.bool(false), "float"), (.integer(5), "string"),
      (.integer(0), "void *"), (.string("x"), "int *"), (.integer(0), "char *"), (.string(nil), "int"), (.null, "int"),
      (.pointer(Value.Pointer(address: 8)), "uintptr_t"), (.void, "int"),
      (.void, "void *"), (.void, "string"), (.integer(1), "void"), (.integer(1), "resolver"), (.null, "resolver"),
      (.double(1), "string"),
    ] as [(Value, String)])
  func wrongType(value: Value, type: String) throws {
    guard case .failure(let error) = try Self.convert(value, type) else { throw CLibrary.TestError("\(value) fits") }
    #expect(error.code == .argumentType)
    #expect(error.problem.hasPrefix("expected \(try Self.type(type)), got "))
  }

  @Test("An integer type accepts its first and last value and refuses their neighbors", arguments: CType.Integer.all)
  func edges(type: CType.Integer) throws {
    for value in [type.range.lowerBound, type.range.upperBound] {
      #expect(try Value.integer(value).converted(to: .integer(type)) == .integer(value))
    }
    for value in [type.range.lowerBound - 1, type.range.upperBound + 1, .min, .max] {
      guard case .failure(let error) = try Self.convert(.integer(value), type.name) else {
        throw CLibrary.TestError("\(value) fits")
      }
      #expect(error.description.contains("\(type.name) cannot hold \(value)"))
      #expect(error.description.contains("from \(type.range.lowerBound) to \(type.range.upperBound)"))
    }
  }

  @Test("A float and a double keep their bits, and NaN stays NaN")
  func bits() throws {
    let float = Float(bitPattern: 0x7fc0_1234)
    guard case .float(let sameFloat) = try Value.float(float).converted(to: .float) else {
      throw CLibrary.TestError("no float")
    }
    #expect(sameFloat.bitPattern == float.bitPattern)
    let double = Double(bitPattern: 0xfff8_0000_dead_beef)
    guard case .double(let same) = try Value.double(double).converted(to: .double) else {
      throw CLibrary.TestError("no double")
    }
    #expect(same.bitPattern == double.bitPattern)
    guard case .float(let rounded) = try Value.double(.nan).converted(to: .float) else { throw CLibrary.TestError("no float") }
    #expect(rounded.isNaN)
    guard case .double(let named) = try Value.string("nan").converted(to: .double) else {
      throw CLibrary.TestError("no double")
    }
    #expect(named.isNaN)
    guard case .double(let zero) = try Value.float(-0.0).converted(to: .double) else { throw CLibrary.TestError("no double") }
    #expect(zero.sign == .minus)
  }
}
