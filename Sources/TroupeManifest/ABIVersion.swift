/// The version of a binary interface: that of the plugin ABI, of Troupe's interface for Swift, or of a Swift runtime.
///
/// The major number counts breaks, and the minor one additions. So a host loads what was built against its own version or an older one of
/// the same major number:
///
///     built against 1.1      loads in 1.1, 1.2, …      not in 1.0, which may lack what it uses, nor in 2.0
public struct ABIVersion: Sendable, Hashable, CustomStringConvertible {
  /// Counts incompatible changes.
  public let major: Int
  /// Counts additions.
  public let minor: Int

  package init(major: Int, minor: Int) { (self.major, self.minor) = (major, minor) }

  /// Parses a text such as `1.0`, with numbers up to 65,535. Returns nil for any other.
  package init?(_ text: String) {
    guard let dot = text.utf8.firstIndex(of: UInt8(ascii: ".")), let major = UInt16(text[..<dot]),
      let minor = UInt16(text[text.utf8.index(after: dot)...])
    else { return nil }
    self.init(major: Int(major), minor: Int(minor))
    // No signs and no leading zeros.
    guard description == text else { return nil }
  }

  /// Such as `1.0`.
  public var description: String { "\(major).\(minor)" }

  /// Whether a host with this version loads what was built against another one.
  package func loads(_ built: ABIVersion) -> Bool { major == built.major && minor >= built.minor }
}
