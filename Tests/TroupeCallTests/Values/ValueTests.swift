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

@Suite("Pointers as values")
struct ValuePointerTests {
  @Test("A pointer is returned unchanged")
  func roundTrip() {
    withUnsafeTemporaryAllocation(byteCount: 8, alignment: 8) { memory in
      let pointer = Value.Pointer(memory.baseAddress)
      #expect(pointer.rawPointer == memory.baseAddress)
      #expect(pointer == Value.Pointer(address: pointer.address))
    }
  }

  @Test("Null is zero, nil and null")
  func null() {
    #expect(Value.Pointer(nil) == .null)
    #expect(Value.Pointer.null.address == 0)
    #expect(Value.Pointer.null.rawPointer == nil)
    #expect(Value.Pointer.null.description == "null")
  }
}

@Suite("Names for the values of enumerations")
struct ValueNamesTests {
  @Test(
    "Numbers of an enumeration are replaced by names at every position",
    arguments: [
      ("enum { A, B = 4, C = 4 } (void)", Value.integer(4), Value.string("B")), ("enum { A } (void)", .integer(1), .integer(1)),
      ("int (void)", .integer(0), .integer(0)), ("void (void)", .void, .void),
      (
        "struct { enum { A } a; int b; } (void)", .structure([.init("a", .integer(0)), .init("b", .integer(0))]),
        .structure([.init("a", .string("A")), .init("b", .integer(0))])
      ),
      (
        "struct { enum { A, B } a[2][1]; } (void)",
        .structure([.init("a", .array([.array([.integer(1)]), .array([.integer(2)])]))]),
        .structure([.init("a", .array([.array([.string("B")]), .array([.integer(2)])]))])
      ),
      (
        "enum e { A }; enum e (out enum e *x, out enum e y[n], int n)",
        .structure([.init("return", .integer(0)), .init("x", .integer(0)), .init("y", .array([.integer(0)]))]),
        .structure([.init("return", .string("A")), .init("x", .string("A")), .init("y", .array([.string("A")]))])
      ),
      (
        "enum { A }[n] (out int *n)",
        .structure([.init("return", .array([.integer(0)])), .init("n", .integer(1))]),
        .structure([.init("return", .array([.string("A")])), .init("n", .integer(1))])
      ),
    ])
  func named(_ signature: String, _ outcome: Value, _ named: Value) throws {
    let signature = try Signature(parsing: signature)
    #expect(signature.named(outcome) == named)
  }
}
