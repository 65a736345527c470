internal import TroupeBase

/// How types are read: the words of a base, the stars behind it, records and enumerations.
extension SignatureParser {
  /// A type without the stars behind it.
  struct Base {
    /// The type; nil for a record or enumeration that is not defined, to which there can be pointers only.
    var type: CType?
    /// How C spells it; nil for a record or enumeration without a tag, which nothing can be said to point to.
    var spelling: String?
    /// Whether "const" is among its words.
    var isConstant = false
    /// Whether it is plain `char`.
    var isPlainChar = false
    /// Whether it is the type of a function, from a typedef, and so the pointer to it the type of a callback.
    var isFunction = false
    /// Where it begins.
    var start: Int
  }

  /// The stars behind a base.
  struct Stars {
    /// For each star whether it is constant.
    var isConstant: [Bool] = []
    /// For each star whether it is marked `_Nullable`.
    var nullability: [Bool] = []

    var count: Int { isConstant.count }
    var isNullable: Bool { nullability.last ?? false }
    var dropLast: Stars { Stars(isConstant: isConstant.dropLast(), nullability: nullability.dropLast()) }
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
        throw text.fault("_Complex stands alone", at: start, expected: "float, double or long double beside it")
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

  /// The fault of a word that is no type, such as a typedef's name.
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
    text.fault(
      "\"\(word)\" cannot follow \"\(last ?? "")\"", at: text.position, expected: "a name, \"*\", \",\" or \")\"")
  }

  /// `long double`, where there is a Swift type for it.
  private func longDouble() throws(SignatureError) -> CType {
    guard CType.hasLongDouble else {
      throw text.fault(
        "Swift has no type for this machine's long double", at: text.position, expected: "double, or another function")
    }
    return .longDouble
  }

  /// { "*" { "const" | "volatile" | "restrict" | "_Nullable" | "_Nonnull" } }
  mutating func stars() -> Stars {
    var stars = Stars()
    while text.take("*") {
      stars.isConstant.append(false)
      stars.nullability.append(false)
      while let word = text.word, Self.pointerQualifiers.contains(word) {
        text.skip(word)
        if word == "const" { stars.isConstant[stars.count - 1] = true }
        if word == "_Nullable" { stars.nullability[stars.count - 1] = true }
      }
    }
    return stars
  }

  private static let pointerQualifiers: Set<String> = [
    "const", "volatile", "restrict", "__restrict", "__restrict__", "_Nullable", "_Nonnull",
  ]

  /// A whole type, whose base may have been read.
  mutating func type(_ base: Base? = nil) throws(SignatureError) -> CType {
    guard let base else { return try type(try self.base()) }
    return try type(base, stars())
  }

  /// A base with stars behind it.
  func type(_ base: Base, _ stars: Stars) throws(SignatureError) -> CType {
    if stars.count == 0 || base.isFunction && stars.count == 1, let type = base.type { return type }
    if base.type == .resolver { throw text.fault("a resolver is passed as it is", at: base.start, expected: "resolver") }
    guard let name = base.spelling else {
      throw text.fault("a pointer to this says nothing without a tag", at: base.start, expected: "a tag, or void *")
    }
    guard stars.count > 0 else {
      throw text.fault("\(name.quoted()) has not been defined", at: base.start, expected: "its members, or a pointer to it")
    }
    var pointee: CType?
    if stars.count == 1 {
      if base.type == nil, handles.contains(name) {
        return .handle(CType.Handle(name: name, isNullable: stars.isNullable, isConstant: base.isConstant))
      }
      if base.isConstant {
        if base.isPlainChar { return .string }
        if let type = CType.wideString(element: name) { return type }
        if case .record? = base.type { pointee = base.type }
      }
    }
    // Behind another pointer, `const` qualifies that pointer and not its target.
    var spelling: String
    switch base.type {
    case .string, .wideString, .pointer, .handle: spelling = name + (base.isConstant ? "const *" : "*")
    default: spelling = (base.isConstant ? "const " : "") + name + " *"
    }
    // Qualifiers of the pointer itself, the last one, are no part of the type.
    for isConstant in stars.isConstant.dropLast() { spelling += isConstant ? "const *" : "*" }
    return try checked(.pointer(CType.Pointer(spelling: spelling, pointee: pointee)), at: base.start)
  }

