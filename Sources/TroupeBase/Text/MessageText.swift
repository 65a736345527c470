extension String {
  /// Returns the text for a message. Of a text with more bytes than a limit, returns the first 60 scalars and the size.
  package func shortened(over limit: Int = 160) -> String {
    // By scalars: one character may consist of any number of them.
    utf8.count <= limit ? self : String(UnicodeScalarView(unicodeScalars.prefix(60))) + "… (\(utf8.count) bytes)"
  }

  /// The text, cut to 4 KiB for a message. A cut text ends with its size.
  package var limited: String { limited(to: 4096) }

  /// Returns the text, cut to a number of bytes, at least 32. A cut text ends with its size.
  package func limited(to limit: Int) -> String {
    guard utf8.count > limit else { return self }
    // A prefix in bytes may end within a scalar.
    var end = utf8.index(startIndex, offsetBy: limit - 32)
    while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
    return String(unicodeScalars[..<end]) + "… (\(utf8.count) bytes)"
  }

  /// The text with a space for each control character and each line separator, and without characters that change the direction of
  /// writing. Texts of plugins and file names can contain any character. They must not begin a new line, control the terminal, or look
  /// like another text (CVE-2021-42574).
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
