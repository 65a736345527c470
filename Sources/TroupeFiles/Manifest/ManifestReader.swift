internal import Glibc

/// A reader of a manifest's JSON (RFC 8259) in one pass. Skips unknown values without storing them. The parser `TroupeJSON` also stores
/// the location of every value. That would cost more than the rest of the discovery of a plugin, and locations in a text that a
/// compiler wrote help no user.
///
/// Accepts arbitrary UTF-8. The cost is linear in the number of bytes.
struct ManifestReader {
  /// The error for a text that is not JSON.
  struct NotJSON: Error {}

  /// The result of reading a value of an expected type.
  enum Found<Value> {
    case value(Value)
    case null
    case other
  }

  /// A string with its escape sequences, all of which are valid.
  struct Text {
    fileprivate let content: ArraySlice<UInt8>
    fileprivate let hasEscapes: Bool

    /// The string without escape sequences.
    var string: String { hasEscapes ? ManifestReader.unescaped(content) : String(decoding: content, as: UTF8.self) }

    /// Whether the string equals a word.
    static func ~= (word: StaticString, text: Text) -> Bool {
      if text.hasEscapes { return text.string == word.description }
      guard text.content.count == word.utf8CodeUnitCount else { return false }
      return text.content.withUnsafeBytes { content in
        content.baseAddress.map { memcmp($0, word.utf8Start, content.count) == 0 } ?? true
      }
    }
  }

  private let bytes: ArraySlice<UInt8>
  private var position: Int
  private var depth = 0

  /// The largest nesting depth of values.
  private static let maximumDepth = 512

  /// Creates a reader of a text, which must be UTF-8.
  init(_ text: ArraySlice<UInt8>) {
    self.init(bytes: text, position: text.startIndex)
    skipSpace()
  }

  private init(bytes: ArraySlice<UInt8>, position: Int) {
    self.bytes = bytes
    self.position = position
  }

  /// The next byte, or nil at the end.
  var next: UInt8? { position < bytes.endIndex ? bytes[position] : nil }

  /// Checks that only white space is left.
  mutating func end() throws(NotJSON) {
    skipSpace()
    guard next == nil else { throw NotJSON() }
  }

  /// Reads an object. Its opening brace must be next.
  ///
  /// - Parameter member: A closure that reads the value of the member with a name.
  mutating func object(_ member: (inout ManifestReader, Text) throws(NotJSON) -> Void) throws(NotJSON) {
    try nested(until: UInt8(ascii: "}")) { (reader) throws(NotJSON) in
      guard reader.next == UInt8(ascii: "\"") else { throw NotJSON() }
      let name = try reader.scanText()
      reader.skipSpace()
      try reader.take(UInt8(ascii: ":"))
      reader.skipSpace()
      try member(&reader, name)
    }
  }

  /// Reads a string. Skips any other value.
  mutating func string() throws(NotJSON) -> Found<String> {
    if next == UInt8(ascii: "\"") { return .value(try scanText().string) }
    return try skipValue() ? .null : .other
  }

  /// Reads an array of strings. Skips any other value.
  mutating func strings() throws(NotJSON) -> Found<[String]> {
    guard next == UInt8(ascii: "[") else { return try skipValue() ? .null : .other }
    var (strings, hasOthers): ([String], Bool) = ([], false)
    try nested(until: UInt8(ascii: "]")) { (reader) throws(NotJSON) in
      if case .value(let string) = try reader.string() { strings.append(string) } else { hasOthers = true }
    }
    return hasOthers ? .other : .value(strings)
  }

  /// Reads a string, a number, `true` or `false`, as text. Skips any other value.
  mutating func scalar() throws(NotJSON) -> Found<String> {
    switch next {
    case UInt8(ascii: "\""), UInt8(ascii: "n"), UInt8(ascii: "{"), UInt8(ascii: "["): return try string()
    default:
      let start = position
      try skipValue()
      return .value(String(decoding: bytes[start..<position], as: UTF8.self))
    }
  }

  /// Reads an array of objects, each by a closure. Skips any other value.
  mutating func objects<Value>(
    _ read: (inout ManifestReader) throws(NotJSON) -> Value
  ) throws(NotJSON) -> Found<[Value]> {
    guard next == UInt8(ascii: "[") else { return try skipValue() ? .null : .other }
    var (values, hasOthers): ([Value], Bool) = ([], false)
    try nested(until: UInt8(ascii: "]")) { (reader) throws(NotJSON) in
      if reader.next == UInt8(ascii: "{") {
        values.append(try read(&reader))
      } else {
        hasOthers = true
        try reader.skipValue()
      }
    }
    return hasOthers ? .other : .value(values)
  }

