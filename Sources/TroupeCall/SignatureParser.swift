/// Reads a signature: the result, the parameters and what is said about them. `SignatureParser+Types` reads the types.
struct SignatureParser {
  var text: SignatureText
  /// What has been defined under each tag, such as `struct point`.
  var definitions: [String: CType] = [:]
  /// How deeply what is being read lies within records, arrays and callbacks.
  private var depth = 0

  static let expectedType = "a type such as double, int32_t or string"

  init(_ text: String) throws(SignatureError) {
    self.text = try SignatureText(text)
  }

  mutating func signature() throws(SignatureError) -> Signature {
    let base = try definitionsBeforeResult()
    let start = text.position
    let owner = base == nil ? try owner() : nil
    var result = try resultType(base, start: start)
    var lengthName: (name: String, position: Int)?
    if text.take("[") {
      guard result != .void, let name = text.word else { throw text.unexpected(expected: "the name of a parameter") }
      lengthName = (name, text.position)
      text.skip(name)
      try text.expect("]")
    }
    if let owner, lengthName == nil { result = try owned(result, by: owner, start: start) }
    try refuseFunctionName()
    try text.expect("(")
    let list = try parameters(isCallback: false)
    try text.expect(")", or: "\",\" or ")
    let errorRule = try errorRule()
    guard text.isAtEnd else {
      throw text.unexpected(expected: errorRule == nil ? "errno, or nothing after \")\"" : "nothing after errno")
    }
    var resultLength: Int?
    if let lengthName { resultLength = try list.lengthIndex(lengthName.name, at: lengthName.position, text) }
    let signature = Signature(
      result: result, resultLength: resultLength, resultOwner: owner, parameters: list.parameters, fixedCount: list.fixedCount,
      errorRule: errorRule)
    // What is printed must parse again, and the canonical spelling can be longer than what the author wrote.
    let length = signature.description.utf8.count
    guard length <= Signature.maximumLength else {
      throw text.fault(
        "the text is \(length) bytes long in its canonical form", at: text.count, expected: SignatureText.expectedLength)
    }
    return signature
  }

  /// Reads the definitions of records and enumerations before the result; the last of them may be the result's own type.
  private mutating func definitionsBeforeResult() throws(SignatureError) -> Base? {
    while let word = text.word, ["struct", "union", "enum"].contains(word) {
      let start = text.position
      let base = try self.base()
      guard text.take(";") else { return base }
      guard base.type?.tag != nil else {
        throw text.fault("this defines nothing that could be mentioned", at: start, expected: "a tag and members, or a result")
      }
    }
    return nil
  }

  /// Refuses a function's name between the result and the parameters. A declaration in C has one, a signature has none.
  private func refuseFunctionName() throws(SignatureError) {
    guard let name = text.word, name != "owned" else { return }
    var rest = text
    rest.skip(name)
    guard rest.isAt("(") else { return }
    throw text.fault(
      "\(name.quoted()) is a function's name, and a signature contains none", at: text.position, expected: "\"(\"")
  }

  private mutating func resultType(_ base: Base?, start: Int) throws(SignatureError) -> CType {
    let result = try type(base)
    switch result {
    case .resolver: throw text.fault("a result cannot be a resolver", at: start, expected: Self.expectedType)
    default: return result
    }
  }

  /// [ "errno" [ "(" "any" ")" ] ]
  private mutating func errorRule() throws(SignatureError) -> Signature.ErrorRule? {
    guard text.take(word: "errno") else { return nil }
    guard text.take("(") else { return .failure }
    guard text.take(word: "any") else { throw text.unexpected(expected: "\"any\"") }
    try text.expect(")")
    return .any
  }

  /// [ "owned" "(" name ")" ]
  private mutating func owner() throws(SignatureError) -> String? {
    guard text.word == "owned" else { return nil }
    text.skip("owned")
    try text.expect("(")
    guard let name = text.word else { throw text.unexpected(expected: "the name of the function that frees it, such as free") }
    text.skip(name)
    try text.expect(")")
    return name
  }

