internal import TroupeBase

/// Reads length expressions, and resolves the names in them and in markers.
///
/// A length may name a parameter or member behind it, as in `const double values[count], int count`. So the parser notes each name in
/// `references`, and the length contains its index there. At the end of the list, the indices become those of the parameters or members.
extension SignatureParser {
  /// A name in a length or a marker that is not resolved yet.
  struct NameReference {
    let name: String
    let position: Int
    /// In a length an integer has the name, in a marker a reference.
    let isLength: Bool
  }

  /// Reads a name. Returns its index in `references`.
  mutating func reference(_ expected: String, isLength: Bool) throws(SignatureError) -> Int {
    guard let name = text.word else { throw text.unexpected(expected: expected) }
    references.append(NameReference(name: name, position: text.position, isLength: isLength))
    text.skip(name)
    return references.count - 1
  }

  /// [ product { "+" product } [ "bytes" ] ]; a product = factor { "*" factor }, a factor = a number, a name or "result"
  mutating func length() throws(SignatureError) -> LengthExpression {
    if text.next == UInt8(ascii: "]") { return .terminated }
    var products: [[LengthExpression.Factor]] = []
    repeat {
      var product: [LengthExpression.Factor] = []
      repeat {
        if text.take(word: "result") {
          product.append(.result)
        } else if text.word != nil {
          product.append(.parameter(try reference("the name of an integer parameter", isLength: true)))
        } else {
          product.append(.number(try count(or: ", or the name of an integer parameter")))
        }
        guard product.count <= 8 else { throw text.unexpected(expected: "at most 8 factors") }
      } while text.take("*")
      products.append(product)
      guard products.count <= 8 else { throw text.unexpected(expected: "at most 8 products") }
    } while text.take("+")
    return LengthExpression(products, isInBytes: text.take(word: "bytes"))
  }

  /// Checks that an element of a type can end an array: all of its bytes are zero, as of a null pointer or an empty struct.
  func checkTerminated(_ element: CType, start: Int) throws(SignatureError) {
    switch element {
    case .integer, .enumeration, .string, .wideString, .pointer, .reference, .function, .record: return
    default:
      throw text.error(
        "no element of \(element.shortDescription) ends an array", at: start, expected: "a length in the brackets")
    }
  }

  // MARK: Resolving names

  /// Resolves a name in a length or marker.
  func index(of reference: NameReference, in list: ParameterList) throws(SignatureError) -> Int {
    let expected = reference.isLength ? "the name of an integer parameter" : "the name of a parameter that is a reference"
    let name = reference.name.quoted()
    guard let index = list.indices[reference.name] else {
      throw text.error("\(name) is not a parameter", at: reference.position, expected: expected)
    }
    switch (list.parameters[index].type, list.parameters[index].passing) {
    case (_, .buffer) where reference.isLength:
      throw text.error("\(name) is a buffer itself", at: reference.position, expected: expected)
    case (.integer, .value), (.integer, .pointer): if reference.isLength { return index }
    case (.reference, _): if !reference.isLength { return index }
    default: break
    }
    throw text.error(
      "\(name) is not \(reference.isLength ? "an integer" : "a reference")", at: reference.position, expected: expected)
  }

  /// Resolves a name in the length of a member.
  func index(of reference: NameReference, in members: [CType.Record.Declaration]) throws(SignatureError) -> Int {
    if let index = members.firstIndex(where: { $0.name == reference.name }), case .integer = members[index].type {
      return index
    }
    throw text.error(
      "\(reference.name.quoted()) is no integer member", at: reference.position, expected: "the name of an integer member")
  }

  /// Replaces the indices of `references` in lengths and markers by those of the parameters.
  ///
  /// - Parameter starts: The positions of the parameters in the text, for errors.
  func resolveReferences(in list: inout ParameterList, starts: [Int]) throws(SignatureError) {
    let indices = try references.map { [list] reference throws(SignatureError) in try index(of: reference, in: list) }
    let isOutput = list.parameters.map { $0.passing == .pointer(.output) }
    for (position, parameter) in list.parameters.enumerated() {
      var passing = parameter.passing
      if case .buffer(let direction, var length, let used) = passing {
        // In `out void bytes[result], size_t size` only the parameter behind the buffer says how much room there is.
        if length == LengthExpression([[.result]]) {
          guard position + 1 < list.parameters.count, case .integer = list.parameters[position + 1].type,
            list.parameters[position + 1].passing == .value
          else {
            throw text.error(
              "the size of this buffer is unknown", at: starts[position],
              expected: "the size behind it, or in front of the result, as in [size, result]")
          }
          passing = .buffer(direction, .parameter(position + 1), used: length)
        } else {
          let reference = length.parameters.min().map { references[$0] }
          let position = reference?.position ?? starts[position]
          if length.usesResult {
            throw text.error(
              "the room cannot depend on the result", at: position, expected: "the room first, as in [size, result]")
          }
          length = length.replacing(indices)
          if length.parameters.contains(where: { isOutput[$0] }) {
            throw text.error(
              "\((reference?.name ?? "").quoted()) only gives something back, so that nobody says how long this is",
              at: position,
              expected: "an integer that goes in, such as an inout parameter")
          }
          passing = .buffer(direction, length, used: used?.replacing(indices))
        }
      }
      var ownership = parameter.ownership
      ownership.borrowedFrom = ownership.borrowedFrom.map { indices[$0] }
      list.parameters[position] = Signature.Parameter(
        type: parameter.type.replacingLength(indices), name: parameter.name, passing: passing, ownership: ownership,
        isNonnull: parameter.isNonnull)
    }
  }
}

extension CType {
  /// Maps the indices in the type's length.
  func replacingLength(_ indices: [Int]) -> CType {
    switch self {
    case .sequence(let element, let length): .sequence(element, length.replacing(indices))
    case .flexible(let element, let length): .flexible(element, length.replacing(indices))
    default: self
    }
  }
}
