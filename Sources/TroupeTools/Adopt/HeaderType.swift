/// A type as a header spells it.
indirect enum HeaderType: Equatable {
  /// Words such as `unsigned int`, `struct point` and `uint32_t`, without qualifiers but the `_Nonnull` behind a typedef of a pointer.
  case base(String, isConstant: Bool)
  case pointer(HeaderType, isConstant: Bool, isNonnull: Bool)
  /// An array; the count is nil for `[]`.
  case array(HeaderType, count: Int?)
  case function(HeaderType, FunctionParameters)

  struct FunctionParameters: Equatable {
    var types: [HeaderType] = []
    var isVariadic = false
    /// `f()` declares nothing about the parameters.
    var isUnknown = false
    var doesNotReturn = false
  }

  /// The type with `const`, which for an array is that of the elements.
  var constant: HeaderType {
    switch self {
    case .base(let name, _): .base(name, isConstant: true)
    case .pointer(let pointee, _, let isNonnull): .pointer(pointee, isConstant: true, isNonnull: isNonnull)
    case .array(let element, let count): .array(element.constant, count: count)
    case .function: self
    }
  }

  /// The pointer that is never null. A type that is no pointer stays as it is.
  var nonnull: HeaderType {
    if case .pointer(let pointee, let isConstant, _) = self {
      .pointer(pointee, isConstant: isConstant, isNonnull: true)
    } else {
      self
    }
  }

  /// The type behind a pointer.
  var pointee: HeaderType? { if case .pointer(let pointee, _, _) = self { pointee } else { nil } }

  /// The words of a type that is neither a pointer nor an array nor a function.
  var words: String? { if case .base(let words, _) = self { words } else { nil } }

  var isConstant: Bool {
    switch self {
    case .base(_, let isConstant), .pointer(_, let isConstant, _): isConstant
    case .array, .function: false
    }
  }
}

/// The reason why a signature cannot express a type or a function.
struct InexpressibleError: Error, Equatable {
  /// A part of a sentence, such as `a bit-field in struct flags`.
  let reason: String

  init(_ reason: String) { self.reason = reason }
}

/// Reads a type as clang spells it, such as `int (*)(const void *, const void *)`.
struct HeaderTypeParser {
  private let text: String
  private let tokens: [Substring]
  private var position = 0

  /// The words for an anonymous struct, union or enumeration. Its definition is the one in front.
  static let anonymous = "(anonymous)"

  /// Throws `InexpressibleError` for a type that signatures do not have, such as a vector.
  static func type(_ text: String) throws(InexpressibleError) -> HeaderType {
    var parser = HeaderTypeParser(text)
    let type = try parser.type()
    guard parser.position == parser.tokens.count else { throw parser.unknown }
    return type
  }

  private init(_ text: String) {
    self.text = text
    tokens = Self.tokens(text)
  }

  private var unknown: InexpressibleError { InexpressibleError("the type \(text)") }

  private var next: Substring? { position < tokens.count ? tokens[position] : nil }

  private mutating func take(_ token: Substring) -> Bool {
    guard next == token else { return false }
    position += 1
    return true
  }

  private mutating func expect(_ token: Substring) throws(InexpressibleError) {
    guard take(token) else { throw unknown }
  }

  /// Splits a text into words, numbers and single characters. The place of an anonymous definition, in parentheses, is one token.
  private static func tokens(_ text: String) -> [Substring] {
    var tokens: [Substring] = []
    var rest = text[...]
    while let first = rest.first {
      if first == " " {
        rest.removeFirst()
      } else if rest.hasPrefix("(unnamed ") || rest.hasPrefix("(anonymous "), let end = rest.firstIndex(of: ")") {
        tokens.append(anonymous[...])
        rest = rest[rest.index(after: end)...]
      } else if rest.hasPrefix("...") {
        tokens.append(rest.prefix(3))
        rest = rest.dropFirst(3)
      } else {
        let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "$" }
        tokens.append(word.isEmpty ? rest.prefix(1) : word)
        rest = rest.dropFirst(max(word.count, 1))
      }
    }
    return tokens
  }

  private mutating func type() throws(InexpressibleError) -> HeaderType {
    var words: [Substring] = []
    var isConstant = false
    while let word = next, word == Self.anonymous || word.first.map({ $0.isLetter || $0 == "_" }) == true {
      position += 1
      switch word {
      case "const": isConstant = true
      case "volatile", "restrict", "__restrict", "_Nullable", "_Null_unspecified": break
      case "__attribute__", "_Atomic", "typeof", "__unaligned": throw unknown
      default: words.append(word)
      }
    }
    guard !words.isEmpty else { throw unknown }
    return try declarator(.base(words.joined(separator: " "), isConstant: isConstant))
  }

  /// Reads stars, and then parentheses and brackets, which bind more strongly.
  private mutating func declarator(_ base: HeaderType) throws(InexpressibleError) -> HeaderType {
    var type = base
    while take("*") {
      var (isConstant, isNonnull) = (false, false)
      while let word = next, Self.pointerQualifiers.contains(word) {
        isConstant = isConstant || word == "const"
        isNonnull = isNonnull || word == "_Nonnull"
        position += 1
      }
      type = .pointer(type, isConstant: isConstant, isNonnull: isNonnull)
    }
    guard next == "(", position + 1 < tokens.count, tokens[position + 1] == "*" else { return try suffix(type) }
    // The part in the inner parentheses applies to the type with the part behind them.
    let start = position + 1
    try skipParentheses()
    let outer = try suffix(type)
    let end = position
    position = start
    let inner = try declarator(outer)
    try expect(")")
    position = end
    return inner
  }

  private static let pointerQualifiers: Set<Substring> = [
    "const", "volatile", "restrict", "__restrict", "_Nullable", "_Nonnull", "_Null_unspecified",
  ]

  private mutating func skipParentheses() throws(InexpressibleError) {
    var depth = 0
    repeat {
      guard let token = next else { throw unknown }
      depth += token == "(" ? 1 : token == ")" ? -1 : 0
      position += 1
    } while depth > 0
  }

  private mutating func suffix(_ type: HeaderType) throws(InexpressibleError) -> HeaderType {
    if take("[") {
      let count = next.flatMap { Int($0) }
      if count != nil { position += 1 }
      try expect("]")
      return .array(try suffix(type), count: count)
    }
    guard take("(") else { return type }
    var parameters = HeaderType.FunctionParameters()
    if take(")") {
      parameters.isUnknown = true
    } else {
      repeat {
        if take("...") { parameters.isVariadic = true } else { parameters.types.append(try self.type()) }
      } while take(",")
      try expect(")")
      if parameters.types == [.base("void", isConstant: false)] { parameters.types = [] }
    }
    while take("__attribute__") {
      guard take("("), take("("), take("noreturn"), take(")"), take(")") else { throw unknown }
      parameters.doesNotReturn = true
    }
    return .function(type, parameters)
  }
}
