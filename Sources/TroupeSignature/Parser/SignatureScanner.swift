internal import TroupeBase

/// Scans the text of a signature from left to right, and makes the errors at its positions.
///
/// Each read also skips the white space behind it, so that `position` is that of a word, a number, a symbol or the end. All access to the bytes
/// knows their end, so that no text can make the scanner trap.
struct SignatureScanner {
  private let text: String
  private let bytes: [UInt8]
  /// In bytes from the start of the text.
  private(set) var position = 0

  static var lengthLimit: String { "at most \(Signature.maximumLength) bytes" }

  init(_ text: String) throws(SignatureError) {
    self.text = text
    // Does not copy a text that is too long.
    self.bytes = text.utf8.count <= Signature.maximumLength ? Array(text.utf8) : []
    if text.utf8.count > Signature.maximumLength {
      throw error("the text is \(text.utf8.count) bytes long", at: Signature.maximumLength, expected: Self.lengthLimit)
    }
    skipSpace()
  }

  var byteCount: Int { bytes.count }

  var isAtEnd: Bool { position == bytes.count }

  /// The next byte; nil at the end.
  var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  /// The identifier or keyword at the position, if there is one.
  var word: String? {
    guard let next, next.isIdentifierStart else { return nil }
    let word = bytes[position...].prefix(while: \.isIdentifierPart)
    return String(decoding: word, as: UTF8.self)
  }

  /// Reads the word at the position.
  ///
  /// - Precondition: It is `word`.
  mutating func skip(_ word: String) {
    assert(self.word == word)
    position += word.utf8.count
    skipSpace()
  }

  /// Reads a word if it comes next.
  mutating func take(word: String) -> Bool {
    guard self.word == word else { return false }
    skip(word)
    return true
  }

  func isAt(_ symbol: String) -> Bool { bytes[position...].starts(with: symbol.utf8) }

  /// Reads a symbol if it comes next.
  mutating func take(_ symbol: String) -> Bool {
    guard isAt(symbol) else { return false }
    position += symbol.utf8.count
    skipSpace()
    return true
  }

  /// Reads a symbol, or throws if something else comes next.
  ///
  /// - Parameter other: Another symbol that may come here, for the error.
  mutating func expect(_ symbol: String, or other: String? = nil) throws(SignatureError) {
    guard take(symbol) else { throw unexpected(expected: (other.map { $0.quoted() + " or " } ?? "") + symbol.quoted()) }
  }

  /// Reads a decimal number, or a hexadecimal one behind `0x`. Returns nil and reads nothing if none comes next or it has more than 64 bits.
  /// The type holds each `UInt64` and its negative.
  mutating func number() -> Int128? {
    let start = position
    let isNegative = take("-")
    let isHexadecimal = isAt("0x") || isAt("0X")
    let digits = bytes[(position + (isHexadecimal ? 2 : 0))...].prefix(while: \.isIdentifierPart)
    let magnitude = UInt64(String(decoding: digits, as: UTF8.self), radix: isHexadecimal ? 16 : 10)
    guard let magnitude else {
      position = start
      return nil
    }
    position = digits.endIndex
    skipSpace()
    return isNegative ? -Int128(magnitude) : Int128(magnitude)
  }

  /// - Parameter position: An earlier value of `position`.
  mutating func goBack(to position: Int) {
    assert(position <= self.position)
    self.position = position
  }

  private mutating func skipSpace() {
    while next?.isSpace == true { position += 1 }
  }

  // MARK: Errors

  func error(_ problem: String, at position: Int, expected: String) -> SignatureError {
    SignatureError(text: text, position: position, problem: problem, expected: expected)
  }

  /// An error about the next word or symbol, which it names.
  func unexpected(_ problem: String = "is unexpected", expected: String) -> SignatureError {
    guard position < bytes.count else { return error("the text ends", at: position, expected: expected) }
    let index = text.utf8.index(text.startIndex, offsetBy: position)
    let found = word ?? String(text.unicodeScalars[index])
    return error("\(found.quoted()) \(problem)", at: position, expected: expected)
  }
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
