/// The rules for a contract's name: dotted notation, a slash, and the major version, such as `org.example.clock/1`.
public enum ContractName {
  /// Returns whether a text is the name of a contract: letters, digits, dots, hyphens and underscores, a slash, a number.
  public static func isName(_ text: some StringProtocol) -> Bool {
    isName(Substring(text).utf8)
  }

  private static func isName(_ text: Substring.UTF8View) -> Bool {
    guard let slash = text.firstIndex(of: UInt8(ascii: "/")), slash != text.startIndex else { return false }
    let version = text[text.index(after: slash)...]
    return !version.isEmpty && version.allSatisfy(isDigit)
      && text[..<slash].allSatisfy {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20) || isDigit($0) || $0 == UInt8(ascii: ".")
          || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
      }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
