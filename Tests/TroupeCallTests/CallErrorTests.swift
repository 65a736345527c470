import Testing
import TroupeCall

@Suite("Errors of calls")
struct CallErrorTests {
  /// The error of a call of `signature` with `arguments`. The function is never reached.
  static func fault(
    _ signature: String, _ arguments: [Value], resolver: UnsafeRawPointer? = nil
  ) throws -> CallError {
    let call = try Fixture.call("echo_bool", signature)
    do {
      _ = try call.call(arguments, resolver: resolver)
    } catch {
      return error
    }
    throw CLibrary.TestError("the call is made")
  }

  @Test("A missing argument is named, with the expected number of arguments and the signature")
  func tooFew() throws {
    let error = try Self.fault("double (double width, int32_t count)", [.double(1)])
    #expect(error.code == .argumentCount)
    #expect(
      error.description
        == "1 argument given, 2 expected by \"double (double width, int32_t count)\"; add argument 2 \"count\" of type int32_t")
    #expect(
      try Self.fault("void (int a, int, int)", [.integer(1)]).remedy == "add argument 2 of type int and 1 more behind it")
  }

  @Test("A missing pointer may be an output that the signature does not declare")
  func missingOutput() throws {
    let signature = "int (const double values[count], size_t count, double *result)"
    #expect(
      try Self.fault(signature, [.array([])]).remedy
        == "add argument 2 \"result\" of type double *, or write \"out double *result\" into the signature "
        + "if the function writes the value")
    #expect(
      try Self.fault("int (void *memory, const double *values)", []).remedy
        == "add argument 1 \"memory\" of type void * and 1 more behind it")
  }

  @Test("A missing buffer is reported as a buffer")
  func missingBuffer() throws {
    #expect(
      try Self.fault("void (const double values[count], int count)", []).remedy == "add argument 1 \"values\" of type double[]")
    #expect(try Self.fault("void (const int32_t three[3])", []).remedy == "add argument 1 \"three\" of type int32_t[3]")
  }

  @Test("A struct or an enumeration with a tag is named by its tag")
  func tags() throws {
    let point = "void (struct point { double x, y; } point)"
    #expect(
      try Self.fault(point, [.structure([.init("x", .double(1))])]).description
        == "argument 1 \"point\": the member \"y\" of struct point is missing; give an object with the members x, y")
    #expect(try Self.fault(point, []).remedy == "add argument 1 \"point\" of type struct point")
    #expect(
      try Self.fault("void (enum color { red, green } color)", [.string("blue")]).problem
        == "expected enum color, got \"blue\"")
    #expect(
      try Self.fault("void (const struct point { double x, y; } corners[1])", [.array([])]).description
        == "argument 1 \"corners\": 0 elements given for struct point[1]; give an array of 1 element")
  }

  @Test(
    "A text that is not an array, for a buffer of other elements than bytes, is reported with the need for an array",
    arguments: [
      ("1,2", "double"), ("hello", "double"), ("", "double"), ("hi", "wchar_t"),
    ])
  func textForBuffer(text: String, element: String) throws {
    let message = "argument 1 \"values\": expected a buffer of \(element), got \"\(text)\"; give an array"
    for length in ["8", "count"] {
      let signature = try Signature(parsing: "void (const \(element) values[\(length)], int count)")
      let count = signature.callerParameters.count
      let error = try #require(throws: CallError.self) {
        try signature.arguments(parsing: [text] + Array(repeating: "1", count: count - 1))
      }
      #expect(error.description == message)
    }
  }

  @Test("Surplus arguments are counted")
  func tooMany() throws {
    #expect(
      try Self.fault("void (void)", [.null]).description
        == "1 argument given, 0 expected by \"void (void)\"; leave out the last")
    #expect(
      try Self.fault("void (resolver, int)", [.null, .null, .null]).description
        == "3 arguments given, 1 expected by \"void (resolver, int)\"; leave out the last 2")
  }

  @Test("The elements of a buffer as arguments of their own lead to one argument in brackets")
  func scatteredBuffer() throws {
    let signature = try Signature(parsing: "double (const double values[count], size_t count)")
    let error = try #require(throws: CallError.self) { try signature.arguments(parsing: ["1", "2", "3"]) }
    #expect(error.code == .argumentCount)
    #expect(error.remedy == "pass the buffer \"values\" as one argument, such as '[1, 2, 3]'")
  }

  @Test(
    "A text for a pointer to something else leads to what a call lends to it",
    arguments: [
      ("int *numbers", "give an array such as [0], a number of zero bytes as {\"bytes\": 32}, or null"),
      ("char **names", "give an array such as [null], a number of zero bytes as {\"bytes\": 64}, or null"),
      ("const char **names", "give an array such as [\"text\"], a number of zero bytes as {\"bytes\": 64}, or null"),
    ])
  func textForPointer(parameter: String, remedy: String) throws {
    let signature = try Signature(parsing: "int (\(parameter))")
    let ofText = try #require(throws: CallError.self) { try signature.arguments(parsing: ["Wikipedia"]) }
    #expect(ofText.code == .argumentType)
    #expect(ofText.remedy == remedy)
    let ofJSON = try #require(throws: CallError.self) { try signature.arguments(json: "[\"Wikipedia\"]") }
    #expect(ofJSON == ofText)
    #expect(try signature.arguments(parsing: ["null"]) == signature.arguments(json: "[null]"))
  }

  @Test("An array for void * leads to text and bytes")
  func arrayForVoidPointer() throws {
    let signature = try Signature(parsing: "int (const void *bytes)")
    let error = try #require(throws: CallError.self) { try signature.arguments(json: "[[1, 2]]") }
    #expect(error.code == .argumentType)
    #expect(
      error.remedy
        == #"give text, bytes as {"base64": "AAE="} or @FILE, a number of zero bytes as {"bytes": 64}, or null"#)
  }

  @Test(
    "A wrong Swift type of a typed call leads to the right one",
    arguments: [
      ("struct stats { double mean; int count; }; struct stats (void)", "name a Swift struct with the same members"),
      ("uint64_t (void)", "name UInt"), ("int8_t (void)", "name Int8"), ("enum { A, B } (void)", "name UInt32"),
      ("const char *(void)", "name String?"), ("void (void)", "name Void"),
    ])
  func wrongSwiftResult(text: String, remedy: String) throws {
    let call = try Fixture.call("echo_bool", text)
    let error = try #require(throws: CallError.self) { try call.typed(as: (() -> Double).self) }
    #expect(error.code == .argumentType)
    #expect(error.remedy == remedy)
  }

  @Test("A wrong argument is named by its position, not counting the resolver")
  func wrongArgument() throws {
    let error = try Self.fault(
      "void (resolver, int8_t a, int8_t count, int8_t)", [.integer(1), .integer(300), .integer(1)],
      resolver: UnsafeRawPointer(bitPattern: 0x7000))
    #expect(error.argument?.index == 1)
    #expect(error.argument?.name == "count")
    #expect(error.code == .argumentRange)
    #expect(error.description == "argument 2 \"count\": int8_t cannot hold 300; give an integer from -128 to 127")
  }

  @Test("An argument without a name is reported by its number")
  func withoutName() throws {
    #expect(
      try Self.fault("void (const char *)", [.integer(5)]).description
        == "argument 1: expected const char *, got 5; give text without a NUL")
  }

  @Test("An error can be restated for another argument")
  func about() throws {
    let error = try Self.fault("void (int)", [.string("x")])
    let other = error.about(argument: 3, name: "size")
    #expect(other.code == error.code)
    #expect(other.description.hasPrefix("argument 4 \"size\": expected int, got \"x\"; "))
    #expect(other != error)
  }

  @Test("Long values and long signatures are cut in messages")
  func long() throws {
    let text = String(repeating: "long\n", count: 1000)
    let error = try Self.fault("void (int)", [.string(text)])
    #expect(error.description.utf8.count < 400)
    #expect(!error.description.contains("\n"))
    let list = Array(repeating: "int", count: 1000).joined(separator: ",")
    #expect(try Self.fault("void (\(list))", []).description.utf8.count < 400)
  }
}
