/// The initial letters under which pages list names.
enum LetterIndex {
  /// Returns the letter of a name, in upper case; `#` for a name that begins with another character.
  static func of(_ name: String) -> String {
    guard let first = name.unicodeScalars.first, first.properties.isAlphabetic else { return "#" }
    return String(first).uppercased()
  }

  /// Returns the identifier of the heading of a letter.
  static func anchor(_ letter: String) -> String {
    "letter-" + (letter.unicodeScalars.first.map { String($0.value, radix: 16) } ?? "")
  }
}
