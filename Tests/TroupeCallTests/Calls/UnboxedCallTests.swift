import Testing

@testable import TroupeCall

@Suite("Calls with unboxed arguments")
struct UnboxedCallTests {
  private static let library = Result {
    try CLibrary(fixture: "unboxed.c")
  }

  private func call(_ name: String, _ signature: String) throws -> UnboxedCall? {
    UnboxedCall(try PreparedCall(signature: Signature(parsing: signature), function: Self.library.get().function(name)))
  }

  /// Calls with pointers to Swift values.
  private func result<each Argument>(_ call: UnboxedCall, _ argument: repeat each Argument) throws -> UInt? {
    var arguments: [UnboxedCall.Argument] = []
    defer { for argument in arguments { argument.address.deallocate() } }
    func add<T>(_ value: T) {
      let pointer = UnsafeMutablePointer<T>.allocate(capacity: 1)
      pointer.initialize(to: value)
      arguments.append((ObjectIdentifier(T.self), UnsafeRawPointer(pointer)))
    }
    repeat add(each argument)
    return try arguments.withUnsafeBufferPointer { try call($0, discard: { _ in }) }
  }

  private func text<each Argument>(_ call: UnboxedCall, _ argument: repeat each Argument) throws -> String? {
    try result(call, repeat each argument).flatMap { UnsafePointer<CChar>(bitPattern: $0) }.map { String(cString: $0) }
  }

  @Test("Integers of every width arrive unchanged, including their limits")
  func integers() throws {
    let call = try #require(try call("integers", "void *(int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t)"))
    #expect(
      try text(call, Int8.min, Int16.min, Int32.min, Int64.min, UInt8.max, UInt16.max)
        == "-128 -32768 -2147483648 -9223372036854775808 255 65535")
    #expect(try text(call, 127, 32767, 2_147_483_647, Int.max, 0, 0) == "127 32767 2147483647 9223372036854775807 0 0")
  }

  @Test("Numbers of every other kind arrive in their registers")
  func others() throws {
    let call = try #require(try call("others", "void *(uint32_t, double, uint64_t, float, bool)"))
    #expect(try text(call, UInt32.max, -0.5, UInt64.max, Float(0.25), true) == "4294967295 -0.5 18446744073709551615 0.25 1")
    #expect(try text(call, 7, 1e300, UInt(8), Float(2), false) == "7 1e+300 8 2 0")
  }

  @Test("Arguments of another type or out of range prevent the call and are left to the boxed path")
  func left() throws {
    let call = try #require(try call("integers", "void *(int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t)"))
    #expect(try result(call, 128, 0, 0, 0, 0, 0) == nil)
    #expect(try result(call, 0, 0, 0, 0, -1, 0) == nil)
    #expect(try result(call, 0, 0, 0, 0.0, 0, 0) == nil)
    #expect(try result(call, 0, 0, Int16(0), 0, 0, 0) == nil)
    #expect(try result(call, 0, 0, 0, 0, 0) == nil)
    #expect(try result(call, 0, 0, 0, 0, 0, 0, 0) == nil)
    #expect(try result(call) == nil)
  }

  @Test(
    "Signatures with other types than numbers, or with too many parameters, have no unboxed call",
    arguments: [
      "void *(string)", "int64_t (int64_t)", "void *(int64_t, ...)", "void *(int64_t) errno",
      "owned(free) char *(int64_t)", "void *(out int64_t *x)", "long double (long double)",
      "void *(\(Array(repeating: "int64_t", count: 17).joined(separator: ", ")))",
    ])
  func refused(_ signature: String) throws {
    let signature = try Signature(parsing: signature)
    let function = try Self.library.get().function("integers")
    #expect(UnboxedCall(try PreparedCall(signature: signature, function: function)) == nil)
  }

  @Test("An error thrown by a callback during the call is thrown")
  func callback() throws {
    struct TestError: Error {}
    let callback = try Callback(signature: Signature(parsing: "void ()")) { (_: [Value]) throws -> Value in throw TestError() }
    let call = try #require(try call("apply", "void *(int64_t)"))
    let error = try #require(throws: CallError.self) { try result(call, Int(bitPattern: callback.address)) }
    #expect(error.code == .callback)
    withExtendedLifetime(callback) {}
  }
}
