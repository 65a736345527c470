import TestSupport
import Testing
import TroupeCall
import TroupeFiles

@testable import TroupeSandbox

@Suite("Values that cross into another process")
struct ValueTransferTests {
  static let values: [Value] = [
    .void, .bool(true), .bool(false), .integer(0), .integer(-1), .integer(Int128(Int64.max) + 1), .integer(.min), .float(-0.0),
    .float(1.5), .double(.pi), .double(.infinity), .longDouble(LongDouble(-2.5)), .string(nil), .string(""), .string("naïve 🎭"),
    .null, .bytes([]), .bytes([0, 255, 7]), .array([]), .array([.integer(1), .array([.string("x")])]),
    .structure([Value.Field("x", .integer(1)), Value.Field("inner", .structure([Value.Field("y", .double(2))]))]),
  ]

  func bytes(_ value: Value) throws -> [UInt8] {
    var writer = ValueEncoder()
    try writer.write(value)
    return writer.record.bytes
  }

  func value(_ bytes: [UInt8]) throws -> Value {
    var reader = ValueDecoder(RecordReader(bytes))
    let value = try reader.value()
    try reader.end()
    return value
  }

  @Test("A value is the same on the other side", arguments: values)
  func sameValue(value: Value) throws {
    #expect(try self.value(bytes(value)) == value)
  }

  @Test("All bits of numbers cross, also those of NaN and of long double")
  func allBits() throws {
    guard case .double(let double) = try value(bytes(.double(Double(nan: 5, signaling: true)))) else {
      throw ReadError("no double")
    }
    #expect(double.bitPattern == Double(nan: 5, signaling: true).bitPattern)
    let third = try #require(LongDouble("0.3333333333333333333333"))
    for number in [third, LongDouble(-Double.infinity), LongDouble(-0.0), LongDouble(Double.leastNonzeroMagnitude)] {
      guard case .longDouble(let other) = try value(bytes(.longDouble(number))) else { throw ReadError("no long double") }
      #expect(other == number)
      #expect(other.parts == number.parts)
    }
  }

  @Test("The elements of a packed array cross")
  func packedArray() throws {
    let packed = Value.packedArray(Value.PackedArray([1.5, 2.5] as [Double]))
    #expect(try value(bytes(packed)) == .array([.double(1.5), .double(2.5)]))
  }

  @Test("An address does not cross")
  func addresses() throws {
    let place = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    defer { place.deallocate() }
    let reference = ForeignReference(type: "struct thing", address: place)
    for value in [Value.pointer(Value.Pointer(place)), .reference(reference), .array([.pointer(Value.Pointer(place))])] {
      #expect(throws: NotTransferable.self) { try bytes(value) }
    }
  }

  @Test("A reference crosses as the number that its process gives it")
  func handles() throws {
    let place = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    defer { place.deallocate() }
    let reference = ForeignReference(type: "struct thing", address: place)
    var writer = ValueEncoder(reference: { $0 === reference ? 77 : 0 })
    try writer.write(.reference(reference))
    var reader = ValueDecoder(
      RecordReader(writer.record.bytes),
      reference: { number, type in
        guard number == 77, type == reference.type else { throw ReadError("no reference") }
        return reference
      })
    #expect(try reader.value() == .reference(reference))
    #expect(throws: ReadError.self) { try value(writer.record.bytes) }
  }

  @Test("A message that is cut short, or has more bytes, is refused", arguments: values)
  func wrongLength(value: Value) throws {
    let bytes = try bytes(value)
    for count in 0..<bytes.count { #expect(throws: ReadError.self) { try self.value(Array(bytes[..<count])) } }
    #expect(throws: ReadError.self) { try self.value(bytes + [0]) }
  }

  @Test("Forged messages are refused")
  func forged() throws {
    let endless: [UInt8] = (0..<1000).flatMap { _ in [ValueKind.array.rawValue, 1, 0, 0, 0] as [UInt8] }
    let huge: [UInt8] = [ValueKind.array.rawValue, 255, 255, 255, 255]
    let badText: [UInt8] = [ValueKind.text.rawValue, 1, 0, 0, 0, 0xFF]
    let unknownCallback: [UInt8] = [ValueKind.callback.rawValue, 0, 0, 0, 0]
    for bytes in [endless, huge, badText, unknownCallback, [200], [ValueKind.bytes.rawValue, 4, 0, 0, 0, 1]] {
      #expect(throws: ReadError.self) { try value(bytes) }
    }
  }

  @Test("Forged counts reserve no memory beyond the limit of the reader")
  func forgedCounts() {
    // 16 structs within each other, each with the largest number of members that the rest of the message has room for.
    let count = 4 << 20
    var nested: [UInt8] = []
    for level in 0..<16 {
      var record = RecordWriter()
      record.write(number: ValueKind.structure.rawValue)
      record.write(count: (count - 10 * level) / 5 - 2)
      record.write(count: 0)
      nested += record.bytes
    }
    nested += [UInt8](repeating: 0, count: count - nested.count)
    var flat = RecordWriter()
    flat.write(number: ValueKind.array.rawValue)
    flat.write(count: count)
    let messages = [nested, flat.bytes + [UInt8](repeating: ValueKind.void.rawValue, count: count)]
    for message in messages {
      var reader = ValueDecoder(RecordReader(message, memory: count))
      #expect { try reader.value() } throws: { (($0 as? ReadError)?.memory ?? 0) > count }
    }
    var report = RecordWriter()
    report.write(number: UInt64(0))
    report.write(count: count)
    #expect {
      try RecordReader.value(MapReport.self, report.bytes + [UInt8](repeating: 0, count: count), memory: count)
    } throws: {
      (($0 as? ReadError)?.memory ?? 0) > count
    }
  }

