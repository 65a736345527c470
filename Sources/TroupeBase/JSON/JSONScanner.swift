/// A pull parser for JSON (RFC 8259). The caller walks through the text and asks for each token that it expects:
///
/// ```swift
/// var scanner = JSONScanner(bytes, maximumDepth: 64)
/// var hasMember = try scanner.enter(.object)
/// while hasMember {
///   let name = try scanner.scanName()
///   try scanner.skipColon()
///   if name == id { found = try scanner.scanString() } else { try scanner.skipValue() }
///   hasMember = try scanner.advance(in: .object)
/// }
/// try scanner.skipEnd()
/// ```
///
/// It makes one pass, skips values without storing them, and copies only the strings that the caller wants. ``JSONReader`` builds a tree
/// with it. Manifests are read with it directly, since a tree with locations would cost more than the rest of the discovery of a plugin.
///
/// Accepts arbitrary UTF-8. The cost is linear in the number of bytes. `maximumDepth` bounds the stack.
package struct JSONScanner {
  package struct SyntaxError: Error {
    package enum Problem {
      /// Another character, or the end of the text, is at the offset.
      case expected(StaticString)
      /// The value at the offset is nested too deep.
      case tooDeep
      /// The name at the offset occurs twice in its object. Only the reader reports that.
      case repeatedName
    }

    package let offset: Int
    package let problem: Problem
  }

  package enum Container {
    case object
    case array
  }

  private let bytes: [UInt8]
  private let end: Int
  private let maximumDepth: Int
  private var depth = 0

  /// The offset of the next byte.
  package private(set) var position = 0

  /// Skips the white space before the value.
  ///
  /// - Parameters:
  ///   - bytes: UTF-8.
  ///   - end: The offset at which the text ends, by default that of the last byte.
  ///   - maximumDepth: The largest depth of nested values.
  package init(_ bytes: [UInt8], end: Int? = nil, maximumDepth: Int) {
    self.bytes = bytes
    self.end = end ?? bytes.count
    self.maximumDepth = maximumDepth
    skipSpace()
  }

  /// The next byte. Nil at the end.
  package var next: UInt8? { position < end ? bytes[position] : nil }

  /// Skips the white space after the value. Throws if more follows.
  package mutating func skipEnd() throws(SyntaxError) {
    skipSpace()
    guard position == end else { throw expected("the end of the text") }
  }

  private mutating func skipSpace() { skip { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 } }

  // Calls for single characters would make skipping a value about 20 % slower, so this and two functions below are inlined.
  @inline(__always)
  private mutating func skip(while condition: (UInt8) -> Bool) {
    // A local variable stays in a register.
    var index = position
    while index < end, condition(bytes[index]) { index += 1 }
    position = index
  }

  @inline(__always)
  private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: scalar) else { return false }
    position += 1
    return true
  }

  private func expected(_ expectation: StaticString, at offset: Int? = nil) -> SyntaxError {
    SyntaxError(offset: offset ?? position, problem: .expected(expectation))
  }

  private func text(from start: Int) -> String { String(decoding: bytes[start..<position], as: UTF8.self) }
}

// MARK: - Objects, arrays and other values

extension JSONScanner {
  /// Skips the opening bracket of an object or an array, which must be next. Returns whether a member or an element follows.
  package mutating func enter(_ container: Container) throws(SyntaxError) -> Bool {
    guard depth < maximumDepth else { throw SyntaxError(offset: position, problem: .tooDeep) }
    depth += 1
    position += 1
    skipSpace()
    return !leave(container)
  }

  /// Skips the comma or the closing bracket after a member or an element. Returns whether another one follows.
  package mutating func advance(in container: Container) throws(SyntaxError) -> Bool {
    skipSpace()
    if skip(",") {
      skipSpace()
      return true
    }
    guard leave(container) else { throw expected(container == .object ? "a comma or }" : "a comma or ]") }
    return false
  }

  private mutating func leave(_ container: Container) -> Bool {
    guard skip(container == .object ? "}" : "]") else { return false }
    depth -= 1
    return true
  }

  /// Scans the name of a member. Returns its UTF-8 without escape sequences.
  package mutating func scanName() throws(SyntaxError) -> ArraySlice<UInt8> {
    let start = position
    guard skip("\"") else { throw expected("a member's name in quotes") }
    try skipPlain()
    if skip("\"") { return bytes[start + 1..<position - 1] }
    position = start
    return ArraySlice(try scanString().utf8)
  }

