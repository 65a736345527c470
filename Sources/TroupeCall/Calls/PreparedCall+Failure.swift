internal import Glibc

/// Decides by the failure rule of the signature whether a call has failed, and asks the library for the text of the failure.
extension PreparedCall {
  /// The fault if a call has failed by the signature's rule, and nil if it has succeeded.
  ///
  /// - Parameters:
  ///   - code: `errno` after the call.
  ///   - result: Where the result is.
  ///   - argument: Returns where the value of a parameter is; nil if the caller has given NULL for it.
  func failure(errno code: Int32, result: UnsafeRawPointer, argument: (Int) -> UnsafeRawPointer?) -> CallError? {
    switch signature.failureRule {
    case nil: return nil
    case .errno: return code != 0 && signature.result.isUsualFailure(result) ? .system(code) : nil
    case .anyErrno: return code != 0 ? .system(code) : nil
    case .errorNumber:
      let number = signature.result.number(at: result)
      return number == 0 ? nil : .system(Int32(truncatingIfNeeded: number))
    case .result(let condition, let exceptions, let text):
      let number = signature.result.number(at: result)
      let hasFailed =
        switch condition {
        case .null, .zero: number == 0
        case .nonzero: number != 0
        case .negative: number < 0
        }
      guard hasFailed, !exceptions.contains(number) else { return nil }
      let place: UnsafeRawPointer? =
        switch text?.argument {
        case .result: result
        case .parameter(let index): argument(index)
        case .none?, nil: nil
        }
      return .failed(number, signature.result, text: self.text(place))
    }
  }

  /// Asks the signature's text function for a text.
  private func text(_ argument: UnsafeRawPointer?) -> String? {
    guard let textCall, let type = textCall.signature.parameters.first?.type else {
      return (try? textCall?.call([])).flatMap { if case .string(let text) = $0 { text } else { nil } }
    }
    guard let argument, let value = try? Value.read(type, at: argument), case .string(let text)? = try? textCall.call([value])
    else { return nil }
    return text
  }

  /// Prepares calls of the function that returns the text of a failure.
  static func textCall(_ signature: Signature, _ symbols: SymbolLookup) throws(CallError) -> PreparedCall? {
    guard case .result(_, _, let text?)? = signature.failureRule else { return nil }
    guard let function = symbols(text.name) else { throw .missingFunction(text.name, signature) }
    let type: CType? =
      switch text.argument {
      case .none: nil
      case .result: signature.result
      case .parameter(let index): signature.parameters[index].type
      }
    // A reference is passed by its address, since a failed call may have left none.
    let parameters = type.map { [Signature.Parameter(type: $0.isReference ? .pointer(.toVoid) : $0, name: nil)] } ?? []
    return try PreparedCall(signature: Signature(result: .string, parameters: parameters), function: function)
  }
}

extension CType {
  /// Whether a result is the one by which C functions say that they failed: -1, NULL or false.
  fileprivate func isUsualFailure(_ place: UnsafeRawPointer) -> Bool {
    switch self {
    case .bool, .string, .wideString, .pointer, .reference, .sequence, .function: number(at: place) == 0
    default: integer.map { number(at: place) == ($0.isSigned ? -1 : $0.range.upperBound) } ?? false
    }
  }

  /// A scalar result as a number, a pointer as its address.
  fileprivate func number(at place: UnsafeRawPointer) -> Int128 {
    if let integer { return Value.integer(integer, at: place) }
    if self == .bool { return place.load(as: UInt8.self) == 0 ? 0 : 1 }
    return Int128(place.load(as: UInt.self))
  }
}