  /// Skips a value of any type. Returns whether it was `null`.
  @discardableResult
  mutating func skipValue() throws(NotJSON) -> Bool {
    switch next {
    case UInt8(ascii: "{"): try object { (reader, _) throws(NotJSON) in try reader.skipValue() }
    case UInt8(ascii: "["):
      try nested(until: UInt8(ascii: "]")) { (reader) throws(NotJSON) in try reader.skipValue() }
    case UInt8(ascii: "\""): _ = try scanText()
    case UInt8(ascii: "t"): try word("true")
    case UInt8(ascii: "f"): try word("false")
    case UInt8(ascii: "n"):
      try word("null")
      return true
    default: try number()
    }
    return false
  }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
  }

  /// Reads comma-separated parts in brackets. The opening bracket must be next. Throws if the nesting is too deep.
  private mutating func nested(
    until end: UInt8, _ part: (inout ManifestReader) throws(NotJSON) -> Void
  ) throws(NotJSON) {
    guard depth < Self.maximumDepth else { throw NotJSON() }
    depth += 1
    position += 1
    skipSpace()
    if next != end {
      while true {
        try part(&self)
        skipSpace()
        guard next == UInt8(ascii: ",") else { break }
        position += 1
        skipSpace()
      }
    }
    try take(end)
    depth -= 1
  }

  private mutating func take(_ byte: UInt8) throws(NotJSON) {
    guard next == byte else { throw NotJSON() }
    position += 1
  }

  private mutating func word(_ word: StaticString) throws(NotJSON) {
    for byte in UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount) { try take(byte) }
  }

  private mutating func number() throws(NotJSON) {
    if next == UInt8(ascii: "-") { position += 1 }
    if next == UInt8(ascii: "0") { position += 1 } else { try digits() }
    if next == UInt8(ascii: ".") {
      position += 1
      try digits()
    }
    if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
      position += 1
      if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { position += 1 }
      try digits()
    }
  }

  private mutating func digits() throws(NotJSON) {
    let start = position
    while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
    guard position > start else { throw NotJSON() }
  }

  /// Scans a string. Its opening quote must be next.
  private mutating func scanText() throws(NotJSON) -> Text {
    position += 1
    let start = position
    var hasEscapes = false
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        return Text(content: bytes[start..<position - 1], hasEscapes: hasEscapes)
      case UInt8(ascii: "\\"):
        hasEscapes = true
        try scanEscape()
      case 0..<0x20: throw NotJSON()
      default: position += 1
      }
    }
    throw NotJSON()
  }

  /// Scans an escape sequence. Its backslash must be next.
  private mutating func scanEscape() throws(NotJSON) {
    position += 1
    guard let byte = next else { throw NotJSON() }
    position += 1
    guard byte == UInt8(ascii: "u") else {
      guard Self.escaped(byte) != nil else { throw NotJSON() }
      return
    }
    let unit = try codeUnit()
    guard (0xD800..<0xE000).contains(unit) else { return }
    // A character beyond U+FFFF is written as a surrogate pair, the high surrogate first.
    guard unit < 0xDC00 else { throw NotJSON() }
    try take(UInt8(ascii: "\\"))
    try take(UInt8(ascii: "u"))
    guard (0xDC00..<0xE000).contains(try codeUnit()) else { throw NotJSON() }
  }

  /// Reads four hexadecimal digits.
  private mutating func codeUnit() throws(NotJSON) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { throw NotJSON() }
      unit = unit << 4 | UInt16(digit)
      position += 1
    }
    return unit
  }

  /// The byte that a letter after a backslash denotes, or nil for another letter.
  private static func escaped(_ letter: UInt8) -> UInt8? {
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): letter
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    default: nil
    }
  }

  /// Replaces the escape sequences of a string, which must be valid.
  private static func unescaped(_ content: ArraySlice<UInt8>) -> String {
    var reader = ManifestReader(bytes: content, position: content.startIndex)
    var units: [UInt16] = []
    var text = ""
    while let byte = reader.next {
      guard byte == UInt8(ascii: "\\") else {
        let rest = content[reader.position...].prefix { $0 != UInt8(ascii: "\\") }
        text += String(decoding: rest, as: UTF8.self)
        reader.position = rest.endIndex
        continue
      }
      let letter = content[reader.position + 1]
      reader.position += 2
      if let byte = escaped(letter) {
        text.unicodeScalars.append(Unicode.Scalar(byte))
        continue
      }
      // The two surrogates of a character are adjacent.
      guard let unit = try? reader.codeUnit() else { break }
      units.append(unit)
      if (0xD800..<0xDC00).contains(unit) { continue }
      text += String(decoding: units, as: UTF16.self)
      units = []
    }
    return text
  }
}