  /// Skips the colon after the name of a member.
  package mutating func skipColon() throws(SyntaxError) {
    skipSpace()
    guard skip(":") else { throw expected("a colon") }
    skipSpace()
  }

  /// Skips a value of any type.
  package mutating func skipValue() throws(SyntaxError) {
    switch next {
    case UInt8(ascii: "{"):
      var hasMember = try enter(.object)
      while hasMember {
        _ = try scanName()
        try skipColon()
        try skipValue()
        hasMember = try advance(in: .object)
      }
    case UInt8(ascii: "["):
      var hasElement = try enter(.array)
      while hasElement {
        try skipValue()
        hasElement = try advance(in: .array)
      }
    case UInt8(ascii: "\""): try skipString()
    case UInt8(ascii: "-"), (UInt8(ascii: "0")...UInt8(ascii: "9"))?: try skipNumber()
    case UInt8(ascii: "t"): try skipWord("true")
    case UInt8(ascii: "f"): try skipWord("false")
    case nil: throw expected("a value")
    default: try skipWord("null")
    }
  }

  /// Scans a value other than an object or an array. Returns its text in JSON.
  package mutating func scanScalar() throws(SyntaxError) -> String {
    let start = position
    try skipValue()
    return text(from: start)
  }

  private mutating func skipWord(_ word: StaticString) throws(SyntaxError) {
    let start = position
    for byte in UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount) {
      guard next == byte else {
        throw expected("a value: a string in double quotes, an object, an array, a number, true, false or null", at: start)
      }
      position += 1
    }
  }
}

// MARK: - Numbers

extension JSONScanner {
  package mutating func skipNumber() throws(SyntaxError) {
    _ = skip("-")
    if !skip("0") { try skipDigits() }
    if skip(".") { try skipDigits() }
    if skip("e") || skip("E") {
      if !skip("+") { _ = skip("-") }
      try skipDigits()
    }
  }

  @inline(__always)
  private mutating func skipDigits() throws(SyntaxError) {
    let start = position
    skip { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard position > start else { throw expected("a digit") }
  }
}

// MARK: - Strings

extension JSONScanner {
  /// The quote must be next. Returns the string without escape sequences.
  package mutating func scanString() throws(SyntaxError) -> String {
    position += 1
    var text = try scanPlain()
    while next == UInt8(ascii: "\\") {
      text.unicodeScalars.append(try scanEscape())
      text += try scanPlain()
    }
    position += 1
    return text
  }

  private mutating func skipString() throws(SyntaxError) {
    position += 1
    try skipPlain()
    while next == UInt8(ascii: "\\") {
      _ = try scanEscape()
      try skipPlain()
    }
    position += 1
  }

  private mutating func scanPlain() throws(SyntaxError) -> String {
    let start = position
    try skipPlain()
    return text(from: start)
  }

  /// Skips the part of a string before the next quote or backslash.
  private mutating func skipPlain() throws(SyntaxError) {
    skip { $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") && $0 >= 0x20 }
    guard let byte = next else { throw expected("the quote that ends the string") }
    guard byte >= 0x20 else { throw expected("the end of the string; a control character is written as \\n or \\u0000") }
  }

  /// The backslash must be next.
  private mutating func scanEscape() throws(SyntaxError) -> Unicode.Scalar {
    let start = position
    position += 1
    guard let letter = next else { throw expected("an escape sequence") }
    position += 1
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(letter)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"):
      if let scalar = try scanCodeUnits() { return scalar }
      throw expected("a character, not half of one", at: start)
    default:
      throw expected(
        "an escape sequence: \\\", \\\\, \\/, \\b, \\f, \\n, \\r, \\t or \\u and four hexadecimal digits", at: start)
    }
  }

  /// Scans the rest of an escape sequence after `\u`. Returns nil for half of a surrogate pair.
  private mutating func scanCodeUnits() throws(SyntaxError) -> Unicode.Scalar? {
    let first = try scanCodeUnit()
    if let scalar = Unicode.Scalar(first) { return scalar }
    // A character beyond the first 65536 is written as a surrogate pair, the high surrogate first.
    guard first < 0xDC00, skip("\\"), skip("u") else { return nil }
    let second = try scanCodeUnit()
    guard (0xDC00..<0xE000).contains(second) else { return nil }
    return Unicode.Scalar(0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00))
  }

  private mutating func scanCodeUnit() throws(SyntaxError) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw expected("four hexadecimal digits")
      }
      unit = unit << 4 | UInt16(digit)
      position += 1
    }
    return unit
  }
}
