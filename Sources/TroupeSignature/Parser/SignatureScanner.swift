internal import TroupeBase

/// The text of a signature, read from left to right.
///
/// All access goes through `next`, `word`, `number` and `take`, which know its end, so that no text can make it trap.
struct SignatureScanner {
  private let text: String
  private let bytes: [UInt8]
  /// How far the text has been read, in bytes; never behind white space once `skipSpace` has run.
  private(set) var position = 0

  static var expectedLength: String { "at most \(Signature.maximumLength) bytes" }

  init(_ text: String) throws(SignatureError) {
    self.text = text
    self.bytes = text.utf8.count <= Signature.maximumLength ? Array(text.utf8) : []
    if text.utf8.count > Signature.maximumLength {
      throw fault("the text is \(text.utf8.count) bytes long", at: Signature.maximumLength, expected: Self.expectedLength)
    }
    skipSpace()
  }

  /// The number of bytes.
  var count: Int { bytes.count }

  /// Whether everything has been read.
  var isAtEnd: Bool { position == bytes.count }

  /// The byte that comes next, or nil at the end.
  var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  /// The identifier or keyword that comes next, or nil if something else does.
  var word: String? {
    guard let next, next.isIdentifierStart else { return nil }
    let word = bytes[position...].prefix(while: \.isIdentifierPart)
    return String(decoding: word, as: UTF8.self)
  }

  /// Goes past `word`, which comes next, and white space.
  mutating func skip(_ word: String) {
    position += word.utf8.count
    skipSpace()
  }

  /// Goes past a word and white space, if it comes next.
  mutating func take(word: String) -> Bool {
    guard self.word == word else { return false }
    skip(word)
    return true
  }

  /// Whether a symbol comes next.
  func isAt(_ symbol: String) -> Bool { bytes[position...].starts(with: symbol.utf8) }

  /// Goes past a symbol and white space, if it comes next.
  mutating func take(_ symbol: String) -> Bool {
    guard isAt(symbol) else { return false }
    position += symbol.utf8.count
    skipSpace()
    return true
  }

  /// Goes past a symbol and white space, or throws if something else comes next.
  mutating func expect(_ symbol: String, or others: String = "") throws(SignatureError) {
    guard take(symbol) else { throw unexpected(expected: others + symbol.quoted()) }
  }

  /// Goes past a number, decimal or hexadecimal behind `0x`, and white space. Nil, and nothing is read, if none comes next or it
  /// has more than 64 bits.
  mutating func number() -> Int128? {
    let start = position
    let isNegative = take("-")
    let isHexadecimal = isAt("0x") || isAt("0X")
    let digits = bytes[(position + (isHexadecimal ? 2 : 0))...].prefix(while: \.isIdentifierPart)
    let magnitude = UInt64(String(decoding: digits, as: UTF8.self), radix: isHexadecimal ? 16 : 10)
    guard let magnitude, digits.first != UInt8(ascii: "+") else {
      position = start
      return nil
    }
    position = digits.endIndex
    skipSpace()
    return isNegative ? -Int128(magnitude) : Int128(magnitude)
  }

  /// Goes back to where the text has been before.
  mutating func goBack(to position: Int) { self.position = position }

  private mutating func skipSpace() {
    while next?.isSpace == true { position += 1 }
  }

  // MARK: Faults

  func fault(_ problem: String, at position: Int, expected: String) -> SignatureError {
    SignatureError(text: text, position: position, problem: problem, expected: expected)
  }

  /// A fault in the next word or symbol, which it names.
  func unexpected(_ problem: String = "is unexpected", expected: String) -> SignatureError {
    guard position < bytes.count else { return fault("the text ends", at: position, expected: expected) }
    let index = text.utf8.index(text.startIndex, offsetBy: position)
    let found = word ?? String(text.unicodeScalars[index])
    return fault("\(found.quoted()) \(problem)", at: position, expected: expected)
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
