/// The rules for a contract's name: dotted notation, a slash, and the major version, such as `org.example.clock/1`.
public enum ContractName {
  /// Whether a text is the name of a contract: letters, digits, dots, hyphens and underscores, a slash, a number.
  public static func isName(_ text: some StringProtocol) -> Bool {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { return false }
    return parts[1].utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      && parts[0].unicodeScalars.allSatisfy {
        ("a"..."z").contains($0) || ("A"..."Z").contains($0) || ("0"..."9").contains($0) || [".", "-", "_"].contains($0)
      }
  }
}
