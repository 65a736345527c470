/// Reads length expressions, and resolves the names in them.
///
/// A length may name a parameter or member behind it, as in `const double values[count], int count`. So the parser notes each name in
/// `references`, and the length contains its index there. At the end of the list, the indices become those of the parameters or members.
extension SignatureParser {
  /// A name in a length or a marker that is not resolved yet.
  struct NameReference {
    let name: String
    let position: Int
    /// In a length an integer has the name, in a marker a handle.
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
    case .integer, .enumeration, .string, .wideString, .pointer, .handle, .function, .record: return
    default:
      throw text.error(
        "no element of \(element.shortDescription) ends an array", at: start, expected: "a length in the brackets")
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