  /// What is copied before it is freed: text, since nobody knows how much lies behind another pointer.
  private func owned(_ type: CType, by owner: String, start: Int) throws(SignatureError) -> CType {
    switch type {
    case .string, .pointer(CType.Pointer(spelling: "char *")): return .string
    default:
      throw text.fault(
        "nothing of this could be copied before \(owner) frees it", at: start,
        expected: "text, which is char *, or a buffer with a length")
    }
  }

  /// A type that is made of others, or throws if there are too many of them or they lie too deeply within each other. What is
  /// behind a tag is looked at as if it stood there, since it will where the type is printed.
  func checked(_ type: CType, at position: Int) throws(SignatureError) -> CType {
    guard type.depth <= Signature.maximumDepth else { throw tooDeep(at: position) }
    guard type.weight <= Signature.maximumWeight else { throw tooManyTypes(at: position) }
    return type
  }

  private func tooDeep(at position: Int) -> SignatureError {
    text.fault(
      "the types lie too deeply within each other", at: position, expected: "at most \(Signature.maximumDepth) levels")
  }

  private func tooManyTypes(at position: Int) -> SignatureError {
    text.fault(
      "there are too many types within each other", at: position,
      expected: "at most \(Signature.maximumWeight), those behind a tag counted each time")
  }

  /// Runs a closure one level deeper, or throws if that is too deep.
  mutating func deeper<Result>(
    _ body: (inout SignatureParser) throws(SignatureError) -> Result
  ) throws(SignatureError) -> Result {
    guard depth < Signature.maximumDepth else { throw tooDeep(at: text.position) }
    depth += 1
    defer { depth -= 1 }
    return try body(&self)
  }
}

// MARK: Parameters

extension SignatureParser {
  /// What stands between the parentheses.
  struct ParameterList {
    var parameters: [Signature.Parameter] = []
    var fixedCount: Int?

    /// The parameters that have names, by these.
    var indices: [String: Int] = [:]

    /// The index of the parameter that gives a length.
    func lengthIndex(_ name: String, at position: Int, _ text: SignatureText) throws(SignatureError) -> Int {
      let expected = "the name of an integer parameter"
      guard let index = indices[name] else {
        throw text.fault("\(name.quoted()) is not a parameter", at: position, expected: expected)
      }
      switch parameters[index].passing {
      case .value, .reference: if case .integer = parameters[index].type { return index }
      case .buffer: throw text.fault("\(name.quoted()) is a buffer itself", at: position, expected: expected)
      }
      throw text.fault("\(name.quoted()) is not an integer", at: position, expected: expected)
    }
  }

  /// A parameter as it is read, before all names are known.
  private struct Draft {
    let start: Int
    var parameter: Signature.Parameter
    /// The buffer's direction and the name that gives its length.
    var length: (direction: Signature.Parameter.Direction, name: String, position: Int)?
  }

  /// The list between the parentheses.
  ///
  /// - Parameter isCallback: Whether it is that of a callback, whose parameters are plain values.
  mutating func parameters(isCallback: Bool) throws(SignatureError) -> ParameterList {
    var list = ParameterList()
    var drafts: [Draft] = []
    var names: Set<String> = []
    var (weight, size) = (0, 0)
    if text.next == UInt8(ascii: ")") || isVoidAlone() { return list }
    repeat {
      let start = text.position
      if !isCallback, list.fixedCount == nil, !drafts.isEmpty, text.take("...") {
        list.fixedCount = drafts.count
        continue
      }
      if text.isAt("...") { throw misplacedDots(list, isCallback: isCallback) }
      guard drafts.count < Signature.maximumParameterCount else {
        throw text.fault(
          "there are too many parameters", at: start, expected: "at most \(Signature.maximumParameterCount) parameters")
      }
      let draft = try parameter(besides: &names)
      let isPlain = draft.parameter.passing == .value && draft.length == nil
      if isCallback, !isPlain || draft.parameter.type == .resolver {
        throw text.fault("a callback takes plain values", at: start, expected: Self.expectedType)
      }
      if list.fixedCount != nil, !isPlain {
        throw text.fault("an argument behind \"...\" is a plain value", at: start, expected: Self.expectedType)
      }
      weight += draft.parameter.type.weight
      guard weight <= Signature.maximumWeight else { throw tooManyTypes(at: start) }
      size += isPlain ? draft.parameter.type.size.roundedUp(to: 8) : 8
      guard size <= Signature.maximumArgumentSize else {
        throw text.fault(
          "the parameters are too large together", at: start,
          expected: "at most \(Signature.maximumArgumentSize) bytes, or a pointer")
      }
      if let name = draft.parameter.name { list.indices[name] = drafts.count }
      drafts.append(draft)
    } while text.take(",")
    // What is a buffer must be known before one of them is looked at as the length of another; the count is not looked at.
    list.parameters = drafts.map { draft in
      guard let length = draft.length else { return draft.parameter }
      return draft.parameter.with(.buffer(length.direction, .constant(1)))
    }
    for (index, draft) in drafts.enumerated() {
      guard let (direction, name, position) = draft.length else { continue }
      let length = try list.lengthIndex(name, at: position, text)
      if list.parameters[length].passing == .reference(.output) {
        throw text.fault(
          "\(name.quoted()) only gives something back, so that nobody says how long this is", at: position,
          expected: "an integer that goes in, such as an inout parameter")
      }
      list.parameters[index] = draft.parameter.with(.buffer(direction, .parameter(length)))
    }
    return list
  }

