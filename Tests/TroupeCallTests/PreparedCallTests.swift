import Testing
import TroupeCall

@Suite("Prepared calls")
struct PreparedCallTests {
  @Test("Functions of libc and libm are called")
  func systemFunctions() throws {
    #expect(try Fixture.systemCall("hypot", "double (double x, double y)").call([.double(3), .integer(4)]) == .double(5))
    #expect(try Fixture.systemCall("ldexp", "double (double x, int exponent)").call([.double(0.5), .integer(4)]) == .double(8))
    #expect(try Fixture.systemCall("labs", "long (long)").call([.integer(Int128(Int.min + 1))]) == .integer(Int128(Int.max)))
    #expect(try Fixture.systemCall("abs", "int (int)").call([.integer(-2_147_483_647)]) == .integer(2_147_483_647))
    #expect(try Fixture.systemCall("strlen", "size_t (const char *text)").call([.string("héllo")]) == .integer(6))
    #expect(try Fixture.systemCall("toupper", "int (int c)").call([.integer(97)]) == .integer(65))
    #expect(try Fixture.systemCall("sqrtf", "float (float)").call([.double(2)]) == .float(Float(2).squareRoot()))
    #expect(try Fixture.systemCall("strcmp", "int (string, string)").call([.string("a"), .string("a")]) == .integer(0))
    #expect(
      try Fixture.systemCall("strtoull", "unsigned long long (const char *text, char **end, int base)")
        .call([.string("18446744073709551615"), .null, .integer(10)]) == .integer(Int128(UInt64.max)))
  }

  @Test("A result that points into an argument is copied before the argument is freed")
  func resultInArgument() throws {
    let call = try Fixture.systemCall("strchr", "const char *(const char *text, int c)")
    #expect(try call.call([.string("key=value"), .integer(61)]) == .string("=value"))
    #expect(try call.call([.string("key"), .integer(61)]) == .string(nil))
  }

  /// An arbitrary address that no code reads.
  private static var resolver: UnsafeRawPointer? { UnsafeRawPointer(bitPattern: 0x7000) }

  @Test("Every resolver parameter gets the passed pointer and takes no argument of the caller")
  func resolver() throws {
    let call = try Fixture.call("first", "const void *(resolver one, int x, resolver other)")
    #expect(try call.call([.integer(1)], resolver: Self.resolver) == .pointer(Value.Pointer(Self.resolver)))
  }

  @Test("A missing resolver is an error, and a surplus one is not")
  func missingResolver() throws {
    let call = try Fixture.call("first", "const void *(resolver one, int x, resolver other)")
    do {
      _ = try call.call([.integer(1)])
      Issue.record("the call is made")
    } catch {
      #expect(error.code == .missingResolver)
    }
    #expect(try Fixture.call("echo_int", "int (int)").call([.integer(1)], resolver: Self.resolver) == .integer(1))
  }

  @Test("A wrong argument prevents the call")
  func notRun() throws {
    let store = try Fixture.call("store", "void (int32_t *place, int32_t x)")
    var place: Int32 = 1
    let error = withUnsafeMutablePointer(to: &place) { pointer in
      #expect(throws: CallError.self) {
        try store.call([.pointer(Value.Pointer(UnsafeRawPointer(pointer))), .integer(1 << 31)])
      }
    }
    #expect(error?.argument?.name == "x")
    #expect(place == 1)
  }

  @Test("One prepared call can be called by many threads at once")
  func threads() async throws {
    let sum = try Fixture.call("sum_9", "uint64_t (\(Array(repeating: "uint64_t", count: 9).joined(separator: ",")))")
    let echo = try Fixture.call("echo_string", "string (string)")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          for round in 0..<500 {
            let number = Int128(task * 1000 + round)
            guard try sum.call(Array(repeating: .integer(number), count: 9)) == .integer(number * 45),
              try echo.call([.string("\(task) \(round)")]) == .string("\(task) \(round)")
            else { throw CLibrary.TestError("task \(task) disagrees in round \(round)") }
          }
        }
      }
      try await group.waitForAll()
    }
  }

  @Test("Many calls are prepared at once and freed again")
  func preparedAtOnce() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          for round in 0..<100 {
            let call = try Fixture.call("echo_int", "int (int)")
            guard try call.call([.integer(Int128(round))]) == .integer(Int128(round)) else {
              throw CLibrary.TestError("task \(task) disagrees in round \(round)")
            }
          }
        }
      }
      try await group.waitForAll()
    }
  }

  @Test("Functions of a shared type are called like functions whose signatures are parsed one by one")
  func calls() throws {
    let type = try FunctionType.parsing("double (double x, double y)")
    for (name, result) in [("hypot", 5.0), ("fmax", 4.0)] {
      let function = try #require(PreparedCall.global(name))
      let call = try PreparedCall(type: type, function: function)
      #expect(call.signature == type.signature)
      #expect(try call.call([.double(3), .double(4)]) == .double(result))
    }
  }

  @Test("The function that frees a result is looked up for each function")
  func owners() throws {
    let type = try FunctionType.parsing("owned(free) char *(const char *text)")
    let function = try #require(PreparedCall.global("strdup"))
    #expect(try PreparedCall(type: type, function: function).call([.string("a")]) == .string("a"))
    let error = #expect(throws: CallError.self) {
      try PreparedCall(type: type, function: function, symbols: { _ in nil })
    }
    #expect(error?.code == .missingFunction)
  }
}
