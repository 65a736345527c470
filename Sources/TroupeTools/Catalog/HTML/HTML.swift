internal import TroupeHost

/// Writes HTML to a byte array.
///
/// Texts come from plugins and are escaped. Names of elements and attributes, and markup, are `StaticString`, so that a text cannot
/// become markup by mistake. Invisible characters that change the direction of text are removed.
struct HTML {
  /// The attributes of an element. An attribute without a value is left out.
  typealias Attributes = KeyValuePairs<StaticString, String?>

  /// The written bytes, in UTF-8.
  private(set) var bytes: [UInt8] = []

  init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

  /// Writes markup of this module.
  mutating func markup(_ markup: StaticString) {
    bytes.append(contentsOf: UnsafeBufferPointer(start: markup.utf8Start, count: markup.utf8CodeUnitCount))
  }

  /// Writes text, which may span lines.
  mutating func text(_ text: String) {
    let isPlain = text.utf8.withContiguousStorageIfAvailable { appendASCII($0) }
    if isPlain != true { appendScalars(text) }
  }

  mutating func element(_ name: StaticString, _ attributes: Attributes = [:], _ content: (inout HTML) -> Void) {
    start(name, attributes)
    content(&self)
    markup("</")
    markup(name)
    markup(">")
  }

  mutating func element(_ name: StaticString, _ attributes: Attributes, _ text: String) {
    element(name, attributes) { $0.text(text) }
  }

  /// Writes an element with a text and without attributes.
  mutating func element(_ name: StaticString, _ text: String) { element(name, [:], text) }

  /// Writes an element without content, such as `input`.
  mutating func empty(_ name: StaticString, _ attributes: Attributes = [:]) { start(name, attributes) }

  private mutating func start(_ name: StaticString, _ attributes: Attributes) {
    markup("<")
    markup(name)
    for (attribute, value) in attributes {
      guard let value else { continue }
      markup(" ")
      markup(attribute)
      markup("=\"")
      text(value)
      markup("\"")
    }
    markup(">")
  }

  /// Appends printable ASCII, or nothing if there is any other byte. Returns whether it has appended the bytes.
  private mutating func appendASCII(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard text.allSatisfy({ 0x20...0x7E ~= $0 || $0 == UInt8(ascii: "\n") }) else { return false }
    for byte in text { append(byte) }
    return true
  }

  private mutating func append(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "&"): markup("&amp;")
    case UInt8(ascii: "<"): markup("&lt;")
    case UInt8(ascii: ">"): markup("&gt;")
    case UInt8(ascii: "\""): markup("&quot;")
    case UInt8(ascii: "'"): markup("&#39;")
    default: bytes.append(byte)
    }
  }

  /// Appends any text, without characters that change the direction of writing, and with a replacement character for each control
  /// character that HTML does not allow.
  private mutating func appendScalars(_ text: String) {
    for scalar in text.unicodeScalars where !scalar.properties.isBidiControl {
      switch scalar {
      case "\n", "\t": append(UInt8(ascii: scalar))
      case "\r": append(UInt8(ascii: "\n"))
      case _ where scalar.properties.generalCategory == .control: bytes.append(contentsOf: "\u{FFFD}".utf8)
      case _ where scalar.isASCII: append(UInt8(ascii: scalar))
      default: bytes.append(contentsOf: UTF8.encode(scalar).map { Array($0) } ?? [])
      }
    }
  }
}

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
