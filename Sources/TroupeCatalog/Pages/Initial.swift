/// The initial letters under which pages list names.
enum Initial {
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

extension Array {
  /// Returns the consecutive elements with equal keys.
  func chunked(by key: (Element) -> String) -> [(key: String, elements: ArraySlice<Element>)] {
    var chunks: [(key: String, elements: ArraySlice<Element>)] = []
    for (index, element) in enumerated() {
      let key = key(element)
      if let last = chunks.last, last.key == key {
        chunks[chunks.count - 1].elements = self[last.elements.startIndex...index]
      } else {
        chunks.append((key, self[index...index]))
      }
    }
    return chunks
  }
}
