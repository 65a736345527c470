/// The rules for every text of a manifest.
public enum ManifestText {
  /// The largest length of a text, in bytes.
  public static let maximumLength = 1024

  /// Returns whether a text contains control characters, which could disturb the line of a message.
  public static func hasControlCharacters(_ text: String) -> Bool {
    // Unicode's category Cc never changes: U+0000 to U+001F and U+007F to U+009F, the latter in two bytes but for the first.
    var previous: UInt8 = 0
    let bytes = text.utf8.span
    for index in bytes.indices {
      let byte = bytes[index]
      if byte < 0x20 || byte == 0x7F || previous == 0xC2 && byte < 0xA0 { return true }
      previous = byte
    }
    return false
  }
}
