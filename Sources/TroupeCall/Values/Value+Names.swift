/// Enumerations' values by their names, for people.
extension Signature {
  /// The result of a call, with the name for each value of an enumeration that has one; of several names the first.
  ///
  ///     let signature = try Signature(parsing: "enum color { red, green }; enum color (int number)")
  ///     print(signature.named(.integer(1)))  // green
  ///
  /// A program compares numbers, which is why a call gives those. The name converts to the same value again.
  public func named(_ outcome: Value) -> Value {
    let type = result
    let outputs = outputs
    guard !outputs.isEmpty, case .structure(let fields) = outcome else { return outcome.named(type) }
    var types = Dictionary(outputs.map { ($0.name ?? "", $0.typeInJSON) }) { first, _ in first }
    types["return"] = type
    return .structure(fields.map { Value.Field($0.name, types[$0.name].map($0.value.named) ?? $0.value) })
  }
}

extension Value {
  /// The value, which is of a type, with names for numbers.
  fileprivate func named(_ type: CType) -> Value {
    switch (type, self) {
    case (.enumeration(let enumeration), .integer(let integer)):
      enumeration.cases.first { $0.value == integer }.map { .string($0.name) } ?? self
    case (.pointer(let pointer), .structure): pointer.pointee.map { named($0) } ?? self
    case (.sequence(let element, _), _), (.flexible(let element, _), _): named(.array(element, count: 0))
    case (.array(let element, _), .packedArray(let elements)) where !element.isPlainNumbers:
      .array(elements.map { $0.named(element) })
    case (.array(let element, _), .array(let elements)): .array(elements.map { $0.named(element) })
    case (.record, .structure(let fields)):
      .structure(fields.map { field in Field(field.name, type.memberTypes[field.name].map(field.value.named) ?? field.value) })
    default: self
    }
  }
}
