import TestSupport
import Testing
import TroupeBase
import TroupeCall

@Suite("Reading values from text")
struct ValueParsingTests {
  @Test(
    "A text of the type is read",
    arguments: [
      ("0", "int", Value.integer(0)), ("-5", "int", .integer(-5)), ("+5", "int", .integer(5)), ("010", "int", .integer(10)),
      ("0xff", "uint8_t", .integer(255)), ("-0x80", "int8_t", .integer(-128)), ("0XFF", "int", .integer(255)),
      ("0b101", "int", .integer(5)), ("-0", "unsigned", .integer(0)), ("65", "char", .integer(65)),
      ("18446744073709551615", "uint64_t", .integer(Int128(UInt64.max))),
      ("-9223372036854775808", "int64_t", .integer(Int128(Int64.min))),
      ("true", "bool", .bool(true)), ("false", "bool", .bool(false)), ("1", "bool", .bool(true)), ("0", "bool", .bool(false)),
      ("2.5", "double", .double(2.5)), ("5", "double", .double(5)), ("-1e3", "double", .double(-1000)),
      ("0x1.8p1", "double", .double(3)), ("inf", "double", .double(.infinity)), ("-inf", "float", .float(-.infinity)),
      ("0.1", "float", .float(0.1)), ("1e-400", "double", .double(0)),
      ("", "string", .string("")), ("null", "string", .string("null")), (" a b ", "string", .string(" a b ")),
      ("null", "void *", .null), ("null", "const int *", .null),
    ] as [(String, String, Value)])
  func reads(text: String, type: String, value: Value) throws {
    #expect(try Value(parsing: text, as: ValueConversionTests.type(type)) == value)
  }

  @Test("NaN is read with either sign")
  func notANumber() throws {
    for text in ["nan", "-nan"] {
      guard case .double(let double) = try Value(parsing: text, as: .double) else { throw CLibrary.TestError("no double") }
      #expect(double.isNaN)
      guard case .float(let float) = try Value(parsing: text, as: .float) else { throw CLibrary.TestError("no float") }
      #expect(float.isNaN)
    }
  }

  @Test("The sign of zero is kept")
  func negativeZero() throws {
    guard case .double(let double) = try Value(parsing: "-0.0", as: .double) else { throw CLibrary.TestError("no double") }
    #expect(double.sign == .minus)
  }

  static func fault(_ text: String, _ type: String) throws -> CallError {
    let type = try ValueConversionTests.type(type)
    do {
      _ = try Value(parsing: text, as: type)
    } catch {
      return error
    }
    throw CLibrary.TestError("\(text.debugDescription) is read as \(type)")
  }

  @Test(
    "A text that is not of the type is refused",
    arguments: [
      ("", "int"), ("x", "int"), (" 5", "int"), ("5 ", "int"), ("5x", "int"), ("5.0", "int"), ("0x", "int"), ("0b2", "int"),
      ("0x-5", "int"), ("--5", "int"), ("-", "int"), ("1_000", "int"), ("٣", "int"), ("0xg", "int"), ("5\0", "int"),
      ("0o7", "int"),
      ("true", "int"), ("A", "char"), ("", "double"), ("x", "double"), ("2.5x", "double"), (" 2.5", "double"),
      ("2,5", "double"),
      ("2.5 ", "double"), ("0x", "double"), ("1e", "float"), ("inf inity", "float"), ("", "bool"), ("yes", "bool"),
      ("TRUE", "bool"),
      ("2", "bool"), ("0x0", "void *"), ("0", "void *"), ("", "void *"), ("x", "int *"), ("", "void"),
      ("null", "resolver"),
    ] as [(String, String)])
  func wrongType(text: String, type: String) throws {
    let error = try Self.fault(text, type)
    #expect(error.code == .argumentType)
    #expect(error.problem == "expected \(try ValueConversionTests.type(type)), got \(text.quoted())")
  }

  @Test(
    "A number that the type cannot hold is refused with the range",
    arguments: [
      ("128", "int8_t", "int8_t cannot hold 128; give an integer from -128 to 127"),
      ("-1", "unsigned", "unsigned int cannot hold -1; give an integer from 0 to 4294967295"),
      ("0x100", "uint8_t", "uint8_t cannot hold 256; give an integer from 0 to 255"),
      (
        "18446744073709551616", "uint64_t",
        "uint64_t cannot hold 18446744073709551616; give an integer from 0 to 18446744073709551615"
      ),
      (
        "999999999999999999999999999999999999999999", "int",
        "int cannot hold \"999999999999999999999999999999999999999999\"; give an integer from -2147483648 to 2147483647"
      ),
      ("1e39", "float", "float cannot hold \"1e39\"; give a number from -3.4028235e+38 to 3.4028235e+38"),
      (
        "-1e400", "double",
        "double cannot hold \"-1e400\"; give a number from -1.7976931348623157e+308 to 1.7976931348623157e+308"
      ),
      ("a\0b", "string", "\"a\\0b\" contains a NUL, "),
    ] as [(String, String, String)])
  func outOfRange(text: String, type: String, description: String) throws {
    let error = try Self.fault(text, type)
    #expect(error.code == .argumentRange)
    #expect(error.description.hasPrefix(description))
  }

  @Test("Every integer type reads its own range", arguments: CType.Integer.all)
  func edges(type: CType.Integer) throws {
    for value in [type.range.lowerBound, type.range.upperBound] {
      #expect(try Value(parsing: value.description, as: .integer(type)) == .integer(value))
    }
    #expect(try Self.fault((type.range.lowerBound - 1).description, type.name).code == .argumentRange)
    #expect(try Self.fault((type.range.upperBound + 1).description, type.name).code == .argumentRange)
  }

  @Test("Random text is read or refused as any type, and never traps")
  func randomText() throws {
    let pieces = ["0x", "0b", "-", "+", "e", "p", ".", "inf", "nan", "(", ")", "9", "123", "\0", "é", " ", "true", "null", "_"]
    let types = try ["int8_t", "uint64_t", "float", "double", "bool", "string", "void *", "char"].map(ValueConversionTests.type)
    var generator = SplitMix64(seed: 9)
    for round in 0..<20_000 {
      let text = (0..<Int.random(in: 0...6, using: &generator)).map { _ in
        pieces[Int.random(in: 0..<pieces.count, using: &generator)]
      }.joined()
      do {
        _ = try Value(parsing: text, as: types[round % types.count])
      } catch {
        #expect(!error.description.contains("\0"))
      }
    }
  }

  @Test("The arguments of a signature are read, without one for a resolver")
  func arguments() throws {
    let signature = try Signature(parsing: "void (int8_t count, resolver r, const char *name)")
    #expect(try signature.arguments(parsing: ["5", "x"]) == [.integer(5), .string("x")])
    #expect(throws: CallError.self) { try signature.arguments(parsing: ["5"]) }
    do {
      _ = try signature.arguments(parsing: ["300", "x"])
      Issue.record("300 is read as int8_t")
    } catch {
      #expect(error.code == .argumentRange && error.argument?.name == "count")
    }
  }
}
