internal import TroupeBase

/// The columns that a function reads and writes: one for each argument that a caller gives, for the result and for each output.
struct ColumnPlan {
  struct Input {
    /// Among the arguments.
    let position: Int
    let parameter: Int
    let element: Column.Element
    /// The struct behind a reference, whose elements a column may have instead of pointers.
    let pointee: CType?
    /// Nil unless the parameter is a buffer.
    let length: LengthExpression?
  }

  struct Output {
    let name: String
    /// Nil for the result.
    let parameter: Int?
    let element: Column.Element
  }

  private(set) var inputs: [Input] = []
  private(set) var outputs: [Output] = []

  /// Throws a `CallError` with the code `unsupportedSignature` if the function cannot be called over columns.
  init(_ signature: Signature) throws(CallError) {
    guard signature.fixedCount == nil else { throw .noColumns(signature, "it takes a variable number of arguments") }
    let ownerships = [signature.resultOwnership] + signature.parameters.map(\.ownership)
    guard ownerships.allSatisfy({ $0 == Signature.Ownership() }) else {
      throw .noColumns(signature, "the caller has to release an object of each row")
    }
    if signature.result != .void {
      outputs.append(Output(name: "return", parameter: nil, element: try Self.element(signature.result, signature)))
    }
    for (index, takesArgument) in signature.takesArgument.enumerated() { try add(index, takesArgument, signature) }
  }

  private mutating func add(_ index: Int, _ takesArgument: Bool, _ signature: Signature) throws(CallError) {
    let parameter = signature.parameters[index]
    guard parameter.type != .resolver else { return }
    let element = try Self.element(parameter.type, signature)
    var (pointee, bufferLength): (CType?, LengthExpression?)
    switch parameter.passing {
    case .value: if case .reference(let reference) = parameter.type { pointee = reference.record.map(CType.record) }
    case .pointer: break
    case .buffer(.input, let length, _): bufferLength = length
    case .buffer: throw .noColumns(signature, "it writes the buffer \(signature.name(index).quoted())")
    }
    if takesArgument {
      inputs.append(Input(position: inputs.count, parameter: index, element: element, pointee: pointee, length: bufferLength))
    }
    if parameter.givesBack { outputs.append(Output(name: signature.name(index), parameter: index, element: element)) }
  }

  private static func element(_ type: CType, _ signature: Signature) throws(CallError) -> Column.Element {
    guard let element = Column.Element(type) else {
      throw .noColumns(signature, "there are no columns of \(type.shortDescription)")
    }
    return element
  }
}
