extension String {
  /// The text in quotes on one line, for a message: what would break the line or be mistaken is escaped as in Swift, and of a
  /// long text only a part is shown.
  ///
  /// - Parameter position: A place in the text, in UTF-8 bytes from its start, that the part should show.
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
}

extension Unicode.Scalar {
  /// The scalar as it appears between quotes: itself if it is visible, else an escape.
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
