import TestSupport
import Testing
import TroupeCall

@Suite("Reading arguments from JSON")
struct SignatureJSONTests {
  /// The value that the only argument of a type is read as, or the error.
  static func read(_ json: String, _ type: String) throws -> Result<Value, CallError> {
    let signature = try Signature(parsing: "void (\(type))")
    do {
      return .success(try signature.arguments(json: "[\(json)]")[0])
    } catch {
      return .failure(error)
    }
  }

  @Test(
    "A number is read as its parameter's type",
    arguments: [
      ("5", "int x", Value.integer(5)), ("5", "double x", .double(5)), ("5", "float x", .float(5)),
      ("0.1", "float x", .float(0.1)),
      ("5.0", "int x", .integer(5)), ("50e-1", "int x", .integer(5)), ("0.05E+2", "int x", .integer(5)),
      ("-0.0", "int x", .integer(0)),
      ("0e99999999999999999999", "int x", .integer(0)), ("1E0", "bool x", .integer(1)),
      ("9007199254740993.0", "long x", .integer(9_007_199_254_740_993)),
      ("18446744073709551615", "uint64_t x", .integer(Int128(UInt64.max))),
      ("9007199254740993.0", "double x", .double(9_007_199_254_740_992)),
      ("[1, 2.5]", "double _Complex x", .array([.double(1), .double(2.5)])), ("2", "double _Complex x", .double(2)),
      ("[9007199254740993.0, 1e2]", "const long x[n], int n", .array([.integer(9_007_199_254_740_993), .integer(100)])),
      (
        #"{"y": 1, "x": [1.0]}"#, "struct { int x[1]; float y; } s",
        .structure([.init("y", .float(1)), .init("x", .array([.integer(1)]))])
      ),
      ("[[1.0], 1]", "struct { int x[1]; float y; } s", .array([.array([.integer(1)]), .float(1)])),
      (#"{"base64": "AAE="}"#, "const void x[n], int n", .bytes([0, 1])), ("null", "string x", .null),
      ("true", "bool x", .bool(true)),
    ])
  func reads(_ json: String, _ type: String, _ value: Value) throws {
    #expect(try Self.read(json, type) == .success(value))
  }

  @Test(
    "A number that its type cannot hold is refused",
    arguments: [
      ("1.5", "int x", "int cannot hold 1.5"), ("9007199254740993.5", "long x", "long cannot hold 9007199254740993.5"),
      ("1e40", "long x", "long cannot hold 1e40"),
      ("1e99999999999999999999", "int x", "int cannot hold 1e99999999999999999999"),
      ("1e-1", "int x", "int cannot hold 1e-1"),
      ("9007199254740993", "double x", "double cannot hold 9007199254740993 exactly"),
      ("18446744073709551617", "double x", "double cannot hold 18446744073709551617 exactly"),
      ("1e400", "double x", "double cannot hold \"1e400\""), ("16777217", "float x", "float cannot hold 16777217 exactly"),
      (#"{"x": 0.5}"#, "struct { int x; } s", "member x: int cannot hold 0.5"),
      ("[1, [2, 2.5]]", "struct { int x, y[2]; } s", "element [1][1]: int cannot hold 2.5"),
    ])
  func refuses(_ json: String, _ type: String, _ problem: String) throws {
    guard case .failure(let error) = try Self.read(json, type) else { throw CLibrary.TestError("\(json) is read") }
    #expect(error.problem == problem)
    #expect(error.code == .argumentRange)
    #expect(error.argument?.index == 0)
  }

  @Test("A number of many digits is refused, its text cut", arguments: ["int x", "double x", "float x", "pointer x"])
  func longNumber(_ type: String) throws {
    for json in [String(repeating: "9", count: 100_000), "0." + String(repeating: "1", count: 100_000)] {
      guard case .failure(let error) = try Self.read(json, type) else { continue }
      #expect(error.description.utf8.count < 600, "\(type)")
      #expect(error.description.contains(json.prefix(30)) || type == "pointer x")
    }
    guard case .failure = try Self.read(String(repeating: "9", count: 100_000), type) else {
      throw CLibrary.TestError("\(type) holds the number")
    }
  }

  @Test(
    "Text that is not a JSON array is refused with the position",
    arguments: [
      ("", "is not a JSON array of arguments; it is malformed at line 1, column 1"), ("{}", "but an object"),
      ("3", "but a number"),
      (String(repeating: "[", count: 33), "column 33: the text has values nested more than 32 deep"),
      ("[1,]", "line 1, column 4: [1] has ] here"), (#"[{"x": 1, "x": 2}]"#, "line 1, column 11: [0].x occurs twice"),
    ])
  func noArray(_ json: String, _ problem: String) throws {
    let signature = try Signature(parsing: "void (struct { int x; } s)")
    let error = try #require(throws: CallError.self) { try signature.arguments(json: json) }
    #expect(error.code == .argumentType)
    #expect(error.problem.contains(problem), "\(error)")
  }

  @Test("A duplicate member is an error in typed text, too")
  func typed() throws {
    let signature = try Signature(parsing: "void (struct { int x; } s)")
    let error = try #require(throws: CallError.self) { try signature.arguments(parsing: [#"{"x": 1, "x": 2}"#]) }
    #expect(error.description.contains("line 1, column 10: x occurs twice"), "\(error)")
    #expect(error.argument?.name == "s")
  }

  @Test("Too few and too many arguments are refused, and an open end accepts more")
  func count() throws {
    let fixed = try Signature(parsing: "void (int x)")
    for json in ["[]", "[1, 2]"] {
      let error = try #require(throws: CallError.self) { try fixed.arguments(json: json) }
      #expect(error.code == .argumentCount)
    }
    let open = try Signature(parsing: "int (string format, ...)")
    let arguments = try open.arguments(json: #"["%d", 5, 2.5, "x", -0]"#)
    #expect(arguments == [.string("%d"), .integer(5), .double(2.5), .string("x"), .double(-0.0)])
  }

  @Test("The name of a callback is looked up at every position of a callback")
  func callbacks() throws {
    let signature = try Signature(parsing: "void (int (*f)(int x), struct { int (*g)(int); string name; } s)")
    func find(_ name: String, _ type: Signature) throws(CallError) -> Value? {
      name == "f" ? .pointer(.init(address: 16)) : nil
    }
    let arguments = try signature.arguments(json: #"["f", {"g": "f", "name": "f"}]"#, functions: find)
    #expect(arguments[0] == .pointer(.init(address: 16)))
    #expect(arguments[1]["g"] == .pointer(.init(address: 16)))
    #expect(arguments[1]["name"] == .string("f"))
    #expect(
      try signature.arguments(parsing: ["f", #"["f", "f"]"#], functions: find)[1]
        == .structure([.init("g", .pointer(.init(address: 16))), .init("name", .string("f"))]))
    #expect(throws: CallError.self) { try signature.arguments(parsing: ["g", "[null, null]"], functions: find) }
  }
}
