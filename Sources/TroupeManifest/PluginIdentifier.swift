/// The rules for a plugin's id: reverse DNS notation, such as `org.example.shout`.
public enum PluginIdentifier {
  /// The largest length of an id, in bytes.
  public static let maximumLength = 255

  /// Returns the problem of an id, as the end of a sentence that begins with the id, or nil if the id is valid.
  public static func problem(in id: String) -> String? {
    let bytes = id.utf8.span
    if bytes.count > maximumLength { return "is longer than \(maximumLength) bytes" }
    var start = 0
    for end in 0...bytes.count where end == bytes.count || bytes[end] == UInt8(ascii: ".") {
      if start == 0 && end == bytes.count { return "is not in reverse DNS notation, such as org.example.shout" }
      if let problem = problem(inPart: bytes.extracting(start..<end)) { return problem }
      start = end + 1
    }
    return isLetter(bytes[0]) ? nil : "does not begin with a letter"
  }

  private static func problem(inPart part: Span<UInt8>) -> String? {
    guard !part.isEmpty else { return "has an empty part; write it in reverse DNS notation, such as org.example.shout" }
    let hyphen = UInt8(ascii: "-")
    for index in part.indices {
      let byte = part[index]
      if isLetter(byte) || isDigit(byte) || byte == hyphen || byte == UInt8(ascii: "_") { continue }
      return "has a part with characters other than letters, digits, hyphens and underscores: \"\(text(part))\""
    }
    guard part[0] != hyphen, part[part.count - 1] != hyphen else {
      return "has a part that begins or ends with a hyphen: \"\(text(part))\""
    }
    return nil
  }

  private static func text(_ part: Span<UInt8>) -> String {
    String(decoding: part.indices.map { part[$0] }, as: UTF8.self)
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
