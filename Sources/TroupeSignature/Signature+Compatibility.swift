/// Two answers to "are these the same function type?".
///
/// `isCompatible(with:)` is for a function that takes the place of another one, as a callback: buffers and outputs are the same. `isPassed(as:)`
/// compares only what reaches the registers and the stack, for a direct call of the function through another declaration.
extension Signature {
  /// Names of parameters, failure rules, ownership and spellings of integers may differ. `void *` is any pointer, as where C's authors cast.
  package func isCompatible(with other: Signature) -> Bool {
    result.isCompatible(with: other.result) && fixedCount == other.fixedCount
      && parameters.count == other.parameters.count
      && zip(parameters, other.parameters).allSatisfy { $0.passing == $1.passing && $0.type.isCompatible(with: $1.type) }
  }
}

extension CType {
  fileprivate func isCompatible(with other: CType) -> Bool {
    switch (self, other) {
    case (.function(let one), .function(let other)): return one.isCompatible(with: other)
    case (.reference(let one), .reference(let other)):
      guard one.name == other.name else { return false }
      return one.record == nil || other.record == nil || one.record == other.record
    case (.pointer, .pointer), (.pointer, .reference), (.reference, .pointer): return ABIType(self).isSame(as: ABIType(other))
    default:
      guard let one = integer, let other = other.integer else { return self == other }
      return one.width == other.width && one.isSigned == other.isSigned
    }
  }
}

// MARK: Passing

extension Signature {
  /// A direct call of a function of this type is valid with the other type: both pass the same values in the same registers.
  ///
  /// Names and markers may differ. Integers are compared by width and sign, pointers by their targets, without `const`; `void *` is any
  /// pointer. So `const double values[count]` and `const double *values` are the same.
  package func isPassed(as other: Signature) -> Bool {
    parameters.count == other.parameters.count && fixedCount == other.fixedCount
      && ABIType(result).isSame(as: ABIType(other.result))
      && zip(parameters, other.parameters).allSatisfy { ABIType($0).isSame(as: ABIType($1)) }
  }
}

/// What the calling convention depends on in a type.
private enum ABIType: Equatable {
  case integer(width: Int, isSigned: Bool)
  /// A pointer to this target; empty for any.
  case pointer(to: String)
  case other(CType)

  init(_ parameter: Signature.Parameter) {
    self = parameter.isPointerInC ? .pointer(to: Self.name(parameter.type)) : ABIType(parameter.type)
  }

  init(_ type: CType) {
    if let integer = type.integer {
      self = .integer(width: integer.width, isSigned: integer.isSigned)
      return
    }
    switch type {
    case .string: self = .pointer(to: Self.name(.integer(.char)))
    case .wideString(let integer): self = .pointer(to: Self.name(.integer(integer)))
    case .pointer(let pointer): self = .pointer(to: Self.target(pointer.spelling))
    case .reference(let reference): self = .pointer(to: reference.name)
    case .sequence(let element, _): self = .pointer(to: Self.name(element))
    case .function: self = .pointer(to: "")
    default: self = .other(type)
    }
  }

  func isSame(as other: ABIType) -> Bool {
    if case .pointer(let target) = self, case .pointer(let otherTarget) = other {
      return target.isEmpty || otherTarget.isEmpty || target == otherTarget
    }
    return self == other
  }

  /// The name of a target: the same for integers of the same width and sign.
  private static func name(_ type: CType) -> String {
    if let integer = type.integer { return (integer.isSigned ? "int" : "unsigned ") + "\(integer.width)" }
    switch type {
    case .string: return name(.integer(.char)) + " *"
    case .pointer(let pointer): return target(pointer.spelling) + " *"
    default: return type.shortDescription.replacing("const ", with: "")
    }
  }

  /// The name of the target of a pointer in its spelling.
  private static func target(_ spelling: String) -> String {
    guard spelling.hasSuffix("*") else { return "" }
    var text = String(spelling.dropLast()).replacing("const ", with: "")
    while text.hasSuffix(" ") { text.removeLast() }
    if text == "void" { return "" }
    return (try? CType(parsing: text)).map { name($0) } ?? text
  }
}
