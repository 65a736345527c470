package import TroupeCall

/// Why a function cannot be called in another process.
package struct CrossingFault: Error, Sendable, Equatable, CustomStringConvertible {
  /// The parameter, such as `buffer` or `#2`, with the members that lead to the fault, such as `point.next`; `the result` for the result.
  package let place: String
  /// What the place is, such as `a pointer of unknown extent (void *)`.
  package let problem: String

  /// The fault without the function, such as `data is a pointer of unknown extent (void *)`.
  package var description: String { "\(place) is \(problem)" }
}

extension Signature {
  /// Why a function of this type cannot be called in another process; nil if it can: each value consists of numbers, texts, buffers of a
  /// known length, handles, and callbacks of which the same is true.
  package var crossingFault: CrossingFault? {
    for (index, parameter) in parameters.enumerated() {
      let name = parameter.name ?? "#\(index + 1)"
      if let fault = parameter.type.crossingFault(name) { return fault }
    }
    if let fault = result.crossingFault("the result") { return fault }
    return nil
  }
}

extension CType {
  /// - Parameter place: The parameter, or the member, that has the type.
  fileprivate func crossingFault(_ place: String) -> CrossingFault? {
    switch self {
    case .void, .bool, .integer, .enumeration, .float, .double, .longDouble, .complex, .string, .wideString, .handle, .resolver:
      return nil
    case .pointer(let pointer):
      guard let pointee = pointer.pointee else {
        return CrossingFault(place: place, problem: "a pointer of unknown extent (\(pointer.spelling))")
      }
      return pointee.crossingFault(place)
    case .sequence(let element, _), .flexible(let element, _), .array(let element, _): return element.crossingFault(place)
    case .record(let record):
      return record.members.lazy.compactMap { member in
        member.type.crossingFault(member.name.isEmpty ? place : "\(place).\(member.name)")
      }.first
    case .function(let signature):
      return signature.crossingFault.map { fault in
        CrossingFault(place: "\(place), a callback, of which \(fault.place)", problem: fault.problem)
      }
    }
  }
}
