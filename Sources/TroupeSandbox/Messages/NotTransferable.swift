package import TroupeCall

/// A value, or the values of a function, cannot cross to another process, because they contain an address without a known extent.
package struct NotTransferable: Error, Sendable, Equatable, CustomStringConvertible {
  /// The parameter, such as `buffer` or `#2`, with the members that lead to the fault, such as `point.next`; `the result` for the result.
  package let location: String
  /// The reason, such as `a pointer of unknown extent (void *)`.
  package let problem: String
  /// What the author of the plugin, or its user, can do.
  package let remedy: String

  /// The fault without the function, such as `data is a pointer of unknown extent (void *)`.
  package var description: String { "\(location) is \(problem)" }

  package static func address(_ value: String) -> Self {
    Self(location: value, problem: "valid in this process only", remedy: runInProcess)
  }

  fileprivate static let runInProcess = "run the plugin in the process of the host"

  /// - Parameter declarations: Declarations of the pointer with a known extent; none if the signature language has none.
  fileprivate static func unknownExtent(_ location: String, _ pointer: CType.Pointer, as declarations: [String]) -> Self {
    let words = declarations.isEmpty ? "" : "declare its extent, such as \(declarations.joined(separator: " or ")), or "
    return Self(
      location: location, problem: "a pointer of unknown extent (\(pointer.spelling))", remedy: words + runInProcess)
  }
}

extension Signature {
  /// Why a function of this type cannot be called in another process; nil if it can. Numbers, texts, buffers of a known length,
  /// references and structs of these cross in both directions. For a parameter that is a plain pointer to numbers, the elements cross,
  /// and back. Callbacks cross to the function if their own values can, and never back: a function that the plugin returns exists only in
  /// its process.
  package var transferError: NotTransferable? { parameterTransferError ?? result.transferError(.back, .result, "the result") }

  /// Why the arguments and outputs of a function of this type cannot be transferred; nil if they can.
  package var parameterTransferError: NotTransferable? { parameterTransferError(.there) }

  /// - Parameter direction: The direction in which arguments cross.
  fileprivate func parameterTransferError(_ direction: Direction) -> NotTransferable? {
    for (index, parameter) in parameters.enumerated() {
      let location = parameter.name ?? "#\(index + 1)"
      let place = Place.parameter(parameter.name ?? "values")
      if direction == .there, parameter.isPointerToNumbers { continue }
      if let error = parameter.type.transferError(direction, place, location) { return error }
      if parameter.givesBack, let error = parameter.type.transferError(.back, place, location) { return error }
    }
    return nil
  }

  /// Why a callback of this type cannot be called from another process; nil if it can.
  fileprivate func callbackTransferError(_ location: String) -> NotTransferable? {
    if let problem = callbackProblem {
      return NotTransferable(
        location: location, problem: "a callback of type \(self), and \(problem)", remedy: NotTransferable.runInProcess)
    }
    let error = parameterTransferError(.back) ?? result.transferError(.there, .result, "the result")
    return error.map { error in
      NotTransferable(
        location: "\(location), a callback, of which \(error.location)", problem: error.problem, remedy: error.remedy)
    }
  }
}

extension Signature.Parameter {
  /// Whether a call can allocate the elements behind a plain pointer wherever the function is.
  fileprivate var isPointerToNumbers: Bool {
    guard passing == .value, case .pointer(let pointer) = type else { return false }
    return switch pointer.target {
    case .bool, .integer, .enumeration, .float, .double, .longDouble, .complex: true
    default: false
    }
  }
}

/// To the process with the function, or back.
private enum Direction { case there, back }

/// Where a type stands in a signature, which decides how a buffer is declared.
private enum Place {
  case parameter(String), member(String), result

  /// Declarations for a pointer that say its extent: one element that the function writes, and a buffer of 16 elements. The length of a
  /// buffer may also be a parameter. Bytes stand for `void`.
  func declarations(_ pointer: CType.Pointer) -> [String] {
    var element = String(pointer.spelling.dropLast())
    while element.hasSuffix(" ") { element.removeLast() }
    let isConstant = element.hasPrefix("const ")
    let isVoid = element == "void" || element == "const void"
    if isVoid { element.replace("void", with: "unsigned char") }
    let space = element.hasSuffix("*") ? "" : " "
    switch self {
    case .parameter(let name):
      let one = isConstant || isVoid ? [] : ["out \(element)\(space)*\(name)"]
      return one + ["\(element)\(space)\(name)[16]"]
    case .member(let name): return ["\(element)\(space)(*\(name))[16]"]
    case .result: return isVoid ? [] : ["\(element)[16]"]
    }
  }
}

extension CType {
  /// - Parameter location: The parameter, or the member, that has the type.
  fileprivate func transferError(_ direction: Direction, _ place: Place, _ location: String) -> NotTransferable? {
    switch self {
    case .void, .bool, .integer, .enumeration, .float, .double, .longDouble, .complex, .string, .wideString, .reference,
      .resolver:
      return nil
    case .pointer(let pointer): return .unknownExtent(location, pointer, as: place.declarations(pointer))
    case .sequence(let element, _), .flexible(let element, _), .array(let element, _):
      return element.transferError(direction, place, location)
    case .record(let record):
      return record.members.lazy.compactMap { member in
        member.type.transferError(
          direction, .member(member.name), member.name.isEmpty ? location : "\(location).\(member.name)")
      }.first
    case .function(let signature):
      guard direction == .back else { return signature.callbackTransferError(location) }
      return NotTransferable(
        location: location, problem: "a pointer to a function of the plugin (\(self))", remedy: NotTransferable.runInProcess)
    }
  }
}
