extension SignatureParser {
  /// A name in a length or a marker.
  struct Mention {
    let name: String
    let position: Int
    /// Whether it is in a length, where an integer has the name; in a marker it is a handle.
    let isLength: Bool
  }

  /// Reads a name that a parameter or member has; returns its index in `mentions`.
  mutating func mention(_ expected: String, isLength: Bool) throws(SignatureError) -> Int {
    guard let name = text.word else { throw text.unexpected(expected: expected) }
    mentions.append(Mention(name: name, position: text.position, isLength: isLength))
    text.skip(name)
    return mentions.count - 1
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
          product.append(.parameter(try mention("the name of an integer parameter", isLength: true)))
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
      throw text.fault(
        "no element of \(element.shortDescription) ends an array", at: start, expected: "a length in the brackets")
    }
  }

  // MARK: Failures

  /// [ "errno" [ "(" "any" | "result" ")" ] | "error" "(" condition [ "except" numbers ] [ ":" function [ "(" [ name ] ")" ] ] ")" ]
  mutating func failureRule(_ result: CType, _ list: ParameterList) throws(SignatureError) -> Signature.FailureRule? {
    let start = text.position
    if text.take(word: "errno") {
      guard text.take("(") else { return .errno }
      let isResult = text.take(word: "result")
      guard isResult || text.take(word: "any") else { throw text.unexpected(expected: "\"any\" or \"result\"") }
      try text.expect(")")
      guard isResult else { return .anyErrno }
      guard result.integer != nil else { throw text.fault("the result is no number", at: start, expected: "an integer result") }
      return .errorNumber
    }
    guard text.take(word: "error") else { return nil }
    try text.expect("(")
    let conditions = Signature.FailureRule.Condition.allCases.map(\.rawValue)
    guard let condition = text.word.flatMap(Signature.FailureRule.Condition.init) else {
      throw text.unexpected(expected: "one of " + conditions.joined(separator: ", "))
    }
    guard condition.fits(result) else {
      throw text.fault(
        "a result of \(result.shortDescription) is never \(condition)", at: text.position, expected: "another condition")
    }
    text.skip(condition.rawValue)
    var exceptions: [Int128] = []
    if text.take(word: "except") {
      repeat { exceptions.append(try number(of: result)) } while text.take(",")
    }
    let function = text.take(":") ? try textFunction(list) : nil
    try text.expect(")")
    return .result(condition, except: exceptions, text: function)
  }

  /// A number, or the name of one if the result is an enumeration.
  private mutating func number(of result: CType) throws(SignatureError) -> Int128 {
    if case .enumeration(let enumeration) = result, let word = text.word, let value = enumeration.value(of: word) {
      text.skip(word)
      return value
    }
    guard let number = text.number() else { throw text.unexpected(expected: "a number") }
    return number
  }

  /// function [ "(" [ name ] ")" ]
  private mutating func textFunction(_ list: ParameterList) throws(SignatureError) -> Signature.TextFunction {
    guard let name = text.word else { throw text.unexpected(expected: "the name of a function that returns text") }
    text.skip(name)
    guard text.take("(") else { return Signature.TextFunction(name: name, argument: .result) }
    if text.take(")") { return Signature.TextFunction(name: name, argument: .none) }
    guard let parameter = text.word, let index = list.indices[parameter] else {
      throw text.unexpected(expected: "the name of a parameter, or \")\"")
    }
    if list.parameters[index].isBuffer {
      throw text.unexpected("is a buffer", expected: "the name of a parameter that is a value, or \")\"")
    }
    text.skip(parameter)
    try text.expect(")")
    return Signature.TextFunction(name: name, argument: .parameter(index))
  }
}

extension Signature.FailureRule.Condition {
  /// Whether a result of a type can be a failure.
  func fits(_ type: CType) -> Bool {
    switch (self, type) {
    case (.null, .pointer), (.null, .handle), (.null, .string), (.null, .wideString), (.null, .sequence), (.null, .function):
      true
    case (.zero, .bool), (.nonzero, .bool): true
    case (.zero, _), (.nonzero, _): type.integer != nil
    case (.negative, _): type.integer?.isSigned ?? false
    default: false
    }
  }
}

extension CType {
  /// The same type with other indices in its length.
  func replacingLength(_ indices: [Int]) -> CType {
    switch self {
    case .sequence(let element, let length): .sequence(element, length.replacing(indices))
    case .flexible(let element, let length): .flexible(element, length.replacing(indices))
    default: self
    }
  }

  /// Text of an integer type with a name; nil if C has no text of it.
  static func wideString(element name: String) -> CType? {
    guard ["wchar_t", "char16_t", "char32_t"].contains(name) else { return nil }
    return Integer.typedefs.first { $0.name == name }.map(CType.wideString)
  }
}
