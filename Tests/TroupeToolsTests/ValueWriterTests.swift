import Foundation
import Testing
import TroupeHost

@testable import TroupeTools

@Suite("Values as text")
struct ValueWriterTests {
  private static let values: [Value] = [
    .void, .null, .bool(true), .integer(-3), .integer(Int128(UInt64.max)), .double(5), .double(0.1), .double(-0.0),
    .double(1e-7),
    .double(1e22), .double(.infinity), .float(0.1), .float(1e20), .double(.nan), .string("a\"b\\\n\u{1}é"), .string(nil),
    .pointer(Value.Pointer(address: 16)), .bytes([0, 1, 2]), .array([]), .array([.integer(1), .array([.bool(false)])]),
    Value([1.5, 2, 1e300]) ?? .void, .structure([]),
    .structure([Value.Field("z", .integer(1)), Value.Field("a", .structure([Value.Field("b", .array([.string("")]))]))]),
  ]

  private func text(_ value: Value, _ style: ValueWriter.Style) throws -> String {
    var text = ""
    try ValueWriter(style: style) { text += $0 }.write(value)
    return text
  }

  @Test("The indented form is the JSON that the encoder writes", arguments: values)
  func indented(value: Value) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let expected = try JSONSerialization.jsonObject(with: encoder.encode(["result": value])) as? NSDictionary
    let written = try text(.structure([Value.Field("result", value)]), .indented)
    #expect(try JSONSerialization.jsonObject(with: Data(written.utf8)) as? NSDictionary == expected)
    if case .structure = value, value != .structure([]) {
      #expect(try written == String(decoding: encoder.encode(["result": value]), as: UTF8.self))
    }
  }

  @Test("The line is JSON on one line, with members in their order")
  func line() throws {
    let value = Value.structure([Value.Field("z", .array([.double(5), .double(.nan)])), Value.Field("a", .bytes([255]))])
    #expect(try text(value, .line) == #"{"z": [5.0, "nan"], "a": {"base64": "/w=="}}"#)
    #expect(value.line == #"{"z": [5.0, "nan"], "a": {"base64": "/w=="}}"#)
  }
}
