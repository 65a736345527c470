import Foundation
import Testing

@testable import TroupeCall

@Suite("Packed arrays", .serialized)
struct PackedArrayTests {
  private static let library = Result {
    try CLibrary(fixture: "packed-arrays.c")
  }

  private func call(
    _ name: String, _ signature: String, limit: Int = PreparedCall.defaultMaximumBufferSize
  ) throws -> PreparedCall {
    let library = try Self.library.get()
    return try PreparedCall(
      signature: Signature(parsing: signature), function: library.function(name), symbols: { try? library.function($0) },
      maximumBufferSize: limit)
  }

  private func packed(_ value: Value?) throws -> Value.PackedArray {
    guard case .packedArray(let array) = value else { throw CallError.wrongType(value?.shown ?? "nil", .double) }
    return array
  }

  @Test("The elements of an output have the memory layout of C", arguments: [1, 1000, 100_000])
  func output(count: Int) throws {
    let outcome = try call("count_up", "void (out double values[n], size_t n)").call([.integer(Int128(count))])
    let array = try packed(outcome["values"])
    #expect(array.elementType == .double && array.count == count)
    #expect(array.withUnsafeBytes { $0.count } == 8 * count)
    #expect(array.elementsEqual((0..<count).map { .double(Double($0)) }))
    #expect(array.withUnsafeBytes { $0.bindMemory(to: Double.self).elementsEqual((0..<count).map(Double.init)) })
  }

  @Test("An output buffer that is filled partially has only the filled elements")
  func shortOutput() throws {
    let outcome = try call("first", "void (out double values[n], inout size_t *n)").call([.integer(1 << 20)])
    #expect(outcome["values"] == .array([.double(7)]))
  }

  @Test("Structs and enumerations are packed, and strings are not")
  func otherElements() throws {
    let items = try call("items", "void (out struct { int16_t number; double weight; } items[n], size_t n)")
    let array = try packed(items.call([.integer(200)])["items"])
    #expect(array[199] == .structure([Value.Field("number", .integer(199)), Value.Field("weight", .double(99.5))]))
    let colors = try call("colors", "void (out enum color { red, green } colors[n], size_t n)")
    let outcome = try colors.call([.integer(3)])
    #expect(try packed(outcome["colors"])[1] == .integer(1))
    let names = colors.signature.named(outcome)["colors"]
    #expect(names == .array([.string("red"), .string("green"), .string("red")]))
    #expect(!CType.array(.string, count: 2).isBitwiseCopyable)
  }

  @Test("A function that reads an array gets its memory, and one that writes it gets a copy")
  func lentMemory() throws {
    let array = Value.PackedArray([1.5, 2.5, -3])
    let start = array.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
    let address = try call("address", "const void *(const double values[n], size_t n)")
    #expect(try address.call([.packedArray(array)]) == .pointer(Value.Pointer(address: start)))
    #expect(try call("sum", "double (const double values[n], size_t n)").call([.packedArray(array)]) == .double(1))
    let negated = try call("negate", "void (inout double values[n], size_t n)").call([.packedArray(array)])
    #expect(negated["values"] == .array([.double(-1.5), .double(-2.5), .double(3)]))
    #expect(array[0] == .double(1.5))
  }

  @Test("An owned result that is an argument's memory is not freed")
  func lentResult() throws {
    let same = try call("same", "owned(release) double[n] (const double values[n], size_t n)")
    let array = Value(Array(repeating: 1.25, count: 1000))
    #expect(try same.call([try #require(array)]) == array)
    #expect(try call("take_released", "int (void)").call() == .integer(0))
  }

  @Test("Elements of another type are converted individually")
  func conversion() throws {
    let sum = try call("sum", "double (const double values[n], size_t n)")
    #expect(try sum.call([try #require(Value([1, 2, 3] as [Int32]))]) == .double(6))
    #expect(try sum.call([try #require(Value([Double]()))]) == .double(0))
    let error = #expect(throws: CallError.self) { try sum.call([try #require(Value([1, Int64.max]))]) }
    #expect(error?.code == .argumentRange)
    #expect(try Value([1.5, 2])?.converted(to: .array(.float, count: 2)) == .array([.float(1.5), .float(2)]))
    #expect(try Value([1.5, 2])?.converted(to: .complex(.double)) == .array([.double(1.5), .double(2)]))
  }

  @Test("A Swift array of numbers is packed, and equal to an array of the same values")
  func swiftArrays() throws {
    #expect(try packed(Value([1, 2] as [UInt16])).elementType == .integer(try #require(.named("uint16_t"))))
    #expect(try packed(Value([true, false])).elementType == .bool)
    #expect(Value([1.5, 2]) == .array([.double(1.5), .double(2)]))
    #expect(.array([.double(1.5), .double(2)]) == Value([1.5, 2]))
    #expect(Value([1.5, 2]) == Value([1.5, 2]))
    #expect(Value([Double.nan]) != Value([Double.nan]))
    #expect(Value([0.0]) == Value([-0.0]))
    #expect(Value([1.5]) != Value([1.5, 2]))
    #expect(Value([1, 2]) != Value([1.0, 2.0]))
  }