  @Test("Random messages never crash the reader")
  func randomMessages() {
    var generator = SplitMix64(seed: 21)
    for _ in 0..<200_000 {
      let count = Int.random(in: 0...40, using: &generator)
      let bytes = (0..<count).map { _ in
        // Mostly kinds and small counts.
        Bool.random(using: &generator)
          ? UInt8.random(in: 0...16, using: &generator) : UInt8.random(in: 0...255, using: &generator)
      }
      _ = try? value(bytes)
    }
  }

  @Test(
    "A function of numbers, texts, buffers, structs, handles and callbacks can be called in another process",
    arguments: [
      "double (double, int)", "const char *(const char *name)", "int (const double values[count], size_t count)",
      "struct point {int x; double y;} (struct point p, out struct point *other)",
      "struct t { int (*f)(int); }; const struct t *(void)", "struct p { int n; }; int (struct p *value)",
      "struct thing; int (out owned(thing_free) struct thing **made)", "void (int (*each)(int, const char *), int)",
      "int (out unsigned char data[size, result], size_t size)", "void (resolver)", "void (double *)",
      "int (const unsigned char *text)",
      "void (kept const int numbers[count], size_t count, struct holder *holder)",
    ])
  func transferable(text: String) throws {
    #expect(try Signature(parsing: text).transferError == nil)
  }

  @Test(
    "A function that would cross from the plugin to the host is named with its place",
    arguments: [
      ("int (*(int number))(int)", "the result"), ("void (out int (**made)(int))", "made"),
      ("void (inout int (**made)(int))", "made"),
      ("struct t { int (*f)(int); }; void (struct t made[count], size_t count)", "made.f"),
      ("struct t { int (*f)(int); }; struct t (void)", "the result.f"),
      ("struct t { int (*f)(int); }; void (out struct t *t)", "t.f"),
      ("struct t { int (*f)(int); }; struct u { struct t t[2]; }; struct u (void)", "the result.t.f"),
      ("void (void (*each)(int (*inner)(int)))", "each, a callback, of which inner"),
      ("void (const char *(*name)(int))", "name"),
    ])
  func functionFaults(text: String, location: String) throws {
    let fault = try #require(try Signature(parsing: text).transferError)
    #expect(fault.location.hasPrefix(location), "\(fault)")
    #expect(fault.remedy == "run the plugin in the process of the host")
  }

  @Test(
    "The remedy for a pointer of unknown extent are declarations that have no fault, written as they are in its place",
    arguments: [
      ("int (void *data)", "void *data", ["unsigned char data[16]"]),
      ("int (const char **)", "const char **", ["const char *values[16]"]),
      ("double *(int count)", "double *", ["double[16]"]),
      ("struct p { int n; double *x; }; int (struct p p)", "double *x", ["double (*x)[16]"]), ("void *(int)", "", []),
    ])
  func remedies(text: String, place: String, declarations: [String]) throws {
    let remedy = try #require(try Signature(parsing: text).transferError).remedy
    let words = declarations.isEmpty ? "" : "declare its extent, such as \(declarations.joined(separator: " or ")), or "
    #expect(remedy == words + "run the plugin in the process of the host")
    for declaration in declarations {
      #expect(try Signature(parsing: text.replacing(place, with: declaration)).transferError == nil, "\(declaration)")
    }
  }

  @Test(
    "A pointer of unknown extent is named with its parameter",
    arguments: [
      ("int (void *data)", "data"), ("int (int, char **words)", "words"), ("void *(int)", "the result"), ("int (int **)", "#1"),
      ("int (struct point {int x; void *next;} p)", "p.next"),
      ("int (void (*each)(void *item))", "each, a callback, of which item"),
    ])
  func faults(text: String, location: String) throws {
    #expect(try Signature(parsing: text).transferError?.location == location)
  }
}
