internal import TroupeBase

/// Reads types: a base, which is the words of a type in any order, the stars behind it, and typedefs of both.
extension SignatureParser {
  /// A type without the stars behind it.
  struct Base {
    /// Nil for a record or enumeration that is not defined, to which there can be pointers only.
    var type: CType?
    /// Nil for a record or enumeration without a tag. A pointer to it has no spelling.
    var spelling: String?
    var isConstant = false
    var isPlainChar = false
    /// A struct or union, defined or not.
    var isTag: Bool {
      if case .record? = type { return true }
      return type == nil && !(spelling?.hasPrefix("enum ") ?? true)
    }
    /// A typedef of a function type, which makes a pointer to it a callback.
    var isFunction = false
    var start: Int
  }

  /// The stars behind a base, with the qualifiers of each.
  struct Stars {
    var isConstant: [Bool] = []
    /// `_Nonnull` stands behind the last star.
    var isNonnull = false

    var count: Int { isConstant.count }
    var dropLast: Stars { Stars(isConstant: isConstant.dropLast()) }
  }

  /// base = a type's words, with "const" anywhere among them
  mutating func base() throws(SignatureError) -> Base {
    let start = text.position
    var isConstant = false
    var isComplex = false
    var integer = IntegerSpelling()
    var named: CType?
    var tagged: Base?
    var last: String?
    while let word = text.word {
      if word == "const" || word == "volatile" {
        isConstant = isConstant || word == "const"
      } else if tagged != nil {
        break
      } else if let keyword = IntegerSpelling.Keyword(rawValue: word) {
        guard named == nil, integer.take(keyword) else { throw misplaced(word, after: last) }
      } else if word == "double", integer.isLong {
        named = try longDouble()
        integer = IntegerSpelling()
      } else if word == "_Complex" {
        guard !isComplex, named == nil || named?.real != nil, integer.isEmpty else { throw misplaced(word, after: last) }
        isComplex = true
      } else if named == nil, integer.isEmpty {
        if ["struct", "union", "enum"].contains(word), !isComplex {
          tagged = try self.tagged(word)
          last = word
          continue
        }
        if !isComplex, var base = typedefs[word] {
          base.start = start
          tagged = base
        } else {
          named = CType.named[word]
          if named == nil { throw unknownType(word) }
        }
      } else if let type = CType.named[word], Self.keywords.contains(word) || integer.isOpen && type.integer != nil {
        // As a parameter's name, int64_t behind "unsigned" would make another type than the author meant.
        throw misplaced(word, after: last)
      } else {
        break  // The parameter's name.
      }
      if word != "const", word != "volatile" { last = word }
      text.skip(word)
    }
    if isComplex {
      guard let real = named?.real else {
        throw text.error("_Complex stands alone", at: start, expected: "float, double or long double beside it")
      }
      named = .complex(real)
    }
    if var tagged {
      tagged.isConstant = tagged.isConstant || isConstant
      return tagged
    }
    guard let type = named ?? integer.type else { throw text.unexpected(expected: Self.expectedType) }
    return Base(
      type: type, spelling: type.description, isConstant: isConstant, isPlainChar: named == nil && integer.isPlainChar,
      start: start)
  }

  /// Explains a word that is no type, such as the name of an unknown typedef.
  private func unknownType(_ word: String) -> SignatureError {
    if Self.unsupported.contains(word) {
      return text.unexpected("is a type that no call passes", expected: "another type, or another function")
    }
    var rest = text
    rest.skip(word)
    while rest.take(word: "const") {}
    let isPointer = !Self.keywords.contains(word) && rest.isAt("*")
    return text.unexpected(
      "is not a type",
      expected: (isPointer ? "\"pointer\" for a pointer to it" : Self.expectedType) + ", or a typedef in front of the result")
  }

  /// The types that C compilers have and a call does not pass.
  private static let unsupported: Set<String> = [
    "_BitInt", "_Decimal128", "_Decimal32", "_Decimal64", "_Float128", "_Float16", "__attribute__", "__bf16",
    "__builtin_va_list",
    "__float128", "__fp16", "__int128", "__int128_t", "__m128", "__m128d", "__m128i", "__m256", "__m256d", "__m256i", "__m64",
    "__uint128_t", "__vector", "va_list",
  ]

  private func misplaced(_ word: String, after last: String?) -> SignatureError {
    text.error(
      "\"\(word)\" cannot follow \"\(last ?? "")\"", at: text.position, expected: "a name, \"*\", \",\" or \")\"")
  }

