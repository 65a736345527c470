internal import TroupeManifest

extension String {
  /// The text with a space for each control character. What comes from a plugin or a file's name may hold anything, and must
  /// neither begin a line of its own nor give orders to the terminal.
  package var onOneLine: String {
    // Most texts have none, and are not copied.
    guard ManifestText.hasControlCharacters(self) else { return self }
    return String(String.UnicodeScalarView(unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
  }
}
