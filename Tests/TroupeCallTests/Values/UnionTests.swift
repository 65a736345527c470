import Foundation
import Testing

@testable import TroupeCall

@Suite("Unions as arguments")
struct UnionTests {
  @Test(
    "A printed result is an argument with the same bytes",
    arguments: [
      ("union { int32_t i; float f; }", [5, 0, 0, 0]),
      // A NaN whose payload JSON cannot represent.
      ("union { int32_t i; float f; }", [255, 255, 255, 255]), ("union { float f; int32_t i; }", [1, 0, 128, 127]),
      ("union { uint8_t n; bool b; }", [2]), ("union { bool b; float f; }", [3, 0, 128, 63]),
      ("struct { uint8_t kind; union { int64_t i; double d; } value; } packed", [7] + [UInt8](repeating: 9, count: 8)),
      ("struct { union { int16_t i; uint8_t bytes[2]; } all[2]; }", [1, 2, 3, 4]),
      ("union { struct { uint8_t a; uint32_t b; } s; uint64_t n; }", [1, 2, 3, 4, 5, 6, 7, 8]),
      ("union { struct { uint8_t a; uint16_t b; } s; struct { uint16_t c; uint8_t d; } t; }", [1, 2, 3, 4]),
      ("union { char text[4]; uint32_t n; union { uint16_t low; float _Complex c; } inner; }", Array("text\0\0\0\0".utf8)),
      ("union { enum { none, one } e; int32_t i; }", [1, 0, 0, 0]),
      ("union { string s; void *p; int64_t i; }", [UInt8](repeating: 0, count: 8)),
    ] as [(String, [UInt8])])
  func printed(text: String, bytes: [UInt8]) throws {
    let signature = try Signature(parsing: "\(text) ()")
    let value = try bytes.withUnsafeBytes { try Value.read(signature.result, at: #require($0.baseAddress)) }
    let printed = String(decoding: try JSONEncoder().encode(signature.named(value)), as: UTF8.self)
    #expect(try Self.bytes(of: Value(parsing: printed, as: signature.result), signature.result) == bytes, "\(printed)")
  }

  @Test("Members with different bytes in shared memory are refused", arguments: [(5, 1.5), (0, -0.0)])
  func differing(integer: Int, number: Double) throws {
    let type = try Signature(parsing: "struct { union { int32_t i; float f; } u; } ()").result
    let members = [Value.Field("i", .integer(Int128(integer))), Value.Field("f", .double(number))]
    let value = Value.structure([Value.Field("u", .structure(members))])
    for attempt in [{ _ = try value.converted(to: type) }, { _ = try Self.bytes(of: value, type) }] as [() throws -> Void] {
      let error = try #require(throws: CallError.self) { try attempt() }
      #expect(error.code == .argumentType)
    }
  }

  /// The bytes of a value in memory.
  private static func bytes(of value: Value, _ type: CType) throws -> [UInt8] {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: type.size, alignment: 16)
    defer { memory.deallocate() }
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    var arena = CallArena(UnsafeMutableRawBufferPointer(start: nil, count: 0))
    try value.write(as: type, to: #require(memory.baseAddress), &arena)
    return Array(memory)
  }
}