  /// The fault of "..." where it cannot stand.
  private func misplacedDots(_ list: ParameterList, isCallback: Bool) -> SignatureError {
    if isCallback {
      return text.fault("a callback takes a fixed number of values", at: text.position, expected: Self.expectedType)
    }
    return list.fixedCount == nil
      ? text.fault("\"...\" stands first", at: text.position, expected: "a parameter in front of it")
      : text.fault("\"...\" stands twice", at: text.position, expected: "the type of an argument")
  }

  /// Whether "void" and nothing else stands between the parentheses, or up to the end of the text; it is then read.
  private mutating func isVoidAlone() -> Bool {
    let start = text.position
    guard text.take(word: "void") else { return false }
    if text.next == nil || text.next == UInt8(ascii: ")") { return true }
    text.goBack(to: start)
    return false
  }

  private mutating func parameter(besides names: inout Set<String>) throws(SignatureError) -> Draft {
    let start = text.position
    let word = text.word.flatMap { ["out": .output, "inout": .inputOutput][$0] } as Signature.Parameter.Direction?
    if word != nil, let read = text.word { text.skip(read) }
    let owner = try owner()
    let base = try self.base()
    let stars = stars()
    if text.next == UInt8(ascii: "("), word == nil, owner == nil {
      let result = try type(base, stars)
      return try callback(result, start: start, besides: &names)
    }
    let name = try name(besides: &names, of: "parameter")
    var draft: Draft
    if text.next == UInt8(ascii: "[") {
      draft = try buffer(base, stars, word, name, start: start)
    } else if let word {
      guard let type = try pointee(base, stars) else {
        throw text.fault(
          "what gives something back is behind a pointer, and this is not", at: start, expected: "a \"*\" behind the type")
      }
      draft = Draft(start: start, parameter: .init(type: type, name: name, passing: .reference(word)))
    } else {
      draft = Draft(start: start, parameter: .init(type: try type(base, stars), name: name))
    }
    let parameter = draft.parameter
    let givesBack = parameter.givesBack || draft.length.map { $0.direction != .input } ?? false
    if parameter.type == .void {
      throw text.fault("a parameter cannot be void", at: start, expected: Self.expectedType + ", or (void) for no parameters")
    }
    if parameter.type == .resolver, parameter.passing != .value || draft.length != nil {
      throw text.fault("a resolver is passed as it is", at: start, expected: "resolver")
    }
    if givesBack, name == nil {
      throw text.fault("what this gives back has no name", at: text.position, expected: "a name")
    }
    guard let owner else { return draft }
    guard givesBack else {
      throw text.fault("this gives nothing back that \(owner) could free", at: start, expected: "an out parameter")
    }
    let type = try owned(parameter.type, by: owner, start: start)
    draft.parameter = Signature.Parameter(type: type, name: name, passing: parameter.passing, owner: owner)
    return draft
  }

