import Testing
import TroupeCall

@Suite("Faults of calls")
struct CallErrorTests {
  /// The fault of calling a function of `signature` with `arguments`; the function is never reached.
  static func fault(
    _ signature: String, _ arguments: [Value], resolver: UnsafeRawPointer? = nil
  ) throws -> CallError {
    let call = try Fixture.call("echo_bool", signature)
    do {
      _ = try call.call(arguments, resolver: resolver)
    } catch {
      return error
    }
    throw CLibrary.Failure("the call is made")
  }

  @Test("A missing argument is named, with the number that is expected and the signature")
  func tooFew() throws {
    let error = try Self.fault("double (double width, int32_t count)", [.double(1)])
    #expect(error.code == .argumentCount)
    #expect(
      error.description
        == "1 argument given, 2 expected by \"double (double width, int32_t count)\"; add argument 2 \"count\" of type int32_t")
    #expect(
      try Self.fault("void (int a, int, int)", [.integer(1)]).remedy == "add argument 2 of type int and 1 more behind it")
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

  @Test("A wrong argument is named, counted without the resolver")
  func wrongArgument() throws {
    let error = try Self.fault(
      "void (resolver, int8_t a, int8_t count, int8_t)", [.integer(1), .integer(300), .integer(1)],
      resolver: UnsafeRawPointer(bitPattern: 0x7000))
    #expect(error.argument?.index == 1)
    #expect(error.argument?.name == "count")
    #expect(error.code == .argumentRange)
    #expect(error.description == "argument 2 \"count\": int8_t cannot hold 300; give an integer from -128 to 127")
  }

  @Test("An argument without a name has its number")
  func withoutName() throws {
    #expect(
      try Self.fault("void (const char *)", [.integer(5)]).description
        == "argument 1: 5 is no value for const char *; give text without a NUL")
  }

  @Test("An error says the same of any argument")
  func about() throws {
    let error = try Self.fault("void (int)", [.string("x")])
    let other = error.about(argument: 3, name: "size")
    #expect(other.code == error.code)
    #expect(other.description.hasPrefix("argument 4 \"size\": \"x\" is no value for int; "))
    #expect(other != error)
  }

  @Test("A long value and a long signature do not make a long line")
  func long() throws {
    let text = String(repeating: "long\n", count: 1000)
    let error = try Self.fault("void (int)", [.string(text)])
    #expect(error.description.utf8.count < 400)
    #expect(!error.description.contains("\n"))
    let list = Array(repeating: "int", count: 1000).joined(separator: ",")
    #expect(try Self.fault("void (\(list))", []).description.utf8.count < 400)
  }
}
