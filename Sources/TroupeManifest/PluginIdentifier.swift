/// The rules for a plugin's id: reverse DNS notation, such as `org.example.shout`.
public enum PluginIdentifier {
  /// The longest id, in bytes.
  public static let maximumLength = 255

  /// What is wrong with an id, as the end of a sentence that begins with the id, or nil if nothing is.
  public static func fault(in id: String) -> String? {
    if id.utf8.count > maximumLength { return "is longer than \(maximumLength) bytes" }
    let labels = id.split(separator: ".", omittingEmptySubsequences: false)
    guard labels.count >= 2 else { return "is not in reverse DNS notation, such as org.example.shout" }
    for label in labels {
      guard let first = label.unicodeScalars.first, let last = label.unicodeScalars.last else {
        return "has an empty part; write it in reverse DNS notation, such as org.example.shout"
      }
      guard label.unicodeScalars.allSatisfy({ isLetter($0) || isDigit($0) || $0 == "-" || $0 == "_" }) else {
        return "has a part with characters other than letters, digits, hyphens and underscores: \"\(label)\""
      }
      guard first != "-", last != "-" else { return "has a part that begins or ends with a hyphen: \"\(label)\"" }
    }
    guard let first = id.unicodeScalars.first, isLetter(first) else { return "does not begin with a letter" }
    return nil
  }

  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
  }

  private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }
}
