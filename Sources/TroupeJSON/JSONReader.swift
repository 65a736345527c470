/// Reads JSON (RFC 8259) strictly and with the location of every value, which Foundation's decoder does not provide. Faults are: a byte
/// order mark, bytes that are not UTF-8, a name that occurs twice in one object, and text after the value.
///
/// Accepts any bytes as input. The cost is proportional to their number.
package struct JSONReader {
  private let bytes: [UInt8]
  private var position = 0
  private var depth = 0

  private let maximumDepth: Int
  private let packsNumbers: Bool

  /// Reads the only value of a text.
  ///
  /// - Parameters:
  ///   - maximumDepth: The largest depth of nested values.
  ///   - packsNumbers: Whether an array of numbers alone is `.numbers`.
  package static func read(
    _ bytes: [UInt8], maximumDepth: Int = 64, packsNumbers: Bool = false
  ) throws(JSONFault) -> JSONNode {
    var reader = JSONReader(bytes: bytes, maximumDepth: maximumDepth, packsNumbers: packsNumbers)
    return try reader.document()
  }

  private init(bytes: [UInt8], maximumDepth: Int, packsNumbers: Bool) {
    self.bytes = bytes
    self.maximumDepth = maximumDepth
    self.packsNumbers = packsNumbers
  }

  private mutating func document() throws(JSONFault) -> JSONNode {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) || bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) {
      throw JSONFault(path: .whole, offset: 0, problem: "begins with a byte order mark", remedy: "save it as UTF-8 without one")
    }
    if let offset = UTF8Fault.offset(in: bytes) {
      throw JSONFault(path: .whole, offset: offset, problem: "is not UTF-8", remedy: "save it as UTF-8")
    }
    skipSpace()
    guard position < bytes.count else {
      throw JSONFault(path: .whole, offset: position, problem: "is empty; expected a value", remedy: "write one")
    }
    let node = try value(.whole)
    skipSpace()
    guard position == bytes.count else { throw unexpected(.whole, "the end of the text") }
    return node
  }

  private mutating func value(_ path: JSONPath) throws(JSONFault) -> JSONNode {
    let place = JSONPlace(path: path, offset: position)
    guard position < bytes.count else { throw unexpected(path, "a value") }
    let content: JSONNode.Content =
      switch bytes[position] {
      case UInt8(ascii: "{"): .object(try nested(path) { (reader) throws(JSONFault) in try reader.members(path) })
      case UInt8(ascii: "["): try nested(path) { (reader) throws(JSONFault) in try reader.array(path) }
      case UInt8(ascii: "\""): .string(try string(path))
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): .number(try number(path))
      default: try word(path)
      }
    return JSONNode(content: content, place: place)
  }

  /// Reads an object or an array, whose opening bracket is next. Throws if it is nested too deep.
  private mutating func nested<Content>(
    _ path: JSONPath, _ body: (inout JSONReader) throws(JSONFault) -> Content
  ) throws(JSONFault) -> Content {
    guard depth < maximumDepth else {
      throw JSONFault(
        path: .whole, offset: position, problem: "has values nested more than \(maximumDepth) deep",
        remedy: "make it flatter")
    }
    depth += 1
    defer { depth -= 1 }
    position += 1
    return try body(&self)
  }

  private mutating func members(_ path: JSONPath) throws(JSONFault) -> [JSONMember] {
    var members: [JSONMember] = []
    // As bytes: Swift considers two spellings of an accented letter equal.
    var names: Set<[UInt8]> = []
    skipSpace()
    if take("}") { return members }
    while true {
      let start = position
      guard next == UInt8(ascii: "\"") else { throw unexpected(path, "a member's name in quotes") }
      let name = try string(path)
      let memberPath = path.member(name)
      guard names.insert(Array(name.utf8)).inserted else {
        throw JSONFault(
          path: memberPath, offset: start, problem: "occurs twice; expected another name",
          remedy: "remove one of the two")
      }
      skipSpace()
      guard take(":") else { throw unexpected(memberPath, "a colon") }
      skipSpace()
      members.append(JSONMember(name: name, value: try value(memberPath)))
      skipSpace()
      if take("}") { return members }
      guard take(",") else { throw unexpected(path, "a comma or }") }
      skipSpace()
    }
  }

  private mutating func array(_ path: JSONPath) throws(JSONFault) -> JSONNode.Content {
    if packsNumbers, let numbers = numbers(path) { return .numbers(numbers) }
    return .array(try elements(path))
  }

  /// Reads an array of numbers alone. Returns nil, and reads nothing, for any other array and for a faulty one.
  private mutating func numbers(_ path: JSONPath) -> JSONNumbers? {
    let start = position
    var starts: [UInt32] = []
    repeat {
      skipSpace()
      guard let offset = UInt32(exactly: position), skipNumber() else { break }
      starts.append(offset)
      skipSpace()
      if take("]") { return JSONNumbers(bytes, starts, path) }
    } while take(",")
    position = start
    return nil
  }

  private mutating func elements(_ path: JSONPath) throws(JSONFault) -> [JSONNode] {
    var elements: [JSONNode] = []
    skipSpace()
    if take("]") { return elements }
    while true {
      elements.append(try value(path.element(elements.count)))
      skipSpace()
      if take("]") { return elements }
      guard take(",") else { throw unexpected(path, "a comma or ]") }
      skipSpace()
    }
  }

  /// Reads a string, whose quote is next.
  private mutating func string(_ path: JSONPath) throws(JSONFault) -> String {
    position += 1
    var text: [UInt8] = []
    while position < bytes.count {
      let byte = bytes[position]
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"): text += try escape(path)
      case 0..<0x20: throw unexpected(path, "the end of the string; a control character is written as \\n or \\u0000")
      default:
        text.append(byte)
        position += 1
      }
    }
    throw unexpected(path, "the quote that ends the string")
  }

  /// Reads an escape sequence, whose backslash is next, and returns its character in UTF-8.
  private mutating func escape(_ path: JSONPath) throws(JSONFault) -> [UInt8] {
    let start = position
    position += 1
    guard let byte = next else { throw unexpected(path, "an escape sequence") }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
    case UInt8(ascii: "b"): return [0x08]
    case UInt8(ascii: "f"): return [0x0C]
    case UInt8(ascii: "n"): return [0x0A]
    case UInt8(ascii: "r"): return [0x0D]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "u"): break
    default:
      position = start
      throw unexpected(path, "an escape sequence: \\\", \\\\, \\/, \\b, \\f, \\n, \\r, \\t or \\u and four hexadecimal digits")
    }
    let first = try codeUnit(path)
    if let scalar = Unicode.Scalar(first) { return Array(String(scalar).utf8) }
    // A character beyond the first 65536 is written as a surrogate pair, the high surrogate first.
    guard (0xD800..<0xDC00).contains(first), take("\\"), take("u") else {
      position = start
      throw unexpected(path, "a character, not half of one")
    }
    let second = try codeUnit(path)
    guard (0xDC00..<0xE000).contains(second),
      let scalar = Unicode.Scalar(0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00))
    else {
      position = start
      throw unexpected(path, "a character, not half of one")
    }
    return Array(String(scalar).utf8)
  }

  private mutating func codeUnit(_ path: JSONPath) throws(JSONFault) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw unexpected(path, "four hexadecimal digits")
      }
      unit = unit << 4 | UInt16(digit)
      position += 1
    }
    return unit
  }

  /// Reads a number, whose sign or first digit is next.
  private mutating func number(_ path: JSONPath) throws(JSONFault) -> String {
    let start = position
    guard skipNumber() else { throw unexpected(path, "a digit") }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  /// Skips a number. Returns false if a digit is missing.
  private mutating func skipNumber() -> Bool {
    _ = take("-")
    guard take("0") || skipDigits() else { return false }
    if take("."), !skipDigits() { return false }
    if take("e") || take("E") {
      if !take("+") { _ = take("-") }
      return skipDigits()
    }
    return true
  }

  private mutating func skipDigits() -> Bool {
    let start = position
    while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
    return position > start
  }

  private mutating func word(_ path: JSONPath) throws(JSONFault) -> JSONNode.Content {
    let words: [(String, JSONNode.Content)] = [("true", .boolean(true)), ("false", .boolean(false)), ("null", .null)]
    for (word, content) in words where bytes[position...].starts(with: word.utf8) {
      position += word.utf8.count
      return content
    }
    throw unexpected(path, "a value: a string in double quotes, an object, an array, a number, true, false or null")
  }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: scalar) else { return false }
    position += 1
    return true
  }

  private mutating func skipSpace() {
    while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
  }

  /// Returns a fault of the next character, with the expected one.
  private func unexpected(_ path: JSONPath, _ expectation: String) -> JSONFault {
    let found =
      switch next {
      case nil: "ends here"
      case UInt8(ascii: "\n"): "has the end of the line here"
      case (0..<0x20)?: "has a control character here"
      case (0x21...0x7E)?: "has \(Unicode.Scalar(bytes[position])) here"
      default: "has another character here"
      }
    return JSONFault(path: path, offset: position, problem: "\(found); expected \(expectation)", remedy: "correct it there")
  }
}

/// Invalid UTF-8.
enum UTF8Fault {
  /// Returns the offset of the first byte that is not part of a character, or nil if there is none.
  static func offset(in bytes: [UInt8]) -> Int? {
    guard String(validating: bytes, as: UTF8.self) == nil else { return nil }
    var decoder = UTF8()
    var iterator = bytes.makeIterator()
    var offset = 0
    while case .scalarValue(let scalar) = decoder.decode(&iterator) { offset += UTF8.width(scalar) }
    return offset
  }
}
