/// Makes unique names for files and anchors from any texts, of characters that a URL needs not escape.
struct UniqueNames {
  private var counts: [String: Int] = [:]

  /// Returns a name for a text. Replaces characters, and appends a number to a name that it has returned before.
  mutating func name(for text: String) -> String {
    let name = Self.replacingCharacters(in: text)
    let count = counts[name, default: 0] + 1
    counts[name] = count
    // No id contains a tilde.
    return count == 1 ? name : self.name(for: "\(name)~\(count)")
  }

  /// Returns a text with an underscore for each byte that an address does not contain as it is.
  static func replacingCharacters(in text: String) -> String {
    String(
      decoding: text.utf8.map { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"),
          UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
          byte
        default: UInt8(ascii: "_")
        }
      }, as: UTF8.self)
  }
}
