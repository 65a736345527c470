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
    let words = try #require(WordCall(call))
    defer { words.deallocate() }
    var outcome = Self.word(99, 99)
    let isMade = try words.call(arguments, arguments.count, &outcome)
    // The shorter way gives the same, or is not taken.
    var other = Self.word(99, 99)
    if words.callSmall(arguments, arguments.count, &other) {
      #expect(isMade && arguments.count <= 4 && other.kind == outcome.kind && other.bits == outcome.bits)
    } else {
      #expect(!isMade || arguments.count > 4)
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

  @Test("Up to eight arguments of both kinds arrive in their registers, and more have no such call", arguments: Fixture.counts)
  func counts(_ count: Int) throws {
    let list = Array(repeating: "uint64_t", count: count).joined(separator: ", ")
    let call = try Fixture.call("sum_\(count)", "uint64_t (\(list.isEmpty ? "void" : list))")
    guard count <= 8 else {
      #expect(WordCall(call) == nil)
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
    let words = try #require(WordCall(call))
    defer { words.deallocate() }
    var outcome = Self.word(99, 99)
    #expect(try !words.call(nil, 1, &outcome) && !words.call(nil, 0, &outcome) && outcome.kind == 99)
    for kind: Int32 in [-1, 4, CallWord.pointer, CallWord.void, 7] { #expect(try result(call, [Self.word(kind, 0)]) == nil) }
  }

  @Test("A function with a pointer throws the error of its callback")
  func callback() throws {
    struct TestError: Error {}
    let compare = try Callback(signature: Signature(parsing: "int (void *, void *)")) { (_: [Value]) throws -> Value in
      throw TestError()
    }
    let call = try Fixture.systemCall("bsearch", "void *(void *key, void *base, size_t count, size_t size, void *compare)")
    let words = try #require(WordCall(call))
    defer { words.deallocate() }
    var number: Int32 = 7
    withUnsafeMutablePointer(to: &number) { place in
      let address = Self.word(CallWord.pointer, UInt64(UInt(bitPattern: place)))
      let arguments = [
        address, address, Self.integer(1), Self.integer(4),
        Self.word(CallWord.pointer, UInt64(UInt(bitPattern: compare.address))),
      ]
      var outcome = Self.word(99, 99)
      let error = #expect(throws: CallError.self) { _ = try words.call(arguments, 5, &outcome) }
      #expect(error?.code == .callback)
    }
  }
}