  /// `long double`, where there is a Swift type for it.
  private func longDouble() throws(SignatureError) -> CType {
    guard CType.hasLongDouble else {
      throw text.error(
        "Swift has no type for this machine's long double", at: text.position, expected: "double, or another function")
    }
    return .longDouble
  }

  /// { "*" { "const" | "volatile" | "restrict" | "_Nullable" | "_Nonnull" } }
  mutating func stars() -> Stars {
    var stars = Stars()
    while text.take("*") {
      let (isConstant, isNonnull) = qualifiers()
      stars.isConstant.append(isConstant)
      stars.isNonnull = isNonnull
    }
    return stars
  }

  /// The qualifiers behind a star.
  mutating func qualifiers() -> (isConstant: Bool, isNonnull: Bool) {
    var (isConstant, isNonnull) = (false, false)
    while let word = text.word, Self.pointerQualifiers.contains(word) {
      text.skip(word)
      if word == "const" { isConstant = true }
      if word == "_Nonnull" { isNonnull = true }
    }
    return (isConstant, isNonnull)
  }

  private static let pointerQualifiers: Set<String> = [
    "const", "volatile", "restrict", "__restrict", "__restrict__", "_Nullable", "_Nonnull",
  ]

  /// Reads a type, or the rest of one whose base has been read.
  mutating func type(_ base: Base? = nil) throws(SignatureError) -> CType {
    guard let base else { return try type(try self.base()) }
    return try type(base, stars())
  }

  func type(_ base: Base, _ stars: Stars) throws(SignatureError) -> CType {
    if stars.count == 0 || base.isFunction && stars.count == 1, let type = base.type { return type }
    if base.type == .resolver { throw text.error("a resolver is passed as it is", at: base.start, expected: "resolver") }
    guard let name = base.spelling else {
      throw text.error("a pointer to this says nothing without a tag", at: base.start, expected: "a tag, or void *")
    }
    guard stars.count > 0 else {
      throw text.error("\(name.quoted()) has not been defined", at: base.start, expected: "its members, or a pointer to it")
    }
    if stars.count == 1 {
      if base.isTag { return .reference(CType.Reference(name: name, isConstant: base.isConstant, definitions: targets)) }
      if base.isConstant {
        if base.isPlainChar { return .string }
        if let type = CType.wideString(element: name) { return type }
      }
    }
    // Behind another pointer, `const` qualifies that pointer and not its target.
    var spelling: String
    switch base.type {
    case .string, .wideString, .pointer, .reference: spelling = name + (base.isConstant ? "const *" : "*")
    default: spelling = (base.isConstant ? "const " : "") + name + " *"
    }
    // Qualifiers of the pointer itself, the last one, are no part of the type.
    for isConstant in stars.isConstant.dropLast() { spelling += isConstant ? "const *" : "*" }
    // Any number of stars may be given, and no library has more than three.
    let target = stars.count > 4 ? nil : stars.count > 1 ? try type(base, stars.dropLast) : base.type == .void ? nil : base.type
    let isConstant = stars.count > 1 ? stars.isConstant[stars.count - 2] : base.isConstant
    return .pointer(CType.Pointer(spelling: spelling, target: target, isConstant: isConstant))
  }

  /// Reads the rest of a typedef: a type with a name in the place that C gives it.
  mutating func typedef() throws(SignatureError) {
    var base = try self.base()
    let start = base.start
    let stars = stars()
    var names: Set<String> = []
    let isPointer = text.take("(")
    if isPointer { try text.expect("*") }
    let position = text.position
    guard let name = try name(besides: &names, of: "type"), CType.named[name] == nil else {
      throw text.error("this is no name for a type", at: position, expected: "another name")
    }
    if isPointer || text.isAt("(") {
      let result = try type(base, stars)
      if isPointer { try text.expect(")") }
      try text.expect("(")
      let function = try self.function(result, start: start)
      base = Base(type: function, spelling: nil, isFunction: !isPointer, start: start)
    } else if stars.count > 0 || text.isAt("[") {
      let type = try array(of: try type(base, stars), start: start)
      // What points to an array has no spelling without parentheses.
      let isArray = if case .array = type { true } else { false }
      base = Base(type: type, spelling: isArray ? nil : type.shortDescription, start: start)
    } else if let type = base.type, base.spelling == nil {
      let (head, tagged) = ("\(type.tagKeyword) \(name)", type.tagged(name))
      guard definitions.updateValue(tagged, forKey: head) == nil else {
        throw text.error("\(head.quoted()) is defined twice", at: position, expected: "another name")
      }
      base = Base(type: tagged, spelling: head, isConstant: base.isConstant, start: start)
    }
    guard typedefs.updateValue(base, forKey: name) == nil else {
      throw text.error("\(name.quoted()) names two types", at: position, expected: "another name")
    }
    try text.expect(";")
  }

