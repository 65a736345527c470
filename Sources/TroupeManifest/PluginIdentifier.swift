/// The rules for a plugin's id: reverse DNS notation, such as `org.example.shout`.
public enum PluginIdentifier {
  /// The longest id, in bytes.
  public static let maximumLength = 255

  /// What is wrong with an id, as the end of a sentence that begins with the id, or nil if nothing is.
  public static func fault(in id: String) -> String? {
    if id.utf8.count > maximumLength { return "is longer than \(maximumLength) bytes" }
    let dot = UInt8(ascii: ".")
    guard id.utf8.contains(dot) else { return "is not in reverse DNS notation, such as org.example.shout" }
    var start = id.utf8.startIndex
    while true {
      let rest = id.utf8[start...]
      let end = rest.firstIndex(of: dot) ?? rest.endIndex
      if let fault = fault(inPart: rest[..<end]) { return fault }
      if end == rest.endIndex { break }
      start = rest.index(after: end)
    }
    guard let first = id.utf8.first, isLetter(first) else { return "does not begin with a letter" }
    return nil
  }

  private static func fault(inPart part: Substring.UTF8View) -> String? {
    guard let first = part.first, let last = part.last else {
      return "has an empty part; write it in reverse DNS notation, such as org.example.shout"
    }
    let hyphen = UInt8(ascii: "-")
    guard part.allSatisfy({ isLetter($0) || isDigit($0) || $0 == hyphen || $0 == UInt8(ascii: "_") }) else {
      return "has a part with characters other than letters, digits, hyphens and underscores: \"\(Substring(part))\""
    }
    guard first != hyphen, last != hyphen else {
      return "has a part that begins or ends with a hyphen: \"\(Substring(part))\""
    }
    return nil
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
