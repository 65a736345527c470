package import TroupeCall

/// The reason why a function cannot be called in another process.
package struct TransferFault: Error, Sendable, Equatable, CustomStringConvertible {
  /// The parameter, such as `buffer` or `#2`, with the members that lead to the fault, such as `point.next`; `the result` for the result.
  package let location: String
  /// The reason, such as `a pointer of unknown extent (void *)`.
  package let problem: String

  /// The fault without the function, such as `data is a pointer of unknown extent (void *)`.
  package var description: String { "\(location) is \(problem)" }
}

extension Signature {
  /// Why a function of this type cannot be called in another process; nil if it can. Numbers, texts, buffers of a known length, handles and
  /// structs of these can be transferred, and so can callbacks whose own values can.
  package var transferFault: TransferFault? { parameterTransferFault ?? result.transferFault("the result") }

  /// Why the arguments of a function of this type cannot be transferred; nil if they can.
  package var parameterTransferFault: TransferFault? {
    for (index, parameter) in parameters.enumerated() {
      let name = parameter.name ?? "#\(index + 1)"
      if let fault = parameter.type.transferFault(name) { return fault }
    }
    return nil
  }
}

extension CType {
  /// - Parameter location: The parameter, or the member, that has the type.
  fileprivate func transferFault(_ location: String) -> TransferFault? {
    switch self {
    case .void, .bool, .integer, .enumeration, .float, .double, .longDouble, .complex, .string, .wideString, .handle, .resolver:
      return nil
    case .pointer(let pointer):
      guard let pointee = pointer.pointee else {
        return TransferFault(location: location, problem: "a pointer of unknown extent (\(pointer.spelling))")
      }
      return pointee.transferFault(location)
    case .sequence(let element, _), .flexible(let element, _), .array(let element, _): return element.transferFault(location)
    case .record(let record):
      return record.members.lazy.compactMap { member in
        member.type.transferFault(member.name.isEmpty ? location : "\(location).\(member.name)")
      }.first
    case .function(let signature):
      return signature.transferFault.map { fault in
        TransferFault(location: "\(location), a callback, of which \(fault.location)", problem: fault.problem)
      }
    }
  }
}
