/// Text in quotes: for a message with escapes, for a message as it is, and for a shell.
extension String {
  /// Quotes the text on one line. Invisible characters are escaped as in Swift. Of a long text only a part is shown.
  ///
  /// - Parameter position: The offset in UTF-8 of the character that the part should show.
  package func quoted(around position: Int = 0) -> String {
    let (before, after) = (60, 100)
    let utf8 = self.utf8
    let place = utf8.index(startIndex, offsetBy: max(0, position), limitedBy: endIndex) ?? endIndex
    let isShort = utf8.count <= before + after
    // An index inside a scalar is rounded down to the scalar's start by the view it is used on.
    let start = isShort ? startIndex : utf8.index(place, offsetBy: -before, limitedBy: startIndex) ?? startIndex
    let end = isShort ? endIndex : utf8.index(place, offsetBy: after, limitedBy: endIndex) ?? endIndex
    var result = start > startIndex ? "\"…" : "\""
    for scalar in unicodeScalars[start..<end] { result += scalar.escapedForQuotes }
    return result + (end < endIndex ? "…\"" : "\"")
  }

  /// Quotes the text without escapes. Cuts it if it is long.
  package var shown: String {
    let limit = 60
    guard utf8.count > limit else { return "\"\(self)\"" }
    // A character may consist of any number of scalars.
    return "\"" + String(String.UnicodeScalarView(unicodeScalars.prefix(limit / 2))) + "…\""
  }

  /// Quotes the text as one word for a shell, if it needs that.
  package var shellWord: String {
    let isPlain = utf8.allSatisfy {
      switch $0 {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: "/._-+:@%,=".utf8.contains($0)
      }
    }
    if isPlain, !isEmpty { return self }
    // A quote with a combining mark is another Character, and ends the word nevertheless.
    let quoted = unicodeScalars.map { $0 == "'" ? #"'\''"# : String($0) }.joined()
    return "'\(quoted)'"
  }
}

extension Unicode.Scalar {
  /// A visible scalar appears as itself.
  fileprivate var escapedForQuotes: String {
    switch self {
    case "\"", "\\": return "\\" + String(self)
    case "\n": return "\\n"
    case "\r": return "\\r"
    case "\t": return "\\t"
    case "\0": return "\\0"
    default: break
    }
    return switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
      "\\u{\(String(value, radix: 16))}"
    default: String(self)
    }
  }
}
