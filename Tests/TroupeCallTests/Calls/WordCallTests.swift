import Testing

@testable import TroupeCall

@Suite("Calls with words of a program in C")
struct WordCallTests {
  private static func word(_ kind: Int32, _ bits: UInt64) -> CallWord {
    CallWord(kind: kind, reserved: 0, bits: bits, count: 0, name: 0)
  }
  private static func integer(_ value: Int64) -> CallWord { word(CallWord.int64, UInt64(bitPattern: value)) }
  private static func double(_ value: Double) -> CallWord { word(CallWord.double, value.bitPattern) }

  /// Numbers at the limits of the types, in each kind of word.
  private static let samples: [(CallWord, Value)] =
    [0, 1, -1, 127, 128, -128, -129, 255, 256, 65535, 65536, Int64(Int32.max), Int64(Int32.min), 1 << 32, .min, .max]
    .map { (integer($0), .integer(Int128($0))) }
    + [0, 1, 1 << 63, UInt64.max].map { (word(CallWord.uint64, $0), .integer(Int128($0))) }
    + [0.0, -1, 0.5, 1e300, .infinity, 255, -129].map { (double($0), .double($0)) }
    + [(word(CallWord.bool, 0), .bool(false)), (word(CallWord.bool, 1), .bool(true))]

  /// Calls the function; nil if the call was not made.
  private func result(_ call: PreparedCall, _ arguments: [CallWord]) throws -> CallWord? {
    var outcome = Self.word(99, 99)
    let isMade = try call.call(arguments, arguments.count, &outcome)
    // The shorter way gives the same, or is not taken.
    var other = Self.word(99, 99)
    if call.callSmall(arguments, arguments.count, &other) {
      #expect(isMade && arguments.count <= 4 && other.kind == outcome.kind && other.bits == outcome.bits)
    }
    return isMade ? outcome : nil
  }

  private func value(_ word: CallWord?) -> Value? {
    guard let word else { return nil }
    switch word.kind {
    case CallWord.bool: return .bool(word.bits != 0)
    case CallWord.int64: return .integer(Int128(Int64(bitPattern: word.bits)))
    case CallWord.uint64: return .integer(Int128(word.bits))
    case CallWord.double: return .double(Double(bitPattern: word.bits))
    default: return nil
    }
  }

  @Test("Each integer type takes and returns the same numbers as a call with values", arguments: Fixture.echoes)
  func integers(_ type: CType.Integer, _ name: String) throws {
    let call = try Fixture.call(name, "\(type.name) (\(type.name))")
    for (word, value) in Self.samples {
      let outcome = try result(call, [word])
      #expect(self.value(outcome) == (try? call.call([value])), "\(value)")
      #expect(outcome.map { $0.kind == (type.isSigned ? CallWord.int64 : CallWord.uint64) } ?? true)
    }
  }

  @Test("Booleans and floating-point numbers are converted as in a call with values")
  func others() throws {
    for (name, type) in [("echo_bool", "bool"), ("echo_double", "double")] {
      let call = try Fixture.call(name, "\(type) (\(type))")
      for (word, value) in Self.samples {
        #expect(try self.value(result(call, [word])) == (try? call.call([value])), "\(value)")
      }
    }
    let float = try Fixture.call("echo_float", "float (float)")
    #expect(try value(result(float, [Self.double(0.1)])) == .double(Double(Float(0.1))))
    #expect(try result(float, [Self.double(1e300)]) == nil)
  }

