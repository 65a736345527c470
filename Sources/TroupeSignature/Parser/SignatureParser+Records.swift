internal import TroupeBase

/// Reads structs, unions and enumerations: definitions, and tags of definitions before.
extension SignatureParser {
  /// Reads a record or enumeration behind its first word.
  mutating func tagged(_ word: String) throws(SignatureError) -> Base {
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
        throw text.error("this is no integer type", at: position, expected: "an integer type such as uint8_t")
      }
      type = try enumeration(tag, underlying: integer)
    default:
      guard let head else { throw text.unexpected(expected: "a tag or \"{\"") }
      return Base(type: definitions[head], spelling: head, start: start)
    }
    if let head {
      guard definitions.updateValue(type, forKey: head) == nil else {
        throw text.error("\(head.quoted()) is defined twice", at: tagPosition, expected: "another tag, or the tag alone")
      }
    }
    return Base(type: type, spelling: head, start: start)
  }

  /// "{" { members ";" } "}" [ "packed" ]
  private mutating func record(_ word: String, _ tag: String?, start: Int) throws(SignatureError) -> CType {
    try text.expect("{")
    let outerReferences = references
    references = []
    defer { references = outerReferences }
    var members: [CType.Record.Declaration] = []
    var names: Set<String> = []
    repeat {
      let base = try self.base()
      if text.next == UInt8(ascii: ";"), base.spelling == nil, case .record(let record)? = base.type {
        for name in record.memberNames where !names.insert(name).inserted {
          throw text.error("\(name.quoted()) names two members", at: base.start, expected: "a name that no other member has")
        }
        members.append(CType.Record.Declaration(name: "", type: .record(record)))
      } else {
        repeat {
          guard members.count < Signature.maximumParameterCount else {
            throw text.error(
              "there are too many members", at: text.position, expected: "at most \(Signature.maximumParameterCount) members")
          }
          if let last = members.last, case .flexible = last.type {
            throw text.error("a flexible array member stands last", at: text.position, expected: "a length in its brackets")
          }
          members.append(try member(base, besides: &names))
        } while text.take(",")
      }
      try text.expect(";", or: ",")
    } while !text.take("}")
    if case .flexible? = members.last?.type, word == "union" || members.count == 1 {
      throw text.error("a flexible array member follows others in a struct", at: start, expected: "a length in its brackets")
    }
    let indices = try references.map { reference throws(SignatureError) in try index(of: reference, in: members) }
    for index in members.indices { members[index].type = members[index].type.replacingLength(indices) }
    let isPacked = text.take(word: "packed")
    let kind = CType.Record.RecordKind(rawValue: word) ?? .structure
    guard let record = CType.Record(kind: kind, name: tag, members: members, isPacked: isPacked) else {
      throw text.error("the \(word) is too large", at: start, expected: "at most \(CType.Record.maximumSize) bytes")
    }
    return try checked(.record(record), at: start)
  }

  private mutating func member(
    _ base: Base, besides names: inout Set<String>
  ) throws(SignatureError) -> CType.Record.Declaration {
    let start = text.position
    let stars = stars()
    let type = try type(base, stars)
    var isNonnull = stars.isNonnull
    let isPointer = text.take("(")
    if isPointer {
      if !text.take("*") { throw text.unexpected(expected: "\"*\", as in int (*compare)(int, int)") }
      isNonnull = qualifiers().isNonnull
    }
    guard isPointer || type != .void && type != .resolver else {
      throw text.error("a member cannot be \(type)", at: base.start, expected: Self.expectedType)
    }
    guard let name = try name(besides: &names, of: "member") else { throw text.unexpected(expected: "a name for the member") }
    if isPointer {
      return CType.Record.Declaration(name: name, type: try pointee(of: type, start: start), isNonnull: isNonnull)
    }
    if text.next == UInt8(ascii: ":") { throw text.unexpected("makes it a bit-field", expected: "a member of whole bytes") }
    let position = text.position
    if text.take("[") {
      if text.word != nil || text.next == UInt8(ascii: "]") {
        let length = try length()
        try text.expect("]")
        return CType.Record.Declaration(name: name, type: try checked(.flexible(type, length), at: start))
      }
      text.goBack(to: position)
    }
    let array = try array(of: type, start: start)
    return CType.Record.Declaration(name: name, type: array, isNonnull: isNonnull && array == type)
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
        throw text.error(
          "the value \(next) is out of range", at: position,
          expected: "a number from \(range.lowerBound) to \(range.upperBound)")
      }
      cases.append(CType.Enumeration.Case(name: name, value: next))
      next += 1
    } while text.take(",")
    try text.expect("}", or: ",")
    let isNegative = cases.contains { $0.value < 0 }
    if underlying == nil, isNegative, let large = cases.first(where: { $0.value > Int128(Int32.max) }) {
      throw text.error(
        "no int holds \(large.value) as well as negative values", at: text.position, expected: "a type behind a colon")
    }
    let integer = underlying ?? (isNegative ? .int : .unsignedInt)
    return .enumeration(
      CType.Enumeration(name: tag, underlying: integer, hasWrittenType: underlying != nil, cases: cases))
  }
}
