import Testing

@testable import TroupeCall

@Suite("Outputs, buffers and errno")
struct CallOutputTests {
  private static let library = Result {
    try CLibrary(fixture: "outputs.c")
  }

  private static let backends = [PreparedCall.Backend.automatic, .libffi]

  private func call(
    _ name: String, _ signature: String, _ backend: PreparedCall.Backend
  ) throws -> PreparedCall {
    try PreparedCall(signature: Signature(parsing: signature), function: Self.library.get().function(name), backend: backend)
  }

  @Test("An output buffer gets the length of the input buffer that shares its length parameter", arguments: backends)
  func lengthOfAnother(backend: PreparedCall.Backend) throws {
    let squares = try call("squares", "void (const int values[n], out int squares[n], size_t n)", backend)
    let numbers = (0..<1000).map { Int128($0) }
    #expect(
      try squares.call([.array(numbers.map(Value.integer))])["squares"] == .array(numbers.map { .integer($0 * $0) }))
    #expect(try squares.call([.array([])])["squares"] == .array([]))
    #expect(try squares.call([.null])["squares"] == .array([]))
    let ranks = try call("ranks", "void (out int ranks[n], inout uint8_t *n, const int values[n])", backend)
    #expect(
      try ranks.call([.array([.integer(-4), .integer(7), .integer(9)])])
        == .structure([.init("ranks", .array([.integer(0), .integer(1)])), .init("n", .integer(2))]))
    #expect(throws: CallError.self) { try ranks.call([.array(Array(repeating: .integer(1), count: 256))]) }
  }

  @Test("Outputs are returned by name, and inout arguments with their new values", arguments: backends)
  func references(backend: PreparedCall.Backend) throws {
    let split = try call("split", "bool (double x, out double *fraction, out int64_t *whole)", backend)
    #expect(
      try split.call([.double(-2.5)])
        == .structure([
          .init("return", .bool(true)), .init("fraction", .double(-0.5)), .init("whole", .integer(-2)),
        ]))
    let swap = try call("swap", "struct point { double x, y; }; void (inout int *a, inout struct point *b)", backend)
    #expect(
      try swap.call([.integer(3), .array([.integer(8), .double(0.5)])])
        == .structure([
          .init("a", .integer(8)), .init("b", .structure([.init("x", .double(3)), .init("y", .double(0.5))])),
        ]))
  }

  @Test("Buffers share a length, which the host passes", arguments: backends)
  func sharedLength(backend: PreparedCall.Backend) throws {
    let dot = try call("dot", "double (const double a[n], const float b[n], size_t n)", backend)
    let (a, b) = ([Value.double(1), .double(2), .double(3)], [Value.double(4), .integer(5), .float(0.5)])
    #expect(try dot.call([.array(a), .array(b)]) == .double(15.5))
    #expect(try dot.call([.array([]), .array([])]) == .double(0))
    #expect(try dot.call([.null, .null]) == .double(0))
    for (left, right) in [(a, Array(b.dropLast())), ([], b), (a, [])] {
      let error = #expect(throws: CallError.self) { try dot.call([.array(left), .array(right)]) }
      #expect(error?.code == .argumentRange)
    }
  }

  @Test("A buffer is passed and returned, and a length type too narrow for it is an error", arguments: backends)
  func inputOutput(backend: PreparedCall.Backend) throws {
    let negate = try call("negate", "void (int16_t values[count], uint8_t count)", backend)
    let values = Array(1...255) as [Int128]
    let negative = values.map { Value.integer(-$0) }
    #expect(try negate.call([.array(values.map { .integer($0) })])["values"] == .array(negative))
    let many = Array(repeating: Value.integer(1), count: 256)
    #expect(throws: CallError.self) { try negate.call([.array(many)]) }
  }

  @Test("An output buffer has the length that the caller passes", arguments: backends)
  func output(backend: PreparedCall.Backend) throws {
    let count = try call("count_up", "void (out uint32_t values[n], size_t n)", backend)
    for n in [0, 1, 10_000] {
      let expected = (0..<n).map { Value.integer(Int128($0)) }
      #expect(try count.call([.integer(Int128(n))])["values"] == .array(expected))
    }
  }

  @Test("A function returns the used length of a buffer", arguments: backends)
  func filledLength(backend: PreparedCall.Backend) throws {
    let fill = try call("fill", "int (out uint8_t data[length], inout size_t *length)", backend)
    let outcome = try fill.call([.integer(10)])
    #expect(outcome["data"] == .bytes(Array("abc".utf8)))
    #expect(outcome["length"] == .integer(3) && outcome["return"] == .integer(0))
    let drop = try call("drop_zeros", "void (inout int values[n], inout size_t *n)", backend)
    let kept: [Value] = [.integer(7), .integer(9)]
    #expect(try drop.call([.array([.integer(0), .integer(7), .integer(0), .integer(9)])])["values"] == .array(kept))
  }

  @Test("A buffer of a fixed length takes exactly as many structs", arguments: backends)
  func fixedLength(backend: PreparedCall.Backend) throws {
    let center = try call(
      "center", "struct point { double x, y; }; struct point (const struct point corners[3])", backend)
    let corners: [Value] = [(0, 0), (3, 0), (0, 6)].map { .array([.integer($0.0), .integer($0.1)]) }
    #expect(try center.call([.array(corners)]) == .structure([.init("x", .double(1)), .init("y", .double(2))]))
    #expect(throws: CallError.self) { try center.call([.array(Array(corners.dropLast()))]) }
  }

  /// Each function with a result that signals failure and one that signals success.
  static let failing: [(name: String, type: String, failure: Value, success: Value)] = [
    ("fails", "int", .integer(-1), .integer(0)), ("fails_unsigned", "unsigned", .integer(0xffff_ffff), .integer(0)),
    ("fails_bool", "bool", .bool(false), .bool(true)),
    ("fails_pointer", "void *", .null, .pointer(Value.Pointer(address: 8))),
  ]

  @Test("errno is an error if the result signals failure, and always with errno(any)", arguments: backends)
  func systemErrors(backend: PreparedCall.Backend) throws {
    for (name, type, failure, success) in Self.failing {
      let call = try call(name, "\(type) (int code, \(type) result) errno", backend)
      let any = try self.call(name, "\(type) (int code, \(type) result) errno(any)", backend)
      let plain = try self.call(name, "\(type) (int code, \(type) result)", backend)
      for (call, code, result, isError) in [
        (call, 2, failure, true), (call, 0, failure, false), (call, 2, success, false), (any, 2, success, true),
        (any, 0, failure, false), (plain, 2, failure, false),
      ] {
        if isError {
          let error = #expect(throws: CallError.self) { try call.call([.integer(Int128(code)), result]) }
          #expect(error?.code == .system(2))
          #expect(error.map { "\($0)" }?.contains("No such file") == true)
        } else {
          #expect(try call.call([.integer(Int128(code)), result]) == result)
        }
      }
    }
    let double = try call("fails_double", "double (int code, double result) errno", backend)
    #expect(try double.call([.integer(2), .double(-1)]) == .double(-1))
    let before = try call("errno_before", "int (void) errno", backend)
    for _ in 0..<2 { #expect(try before.call() == .integer(0)) }
  }

  @Test("A call refuses arguments that are shorter than their lengths")
  func shortArguments() throws {
    // Never called: the arguments are refused before.
    let function = UnsafeRawPointer(bitPattern: 16)!
    func refuses(_ signature: String, _ arguments: [Value]) throws {
      let call = try PreparedCall(signature: Signature(parsing: signature), function: function)
      #expect(throws: CallError.self) { try call.call(arguments) }
    }
    try refuses("int (const int xs[r * c], int r, int c)", [.null, .integer(2), .integer(3)])
    try refuses("int (int (*xs)[n], int n)", [.array([.integer(1)]), .integer(2)])
    let memory = try ForeignMemory("int", count: 2)
    try memory.write(.array([.integer(1), .integer(2)]))
    try refuses("int (const int xs[])", [.memory(memory)])
  }
}
