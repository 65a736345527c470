import Synchronization
import Testing
import TroupeCall

@Suite("Typed calls with strings and buffers")
struct BufferCallTests {
  private static let library = Result {
    try CLibrary(fixture: "buffers.c")
  }

  /// A Swift struct with the layout of the C struct `point`.
  private struct Point: Equatable {
    var x: Double
    var y: Float
  }

  private func prepare(_ name: String, _ signature: String) throws -> PreparedCall {
    try PreparedCall(signature: Signature(parsing: signature), function: Self.library.get().function(name))
  }

  private static let sum = "unsigned long (unsigned long start, const void bytes[count], unsigned count)"
  private static let weigh = "double (const double values[count], const double weights[count], size_t count)"

  @Test("Arrays and buffer pointers are passed with their length")
  func buffers() throws {
    let prepared = try prepare("sum", Self.sum)
    let bytes = (0..<100).map { UInt8($0) }
    let sum = try prepared.typed(as: ((UInt, [UInt8]) -> UInt).self)
    #expect(try sum(50, bytes) == 5000)
    #expect(try sum(50, []) == 50)
    let sumPointer = try prepared.typed(as: ((UInt, UnsafeBufferPointer<UInt8>) -> UInt).self)
    #expect(try bytes.withUnsafeBufferPointer { try sumPointer(50, $0) } == 5000)
    let sumOptional = try prepared.typed(as: ((UInt, [UInt8]?) -> UInt).self)
    #expect(try sumOptional(50, nil) == 50)
    let third = try prepare("third", "float (const float three[3])").typed(as: (([Float]) -> Float).self)
    #expect(try third([1, 2, 3.5]) == 3.5)
    #expect(throws: CallError.self) { try third([1, 2]) }
  }

  @Test("Buffers that share a length must be equally long")
  func lengths() throws {
    let weigh = try prepare("weigh", Self.weigh).typed(as: (([Double], [Double]) -> Double).self)
    #expect(try weigh([1, 2], [10, 100]) == 210)
    #expect(try weigh([], []) == 0)
    for (values, weights) in [([1, 2], [1.0]), ([1, 2], []), ([], [1, 2])] as [([Double], [Double])] {
      let error = #expect(throws: CallError.self) { try weigh(values, weights) }
      #expect(error?.code == .argumentRange)
      #expect(error?.argument?.name == "weights")
    }
  }

  @Test("Strings are passed, including NULL, and returned as copies")
  func strings() throws {
    let length = try prepare("length", "size_t (string text)")
    #expect(try length.typed(as: ((String) -> UInt).self)("héllo") == 6)
    #expect(try length.typed(as: ((String?) -> UInt).self)(nil) == 99)
    let error = #expect(throws: CallError.self) { try length.typed(as: ((String) -> UInt).self)("a\0b") }
    #expect(error?.code == .argumentRange)
    #expect(error?.argument?.index == 0)
    let after = try prepare("after", "string (string text, int c)").typed(as: ((String, Int32) -> String?).self)
    #expect(try after("a longer key=value", 61) == "=value")
    #expect(try after("key", 61) == nil)
    let twice = try prepare("twice", "owned(free) char *(string text)").typed(as: ((String) -> String?).self)
    #expect(try twice("ab") == "abab")
    let invalid = try prepare("invalid", "string (void)").typed(as: (() -> String?).self)
    #expect(throws: CallError.self) { try invalid() }
  }

  @Test("Structs are passed beside strings and numbers")
  func structs() throws {
    let move = try prepare(
      "move", "struct point { double x; float y; }; struct point (struct point p, string direction, float by)"
    )
    .typed(as: ((Point, String, Float) -> Point).self)
    #expect(try move(Point(x: 1, y: 2), "x", 0.5) == Point(x: 1.5, y: 2))
    #expect(try move(Point(x: 1, y: 2), "y", 0.5) == Point(x: 1, y: 2.5))
    let six = try prepare("six", "int (int8_t a, string b, uint16_t c, string d, bool e, double f)")
      .typed(as: ((Int8, String, UInt16, String, Bool, Double) -> Int32).self)
    #expect(try six(-1, "b", 2, "dd", true, 3.5) == 31211)
  }

