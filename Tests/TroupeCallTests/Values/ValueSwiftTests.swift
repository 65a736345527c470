import TestSupport
import Testing
import TroupeCall

@Suite("Conversion of Swift values")
struct ValueSwiftTests {
  @Test("Every integer, floating-point number, bool and string is converted with all its bits")
  func scalars() {
    #expect(Value(Int.min) == .integer(Int128(Int.min)))
    #expect(Value(Int8.min) == .integer(-128))
    #expect(Value(Int16.min) == .integer(-32768))
    #expect(Value(Int32.min) == .integer(-2_147_483_648))
    #expect(Value(Int64.min) == .integer(Int128(Int64.min)))
    #expect(Value(UInt.max) == .integer(Int128(UInt.max)))
    #expect(Value(UInt8.max) == .integer(255))
    #expect(Value(UInt16.max) == .integer(65535))
    #expect(Value(UInt32.max) == .integer(4_294_967_295))
    #expect(Value(UInt64.max) == .integer(Int128(UInt64.max)))
    #expect(Value(true) == .bool(true))
    #expect(Value(Float(0.1)) == .float(0.1))
    #expect(Value(0.1) == .double(0.1))
    #expect(Value("text") == .string("text"))
    #expect(Value(Value.integer(5) as Any) == .integer(5))
  }

  @Test("Optional strings and numbers are unwrapped, and only a nil string is NULL")
  func optionals() {
    #expect(Value(Optional("text") as Any) == .string("text"))
    #expect(Value(String?.none as Any) == .string(nil))
    #expect(Value(Optional(5) as Any) == .integer(5))
    #expect(Value(Int?.none as Any) == nil)
    #expect(Value(Optional(Optional("text")) as Any) == .string("text"))
  }

  @Test("Every kind of pointer is converted")
  func pointers() {
    withUnsafeTemporaryAllocation(of: Int32.self, capacity: 1) { memory in
      guard let typed = memory.baseAddress else { return }
      let expected = Value.pointer(Value.Pointer(UnsafeRawPointer(typed)))
      #expect(Value(typed) == expected)
      #expect(Value(UnsafePointer(typed)) == expected)
      #expect(Value(UnsafeRawPointer(typed)) == expected)
      #expect(Value(UnsafeMutableRawPointer(typed)) == expected)
      #expect(Value(OpaquePointer(typed)) == expected)
      #expect(Value(UnsafeRawPointer?(typed) as Any) == expected)
    }
  }

  @Test("A nil pointer of every kind is the null pointer")
  func nilPointers() {
    #expect(Value(UnsafeRawPointer?.none as Any) == .null)
    #expect(Value(UnsafeMutableRawPointer?.none as Any) == .null)
    #expect(Value(OpaquePointer?.none as Any) == .null)
    #expect(Value(UnsafePointer<Double>?.none as Any) == .null)
    #expect(Value(UnsafeMutablePointer<Double>?.none as Any) == .null)
  }

  @Test("Arrays are converted with their elements, and arrays of bytes as bytes")
  func arrays() {
    #expect(Value([1, 2]) == .array([.integer(1), .integer(2)]))
    #expect(Value([[0.5], []]) == .array([.array([.double(0.5)]), .array([])]))
    #expect(Value(["a", nil]) == .array([.string("a"), .string(nil)]))
    #expect(Value([1, 255] as [UInt8]) == .bytes([1, 255]))
  }

  @Test("Other types are refused")
  func others() {
    #expect(Value([Character("x")]) == nil)
    #expect(Value(()) == nil)
    #expect(Value(Character("x")) == nil)
    #expect(Value(Int128(5)) == nil)
    #expect(Value(["a": 1]) == nil)
    #expect(Value(SplitMix64(seed: 1)) == nil)
  }
}