  @Test(
    "Up to sixteen arguments of both kinds arrive in their registers and on the stack, and more have no such call",
    arguments: Fixture.counts)
  func counts(_ count: Int) throws {
    let list = Array(repeating: "uint64_t", count: count).joined(separator: ", ")
    let call = try Fixture.call("sum_\(count)", "uint64_t (\(list.isEmpty ? "void" : list))")
    guard count <= 16 else {
      #expect(!call.takesWords)
      return
    }
    let arguments = (0..<count).map { Self.integer(Int64($0 + 3)) }
    #expect(try value(result(call, arguments)) == call.call((0..<count).map { .integer(Int128($0 + 3)) }))
    #expect(try result(call, arguments + [Self.integer(1)]) == nil)
    let numbers = Array(repeating: "double", count: count).joined(separator: ", ")
    let weigh = try Fixture.call("weigh_\(count)", "double (\(numbers.isEmpty ? "void" : numbers))")
    #expect(
      try value(result(weigh, (0..<count).map { Self.double(Double($0) + 0.5) }))
        == weigh.call((0..<count).map { .double(Double($0) + 0.5) }))
  }

  @Test("Missing arguments, texts and unknown kinds prevent the call")
  func refused() throws {
    let call = try Fixture.call("echo_double", "double (double)")
    var outcome = Self.word(99, 99)
    #expect(try !call.call(nil, 1, &outcome) && !call.call(nil, 0, &outcome) && outcome.kind == 99)
    for kind: Int32 in [-1, 4, CallWord.pointer, CallWord.void, 7] { #expect(try result(call, [Self.word(kind, 0)]) == nil) }
    // A size_t above the maximum of an Int is negative.
    let other = try Fixture.call("echo_bool", "bool (bool)")
    for call in [call, other] {
      for count in [-1, Int.min, 0, 2] { #expect(!call.callSmall([Self.double(1)], count, &outcome) && outcome.kind == 99) }
    }
  }

  @Test("No call of numbers leaves out the errors of callbacks that the program has")
  func liveCallbacks() throws {
    let call = try Fixture.call("echo_double", "double (double)")
    let callback = try Callback(signature: Signature(parsing: "void (void)")) { (_: [Value]) in .void }
    var outcome = Self.word(99, 99)
    #expect(!call.callSmall([Self.double(1)], 1, &outcome) && outcome.kind == 99)
    #expect(try call.call([Self.double(1)], 1, &outcome) && outcome.bits == 1.0.bitPattern)
    withExtendedLifetime(callback) {}
  }

  @Test("A function with a pointer throws the error of its callback")
  func callback() throws {
    struct TestError: Error {}
    let compare = try Callback(signature: Signature(parsing: "int (void *, void *)")) { (_: [Value]) throws -> Value in
      throw TestError()
    }
    let call = try Fixture.systemCall("bsearch", "void *(void *key, void *base, size_t count, size_t size, void *compare)")
    var number: Int32 = 7
    withUnsafeMutablePointer(to: &number) { place in
      let address = Self.word(CallWord.pointer, UInt64(UInt(bitPattern: place)))
      let arguments = [
        address, address, Self.integer(1), Self.integer(4),
        Self.word(CallWord.pointer, UInt64(UInt(bitPattern: compare.address))),
      ]
      var outcome = Self.word(99, 99)
      let error = #expect(throws: CallError.self) { _ = try call.call(arguments, 5, &outcome) }
      #expect(error?.code == .callback)
    }
  }
}

@Suite("Calls with words of a program in Swift")
struct UnboxedArgumentsTests {
  private static let library = Result {
    try CLibrary(fixture: "unboxed.c")
  }

  private func call(_ name: String, _ signature: String) throws -> PreparedCall {
    let call = try PreparedCall(signature: Signature(parsing: signature), function: Self.library.get().function(name))
    try #require(call.makesFromWords)
    return call
  }

  /// Calls with pointers to Swift values.
  private func result<each Argument>(_ call: PreparedCall, _ argument: repeat each Argument) throws -> UInt? {
    var arguments: [PreparedCall.Unboxed] = []
    defer { for argument in arguments { argument.address.deallocate() } }
    func add<T>(_ value: T) {
      let pointer = UnsafeMutablePointer<T>.allocate(capacity: 1)
      pointer.initialize(to: value)
      arguments.append((ObjectIdentifier(T.self), UnsafeRawPointer(pointer)))
    }
    repeat add(each argument)
    return try arguments.withUnsafeBufferPointer { try call.make($0, discard: { _ in }) }
  }

  private func text<each Argument>(_ call: PreparedCall, _ argument: repeat each Argument) throws -> String? {
    try result(call, repeat each argument).flatMap { UnsafePointer<CChar>(bitPattern: $0) }.map { String(cString: $0) }
  }

  @Test("Integers of every width arrive unchanged, including their limits")
  func integers() throws {
    let call = try call("integers", "void *(int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t)")
    #expect(
      try text(call, Int8.min, Int16.min, Int32.min, Int64.min, UInt8.max, UInt16.max)
        == "-128 -32768 -2147483648 -9223372036854775808 255 65535")
    #expect(try text(call, 127, 32767, 2_147_483_647, Int.max, 0, 0) == "127 32767 2147483647 9223372036854775807 0 0")
  }

  @Test("Numbers of every other kind arrive in their registers")
  func others() throws {
    let call = try call("others", "void *(uint32_t, double, uint64_t, float, bool)")
    #expect(try text(call, UInt32.max, -0.5, UInt64.max, Float(0.25), true) == "4294967295 -0.5 18446744073709551615 0.25 1")
    #expect(try text(call, 7, 1e300, UInt(8), Float(2), false) == "7 1e+300 8 2 0")
  }

  @Test("Arguments of another type or out of range prevent the call and are left to the boxed path")
  func left() throws {
    let call = try call("integers", "void *(int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t)")
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
    #expect(try !PreparedCall(signature: signature, function: function).makesFromWords)
  }

  @Test("An error thrown by a callback during the call is thrown")
  func callback() throws {
    struct TestError: Error {}
    let callback = try Callback(signature: Signature(parsing: "void ()")) { (_: [Value]) throws -> Value in throw TestError() }
    let call = try call("apply", "void *(int64_t)")
    let error = try #require(throws: CallError.self) { try result(call, Int(bitPattern: callback.address)) }
    #expect(error.code == .callback)
    withExtendedLifetime(callback) {}
  }
}
