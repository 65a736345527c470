extension HTML {
  /// Writes the paragraphs of a text, which blank lines separate, as `p` elements.
  mutating func paragraphs(_ text: String) {
    for paragraph in Self.paragraphs(of: text) {
      element("p", ["dir": "auto"]) { $0.prose(paragraph) }
    }
  }

  /// Writes a text with its parts between backticks as code.
  mutating func prose(_ text: String) {
    let parts = text.split(separator: "`", omittingEmptySubsequences: false).map(String.init)
    // A last backtick without a counterpart is a character.
    guard parts.count % 2 == 1 else { return self.text(text) }
    for (index, part) in parts.enumerated() {
      if index % 2 == 1 { element("code", part) } else { self.text(part) }
    }
  }

  private static func paragraphs(of text: String) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).split { line in line.allSatisfy(\.isWhitespace) }
      .map { $0.joined(separator: "\n") }
  }

  /// Writes code to copy, whose button appears with scripts. The code must have escapes for invisible characters, which `text` replaces.
  mutating func code(_ text: String, label: String) {
    element("div", ["class": "code"]) { html in
      // A long line scrolls, also by keyboard.
      html.element("pre", ["tabindex": "0", "role": "group", "aria-label": label]) { $0.element("code", text) }
      html.element("button", ["type": "button", "class": "copy", "hidden": "", "aria-label": "Copy: \(label)"], "Copy")
    }
  }

  /// Writes a table in a container of its own, which scrolls on a narrow screen, also by keyboard.
  mutating func table(_ label: String, _ headings: [String], _ rows: (inout HTML) -> Void) {
    element("div", ["class": "table", "tabindex": "0", "role": "group", "aria-label": label]) { html in
      html.element("table") { html in
        html.element("thead") { html in
          html.element("tr") { html in for heading in headings { html.element("th", ["scope": "col"], heading) } }
        }
        html.element("tbody", [:], rows)
      }
    }
  }
}
