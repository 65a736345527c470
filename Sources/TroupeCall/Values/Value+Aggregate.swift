/// Matches the fields and elements of a value to the members and elements of a C type.
extension Value {
  /// Returns the values of the members of a record. A union may have only some.
  func members(_ record: CType.Record) throws(CallError) -> [(member: CType.Record.Member, value: Value)] {
    let type = CType.record(record)
    switch self {
    case .packedArray(let elements): return try Value.array(Array(elements)).members(record)
    case .array(let elements) where record.kind == .structure:
      guard elements.count == record.members.count else {
        throw .wrongElementCount(elements.count, type)
      }
      return Array(zip(record.members, elements))
    case .structure(let fields):
      if record.kind == .structure, fields.count == record.members.count,
        zip(fields, record.members).allSatisfy({ $0.name == $1.name })
      {
        return zip(record.members, fields).map { ($0, $1.value) }
      }
      return try Self.matched(fields, record)
    case .bytes(let bytes) where record.members.contains { $0.name == Self.base64Name }:
      // A structure that has only this member looks in JSON as bytes do.
      return try Self.matched([Field(Self.base64Name, .string(Self.base64(bytes)))], record)
    default: throw .wrongType(shown, type)
    }
  }

  /// Returns the fields in the order of the members. Collects the fields of an anonymous member to a structure, and computes a missing length
  /// from its buffer.
  private static func matched(
    _ fields: [Field], _ record: CType.Record
  ) throws(CallError) -> [(member: CType.Record.Member, value: Value)] {
    let type = CType.record(record)
    var values: [String: Value] = [:]
    for field in flattened(fields) {
      guard record.memberNames.contains(field.name) else { throw .unknownMember(field.name, type) }
      guard values.updateValue(field.value, forKey: field.name) == nil else { throw .repeatedMember(field.name, type) }
    }
    var matched: [(member: CType.Record.Member, value: Value)] = []
    for (index, member) in record.members.enumerated() {
      if let value = values[member.name] ?? record.computedLength(index, values) {
        matched.append((member, value))
      } else if member.name.isEmpty, case .record(let inner) = member.type {
        let own = inner.memberNames.compactMap { name in values[name].map { Field(name, $0) } }
        if record.kind == .structure || !own.isEmpty { matched.append((member, .structure(own))) }
      } else if record.kind == .structure {
        throw .missingMember(member.name, type)
      }
    }
    guard !matched.isEmpty else { throw .wrongType(Value.structure(fields).shown, type) }
    return matched
  }

  /// The fields with those of anonymous members in the place of these.
  fileprivate static func flattened(_ fields: [Field]) -> [Field] {
    fields.flatMap { field in
      if field.name.isEmpty, case .structure(let inner) = field.value { flattened(inner) } else { [field] }
    }
  }

  /// Throws unless the value has as many elements as the array type.
  func elements(_ type: CType, _ count: Int) throws(CallError) -> any RandomAccessCollection<Value> {
    guard let elements else { throw .wrongType(shown, type) }
    guard elements.count == count else { throw .wrongElementCount(elements.count, type) }
    return elements
  }

  /// The elements of an array, also of bytes. Nil for any other value.
  var elements: (any RandomAccessCollection<Value>)? {
    switch self {
    case .array(let elements): elements
    case .packedArray(let elements): elements
    case .bytes(let bytes): bytes.lazy.map { .integer(Int128($0)) }
    default: nil
    }
  }

  /// Returns the bytes for an array of single bytes; nil if the value has to be written element by element.
  func asBytes(_ type: CType, _ count: Int) throws(CallError) -> [UInt8]? {
    guard type.isBytes else { return nil }
    switch self {
    case .bytes(let bytes):
      guard bytes.count == count else { throw .wrongElementCount(bytes.count, type) }
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
    case .packedArray(let parts) where parts.count == 2: return Array(parts)
    case .integer, .float, .double, .longDouble, .bool, .string: return [self, .integer(0)]
    default: throw .wrongType(shown, .complex(real))
    }
  }

  /// Adds the location within a structure or array to an error.
  static func within<Result>(
    _ place: @autoclosure () -> String, _ body: () throws(CallError) -> Result
  ) throws(CallError) -> Result {
    do { return try body() } catch { throw error.within(place()) }
  }
}

extension CType.Record {
  /// Computes the value of a member that is the length of another member.
  fileprivate func computedLength(_ index: Int, _ values: [String: Value]) -> Value? {
    for member in members {
      switch member.type {
      case .sequence(let element, let length), .flexible(let element, let length):
        guard length.parameter == index, let count = values[member.name].map({ $0.bufferCount ?? 0 }) else { continue }
        return .integer(Int128(length.isInBytes ? count * element.size : count))
      default: continue
      }
    }
    return nil
  }
}

extension CType.Record {
  /// Adds zeros for the members of a struct that have no field, also in members that are structs, but for lengths, which follow from their
  /// buffers.
  func completed(_ fields: [Value.Field]) -> [Value.Field] {
    let given = Value.flattened(fields).reduce(into: [String: Value]()) { values, field in values[field.name] = field.value }
    var completed = fields.map { field in
      guard !field.name.isEmpty, case .structure(let inner) = field.value, case .record(let record)? = member(field.name)?.type
      else {
        return field
      }
      return Value.Field(field.name, .structure(record.completed(inner)))
    }
    guard kind == .structure else {
      guard fields.isEmpty, let first = members.first, let zero = first.type.zero else { return completed }
      return [Value.Field(first.name, zero)]
    }
    for (index, member) in members.enumerated() {
      if member.name.isEmpty, case .record(let record) = member.type {
        let own = record.memberNames.compactMap { name in given[name].map { Value.Field(name, $0) } }
        completed += record.completed(own).filter { field in !own.contains { $0.name == field.name } }
      } else if given[member.name] == nil, computedLength(index, given) == nil, let zero = member.type.zero {
        completed.append(Value.Field(member.name, zero))
      }
    }
    return completed
  }

  private func member(_ name: String) -> Member? { members.first { $0.name == name } }
}

extension CType {
  /// The value of zeroed memory; no elements for a flexible array.
  private var zero: Value? {
    if case .flexible = self { return .array([]) }
    guard size > 0 else { return nil }
    return withUnsafeTemporaryAllocation(byteCount: size, alignment: 16) { memory in
      memory.initializeMemory(as: UInt8.self, repeating: 0)
      return memory.baseAddress.flatMap { try? Value.read(self, at: $0) }
    }
  }
}
