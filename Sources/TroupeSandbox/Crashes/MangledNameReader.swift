/// Reads the identifiers of a mangled name, which another process or a file may have forged.
///
/// The demanglers of the Swift and C++ runtimes are made for names from a compiler: names of 20 characters crash them, and a
/// name of 270 characters keeps them busy for minutes and fills the memory. So this reader reads untrusted names. It never
/// follows a name recursively, and a name has at most 1,024 characters.
///
/// A Swift identifier that begins with `0` may repeat words of earlier identifiers. A letter stands for a word, `a` for the
/// first one; an uppercase letter is the last of the repeated words. The blanks are only for legibility:
///
///     4Demo 9DataTable V 0bC4View C      Demo.DataTable, and in it DataTableView: the words are Demo, Data, Table, View
///
/// See `docs/ABI/Mangling.rst` of the Swift compiler, and the Itanium C++ ABI, 5.1.
package struct MangledNameReader {
  private let name: [UInt8]
  private(set) var position: Int
  /// The words of the Swift identifiers so far.
  private var words: [ArraySlice<UInt8>] = []

  /// The longest name, and the longest of its parts. A compiler's names are seldom longer than 300 characters.
  private static let maximumLength = 1024

  /// Returns nil for a name that is too long, or has other characters than those of C identifiers and `$`.
  ///
  /// - Parameter prefix: The prefix that the name must have, such as `$s`, which is skipped.
  package init?(_ name: String, prefix: String = "") {
    let bytes = Array(name.utf8)
    guard bytes.count <= Self.maximumLength, bytes.starts(with: prefix.utf8), bytes.allSatisfy(\.isOfName) else { return nil }
    (self.name, position) = (bytes, prefix.utf8.count)
  }

  package var isAtEnd: Bool { position == name.count }
  var next: UInt8? { position < name.count ? name[position] : nil }

  /// Skips a text if it comes next. Returns whether it does.
  package mutating func skip(_ text: StaticString) -> Bool {
    text.withUTF8Buffer { text in
      guard name[position...].starts(with: text) else { return false }
      position += text.count
      return true
    }
  }

  /// Skips the next character if it is one of a text. Returns it.
  package mutating func skip(oneOf text: StaticString) -> UInt8? {
    guard let next, text.withUTF8Buffer({ $0.contains(next) }) else { return nil }
    position += 1
    return next
  }

  /// Skips the next characters that fulfill a condition.
  mutating func skip(while condition: (UInt8) -> Bool) { while let next, condition(next) { position += 1 } }

  func hasSuffix(_ text: String) -> Bool { name[position...].suffix(text.utf8.count).elementsEqual(text.utf8) }
  /// Whether the name ends with a mark, an index and `_`, such as `TQ0_` for `TQ`.
  func hasIndexedSuffix(_ mark: String) -> Bool {
    guard name[position...].last == UInt8(ascii: "_") else { return false }
    return name[position...].dropLast().reversed().drop(while: \.isDigit).starts(with: mark.utf8.reversed())
  }

  func contains(_ text: String) -> Bool { name[position...].contains(text.utf8) }

  /// Reads the module of a Swift name, or the standard type that an extension extends.
  package mutating func module() -> String? {
    if skip("s") { return "Swift" }
    guard skip("S") else { return identifier() }
    guard let type = next.flatMap({ Self.standardTypes[$0] }) else { return nil }
    position += 1
    return "Swift." + type
  }

  /// The types of the standard library whose names are abbreviated by `S` and a letter.
  private static let standardTypes: [UInt8: String] = [
    UInt8(ascii: "a"): "Array", UInt8(ascii: "b"): "Bool", UInt8(ascii: "D"): "Dictionary", UInt8(ascii: "d"): "Double",
    UInt8(ascii: "f"): "Float", UInt8(ascii: "h"): "Set", UInt8(ascii: "i"): "Int", UInt8(ascii: "J"): "Character",
    UInt8(ascii: "q"): "Optional", UInt8(ascii: "S"): "String", UInt8(ascii: "s"): "Substring", UInt8(ascii: "u"): "UInt",
  ]

  /// Reads a length and as many characters, the source name of C++. Returns nil if there is none.
  mutating func plainIdentifier() -> ArraySlice<UInt8>? {
    guard let next, next.isDigit, next != UInt8(ascii: "0") else { return nil }
    var count = 0
    while let digit = self.next, digit.isDigit {
      count = count * 10 + Int(digit - UInt8(ascii: "0"))
      guard count <= Self.maximumLength else { return nil }
      position += 1
    }
    guard count <= name.count - position else { return nil }
    defer { position += count }
    return name[position..<position + count]
  }

  /// Reads an identifier of Swift. Returns nil if there is none, or if it is not ASCII (Punycode).
  package mutating func identifier() -> String? {
    var text: [UInt8] = []
    guard skip("0") else {
      guard let part = plainIdentifier() else { return nil }
      addWords(of: part)
      return String(decoding: part, as: UTF8.self)
    }
    var isLast = false
    while !isLast {
      while !isLast, let letter = next, letter.isLetter {
        isLast = letter.isUppercase
        let index = Int(letter | 0x20) - Int(UInt8(ascii: "a"))
        guard index < words.count else { return nil }
        text += words[index]
        position += 1
      }
      guard text.count <= Self.maximumLength else { return nil }
      if skip("0") { break }
      guard let part = plainIdentifier() else { return nil }
      addWords(of: part)
      text += part
    }
    return text.isEmpty ? nil : String(decoding: text, as: UTF8.self)
  }

  /// Skips the discriminator of a private name, which tells it from those of other files: an identifier with a hash, and `LL`.
  mutating func skipDiscriminator() {
    var ahead = self
    if ahead.identifier() != nil, ahead.skip("LL") { self = ahead }
  }

  /// Adds the words of an identifier: a word ends before `_`, and before an uppercase letter behind another character.
  private mutating func addWords(of part: ArraySlice<UInt8>) {
    var start: Int?
    for index in part.indices.lowerBound...part.indices.upperBound {
      let character = index < part.endIndex ? part[index] : UInt8(ascii: "_")
      if let first = start, character == UInt8(ascii: "_") || (character.isUppercase && !part[index - 1].isUppercase) {
        if index - first >= 2, words.count < 26 { words.append(part[first..<index]) }
        start = nil
      }
      if start == nil, !character.isDigit, character != UInt8(ascii: "_") { start = index }
    }
  }
}

extension UInt8 {
  var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
  var isUppercase: Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) }
  fileprivate var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }
  fileprivate var isOfName: Bool { isDigit || isLetter || self == UInt8(ascii: "_") || self == UInt8(ascii: "$") }
}
