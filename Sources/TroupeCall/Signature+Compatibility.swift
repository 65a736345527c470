extension Signature {
  /// Whether functions of both types are called in the same way. The names of the parameters, the failure rules and the ownership may
  /// differ.
  package func isCompatible(with other: Signature) -> Bool {
    result.isCompatible(with: other.result) && fixedCount == other.fixedCount
      && parameters.count == other.parameters.count
      && zip(parameters, other.parameters).allSatisfy { $0.passing == $1.passing && $0.type.isCompatible(with: $1.type) }
  }
}

extension CType {
  /// Whether both are the same type, but for names of parameters.
  fileprivate func isCompatible(with other: CType) -> Bool {
    guard case .function(let signature) = self, case .function(let otherSignature) = other else { return self == other }
    return signature.isCompatible(with: otherSignature)
  }
}
