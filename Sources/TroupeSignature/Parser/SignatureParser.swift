internal import TroupeBase

/// Reads a signature by recursive descent, in the grammar of ``Signature``. Each method reads one rule, which its comment gives.
///
/// The parser has no tokens: a `SignatureScanner` gives the next word or symbol of the text. Any text may be given, so the nesting of types
/// (`deeper`) and the number of types in types (`checked`) are limited.
struct SignatureParser {
  var text: SignatureScanner
  /// The definitions by their tags, such as `struct point`.
  var definitions: [String: CType] = [:]
  /// The same structs and unions, for the references to them, once the text has ended.
  let targets = CType.Definitions()
  /// The position of the first `kept`.
  private var keptPosition: Int?
  var typedefs: [String: Base] = [:]
  /// The names in lengths and markers of the list that is being read. Until the list ends, a length has indices into this array.
  var references: [NameReference] = []
  /// The number of records, arrays and callbacks around the current position.
  private var depth = 0

  static let expectedType = "a type such as double, int32_t or string"

  init(_ text: String) throws(SignatureError) {
    self.text = try SignatureScanner(text)
  }

  mutating func signature() throws(SignatureError) -> Signature {
    let base = try declarations()
    let start = text.position
    var ownership = base == nil ? try markers(isResult: true).ownership : Signature.Ownership()
    let (result, pointerResult) = try resultType(base, &ownership, start: start)
    let resultReferences = references
    let list: ParameterList
    if let pointerResult {
      list = pointerResult
    } else {
      try refuseFunctionName()
      try text.expect("(")
      list = try parameters(isCallback: false)
      try text.expect(")", or: ",")
    }
    let indices = try resultReferences.map { reference throws(SignatureError) in try index(of: reference, in: list) }
    let failureRule = try failureRule(result, list)
    guard text.isAtEnd else {
      throw text.unexpected(
        expected: failureRule == nil ? "errno, error or nothing after \")\"" : "nothing after the failure rule")
    }
    ownership.borrowedFrom = ownership.borrowedFrom.map { indices[$0] }
    try checkKept(result, list.parameters)
    setTargets()
    let signature = Signature(
      result: result.replacingLength(indices), resultOwnership: ownership, parameters: list.parameters,
      fixedCount: list.fixedCount, failureRule: failureRule)
    // The printed text must parse again, and the canonical spelling can be longer than what the author wrote.
    let length = signature.description.utf8.count
    guard length <= Signature.maximumLength else {
      throw text.error(
        "the text is \(length) bytes long in its canonical form", at: text.byteCount, expected: SignatureScanner.lengthLimit)
    }
    return signature
  }

  /// Reads the type of data that is no function, with declarations in front of it.
  mutating func dataType() throws(SignatureError) -> CType {
    let base = try declarations()
    let start = text.position
    let type = try array(of: try self.type(base), start: start)
    guard type != .void, type != .resolver else {
      throw text.error("there are no values of \(type)", at: start, expected: Self.expectedType)
    }
    guard text.isAtEnd else { throw text.unexpected(expected: "nothing after the type") }
    setTargets()
    return type
  }

  /// Reads the declarations before the result; the last of them may be the result's own type.
  private mutating func declarations() throws(SignatureError) -> Base? {
    while let word = text.word {
      if text.take(word: "typedef") {
        try typedef()
        continue
      }
      guard ["struct", "union", "enum"].contains(word) else { return nil }
      let start = text.position
      let base = try self.base()
      guard text.take(";") else { return base }
      guard base.spelling != nil else {
        throw text.error("this defines nothing that could be mentioned", at: start, expected: "a tag and members, or a result")
      }
    }
    return nil
  }

  /// Checks that something exists to whose life a kept argument can be tied: a reference that the call returns, or another argument.
  private func checkKept(_ result: CType, _ parameters: [Signature.Parameter]) throws(SignatureError) {
    guard let keptPosition, !result.isReference, let kept = parameters.firstIndex(where: \.ownership.isKept),
      !parameters.indices.contains(where: { $0 != kept && parameters[$0].type.isReference && !parameters[$0].isBuffer })
    else { return }
    throw text.error(
      "nothing keeps this argument, since the function has no reference", at: keptPosition,
      expected: "no kept; a program passes memory or a callback that it holds itself")
  }

  /// Gives all references the definitions of the text.
  private func setTargets() {
    targets.set(definitions.compactMapValues { if case .record(let record) = $0 { record } else { nil } })
  }

  /// Refuses a function's name between the result and the parameters. A declaration in C has one, a signature has none.
  private func refuseFunctionName() throws(SignatureError) {
    guard let name = text.word, !Self.markers.contains(name) else { return }
    var rest = text
    rest.skip(name)
    guard rest.isAt("(") else { return }
    throw text.error(
      "\(name.quoted()) is a function's name, and a signature contains none", at: text.position, expected: "\"(\"")
  }

