import TestSupport
@testable import TroupeCall

/// The hash of values as C and Swift compute it: over the bytes of every scalar without padding.
///
/// A union is passed and compared by its largest member.
enum ConformanceValues {
  /// Returns the FNV-1a hash of some bytes, or continues one.
  static func hash(_ bytes: [UInt8], from state: UInt64 = 0xcbf2_9ce4_8422_2325) -> UInt64 {
    var hash = state
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
    record.members.first { $0.name.hasPrefix("whole") }.unsafelyUnwrapped
  }

  // MARK: Values

  /// Returns a random value of a type.
  ///
  /// - Parameter isVariadic: Whether it is passed through `...`, where a float becomes a double and a signaling NaN changes.
  static func random(_ type: CType, isVariadic: Bool = false, _ generator: inout SplitMix64) -> Value {
    let bits = generator.next()
    let isExtreme = generator.next() % 4 == 0
    switch type {
    case .void, .resolver, .sequence, .flexible: return .void
    case .reference(let reference):
      if bits % 4 == 0 { return .null }
      if let record = reference.record { return random(.record(record), &generator) }
      let address = UnsafeRawPointer(objects + Int(bits % 8))
      return .reference(ForeignReference(type: reference.name, address: address))
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
    case .string, .wideString: return .string(texts[Int(bits % 5)])
    case .pointer, .function: return .pointer(Value.Pointer(address: UInt(bits)))
    case .record(let record) where record.pointsToOthers: return linked(record, &generator)
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

  /// Returns a random struct whose members have their lengths in other members, or are anonymous.
  private static func linked(_ record: CType.Record, _ generator: inout SplitMix64) -> Value {
    var counts: [Int: Int128] = [:]
    for (index, member) in record.members.enumerated() where member.isCount { counts[index] = Int128(generator.next() % 4) }
    let fields = record.members.enumerated().flatMap { index, member -> [Value.Field] in
      if let count = counts[index] { return [Value.Field(member.name, .integer(count))] }
      if let (element, length) = member.type.extent {
        let count = length.isTerminated ? Int(generator.next() % 4) : length.count(element, counts)
        return [Value.Field(member.name, elements(element, count, areNonzero: length.isTerminated, &generator))]
      }
      if member.name.isEmpty, case .record(let inner) = member.type {
        let members = inner.kind == .union ? [active(inner)] : inner.members
        return members.map { Value.Field($0.name, random($0.type, &generator)) }
      }
      return [Value.Field(member.name, random(member.type, &generator))]
    }
    return .structure(fields)
  }

  /// Returns several random elements.
  static func elements(_ type: CType, _ count: Int, areNonzero: Bool, _ generator: inout SplitMix64) -> Value {
    guard areNonzero else { return random(.array(type, count: count), &generator) }
    return .array(
      (0..<count).map { _ in
        switch random(type, &generator) {
        case .string(nil): .string("")
        case .integer(0): .integer(1)
        case let value: value
        }
      })
  }

  /// The mark and the number of objects that references point to.
  static let mark: UInt64 = 0x5eed_0f_7a0b_e5
  nonisolated(unsafe) private static let objects = {
    let objects = UnsafeMutablePointer<(mark: UInt64, number: UInt64)>.allocate(capacity: 8)
    for index in 0..<8 { (objects + index).initialize(to: (mark, UInt64(index) * 0x101)) }
    return objects
  }()

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
    case (.string, .string(nil)), (.wideString, .string(nil)), (.reference, .null):
      bytes.append(0xff)
    case (.wideString(let integer), .string(let text?)):
      let units = integer.width == 16 ? text.utf16.map(UInt64.init) : text.unicodeScalars.map { UInt64($0.value) }
      for unit in units + [0] { append(unit, integer.width / 8, to: &bytes) }
    case (.record, .reference(let object)): append((try? object.read()) ?? .void, type, to: &bytes)
    case (.reference(let reference), _) where reference.record != nil && value != .null:
      append(value, reference.record.map(CType.record) ?? .void, to: &bytes)
    case (.reference(let reference), .reference(let value)) where reference.name == value.type:
      append(value.address.rawPointer.unsafelyUnwrapped.load(fromByteOffset: 8, as: UInt64.self), 8, to: &bytes)
    case (.string, .string(let text?)): bytes += Array(text.utf8) + [0]
    case (.pointer, .pointer(let pointer)), (.function, .pointer(let pointer)): append(UInt64(pointer.address), 8, to: &bytes)
    case (.record(let record), .structure) where record.kind == .union:
      append(value[active(record).name] ?? .void, active(record).type, to: &bytes)
    case (.record(let record), .structure(let fields))
    where fields.map(\.name) == record.memberNames.filter { value[$0] != nil }:
      for member in record.members { append(member, of: record, value, to: &bytes) }
    case (.record(let record), .array(let values)) where values.count == record.members.count:
      for (member, value) in zip(record.members, values) { append(value, member.type, to: &bytes) }
    case (.array(_, let count), .bytes(let given)) where given.count == count: bytes += given
    case (.array(_, let count), .string(let text?)) where text.utf8.count <= count:
      bytes += Array(text.utf8) + Array(repeating: 0, count: count - text.utf8.count)
    case (.array(_, 0), .null): break
    case (.array(let element, let count), _) where value.elements?.count == count:
      for value in value.elements ?? [] { append(value, element, to: &bytes) }
    default: bytes += Array("no \(type): \(value)".utf8)
    }
  }

