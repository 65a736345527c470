/// The rules for every text of a manifest. A host shows these texts in messages and lists.
public enum ManifestText {
  /// The largest length of a text, in bytes.
  public static let maximumLength = 1024

  /// Control characters could disturb the line of a message.
  public static func hasControlCharacters(_ text: String) -> Bool {
    // Unicode's category Cc never changes: U+0000 to U+001F and U+007F, which are one byte, and U+0080 to U+009F, which are two.
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

/// What is wrong with a manifest or a value in it: the end of a sentence that begins with the manifest or the value.
public struct ManifestError: Error, Hashable, CustomStringConvertible {
  /// The end of the sentence.
  public let description: String

  /// Creates a problem.
  public init(_ description: String) {
    self.description = description
  }
}