  @Test("A packed array is an array in JSON and in text")
  func text() throws {
    let value = try #require(Value([0.5, .infinity, 3]))
    #expect(String(decoding: try JSONEncoder().encode(value), as: UTF8.self) == #"[0.5,"inf",3]"#)
    #expect(value.description == Value.array([.double(0.5), .double(.infinity), .double(3)]).description)
  }

  @Test("An array of numbers in JSON is packed for a buffer of numbers")
  func json() throws {
    let signature = try Signature(parsing: "void (const float values[n], const int32_t numbers[m], size_t n, size_t m)")
    let arguments = try signature.arguments(json: "[[1, 2.5, 1e3], [7, -1]]")
    #expect(try packed(arguments[0]).elementType == .float)
    #expect(arguments == [.array([.float(1), .float(2.5), .float(1000)]), .array([.integer(7), .integer(-1)])])
    for text in ["[[1], [7, 2147483648]]", "[[1], [7, 1.5]]"] {
      let error = #expect(throws: CallError.self) { try signature.arguments(json: text) }
      #expect(error?.code == .argumentRange && error?.argument?.index == 1)
      #expect(error?.problem.contains("[1]") == true)
    }
    #expect(try signature.arguments(json: #"[["inf", 1], []]"#)[0] == .array([.string("inf"), .float(1)]))
  }

  // MARK: Limits

  /// A length whose bytes need more than 64 bits, one above any memory size, and one element above the limit.
  @Test("A call with a buffer above the limit is refused", arguments: [1 << 61, 1 << 40, 9])
  func largeOutput(count: Int128) throws {
    let output = try call("count_up", "void (out double values[n], size_t n)", limit: 64)
    _ = try call("take_calls", "int (void)").call()
    #expect(try output.call([.integer(8)])["values"] == .array((0..<8).map { .double(Double($0)) }))
    let error = #expect(throws: CallError.self) { try output.call([.integer(count)]) }
    #expect(error?.code == .bufferSize)
    #expect(try call("take_calls", "int (void)").call() == .integer(1))
  }

  @Test("The default limit is 1 GiB", arguments: [(1 << 27) + 1, 1 << 61])
  func defaultLimit(count: Int128) throws {
    let output = try call("first", "void (out double values[n], inout size_t *n)")
    #expect(throws: CallError.self) { try output.call([.integer(count)]) }
    #expect(try output.call([.integer(1 << 27)])["values"] == .array([.double(7)]))
  }

  @Test("A negative length is refused")
  func negativeLength() throws {
    let output = try call("first", "void (out double values[n], inout int64_t *n)")
    let error = #expect(throws: CallError.self) { try output.call([.integer(-1)]) }
    #expect(error?.code == .argumentRange)
  }

  @Test("A call with an argument above the limit is refused")
  func largeArgument() throws {
    let sum = try call("sum", "double (const double values[n], size_t n)", limit: 64)
    for argument in [Value.array(Array(repeating: .double(1), count: 9)), Value(Array(repeating: 1.0, count: 9))] {
      let error = #expect(throws: CallError.self) { try sum.call([try #require(argument)]) }
      #expect(error?.code == .bufferSize)
    }
  }

  @Test("A result whose length is above the limit is not read", arguments: [1 << 61, 1 << 59, 9])
  func largeResult(claimed: Int128) throws {
    let result = try call("result", "owned(release) double[length] (int64_t claimed, out int64_t *length)", limit: 64)
    #expect(try result.call([.integer(3)])["return"] == .array([.double(1), .double(2), .double(3)]))
    let error = #expect(throws: CallError.self) { try result.call([.integer(claimed)]) }
    #expect(error?.code == .resultLength)
    #expect(try call("take_released", "int (void)").call() == .integer(2))
  }

  @Test("A text above the limit is not read")
  func largeText() throws {
    #expect(try call("text", "string (void)", limit: 10).call() == .string("0123456789"))
    let error = #expect(throws: CallError.self) { try call("text", "string (void)", limit: 9).call() }
    #expect(error?.code == .resultLength)
  }

  @Test("Texts that exceed the limit together, or elements whose values do, are not read")
  func manyTexts() throws {
    let signature = "string[length] (out size_t *length)"
    let values = 4 * MemoryLayout<Value>.stride
    let texts = try call("texts", signature, limit: values + 40)
    #expect(try texts.call()["return"] == .array(Array(repeating: .string("0123456789"), count: 4)))
    for limit in [values + 39, values - 1] {
      let error = #expect(throws: CallError.self) { try call("texts", signature, limit: limit).call() }
      #expect(error?.code == .resultLength)
    }
  }
}

extension CType.Integer {
  fileprivate static func named(_ name: String) -> CType.Integer? { all.first { $0.name == name } }
}