  /// Appends the bytes of a member of a struct.
  private static func append(_ member: CType.Record.Member, of record: CType.Record, _ value: Value, to bytes: inout [UInt8]) {
    if member.name.isEmpty, case .record(let inner) = member.type, case .structure(let fields) = value {
      let own = fields.filter { inner.memberNames.contains($0.name) }
      return append(.structure(own), member.type, to: &bytes)
    }
    let own = value[member.name] ?? .void
    guard let (element, length) = member.type.extent else { return append(own, member.type, to: &bytes) }
    var counts: [Int: Int128] = [:]
    for (index, member) in record.members.enumerated() where member.isCount {
      if case .integer(let count)? = value[member.name] { counts[index] = count }
    }
    let count = length.isTerminated ? own.elementCount ?? 0 : length.count(element, counts)
    append(own, .array(element, count: count), to: &bytes)
  }

  private static func append(_ word: UInt64, _ count: Int, to bytes: inout [UInt8]) {
    for index in 0..<count { bytes.append(UInt8(truncatingIfNeeded: word >> (8 * UInt64(index)))) }
  }

  /// Appends the bytes of the value that C derives from a state.
  static func appendFilled(_ type: CType, _ state: inout SplitMix64, to bytes: inout [UInt8]) {
    switch type {
    case .void, .resolver: break
    case .bool: bytes.append(UInt8(state.next() & 1))
    case .longDouble:
      append(state.next() | 1 << 63, 8, to: &bytes)
      let bits = state.next()
      append(bits % 32766 + 1 + (bits >> 63) << 15, 2, to: &bytes)
    case .complex(let real):
      appendFilled(real.type, &state, to: &bytes)
      appendFilled(real.type, &state, to: &bytes)
    case .string, .wideString: append(.string(texts[Int(state.next() % 5)]), type, to: &bytes)
    case .reference(let reference) where reference.record != nil:
      appendFilled(reference.record.map(CType.record) ?? .void, &state, to: &bytes)
    case .record(let record):
      let members = record.kind == .union ? [active(record)] : record.members
      var counts: [Int: Int128] = [:]
      for (index, member) in members.enumerated() where member.isCount { counts[index] = Int128(state.next() % 4) }
      for (index, member) in members.enumerated() {
        if let count = counts[index] {
          append(UInt64(count), member.type.size, to: &bytes)
        } else if let (element, length) = member.type.extent {
          let count = length.isTerminated ? Int(state.next() % 4) : length.count(element, counts)
          appendFilled(element, count, areNonzero: length.isTerminated, &state, to: &bytes)
        } else {
          appendFilled(member.type, &state, to: &bytes)
        }
      }
    case .array(let element, let count): appendFilled(element, count, areNonzero: false, &state, to: &bytes)
    default: append(state.next(), type.size, to: &bytes)
    }
  }

  /// Appends the bytes of several elements.
  static func appendFilled(
    _ element: CType, _ count: Int, areNonzero: Bool, _ state: inout SplitMix64, to bytes: inout [UInt8]
  ) {
    for _ in 0..<count {
      let start = bytes.count
      appendFilled(element, &state, to: &bytes)
      guard areNonzero else { continue }
      if element == .string, bytes[start...] == [0xff] { bytes[start] = 0 }
      if element != .string, bytes[start...].allSatisfy({ $0 == 0 }) { bytes[start] = 1 }
    }
  }
}

extension LengthExpression {
  /// The number of elements with the lengths in other members.
  fileprivate func count(_ element: CType, _ counts: [Int: Int128]) -> Int {
    let count = count(elementSize: element.size) { factor in
      switch factor {
      case .number(let number): Int128(number)
      case .parameter(let index): counts[index]
      case .result: nil
      }
    }
    return Int(count ?? 0)
  }
}

extension CType.Record {
  /// Whether it has members of a length that others have, or anonymous ones.
  fileprivate var pointsToOthers: Bool { members.contains { $0.isCount || $0.name.isEmpty || $0.type.extent != nil } }
}
