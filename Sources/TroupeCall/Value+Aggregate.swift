/// How structures, arrays and complex numbers are taken apart.
extension Value {
  /// The values of the members of a record; for a union, of one of them.
  func members(_ record: CType.Record) throws(CallError) -> [(member: CType.Record.Member, value: Value)] {
    let type = CType.record(record)
    switch self {
    case .array(let elements) where record.kind == .structure:
      guard elements.count == record.members.count else {
        throw .wrongElementCount(elements.count, record.members.count, type)
      }
      return Array(zip(record.members, elements))
    case .structure(let fields):
      var values: [(member: CType.Record.Member, value: Value)] = []
      for field in fields {
        guard let member = record.members.first(where: { $0.name == field.name }) else {
          throw .unknownMember(field.name, type)
        }
        guard !values.contains(where: { $0.member.name == field.name }) else { throw .repeatedMember(field.name, type) }
        values.append((member, field.value))
      }
      if record.kind == .union {
        guard values.count == 1 else { throw .wrongType(shown, type) }
      } else if let missing = record.members.first(where: { member in !values.contains { $0.member.name == member.name } }) {
        throw .missingMember(missing.name, type)
      } else {
        values.sort { $0.member.offset < $1.member.offset }
      }
      return values
    default: throw .wrongType(shown, type)
    }
  }

  /// The elements of an array of a type, as many as it has.
  func elements(_ type: CType, _ count: Int) throws(CallError) -> [Value] {
    guard let elements else { throw .wrongType(shown, type) }
    guard elements.count == count else { throw .wrongElementCount(elements.count, count, type) }
    return elements
  }

  /// The elements of an array, bytes among them; nil if it is none.
  var elements: [Value]? {
    switch self {
    case .array(let elements): elements
    case .bytes(let bytes): bytes.map { .integer(Int128($0)) }
    default: nil
    }
  }

  /// The bytes for an array of single bytes; nil if the value has to be taken element by element.
  func asBytes(_ type: CType, _ count: Int) throws(CallError) -> [UInt8]? {
    guard type.isBytes else { return nil }
    switch self {
    case .bytes(let bytes):
      guard bytes.count == count else { throw .wrongElementCount(bytes.count, count, type) }
      return bytes
    case .string(let text?) where type.isText:
      guard text.utf8.count <= count else { throw .outOfRange(shown, type) }
      if text.utf8.contains(0) { throw .embeddedNUL(shown) }
      return Array(text.utf8) + Array(repeating: 0, count: count - text.utf8.count)
    default: return nil
    }
  }

  /// The real and the imaginary part.
  func parts(_ real: CType.Real) throws(CallError) -> [Value] {
    switch self {
    case .array(let parts) where parts.count == 2: return parts
    case .integer, .float, .double, .longDouble, .bool, .string: return [self, .integer(0)]
    default: throw .wrongType(shown, .complex(real))
    }
  }

  /// Says where within a structure or array a fault is.
  static func within<Result>(
    _ place: String, _ body: () throws(CallError) -> Result
  ) throws(CallError) -> Result {
    do { return try body() } catch { throw error.within(place) }
  }
}

extension Signature {
  /// Whether two callbacks take and give the same, whatever their parameters are called.
  func isCompatible(with other: Signature) -> Bool {
    result == other.result && parameters.count == other.parameters.count
      && zip(parameters, other.parameters).allSatisfy { $0.type == $1.type }
  }
}
