internal import TroupeHost

/// Groups sorted names by their initial letters: the letter `#` is for names that begin with another character.
struct LetterIndex<Element> {
  /// The letters, each with its elements in their order.
  let groups: [(letter: String, elements: ArraySlice<Element>)]

  /// - Parameter name: Returns the name of an element; the elements are sorted by it.
  init(_ elements: [Element], by name: (Element) -> String) {
    var groups: [(letter: String, elements: ArraySlice<Element>)] = []
    for (index, element) in elements.enumerated() {
      let letter = Self.letter(of: name(element))
      if let last = groups.last, last.letter == letter {
        groups[groups.count - 1].elements = elements[last.elements.startIndex...index]
      } else {
        groups.append((letter, elements[index...index]))
      }
    }
    self.groups = groups
  }

  private static func letter(of name: String) -> String {
    guard let first = name.unicodeScalars.first, first.properties.isAlphabetic else { return "#" }
    return String(first).uppercased()
  }
}

extension HTML {
  /// Writes links to the letters, and a section for each.
  mutating func letterSections<Element>(
    _ index: LetterIndex<Element>, _ content: (inout HTML, ArraySlice<Element>) -> Void
  ) {
    func anchor(_ letter: String) -> String {
      "letter-" + (letter.unicodeScalars.first.map { String($0.value, radix: 16) } ?? "")
    }
    if index.groups.count > 1 {
      element("nav", ["class": "letters", "aria-label": "Initial letters"]) { html in
        for group in index.groups { html.element("a", ["href": "#\(anchor(group.letter))"], group.letter) }
      }
    }
    for group in index.groups {
      element("section", ["aria-labelledby": anchor(group.letter)]) { html in
        html.element("h2", ["id": anchor(group.letter), "class": "letter"], group.letter)
        content(&html, group.elements)
      }
    }
  }
}
