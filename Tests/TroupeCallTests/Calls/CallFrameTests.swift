import Testing
import TroupeCall

@Suite("Arguments and results of a call")
struct CallFrameTests {
  @Test("An integer type returns its first and last values, and those around zero, unchanged", arguments: Fixture.echoes)
  func integers(type: CType.Integer, function: String) throws {
    let call = try Fixture.call(function, "\(type.name) (\(type.name) x)")
    let (first, last) = (type.range.lowerBound, type.range.upperBound)
    for value in [first, first + 1, -1, 0, 1, last / 2, last / 2 + 1, last - 1, last] where type.range.contains(value) {
      #expect(try call.call([.integer(value)]) == .integer(value))
    }
  }

  @Test("A narrow result is correct if the function returns the bits of a wider one", arguments: Fixture.echoes)
  func narrowResults(type: CType.Integer, function: String) throws {
    // The upper bits of the register still hold those of the argument.
    let name = type.isSigned ? "echo_int64_t" : "echo_uint64_t"
    let call = try Fixture.call(name, "\(type.name) (uint64_t x)")
    let bits: UInt64 = 0x8182_8384_8586_8788
    let unused = 64 - type.width
    let raised = bits << unused
    let expected = type.isSigned ? Int128(Int64(bitPattern: raised) >> unused) : Int128(raised >> unused)
    #expect(try call.call([.integer(Int128(bits))]) == .integer(expected))
  }

  @Test("Adjacent narrow arguments do not overlap")
  func narrowArguments() throws {
    let call = try Fixture.call(
      "eight_bits", "int (int8_t, uint8_t, int8_t, uint8_t, int8_t, uint8_t, int8_t, uint8_t)")
    #expect(try call.call([-128, 255, 127, 0, -1, 128, 1, 254].map { .integer($0) }) == .integer(1))
  }

  @Test("A bool is passed and returned")
  func bools() throws {
    let echo = try Fixture.call("echo_bool", "bool (bool x)")
    let not = try Fixture.call("is_not", "_Bool (_Bool)")
    for bool in [true, false] {
      #expect(try echo.call([.bool(bool)]) == .bool(bool))
      #expect(try not.call([.bool(bool)]) == .bool(!bool))
    }
  }

  static let doubleBits: [UInt64] = [
    0, 0x8000_0000_0000_0000, 1, 0x3ff0_0000_0000_0000, 0x7fef_ffff_ffff_ffff, 0x7ff0_0000_0000_0000, 0xfff0_0000_0000_0000,
    0x7ff8_0000_0000_0000, 0x7ff8_dead_beef_1234, 0xfff8_0000_0000_0001, 0x7ff0_0000_0000_0001, 0x000f_ffff_ffff_ffff,
  ]

  @Test("A double keeps every bit as argument and result", arguments: doubleBits)
  func doubles(bits: UInt64) throws {
    let bitsOf = try Fixture.call("bits_of_double", "uint64_t (double x)")
    let ofBits = try Fixture.call("double_of_bits", "double (uint64_t bits)")
    #expect(try bitsOf.call([.double(Double(bitPattern: bits))]) == .integer(Int128(bits)))
    guard case .double(let double) = try ofBits.call([.integer(Int128(bits))]) else { throw CLibrary.TestError("no double") }
    #expect(double.bitPattern == bits)
  }

  @Test(
    "A float keeps every bit as argument and result",
    arguments: [
      0, 0x8000_0000, 1, 0x3f80_0000, 0x7f7f_ffff, 0x7f80_0000, 0xff80_0000, 0x7fc0_0000, 0x7fc0_beef, 0xffc0_0001, 0x7f80_0001,
    ] as [UInt32])
  func floats(bits: UInt32) throws {
    let bitsOf = try Fixture.call("bits_of_float", "uint32_t (float x)")
    let ofBits = try Fixture.call("float_of_bits", "float (uint32_t bits)")
    #expect(try bitsOf.call([.float(Float(bitPattern: bits))]) == .integer(Int128(bits)))
    guard case .float(let float) = try ofBits.call([.integer(Int128(bits))]) else { throw CLibrary.TestError("no float") }
    #expect(float.bitPattern == bits)
  }

  @Test("A pointer is passed unchanged, including NULL")
  func pointers() throws {
    let echo = try Fixture.call("echo_pointer", "void *(const void *x)")
    for address in [0, 1, 0x7fff_dead_beef, UInt.max] {
      let pointer = Value.pointer(Value.Pointer(address: address))
      #expect(try echo.call([pointer]) == pointer)
    }
    #expect(try Fixture.call("is_null", "bool (const int *x)").call([.null]) == .bool(true))
    #expect(try Fixture.call("no_pointer", "pointer (void)").call() == .null)
  }

  @Test("A string is passed and its result copied, including NULL", arguments: ["", "text", "héllo 数 \u{1F600}", nil])
  func strings(text: String?) throws {
    let echo = try Fixture.call("echo_string", "string (const char *x)")
    #expect(try echo.call([.string(text)]) == .string(text))
    #expect(try Fixture.call("is_null", "bool (string)").call([.string(text)]) == .bool(text == nil))
  }

  @Test("Several strings of any length are passed together")
  func severalStrings() throws {
    let lengths = try Fixture.call("lengths", "size_t (string, string, string)")
    #expect(try lengths.call([.string("abc"), .string(""), .string("é")]) == .integer(30002))
    let long = String(repeating: "x", count: 1_000_000)
    #expect(try Fixture.systemCall("strlen", "size_t (string)").call([.string(long)]) == .integer(1_000_000))
    #expect(try Fixture.call("echo_string", "string (string)").call([.string(long)]) == .string(long))
  }

  @Test("A result that is not UTF-8 is an error")
  func invalidUTF8() throws {
    let call = try Fixture.call("not_utf8", "string (void)")
    do {
      _ = try call.call()
      Issue.record("the call gives a string")
    } catch {
      #expect(error.code == .resultText)
    }
    #expect(try Fixture.call("no_string", "string (void)").call() == .string(nil))
  }

  @Test("A void function returns no value after it has run")
  func void() throws {
    let store = try Fixture.call("store", "void (int32_t *place, int32_t x)")
    var place: Int32 = 0
    let result = try withUnsafeMutablePointer(to: &place) { pointer in
      try store.call([.pointer(Value.Pointer(UnsafeRawPointer(pointer))), .integer(-7)])
    }
    #expect(result == .void)
    #expect(place == -7)
  }
}
