/// Reads the text of a signature from left to right, without recursion.
///
/// All access to the text goes through `next`, `word` and `take`, which know its end, so that no text can make it trap.
struct SignatureParser {
  private let text: String
  private let bytes: [UInt8]
  /// How far the text has been read, in bytes; never behind white space once `skipSpace` has run.
  private var position = 0

  private static let expectedType = "a type such as double, int32_t or string"

  init(_ text: String) throws(SignatureError) {
    self.text = text
    self.bytes = text.utf8.count <= Signature.maximumLength ? Array(text.utf8) : []
    if text.utf8.count > Signature.maximumLength {
      throw fault("the text is \(text.utf8.count) bytes long", at: Signature.maximumLength, expected: Self.expectedLength)
    }
  }

  private static var expectedLength: String { "at most \(Signature.maximumLength) bytes" }

  /// signature = type "(" [ "void" | parameter { "," parameter } ] ")"
  mutating func signature() throws(SignatureError) -> Signature {
    skipSpace()
    let start = position
    let result = try type()
    if result == .resolver {
      throw fault("a result cannot be a resolver", at: start, expected: Self.expectedType)
    }
    guard take("(") else { throw unexpected(expected: "\"(\"") }
    let parameters = try parameters()
    guard take(")") else { throw unexpected(expected: "\",\" or \")\"") }
    guard position == bytes.count else { throw unexpected(expected: "nothing after \")\"") }

    let signature = Signature(result: result, parameters: parameters)
    // What is printed must parse again, and the canonical spelling can be longer than what the author wrote.
    let length = signature.description.utf8.count
    guard length <= Signature.maximumLength else {
      throw fault("the text is \(length) bytes long in its canonical form", at: bytes.count, expected: Self.expectedLength)
    }
    return signature
  }

  /// The list between the parentheses.
  private mutating func parameters() throws(SignatureError) -> [Signature.Parameter] {
    var parameters: [Signature.Parameter] = []
    var names: Set<String> = []
    if next == UInt8(ascii: ")") || isVoidAlone { return parameters }
    repeat {
      let start = position
      guard parameters.count < Signature.maximumParameterCount else {
        throw fault(
          "there are too many parameters", at: start, expected: "at most \(Signature.maximumParameterCount) parameters")
      }
      let type = try type()
      if type == .void {
        throw fault("a parameter cannot be void", at: start, expected: Self.expectedType + ", or (void) for no parameters")
      }
      parameters.append(Signature.Parameter(type: type, name: try name(besides: &names)))
    } while take(",")
    return parameters
  }

  /// Whether "void" and nothing else stands between the parentheses, or up to the end of the text; it is then read.
  private var isVoidAlone: Bool {
    mutating get {
      guard word == "void" else { return false }
      let start = position
      skip("void")
      if next == nil || next == UInt8(ascii: ")") { return true }
      position = start
      return false
    }
  }

  /// name = a C identifier that no other parameter has and that is not a keyword
  private mutating func name(besides names: inout Set<String>) throws(SignatureError) -> String? {
    guard let name = word else { return nil }
    if Self.keywords.contains(name) {
      throw fault("\(name.quoted()) is a keyword of C", at: position, expected: "a name, \",\" or \")\"")
    }
    guard names.insert(name).inserted else {
      throw fault("\(name.quoted()) names two parameters", at: position, expected: "a name that no other parameter has")
    }
    skip(name)
    return name
  }

  /// type = base { "*" [ "const" ] }, with "const" anywhere in the base
  private mutating func type() throws(SignatureError) -> CType {
    var isConstant = false
    var integer = IntegerSpelling()
    var named: CType?
    var last: String?
    while let word {
      if word == "const" {
        isConstant = true
      } else if let keyword = IntegerSpelling.Keyword(rawValue: word) {
        guard named == nil, integer.take(keyword) else { throw misplaced(word, after: last) }
      } else if named == nil, integer.isEmpty {
        named = CType.named[word]
        if named == nil { throw unexpected("is not a type", expected: Self.expectedType) }
      } else if CType.named[word] != nil, Self.keywords.contains(word) {
        throw misplaced(word, after: last)
      } else {
        break  // The parameter's name.
      }
      if word != "const" { last = word }
      skip(word)
    }
    guard let base = named ?? integer.type else { throw unexpected(expected: Self.expectedType) }
    return pointer(to: base, isConstant: isConstant, isPlainChar: integer.isPlainChar)
  }

