/// Reads the failure rule behind the parameters.
extension SignatureParser {
  /// [ "errno" [ "(" "any" | "result" ")" ] | "error" "(" condition [ "except" numbers ] [ ":" function [ "(" [ name ] ")" ] ] ")" ]
  mutating func failureRule(_ result: CType, _ list: ParameterList) throws(SignatureError) -> Signature.FailureRule? {
    let start = text.position
    if text.take(word: "errno") {
      guard text.take("(") else { return .errno }
      let isResult = text.take(word: "result")
      guard isResult || text.take(word: "any") else { throw text.unexpected(expected: "\"any\" or \"result\"") }
      try text.expect(")")
      guard isResult else { return .anyErrno }
      guard result.integer != nil else { throw text.error("the result is no number", at: start, expected: "an integer result") }
      return .errorNumber
    }
    guard text.take(word: "error") else { return nil }
    try text.expect("(")
    let conditions = Signature.FailureRule.Condition.allCases.map(\.rawValue)
    guard let condition = text.word.flatMap(Signature.FailureRule.Condition.init) else {
      throw text.unexpected(expected: "one of " + conditions.joined(separator: ", "))
    }
    guard condition.fits(result) else {
      throw text.error(
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
  /// Returns true if a result of a type can meet the condition.
  func fits(_ type: CType) -> Bool {
    switch (self, type) {
    case (.null, .pointer), (.null, .reference), (.null, .string), (.null, .wideString), (.null, .sequence), (.null, .function):
      true
    case (.zero, .bool), (.nonzero, .bool): true
    case (.zero, _), (.nonzero, _): type.integer != nil
    case (.negative, _): type.integer?.isSigned ?? false
    default: false
    }
  }
}