  @Test("A function writes to the caller's memory")
  func outputs() throws {
    let fill = try prepare("fill", "int (out void bytes[count], inout size_t *count)")
      .typed(as: ((UnsafeMutableBufferPointer<UInt8>, UnsafeMutablePointer<UInt>) -> Int32).self)
    var (bytes, count) = ([UInt8](repeating: 0, count: 8), UInt(8))
    #expect(try bytes.withUnsafeMutableBufferPointer { bytes in try fill(bytes, &count) } == 0)
    #expect(count == 3 && bytes == [7, 7, 7, 0, 0, 0, 0, 0])
    let reverse = try prepare("reverse", "void (int32_t numbers[count], size_t count)")
      .typed(as: ((UnsafeMutableBufferPointer<Int32>) -> Void).self)
    var numbers: [Int32] = [1, 2, 3]
    try numbers.withUnsafeMutableBufferPointer { try reverse($0) }
    #expect(numbers == [3, 2, 1])
    let split = try prepare("split", "double (double number, out double *whole)")
      .typed(as: ((Double, UnsafeMutablePointer<Double>) -> Double).self)
    var whole = 0.0
    #expect(try split(2.25, &whole) == 0.25)
    #expect(whole == 2)
  }

  @Test("A failure in errno and a callback's error are thrown")
  func failures() throws {
    let fail = try prepare("fail", "int (string text) errno").typed(as: ((String) -> Int32).self)
    #expect(try fail("a") == 1)
    let error = #expect(throws: CallError.self) { try fail("") }
    #expect(error?.code == .system(2))
    let callback = try Callback(signature: Signature(parsing: "int (int)")) { (arguments: [Value]) in
      if arguments == [.integer(0)] { throw CLibrary.TestError("zero is refused") }
      return arguments[0]
    }
    let call = try prepare("call", "int (int (*callback)(int), string text)")
      .typed(as: ((Value.Pointer, String) -> Int32).self)
    #expect(try call(Value.Pointer(callback.address), "four") == 4)
    let thrown = #expect(throws: CallError.self) { try call(Value.Pointer(callback.address), "") }
    #expect(thrown?.code == .callback)
  }

  @Test("A mismatched type is refused and named")
  func refused() throws {
    let sum = try prepare("sum", Self.sum)
    func fault(_ body: () throws -> Void) -> CallError? { #expect(throws: CallError.self, performing: body) }
    #expect(fault { _ = try sum.typed(as: ((UInt, [Int16]) -> UInt).self) }?.argument?.name == "bytes")
    #expect(fault { _ = try sum.typed(as: ((Int, [UInt8]) -> UInt).self) }?.argument?.name == "start")
    #expect(fault { _ = try sum.typed(as: ((UInt, String) -> UInt).self) }?.argument?.name == "bytes")
    #expect(fault { _ = try sum.typed(as: ((UInt, [UInt8]) -> String?).self) }?.code == .argumentType)
    #expect(fault { _ = try sum.typed(as: ((UInt, [UInt8], UInt32) -> UInt).self) }?.code == .argumentCount)
    #expect(fault { _ = try sum.typed(as: (([UInt8]) -> UInt).self) }?.argument?.name == "start")
    #expect(fault { _ = try sum.typed(as: ((UInt, [String]) -> UInt).self) }?.argument?.name == "bytes")
    // The length has its name, not its position.
    #expect("\(try #require(fault { _ = try sum.typed(as: ((UInt, [Int16]) -> UInt).self) }))".contains("bytes[count]\""))
    #expect(
      fault { _ = try sum.typed(as: ((UInt, Int) -> UInt).self) }?.remedy.contains("a Swift type for each buffer") == true)
    let reverse = try prepare("reverse", "void (int32_t numbers[count], size_t count)")
    #expect(fault { _ = try reverse.typed(as: (([Int32]) -> Void).self) }?.argument?.name == "numbers")
    let resolver = try prepare("resolver", "const void *(string text, resolver resolver)")
    #expect(fault { _ = try resolver.typed(as: ((String) -> Value.Pointer).self) }?.code == .missingResolver)
    let open = try prepare("sum", "int (string format, ...)")
    #expect(fault { _ = try open.typed(as: ((String) -> Int32).self) }?.code == .unsupportedSignature)
  }

  @Test("A span is passed by its address, beside other arguments")
  func spans() throws {
    let sum: @convention(c) (Double, UnsafePointer<Double>?, Int) -> Double = { start, values, count in
      UnsafeBufferPointer(start: values, count: count).reduce(start, +)
    }
    let call = try PreparedCall(
      signature: Signature(parsing: "double (double start, const double values[n], size_t n)"),
      function: unsafeBitCast(sum, to: UnsafeRawPointer.self))
    let typed = try call.typed(as: ((Double, Span<Double>) -> Double).self)
    let values = [1.0, 2, 3]
    #expect(try typed(0.5, values.span) == 6.5)
    #expect(try typed(0, values.span.extracting(1...)) == 5)
    let error = #expect(throws: CallError.self) { try call.typed(as: ((Double, Span<Float>) -> Double).self) }
    #expect(error?.code == .argumentType && error?.argument?.index == 1)
  }
}
