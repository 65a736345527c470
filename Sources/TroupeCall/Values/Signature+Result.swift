/// Checks that a value from another process is one that a call in this process could return. A worker runs foreign code, which may send
/// anything.
extension Signature {
  /// Checks cases, ranges and names. No address but NULL is valid. Cost: linear in the number of values; a packed array counts as one.
  ///
  /// - Parameter arguments: Those of the call, since the contents of memory that it allocates for them come back.
  package func isResult(_ value: Value, of arguments: [Value]) -> Bool {
    let allocated = zip(callerParameters, arguments).enumerated().compactMap { position, given in
      given.1.allocatedType(given.0).map { (name: given.0.name, position: position, type: $0) }
    }
    guard !allocated.isEmpty else { return isDeclaredResult(value) }
    guard case .structure(let fields) = value else {
      return result == .void && outputs.isEmpty && allocated.count == 1 && value.fits(allocated[0].type)
    }
    let names = CallOutcome.names(
      allocated.map { ($0.name, $0.position) },
      besides: outputs.isEmpty ? ["result"] : ["return"] + outputs.map { $0.name ?? "" })
    guard fields.count >= allocated.count, fields.suffix(allocated.count).map(\.name) == names,
      zip(fields.suffix(allocated.count), allocated).allSatisfy({ $0.value.fits($1.type) })
    else {
      return result == .void && outputs.isEmpty && allocated.count == 1 && value.fits(allocated[0].type)
    }
    let declared = Array(fields.dropLast(allocated.count))
    if !outputs.isEmpty { return isDeclaredResult(.structure(declared)) }
    return result == .void
      ? declared.isEmpty : declared.count == 1 && declared[0].name == "result" && declared[0].value.fits(result)
  }

  private func isDeclaredResult(_ value: Value) -> Bool {
    let outputs = outputs
    guard !outputs.isEmpty else { return value.fits(result) }
    guard case .structure(let fields) = value else { return false }
    var rest = fields[...]
    if result != .void {
      guard let first = rest.popFirst(), first.name == "return", first.value.fits(result) else { return false }
    }
    return rest.count == outputs.count
      && zip(rest, outputs).allSatisfy { field, output in
        field.name == output.name && (output.isBuffer ? field.value.fitsBuffer(of: output.type) : field.value.fits(output.type))
      }
  }
}

extension Value {
  /// The type of the memory that a call allocates for the argument and returns; nil if there is none.
  fileprivate func allocatedType(_ parameter: Signature.Parameter) -> CType? {
    guard parameter.passing == .value else { return nil }
    if case .pointer(let pointer) = parameter.type { return allocatedType(pointer) }
    guard case .reference(let reference) = parameter.type, !reference.isConstant else { return nil }
    if canBeAllocated(for: reference), let record = reference.record, let size = byteCount {
      let count = size.dividedRoundingUp(by: record.size)
      return count == 1 ? .record(record) : .array(.record(record), count: count)
    }
    return literal(for: reference)?.type
  }

  private func allocatedType(_ pointer: CType.Pointer) -> CType? {
    guard !pointer.isConstant, canBeAllocated(for: pointer) else { return nil }
    let element = pointer.target ?? .integer(.byte)
    if let byteCount { return .array(element, count: byteCount.dividedRoundingUp(by: element.size)) }
    if case .string(let text?) = self { return .array(element, count: text.utf8.count + 1) }
    return .array(element, count: max(elementCount ?? 0, 1))
  }

  func fits(_ type: CType) -> Bool {
    switch (self, type) {
    case (.void, .void), (.bool, .bool), (.float, .float), (.double, .double), (.longDouble, .longDouble): true
    case (.integer(let integer), .integer(let type)): type.range.contains(integer)
    case (.integer(let integer), .enumeration(let type)): type.underlying.range.contains(integer)
    case (.string, .string), (.string, .wideString), (.string, .pointer): true
    case (.string(_?), .array), (.string(_?), .flexible): type.isText || type.isFlexibleText
    case (.pointer(.null), .pointer), (.pointer(.null), .function), (.pointer(.null), .reference), (.pointer(.null), .sequence):
      true
    case (.reference(let reference), .reference(let type)): reference.type == type.name
    case (.array(let parts), .complex(let real)): parts.count == 2 && parts.allSatisfy { $0.fits(real.type) }
    case (.structure(let fields), .record): Self.fit(fields, type.memberTypes)
    case (_, .array(let element, let count)): givenCount == count && fitsBuffer(of: element)
    case (_, .sequence(let element, _)), (_, .flexible(let element, _)): fitsBuffer(of: element)
    default: false
    }
  }

  private static func fit(_ fields: [Field], _ types: [String: CType]) -> Bool {
    fields.allSatisfy { field in types[field.name].map(field.value.fits) ?? false }
  }

  fileprivate func fitsBuffer(of element: CType) -> Bool {
    switch self {
    case .bytes: element.isByte
    case .string: element.isByte
    case .packedArray(let elements):
      elements.elementType.hasSameLayout(as: element) || elements.elementType.isNumber(like: element)
    case .array(let elements): elements.allSatisfy { $0.fits(element) }
    case .memory(let memory): memory.type.hasSameLayout(as: element) || memory.type.isNumber(like: element)
    case .pointer(.null): true
    default: false
    }
  }

  private var givenCount: Int? {
    switch self {
    case .bytes(let bytes): bytes.count
    case .packedArray(let elements): elements.count
    case .array(let elements): elements.count
    default: nil
    }
  }
}

extension CType {
  /// An integer with the width and sign of another integer or enumeration.
  fileprivate func isNumber(like other: CType) -> Bool {
    guard let integer, let other = other.integer else { return false }
    return integer.width == other.width && integer.isSigned == other.isSigned
  }

  fileprivate var isFlexibleText: Bool { if case .flexible(let element, _) = self { element.isByte } else { false } }
}
