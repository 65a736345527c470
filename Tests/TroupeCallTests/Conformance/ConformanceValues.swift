import TestSupport
@testable import TroupeCall

/// The hash of values as C and Swift compute it: over the bytes of every scalar without padding.
///
/// A union is passed and compared by its largest member.
enum ConformanceValues {
  /// Returns the FNV-1a hash of some bytes.
  static func hash(_ bytes: [UInt8]) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    bytes.withUnsafeBufferPointer { bytes in
      for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
    return hash
  }

  /// The strings that functions return.
  static let texts: [String?] = [
    nil, "", "text", "h\u{e9}llo \u{1F600}", "a somewhat longer text, of forty-eight bytes in all",
  ]

  /// Returns the member by which a union is passed.
  static func active(_ record: CType.Record) -> CType.Record.Member {
    record.members.first { $0.name == "whole" }.unsafelyUnwrapped
  }

  // MARK: Values

  /// Returns a random value of a type.
  ///
  /// - Parameter isVariadic: Whether it is passed through `...`, where a float becomes a double and a signalling NaN changes.
  static func random(_ type: CType, isVariadic: Bool = false, _ generator: inout Generator) -> Value {
    let bits = generator.next()
    let isExtreme = generator.next() % 4 == 0
    switch type {
    case .void, .resolver, .function, .wideString, .handle, .sequence, .flexible: return .void
    case .bool: return .bool(bits % 2 == 0)
    case .integer, .enumeration:
      guard let integer = type.integer else { return .void }
      let range = integer.range
      if isExtreme { return .integer([range.lowerBound, range.upperBound, range.upperBound / 2 + 1, 0, 1][Int(bits % 5)]) }
      return .integer(range.lowerBound + Int128(bits) % (range.upperBound - range.lowerBound + 1))
    case .float:
      let pattern = isExtreme ? [0, 0x8000_0000, 1, 0x7f80_0000, 0x7fc0_beef, 0x7f80_0001][Int(bits % 6)] : UInt32(bits >> 32)
      let float = Float(bitPattern: pattern)
      return .float(isVariadic && float.isNaN ? 1.5 : float)
    case .double:
      let patterns: [UInt64] = [0, 1 << 63, 1, 0x7ff0_0000_0000_0000, 0x7ff8_dead_beef_1234, 0x7ff0_0000_0000_0001]
      return .double(Double(bitPattern: isExtreme ? patterns[Int(bits % 6)] : bits))
    case .longDouble: return .longDouble(longDouble(bits, generator.next(), isExtreme))
    case .complex(let real): return .array([random(real.type, &generator), random(real.type, &generator)])
    case .string: return .string(texts[Int(bits % 5)])
    case .pointer: return .pointer(Value.Pointer(address: UInt(bits)))
    case .record(let record):
      let members = record.kind == .union ? [active(record)] : record.members
      let values = members.map { random($0.type, isVariadic: isVariadic, &generator) }
      // A struct may also be passed by position.
      if record.kind == .structure, bits % 8 == 0 { return .array(values) }
      return .structure(zip(members, values).map { Value.Field($0.name, $1) })
    case .array(let element, let count):
      if type.isBytes, bits % 2 == 0 { return .bytes((0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }) }
      return .array((0..<count).map { _ in random(element, isVariadic: isVariadic, &generator) })
    }
  }

  #if arch(x86_64)
    private static func longDouble(_ bits: UInt64, _ more: UInt64, _ isExtreme: Bool) -> LongDouble {
      let extremes: [Float80] = [0, -0.0, .infinity, .nan, .leastNonzeroMagnitude, .greatestFiniteMagnitude]
      if isExtreme { return LongDouble(extremes[Int(bits % 6)]) }
      return LongDouble(
        Float80(
          sign: more >> 63 == 0 ? .plus : .minus, exponentBitPattern: UInt(more % 32766) + 1,
          significandBitPattern: bits | 1 << 63))
    }
  #else
    private static func longDouble(_ bits: UInt64, _ more: UInt64, _ isExtreme: Bool) -> LongDouble { LongDouble(0) }
  #endif

  // MARK: Bytes

  /// Appends the bytes of a value of a type; for another kind of value, bytes that match no value.
  static func append(_ value: Value, _ type: CType, to bytes: inout [UInt8]) {
    switch (type, value) {
    case (.bool, .bool(let bool)): bytes.append(bool ? 1 : 0)
    case (_, .integer(let integer)) where type.integer != nil:
      append(UInt64(truncatingIfNeeded: integer), type.size, to: &bytes)
    case (.float, .float(let float)): append(UInt64(float.bitPattern), 4, to: &bytes)
    case (.double, .double(let double)): append(double.bitPattern, 8, to: &bytes)
    case (.longDouble, .longDouble(let number)): withUnsafeBytes(of: number.number) { bytes += $0.prefix(10) }
    case (.complex(let real), .array(let parts)) where parts.count == 2:
      for part in parts { append(part, real.type, to: &bytes) }
    case (.string, .string(nil)): bytes.append(0xff)
    case (.string, .string(let text?)): bytes += Array(text.utf8) + [0]
    case (.pointer, .pointer(let pointer)): append(UInt64(pointer.address), 8, to: &bytes)
    case (.record(let record), .structure) where record.kind == .union:
      append(value["whole"] ?? .void, active(record).type, to: &bytes)
    case (.record(let record), .structure(let fields)) where fields.map(\.name) == record.members.map(\.name):
      for (member, field) in zip(record.members, fields) { append(field.value, member.type, to: &bytes) }
    case (.record(let record), .array(let values)) where values.count == record.members.count:
      for (member, value) in zip(record.members, values) { append(value, member.type, to: &bytes) }
    case (.array(_, let count), .bytes(let given)) where given.count == count: bytes += given
    case (.array(_, let count), .string(let text?)) where text.utf8.count <= count:
      bytes += Array(text.utf8) + Array(repeating: 0, count: count - text.utf8.count)
    case (.array(let element, let count), .array(let values)) where values.count == count:
      for value in values { append(value, element, to: &bytes) }
    default: bytes += Array("no \(type): \(value)".utf8)
    }
  }

  private static func append(_ word: UInt64, _ count: Int, to bytes: inout [UInt8]) {
    for index in 0..<count { bytes.append(UInt8(truncatingIfNeeded: word >> (8 * UInt64(index)))) }
  }

  /// Appends the bytes of the value that C derives from a state.
  static func appendFilled(_ type: CType, _ state: inout Generator, to bytes: inout [UInt8]) {
    switch type {
    case .void, .resolver, .function: break
    case .bool: bytes.append(UInt8(state.next() & 1))
    case .longDouble:
      append(state.next() | 1 << 63, 8, to: &bytes)
      let bits = state.next()
      append(bits % 32766 + 1 + (bits >> 63) << 15, 2, to: &bytes)
    case .complex(let real):
      appendFilled(real.type, &state, to: &bytes)
      appendFilled(real.type, &state, to: &bytes)
    case .string: append(.string(texts[Int(state.next() % 5)]), .string, to: &bytes)
    case .record(let record):
      for member in record.kind == .union ? [active(record)] : record.members {
        appendFilled(member.type, &state, to: &bytes)
      }
    case .array(let element, let count):
      for _ in 0..<count { appendFilled(element, &state, to: &bytes) }
    default: append(state.next(), type.size, to: &bytes)
    }
  }
}