  /// { "*" [ "const" ] } behind `base`; the base itself if there is none.
  private mutating func pointer(to base: CType, isConstant: Bool, isPlainChar: Bool) -> CType {
    guard take("*") else { return base }
    // Behind another pointer, `const` qualifies that pointer and not what it points to.
    var spelling =
      switch base {
      case .string, .pointer: base.description + (isConstant ? "const *" : "*")
      default: (isConstant ? "const " : "") + base.description + " *"
      }
    var isString = isConstant && isPlainChar
    while true {
      var isConstantPointer = false
      while word == "const" {
        isConstantPointer = true
        skip("const")
      }
      guard take("*") else { break }
      spelling += isConstantPointer ? "const *" : "*"
      isString = false
    }
    return isString ? .string : .pointer(CType.Pointer(spelling: spelling))
  }

  // MARK: The text

  /// The byte that comes next, or nil at the end.
  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  /// The identifier or keyword that comes next, or nil if something else does.
  private var word: String? {
    guard let next, next.isIdentifierStart else { return nil }
    let word = bytes[position...].prefix(while: \.isIdentifierPart)
    return String(decoding: word, as: UTF8.self)
  }

  /// Goes past `word`, which comes next, and white space.
  private mutating func skip(_ word: String) {
    position += word.utf8.count
    skipSpace()
  }

  /// Goes past `symbol` and white space, if it comes next.
  private mutating func take(_ symbol: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: symbol) else { return false }
    position += 1
    skipSpace()
    return true
  }

  private mutating func skipSpace() {
    while next?.isSpace == true { position += 1 }
  }

  // MARK: Faults

  private func fault(_ problem: String, at position: Int, expected: String) -> SignatureError {
    SignatureError(text: text, position: position, problem: problem, expected: expected)
  }

  /// A fault in what comes next, which is named.
  private func unexpected(_ problem: String = "is unexpected", expected: String) -> SignatureError {
    guard position < bytes.count else { return fault("the text ends", at: position, expected: expected) }
    let index = text.utf8.index(text.startIndex, offsetBy: position)
    let found = word ?? String(text.unicodeScalars[index])
    return fault("\(found.quoted()) \(problem)", at: position, expected: expected)
  }

  private func misplaced(_ word: String, after last: String?) -> SignatureError {
    fault("\"\(word)\" cannot follow \"\(last ?? "")\"", at: position, expected: "a name, \"*\", \",\" or \")\"")
  }

  /// The words that C reserves, which cannot name a parameter. The names of types that are not keywords in C can.
  private static let keywords: Set<String> = [
    "auto", "bool", "break", "case", "char", "const", "constexpr", "continue", "default", "do", "double", "else", "enum",
    "extern", "false", "float", "for", "goto", "if", "inline", "int", "long", "nullptr", "register", "restrict", "return",
    "short", "signed", "sizeof", "static", "struct", "switch", "true", "typedef", "typeof", "union", "unsigned", "void",
    "volatile", "while", "_Atomic", "_Bool", "_Complex", "_Imaginary",
  ]
}

extension UInt8 {
  fileprivate var isIdentifierStart: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): true
    default: false
    }
  }

  fileprivate var isIdentifierPart: Bool {
    isIdentifierStart || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
  }

  /// A space, or a tab, line end, vertical tab, form feed or carriage return.
  fileprivate var isSpace: Bool {
    self == UInt8(ascii: " ") || (9...13).contains(self)
  }
}
