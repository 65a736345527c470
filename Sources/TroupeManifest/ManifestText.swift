/// The rules for every text of a manifest.
public enum ManifestText {
  /// The longest text, in bytes.
  public static let maximumLength = 1024

  /// Whether there are characters in a text that could disturb the line that shows it.
  public static func hasControlCharacters(_ text: String) -> Bool {
    text.unicodeScalars.contains { $0.properties.generalCategory == .control }
  }
}