  /// Reads the type of the result, and, if it is a pointer to a function, also the parameters, which stand within it:
  /// `void (*(int number))(int)`.
  private mutating func resultType(
    _ base: Base?, _ ownership: inout Signature.Ownership, start: Int
  ) throws(SignatureError) -> (CType, ParameterList?) {
    let type = try type(base)
    if case .array = type { throw text.error("no function returns an array", at: start, expected: "a pointer and a length") }
    if type == .resolver { throw text.error("a result cannot be a resolver", at: start, expected: Self.expectedType) }
    try checkPassing(type, start: start)
    var rest = text
    if rest.take("("), rest.take("*"), rest.take("(") {
      text = rest
      let list = try parameters(isCallback: false)
      try text.expect(")", or: ",")
      return (try callbackType(type, start: start), list)
    }
    if text.take("[") { return (try sequence(of: type, start: start), nil) }
    return (try owned(type, ownership, start: start), nil)
  }

  static let markers: Set<String> = ["out", "inout", "owned", "borrows", "consumed", "kept"]

  /// { "out" | "inout" | "owned" "(" function ")" | "borrows" "(" name { "," name } ")" | "consumed" | "kept" }
  mutating func markers(
    isResult: Bool
  ) throws(SignatureError) -> (direction: Signature.Parameter.Direction?, ownership: Signature.Ownership) {
    var direction: Signature.Parameter.Direction?
    var ownership = Signature.Ownership()
    while let word = text.word, Self.markers.contains(word) {
      let isRepeated =
        switch word {
        case "owned": ownership.deallocator != nil
        case "borrows": !ownership.borrowedFrom.isEmpty
        case "consumed": ownership.isConsumed || isResult
        case "kept": ownership.isKept || isResult
        default: direction != nil || isResult
        }
      if isRepeated { throw text.unexpected("cannot stand here", expected: Self.expectedType) }
      if word == "kept", keptPosition == nil { keptPosition = text.position }
      text.skip(word)
      switch word {
      case "kept": ownership.isKept = true
      case "out": direction = .output
      case "inout": direction = .inputOutput
      case "consumed": ownership.isConsumed = true
      case "owned":
        try text.expect("(")
        guard let name = text.word else {
          throw text.unexpected(expected: "the name of the function that frees it, such as free")
        }
        text.skip(name)
        ownership.deallocator = name
        try text.expect(")")
      default:
        try text.expect("(")
        repeat { ownership.borrowedFrom.append(try reference("the name of a parameter", isLength: false)) } while text.take(",")
        try text.expect(")", or: ",")
      }
    }
    return (direction, ownership)
  }

  /// Checks the markers of a type: a text is copied before it is freed, a reference is kept, and the extent
  /// of another pointer's target is unknown.
  func owned(_ type: CType, _ ownership: Signature.Ownership, start: Int) throws(SignatureError) -> CType {
    if !ownership.borrowedFrom.isEmpty || ownership.isConsumed {
      guard case .reference = type else {
        throw text.error("this is no reference", at: start, expected: "a pointer to a struct")
      }
    }
    guard let deallocator = ownership.deallocator else { return type }
    switch type {
    case .string, .wideString, .reference, .sequence: return type
    case .pointer(let pointer) where pointer.spelling == "char *": return .string
    case .pointer(let pointer):
      if let wide = CType.wideString(element: String(pointer.spelling.dropLast(2))) { return wide }
    default: break
    }
    throw text.error(
      "the call cannot copy this before \(deallocator) frees it", at: start,
      expected: "text, which is char *, a reference, or a buffer with a length")
  }

  /// Returns a type that is made of others; throws if there are too many of them or they lie too deeply within each other. A tag counts
  /// as its definition, since the printed type contains that.
  func checked(_ type: CType, at position: Int) throws(SignatureError) -> CType {
    guard type.depth <= Signature.maximumDepth else { throw tooDeep(at: position) }
    guard type.typeCount <= Signature.maximumTypeCount else { throw tooManyTypes(at: position) }
    return type
  }

  private func tooDeep(at position: Int) -> SignatureError {
    text.error(
      "the types lie too deeply within each other", at: position, expected: "at most \(Signature.maximumDepth) levels")
  }

  func tooManyTypes(at position: Int) -> SignatureError {
    text.error(
      "there are too many types within each other", at: position,
      expected: "at most \(Signature.maximumTypeCount), those behind a tag counted each time")
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

  /// name = a C identifier that no other parameter or member has and that is not a keyword
  ///
  /// - Parameter thing: The kind of thing with the name, for a message.
  mutating func name(besides names: inout Set<String>, of thing: String) throws(SignatureError) -> String? {
    guard let name = text.word else { return nil }
    if name == "packed" {
      // Behind a struct that is spelled out it would be read as part of it.
      throw text.error("\(name.quoted()) stands behind a struct's members", at: text.position, expected: "another name")
    }
    if Self.keywords.contains(name) {
      let others = thing == "parameter" ? ", \",\" or \")\"" : " for the \(thing)"
      throw text.error("\(name.quoted()) is a keyword of C", at: text.position, expected: "a name" + others)
    }
    guard names.insert(name).inserted else {
      throw text.error(
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