  /// { "[" length "]" } behind the name of a buffer.
  private mutating func buffer(
    _ base: Base, _ stars: [Bool], _ word: Signature.Parameter.Direction?, _ name: String?, start: Int
  ) throws(SignatureError) -> Draft {
    let isConstant = stars.last ?? base.isConstant
    let direction = word ?? (isConstant ? .input : .inputOutput)
    try text.expect("[")
    let position = text.position
    let lengthName = text.word
    if let lengthName { text.skip(lengthName) }
    let count = lengthName == nil ? try self.count(or: ", or the name of an integer parameter") : 0
    try text.expect("]")
    let written = try type(base, stars)
    // Memory of no type is counted in bytes.
    let element = try array(of: written == .void ? .integer(.byte) : written, start: start)
    guard element.size * max(count, 1) <= CType.Record.maximumSize else {
      throw text.fault("the buffer is too large", at: start, expected: "at most \(CType.Record.maximumSize) bytes")
    }
    if let lengthName {
      return Draft(start: start, parameter: .init(type: element, name: name), length: (direction, lengthName, position))
    }
    return Draft(start: start, parameter: .init(type: element, name: name, passing: .buffer(direction, .constant(count))))
  }

  /// "(" "*" [ name ] ")" "(" parameters ")" behind the result's type.
  private mutating func callback(
    _ result: CType, start: Int, besides names: inout Set<String>
  ) throws(SignatureError) -> Draft {
    try text.expect("(")
    guard text.take("*") else { throw text.unexpected(expected: "\"*\", as in int (*compare)(int, int)") }
    let name = try name(besides: &names, of: "parameter")
    let type = try callbackType(result, start: start)
    return Draft(start: start, parameter: .init(type: type, name: name))
  }

  /// ")" "(" parameters ")" behind the name of a pointer to a function.
  mutating func callbackType(_ result: CType, start: Int) throws(SignatureError) -> CType {
    try text.expect(")")
    try text.expect("(")
    if result == .resolver {
      throw text.fault("a callback cannot give back a resolver", at: start, expected: Self.expectedType)
    }
    let list = try deeper { parser throws(SignatureError) in try parser.parameters(isCallback: true) }
    try text.expect(")", or: "\",\" or ")
    return try checked(.function(Signature(result: result, parameters: list.parameters)), at: start)
  }

  /// name = a C identifier that no other parameter or member has and that is not a keyword
  ///
  /// - Parameter thing: What has the name, for a message.
  mutating func name(besides names: inout Set<String>, of thing: String) throws(SignatureError) -> String? {
    guard let name = text.word else { return nil }
    if name == "packed" {
      // Behind a struct that is spelled out it would be read as part of it.
      throw text.fault("\(name.quoted()) stands behind a struct's members", at: text.position, expected: "another name")
    }
    if Self.keywords.contains(name) {
      let others = thing == "parameter" ? ", \",\" or \")\"" : " for the \(thing)"
      throw text.fault("\(name.quoted()) is a keyword of C", at: text.position, expected: "a name" + others)
    }
    guard names.insert(name).inserted else {
      throw text.fault(
        "\(name.quoted()) names two \(thing)s", at: text.position, expected: "a name that no other \(thing) has")
    }
    text.skip(name)
    return name
  }

  /// The words that C reserves, which cannot name a parameter. The names of types that are not keywords in C can.
  static let keywords: Set<String> = [
    "auto", "bool", "break", "case", "char", "const", "constexpr", "continue", "default", "do", "double", "else", "enum",
    "extern", "false", "float", "for", "goto", "if", "inline", "int", "long", "nullptr", "register", "restrict", "return",
    "short", "signed", "sizeof", "static", "struct", "switch", "true", "typedef", "typeof", "union", "unsigned", "void",
    "volatile", "while", "_Atomic", "_Bool", "_Complex", "_Imaginary",
  ]
}

extension CType {
  /// The tag of a record or enumeration that has one.
  fileprivate var tag: String? {
    switch self {
    case .record(let record): record.name
    case .enumeration(let enumeration): enumeration.name
    default: nil
    }
  }
}
