import Testing
import TroupeCall
import TroupeHost

@Suite("Functions of plugins with Swift's own types") struct TypedFunctionTests {
  /// A Swift struct with the layout of the struct `point`.
  private struct Point {
    var x: Double
    var y: Double
  }

  private func function(_ name: String, in host: PluginHost) throws -> ForeignFunction {
    try host.function(#require(host.functions(name).first, "there is no function \(name)"))
  }

  @Test("A typed call passes numbers, structs, strings and buffers without `Value`", .inProcess)
  func calls() async throws {
    let host = try await SignatureMacroTests.host("signature-marks")
    let compare = try function("descending", in: host).typed(as: ((Value.Pointer, Value.Pointer) -> Int32).self)
    let (one, two) = ([Int32(1)], [Int32(2)])
    let difference = one.withUnsafeBytes { one in
      two.withUnsafeBytes { two in compare(Value.Pointer(one.baseAddress), Value.Pointer(two.baseAddress)) }
    }
    #expect(difference == 1)
    let norm = try function("norm", in: host).typed(as: ((Point) -> Double).self)
    #expect(try norm(Point(x: 3, y: 4)) == 25)
    let duplicate = try function("duplicate", in: host).typed(as: ((String) -> String?).self)
    #expect(try duplicate("text") == "text")
    let last = try function("last", in: host).typed(as: (([Double]) -> Double).self)
    #expect(try last([1, 2, 3.5]) == 3.5)
    let failure = try function("fail", in: host)
    let typedFailure: BufferCall<(Int32) -> Int32> = try failure.typed(as: ((Int32) -> Int32).self)
    #expect(try typedFailure(0) == 0)
    let error = #expect(throws: CallError.self) { try typedFailure(2) }
    #expect(error?.code == .system(2))
  }

  @Test("A function with a resolver parameter gets its plugin's resolver", .inProcess)
  func resolver() async throws {
    let host = try await SignatureMacroTests.host()
    let size: BufferCall<(UInt32) -> UInt32> = try function("resolver_size", in: host).typed(as: ((UInt32) -> UInt32).self)
    #expect(try size(1) > 1)
  }

  @Test("A type that does not match is refused, and the error names the argument", .inProcess)
  func refused() async throws {
    let host = try await SignatureMacroTests.host()
    let area = try function("area", in: host)
    let error = #expect(throws: CallError.self) { try area.typed(as: ((Double, Float) -> Double).self) }
    #expect(error?.argument?.name == "height")
    #expect(throws: CallError.self) { try area.typed(as: ((Double, String) -> Double).self) }
  }
}
