import TestSupport
import Testing

@testable import TroupeCall

@Suite("Calls and results in one block of memory")
struct FlatCallTests {
  private static let weigh: @convention(c) (Int8, Bool, UnsafePointer<Double>?, Int, Float) -> Double = {
    number, isNegative, values, count, factor in
    let sum = (0..<count).reduce(0.0) { $0 + (values?[$1] ?? 0) }
    return (isNegative ? -1 : 1) * (Double(number) + sum * Double(factor))
  }

  private let signature = Result {
    try Signature(parsing: "double (int8_t number, bool isNegative, const double values[count], size_t count, float factor)")
  }

  private func prepared() throws -> PreparedCall {
    try PreparedCall(signature: signature.get(), function: unsafeBitCast(Self.weigh, to: UnsafeRawPointer.self))
  }

  /// Calls the function with a block; nil if the arguments do not fit.
  private func result(_ arguments: [Value], size: Int = 512) throws -> Value? {
    let call = try #require(FlatCall(try signature.get()))
    let function = try #require(FlatCall.Function(try prepared()))
    return try withUnsafeTemporaryAllocation(byteCount: size, alignment: FlatCall.alignment) { block in
      guard let count = call.write(arguments, to: block, at: 8) else { return nil }
      #expect(count <= size)
      return call.value(try #require(function.run(UnsafeMutableRawBufferPointer(rebasing: block[..<count]), at: 8)))
    }
  }

  @Test("The result is that of a call with values")
  func results() throws {
    for values in [[], [1.5], [1, 2, 3.5]] as [[Double]] {
      let arguments: [Value] = [.integer(-7), .bool(true), .packedArray(.init(values)), .float(2)]
      #expect(try result(arguments) == prepared().call(arguments))
    }
  }

  @Test("Arguments that need a conversion, or more room, take the slow path")
  func others() throws {
    let values = Value.packedArray(.init([1.0]))
    #expect(try result([.double(1), .bool(true), values, .float(2)]) == nil)
    #expect(try result([.integer(200), .bool(true), values, .float(2)]) == nil)
    #expect(try result([.integer(1), .bool(true), .array([.double(1)]), .float(2)]) == nil)
    #expect(try result([.integer(1), .bool(true), values]) == nil)
    #expect(try result([.integer(1), .bool(true), values, .float(2), .float(2)]) == nil)
    #expect(try result([.integer(1), .bool(true), .packedArray(.init([Double](repeating: 0, count: 100))), .float(2)]) == nil)
  }

  @Test(
    "A function with other values has no such call",
    arguments: [
      "const char *(int x)", "int (const char *text)", "int (out int *x)", "int (int values[n], size_t n)", "void *(int x)",
      "int (int x) errno", "int (int (*f)(int))", "struct s { int x; }; struct s (int x)",
    ])
  func unsuitable(text: String) throws { #expect(FlatCall(try Signature(parsing: text)) == nil) }

  @Test("A malformed block is refused")
  func malformed() throws {
    let function = try #require(FlatCall.Function(try prepared()))
    withUnsafeTemporaryAllocation(byteCount: 64, alignment: 16) { block in
      block.initializeMemory(as: UInt8.self, repeating: 0xFF)
      #expect(function.run(block, at: 8) == nil)
      #expect(function.run(UnsafeMutableRawBufferPointer(rebasing: block[..<16]), at: 8) == nil)
    }
  }

  @Test("Rows of a block are those of a call over columns")
  func rows() throws {
    let power: @convention(c) (Double, Int32) -> Double = { base, exponent in
      (0..<exponent).reduce(1) { value, _ in value * base }
    }
    let signature = try Signature(parsing: "double (double base, int32_t exponent)")
    let call = try PreparedCall(signature: signature, function: unsafeBitCast(power, to: UnsafeRawPointer.self))
    let (map, loop) = (try #require(FlatMap(signature)), try #require(ColumnLoop(call)))
    let (bases, exponents) = ([1.5, 2, 3, 4], [Int32(3)])
    var results = [Double](repeating: 0, count: 4)
    try results.withUnsafeMutableBufferPointer { results in
      try bases.withUnsafeBufferPointer { bases in
        try exponents.withUnsafeBufferPointer { exponents in
          let columns = [Column(bases), Column(repeating: exponents)]
          let outputs = [OutputColumn(results)]
          try withUnsafeTemporaryAllocation(byteCount: 512, alignment: 16) { block in
            _ = try #require(map.write(columns, rows: 4, outputs: outputs, to: block, at: 8))
            let range = try #require(map.run(loop, block, at: 8))
            map.target(outputs, rows: 4).copyMemory(from: UnsafeRawBufferPointer(rebasing: block[range]))
            // A wild offset and a wild number of rows.
            block.storeBytes(of: 1 << 60, toByteOffset: 8, as: Int.self)
            #expect(map.run(loop, block, at: 8) == nil)
            block.storeBytes(of: -1, toByteOffset: 16, as: Int.self)
            #expect(map.run(loop, block, at: 8) == nil)
          }
          withUnsafeTemporaryAllocation(byteCount: 64, alignment: 16) { block in
            #expect(map.write(columns, rows: 4, outputs: outputs, to: block, at: 8) == nil)
          }
        }
      }
    }
    #expect(results == [3.375, 8, 27, 64])
  }

  @Test(
    "A value is a result of a type only if a call could return it",
    arguments: [
      ("int (void)", Value.integer(5), true), ("int (void)", .integer(1 << 40), false), ("int (void)", .double(5), false),
      ("void (void)", .void, true), ("void (void)", .integer(0), false), ("double (void)", .float(1), false),
      ("bool (void)", .bool(true), true), ("bool (void)", .integer(1), false), ("const char *(void)", .string(nil), true),
      ("const char *(void)", .bytes([1]), false), ("double[n] (size_t n)", .packedArray(.init([1.0])), true),
      ("double[n] (size_t n)", .packedArray(.init([Int8(1)])), false), ("double[n] (size_t n)", .bytes([1]), false),
      ("uint8_t[n] (size_t n)", .bytes([1]), true), ("double _Complex (void)", .array([.double(1), .double(2)]), true),
      ("double _Complex (void)", .array([.double(1)]), false),
      (
        "struct p { int x; double y[2]; }; struct p (void)",
        .structure([.init("x", .integer(1)), .init("y", .packedArray(.init([1.0, 2])))]), true
      ),
      (
        "struct p { int x; double y[2]; }; struct p (void)",
        .structure([.init("x", .integer(1)), .init("y", .packedArray(.init([1.0])))]), false
      ),
      ("struct p { int x; }; struct p (void)", .structure([.init("z", .integer(1))]), false),
      ("int (out int *x)", .structure([.init("return", .integer(1)), .init("x", .integer(2))]), true),
      ("int (out int *x)", .structure([.init("x", .integer(2))]), false), ("int (out int *x)", .integer(1), false),
      ("void (int v[n], size_t n)", .structure([.init("v", .packedArray(.init([Int32(1)])))]), true),
      ("void (int v[n], size_t n)", .structure([.init("v", .packedArray(.init([1.0])))]), false),
    ])
  func isResult(text: String, value: Value, expected: Bool) throws {
    #expect(try Signature(parsing: text).isResult(value, of: []) == expected)
  }
}
