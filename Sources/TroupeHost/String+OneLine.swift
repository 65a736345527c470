extension String {
  /// The text for a message: of more than some bytes only the beginning, and the size.
  package func shortened(over limit: Int = 160) -> String {
    // By scalars: one character may consist of any number of them.
    utf8.count <= limit ? self : String(UnicodeScalarView(unicodeScalars.prefix(60))) + "… (\(utf8.count) bytes)"
  }

  /// The text with a space for each control character and each separator of lines, and without what changes the direction of
  /// writing. What comes from a plugin or a file's name may hold anything, and must neither begin a line of its own, nor give
  /// orders to the terminal, nor look like another text (CVE-2021-42574).
  package var onOneLine: String {
    // Most texts are of plain characters, and are not copied.
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