  /// Reads the rest of a typedef: a type with a name in the place that C gives it.
  mutating func typedef() throws(SignatureError) {
    var base = try self.base()
    let start = base.start
    if base.type == nil, let head = base.spelling { handles.insert(head) }
    let stars = stars()
    var names: Set<String> = []
    let isPointer = text.take("(")
    if isPointer { try text.expect("*") }
    let position = text.position
    guard let name = try name(besides: &names, of: "type"), CType.named[name] == nil else {
      throw text.fault("this is no name for a type", at: position, expected: "another name")
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
      base = Base(type: type, spelling: isArray ? nil : type.description, start: start)
    } else if let type = base.type, base.spelling == nil {
      base = Base(type: type.tagged(name), spelling: "\(type.tagKeyword) \(name)", isConstant: base.isConstant, start: start)
    }
    guard typedefs.updateValue(base, forKey: name) == nil else {
      throw text.fault("\(name.quoted()) names two types", at: position, expected: "another name")
    }
    try text.expect(";")
  }

  /// Refuses a typedef's pointer to a function as an element or a result of another one, which has no spelling without that typedef.
  func refuseFunction(_ type: CType, start: Int) throws(SignatureError) {
    guard case .function = type else { return }
    throw text.fault(
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
      throw text.fault("there are no arrays of \(inner)", at: start, expected: Self.expectedType)
    }
    guard inner.size * count <= CType.Record.maximumSize else {
      throw text.fault("the array is too large", at: start, expected: "at most \(CType.Record.maximumSize) bytes")
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
      throw text.fault("this is no number of elements", at: position, expected: expected)
    }
    return Int(number)
  }

  // MARK: Records and enumerations

  /// A record or enumeration, of which `word` is the first word.
  private mutating func tagged(_ word: String) throws(SignatureError) -> Base {
    let start = text.position
    text.skip(word)
    let tagPosition = text.position
    let tag = text.word.flatMap { Self.keywords.contains($0) ? nil : $0 }
    if let tag { text.skip(tag) }
    let head = tag.map { "\(word) \($0)" }
    let type: CType
    switch text.next {
    case UInt8(ascii: "{"):
      type =
        word == "enum"
        ? try enumeration(tag, underlying: nil)
        : try deeper { parser throws(SignatureError) in try parser.record(word, tag, start: start) }
    case UInt8(ascii: ":") where word == "enum":
      _ = text.take(":")
      let position = text.position
      let isTagged = text.word.map { ["struct", "union", "enum"].contains($0) } ?? false
      guard text.word != nil, !isTagged, case .integer(let integer) = try base().type else {
        throw text.fault("this is no integer type", at: position, expected: "an integer type such as uint8_t")
      }
      type = try enumeration(tag, underlying: integer)
    default:
      guard let head else { throw text.unexpected(expected: "a tag or \"{\"") }
      return Base(type: definitions[head], spelling: head, start: start)
    }
    if let head {
      guard definitions.updateValue(type, forKey: head) == nil else {
        throw text.fault("\(head.quoted()) is defined twice", at: tagPosition, expected: "another tag, or the tag alone")
      }
    }
    return Base(type: type, spelling: head, start: start)
  }

  /// "{" { members ";" } "}" [ "packed" ]
  private mutating func record(_ word: String, _ tag: String?, start: Int) throws(SignatureError) -> CType {
    try text.expect("{")
    let outerMentions = mentions
    mentions = []
    defer { mentions = outerMentions }
    var members: [(name: String, type: CType)] = []
    var names: Set<String> = []
    repeat {
      let base = try self.base()
      if text.next == UInt8(ascii: ";"), base.spelling == nil, case .record(let record)? = base.type {
        for name in record.memberNames where !names.insert(name).inserted {
          throw text.fault("\(name.quoted()) names two members", at: base.start, expected: "a name that no other member has")
        }
        members.append(("", .record(record)))
      } else {
        repeat {
          guard members.count < Signature.maximumParameterCount else {
            throw text.fault(
              "there are too many members", at: text.position, expected: "at most \(Signature.maximumParameterCount) members")
          }
          if let last = members.last, case .flexible = last.type {
            throw text.fault("a flexible array member stands last", at: text.position, expected: "a length in its brackets")
          }
          members.append(try member(base, besides: &names))
        } while text.take(",")
      }
      try text.expect(";", or: "\",\" or ")
    } while !text.take("}")
    if case .flexible? = members.last?.type, word == "union" || members.count == 1 {
      throw text.fault("a flexible array member follows others in a struct", at: start, expected: "a length in its brackets")
    }
    let indices = try mentions.map { mention throws(SignatureError) in try Self.index(mention, members, text) }
    members = members.map { ($0.name, $0.type.replacingLength(indices)) }
    let isPacked = text.take(word: "packed")
    let kind = CType.Record.RecordKind(rawValue: word) ?? .structure
    guard let record = CType.Record(kind: kind, name: tag, members: members, isPacked: isPacked) else {
      throw text.fault("the \(word) is too large", at: start, expected: "at most \(CType.Record.maximumSize) bytes")
    }
    return try checked(.record(record), at: start)
  }

