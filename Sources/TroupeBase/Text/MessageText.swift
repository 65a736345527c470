/// Foreign text in messages. A plugin, a file name or a loader's error can contain any character and any amount of text; in a message it
/// has to stay on its line and short.
extension String {
  /// Returns the first 60 scalars and the size of a text with more bytes than a limit.
  package func shortened(over limit: Int = 160) -> String {
    // A character may consist of any number of scalars.
    utf8.count <= limit ? self : String(UnicodeScalarView(unicodeScalars.prefix(60))) + "… (\(utf8.count) bytes)"
  }

  /// Cuts the text to 4 KiB. A cut text ends with its size.
  package var limited: String { limited(to: 4096) }

  /// Cuts the text to a number of bytes, at least 32. A cut text ends with its size.
  package func limited(to limit: Int) -> String {
    guard utf8.count > limit else { return self }
    // A prefix in bytes may end within a scalar.
    var end = utf8.index(startIndex, offsetBy: limit - 32)
    while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
    return String(unicodeScalars[..<end]) + "… (\(utf8.count) bytes)"
  }

  /// Replaces control characters and line separators by spaces, and removes characters that change the direction of writing. The text
  /// can then not begin a new line, control the terminal, or look like another text (CVE-2021-42574).
  package var onOneLine: String {
    // Most texts are plain ASCII and are not copied.
    guard utf8.contains(where: { $0 < 0x20 || $0 > 0x7E }) else { return self }
    var scalars = String.UnicodeScalarView()
    for scalar in unicodeScalars where !scalar.properties.isBidiControl {
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: scalars.append(" ")
      default: scalars.append(scalar)
      }
    }
    return String(scalars)
  }
}

extension [String] {
  /// Joins the texts with commas. A longer list ends with the number of texts beyond the limit.
  package func listed(atMost limit: Int) -> String {
    prefix(limit).joined(separator: ", ") + (count > limit ? " and \(count - limit) more" : "")
  }
}

/// Returns a count with its noun, such as `2 plugins`.
package func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