  /// Refuses a typedef's pointer to a function as an element or a result of another one, which has no spelling without that typedef.
  func refuseFunction(_ type: CType, start: Int) throws(SignatureError) {
    guard case .function = type else { return }
    throw text.error(
      "a pointer to a function is no element or result here", at: start,
      expected: "pointer, or a struct with it")
  }

  /// { "[" number "]" } behind a name.
  mutating func array(of element: CType, start: Int) throws(SignatureError) -> CType {
    guard text.take("[") else { return element }
    let count = try self.count()
    try text.expect("]")
    let inner = try deeper { parser throws(SignatureError) in try parser.array(of: element, start: start) }
    guard inner != .void, inner != .resolver else {
      throw text.error("there are no arrays of \(inner)", at: start, expected: Self.expectedType)
    }
    guard inner.size * count <= CType.Record.maximumSize else {
      throw text.error("the array is too large", at: start, expected: "at most \(CType.Record.maximumSize) bytes")
    }
    return try checked(.array(inner, count: count), at: start)
  }

  /// The number of elements of an array: 1 to `Record.maximumSize`.
  ///
  /// - Parameter others: The alternatives, for a message.
  mutating func count(or others: String = "") throws(SignatureError) -> Int {
    let position = text.position
    let expected = "a number from 1 to \(CType.Record.maximumSize)" + others
    if text.next == UInt8(ascii: "]") { throw text.unexpected(expected: expected) }
    guard let number = text.number(), (1...Int128(CType.Record.maximumSize)).contains(number) else {
      throw text.error("this is no number of elements", at: position, expected: expected)
    }
    return Int(number)
  }
}

extension CType {
  /// The same struct, union or enumeration with a tag.
  fileprivate func tagged(_ tag: String) -> CType {
    switch self {
    case .record(var record):
      record.name = tag
      return .record(record)
    case .enumeration(var enumeration):
      enumeration.name = tag
      return .enumeration(enumeration)
    default: return self
    }
  }

  fileprivate var tagKeyword: String {
    if case .record(let record) = self { record.kind.rawValue } else { "enum" }
  }

  /// Text of an integer type with a name; nil if C has no text of it.
  static func wideString(element name: String) -> CType? {
    guard ["wchar_t", "char16_t", "char32_t"].contains(name) else { return nil }
    return Integer.typedefs.first { $0.name == name }.map(CType.wideString)
  }

  /// The format of a real floating-point type.
  fileprivate var real: Real? { Real(rawValue: description) }
}

// MARK: Spellings of integers

/// The keywords of an integer type so far. C permits them in any order: `long unsigned int` is `unsigned long`.
struct IntegerSpelling {
  enum Keyword: String {
    case signed, unsigned, char, short, int, long
  }

  private var sign: Keyword?
  private var size: Keyword?
  private var isLongLong = false
  private var hasInt = false

  var isEmpty: Bool { sign == nil && size == nil && !hasInt }

  /// The type of the characters of C strings.
  var isPlainChar: Bool { sign == nil && size == .char }

  /// The one word `long`, which `double` may follow.
  var isLong: Bool { sign == nil && size == .long && !isLongLong && !hasInt }

  /// `int` may follow, as after `unsigned` and `long`.
  var isOpen: Bool { !isEmpty && !hasInt && size != .char }

  /// Adds a keyword. Returns false and changes nothing if C has no type with such a spelling.
  mutating func take(_ keyword: Keyword) -> Bool {
    switch keyword {
    case .signed, .unsigned:
      guard sign == nil else { return false }
      sign = keyword
    case .int:
      guard !hasInt, size != .char else { return false }
      hasInt = true
    case .char:
      guard size == nil, !hasInt else { return false }
      size = .char
    case .short:
      guard size == nil else { return false }
      size = .short
    case .long:
      guard size == nil || size == .long && !isLongLong else { return false }
      isLongLong = size == .long
      size = .long
    }
    return true
  }

  /// The canonical name; `int` for an empty spelling.
  var name: String {
    let base = isLongLong ? "long long" : (size ?? .int).rawValue
    return switch sign {
    case .unsigned: "unsigned " + base
    case .signed where size == .char: "signed char"
    default: base
    }
  }

  var type: CType? {
    isEmpty ? nil : CType.Integer.keywords.first { $0.name == name }.map(CType.integer)
  }
}