  /// The index of a member that a length mentions.
  private static func index(
    _ mention: Mention, _ members: [(name: String, type: CType)], _ text: SignatureScanner
  ) throws(SignatureError) -> Int {
    if let index = members.firstIndex(where: { $0.name == mention.name }), case .integer = members[index].type { return index }
    throw text.fault(
      "\(mention.name.quoted()) is no integer member", at: mention.position, expected: "the name of an integer member")
  }

  private mutating func member(
    _ base: Base, besides names: inout Set<String>
  ) throws(SignatureError) -> (name: String, type: CType) {
    let start = text.position
    let type = try type(base, stars())
    let isPointer = text.take("(")
    if isPointer, !text.take("*") { throw text.unexpected(expected: "\"*\", as in int (*compare)(int, int)") }
    guard isPointer || type != .void && type != .resolver else {
      throw text.fault("a member cannot be \(type)", at: base.start, expected: Self.expectedType)
    }
    guard let name = try name(besides: &names, of: "member") else { throw text.unexpected(expected: "a name for the member") }
    if isPointer { return (name, try pointee(of: type, start: start)) }
    if text.next == UInt8(ascii: ":") { throw text.unexpected("makes it a bit-field", expected: "a member of whole bytes") }
    let position = text.position
    if text.take("[") {
      if text.word != nil || text.next == UInt8(ascii: "]") {
        let length = try length()
        try text.expect("]")
        return (name, try checked(.flexible(type, length), at: start))
      }
      text.goBack(to: position)
    }
    return (name, try array(of: type, start: start))
  }

  /// "{" name [ "=" number ] { "," name [ "=" number ] } [ "," ] "}"
  private mutating func enumeration(_ tag: String?, underlying: CType.Integer?) throws(SignatureError) -> CType {
    try text.expect("{")
    var cases: [CType.Enumeration.Case] = []
    var names: Set<String> = []
    let range = underlying?.range ?? Int128(Int32.min)...Int128(UInt32.max)
    var next: Int128 = 0
    repeat {
      if !cases.isEmpty, text.next == UInt8(ascii: "}") { break }
      guard let name = try name(besides: &names, of: "value") else { throw text.unexpected(expected: "a name for the value") }
      let position = text.position
      if text.take("=") {
        guard let number = text.number() else { throw text.unexpected("is no number of 64 bits", expected: "a number") }
        next = number
      }
      guard range.contains(next) else {
        throw text.fault(
          "the value \(next) is out of range", at: position,
          expected: "a number from \(range.lowerBound) to \(range.upperBound)")
      }
      cases.append(CType.Enumeration.Case(name: name, value: next))
      next += 1
    } while text.take(",")
    try text.expect("}", or: "\",\" or ")
    let isNegative = cases.contains { $0.value < 0 }
    if underlying == nil, isNegative, let large = cases.first(where: { $0.value > Int128(Int32.max) }) {
      throw text.fault(
        "no int holds \(large.value) as well as negative values", at: text.position, expected: "a type behind a colon")
    }
    let integer = underlying ?? (isNegative ? .int : .unsignedInt)
    return .enumeration(
      CType.Enumeration(name: tag, underlying: integer, hasWrittenType: underlying != nil, cases: cases))
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

  /// The format, if it is a real floating-point type.
  fileprivate var real: Real? { Real(rawValue: description) }
}
