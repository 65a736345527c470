import Testing
import TroupeCall

@Suite("Values")
struct ValueTests {
  @Test(
    "A value prints as plain text",
    arguments: [
      (Value.void, ""), (.bool(true), "true"), (.integer(-5), "-5"), (.integer(Int128(UInt64.max)), "18446744073709551615"),
      (.float(0.1), "0.1"), (.double(2.5), "2.5"), (.double(-.infinity), "-inf"), (.double(.nan), "nan"),
      (.string("a \"b\"\n"), "a \"b\"\n"), (.string(nil), "null"), (.null, "null"),
      (.pointer(Value.Pointer(address: 0x7f01)), "0x7f01"),
    ] as [(Value, String)])
  func description(value: Value, text: String) {
    #expect(value.description == text)
  }

  @Test("Values of the same kind and content are equal, others are not")
  func equality() {
    #expect(Value.integer(5) == .integer(5))
    #expect(Value.integer(5) != .double(5))
    #expect(Value.float(5) != .double(5))
    #expect(Value.string(nil) != .null)
    #expect(Value.double(.nan) != .double(.nan))
    #expect(Value.double(0) == .double(-0.0))
    #expect(Value.void == .void)
  }

  @Test("The prepared call of the example returns the absolute value")
  func example() throws {
    let absolute: @convention(c) (Int) -> Int = { abs($0) }
    let call = try PreparedCall(
      signature: Signature(parsing: "long (long x)"), function: unsafeBitCast(absolute, to: UnsafeRawPointer.self))
    #expect(try call.call([.integer(-5)]) == .integer(5))
  }
}
