/// A version in the sense of Semantic Versioning 2.0.0 (https://semver.org): `MAJOR.MINOR.PATCH[-PRERELEASE][+BUILD]`.
public struct SemanticVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// Counts incompatible changes.
  public let major: Int
  /// Counts compatible additions.
  public let minor: Int
  /// Counts compatible repairs.
  public let patch: Int
  /// The dot-separated identifiers behind the hyphen; none for a release.
  public let prerelease: [String]
  /// What stands behind the plus sign; it plays no part in comparisons.
  public let build: String?

  /// Reads a version, or nil if the text is not one.
  public init?(_ text: String) {
    let rest = text.utf8.firstIndex { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "+") } ?? text.endIndex
    guard let (major, minor, patch) = Self.numbers(text.utf8[..<rest]) else { return nil }
    self.major = major
    self.minor = minor
    self.patch = patch
    // Most versions end here.
    if rest == text.endIndex {
      (prerelease, build) = ([], nil)
      return
    }

    let parts = text[rest...].split(separator: "+", maxSplits: 1, omittingEmptySubsequences: false)
    let identifiers = parts[0].isEmpty ? [] : parts[0].dropFirst().split(separator: ".", omittingEmptySubsequences: false)
    guard identifiers.allSatisfy({ Self.isIdentifier($0) && (!$0.allSatisfy(\.isNumber) || Self.number($0.utf8) != nil) })
    else { return nil }
    self.prerelease = identifiers.map(String.init)

    let metadata = parts.count == 1 ? [] : parts[1].split(separator: ".", omittingEmptySubsequences: false)
    guard metadata.allSatisfy(Self.isIdentifier) else { return nil }
    self.build = parts.count == 1 ? nil : String(parts[1])
  }

  /// The version as it is written.
  public var description: String {
    "\(major).\(minor).\(patch)" + (prerelease.isEmpty ? "" : "-" + prerelease.joined(separator: "."))
      + (build.map { "+" + $0 } ?? "")
  }

  /// Precedence as in section 11 of the specification: numbers first, a prerelease before its release, its identifiers one
  /// by one, numbers before words.
  public static func < (left: Self, right: Self) -> Bool {
    let numbers = ((left.major, left.minor, left.patch), (right.major, right.minor, right.patch))
    if numbers.0 != numbers.1 { return numbers.0 < numbers.1 }
    if left.prerelease.isEmpty || right.prerelease.isEmpty { return !left.prerelease.isEmpty && right.prerelease.isEmpty }
    for (a, b) in zip(left.prerelease, right.prerelease) where a != b {
      return switch (Int(a), Int(b)) {
      case (let a?, let b?): a < b
      case (_?, nil): true
      case (nil, _?): false
      case (nil, nil): a < b
      }
    }
    return left.prerelease.count < right.prerelease.count
  }

  /// Whether two versions have the same precedence; build metadata is ignored.
  public static func == (left: Self, right: Self) -> Bool {
    (left.major, left.minor, left.patch) == (right.major, right.minor, right.patch) && left.prerelease == right.prerelease
  }

  /// Hashes what `==` compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(major)
    hasher.combine(minor)
    hasher.combine(patch)
    hasher.combine(prerelease)
  }

  /// Three numbers with dots between them.
  private static func numbers(_ text: Substring.UTF8View) -> (Int, Int, Int)? {
    let dot = UInt8(ascii: ".")
    guard let first = text.firstIndex(of: dot) else { return nil }
    let rest = text[text.index(after: first)...]
    guard let second = rest.firstIndex(of: dot), let major = number(text[..<first]), let minor = number(rest[..<second]),
      let patch = number(rest[rest.index(after: second)...])
    else { return nil }
    return (major, minor, patch)
  }

  /// A decimal number without a leading zero.
  private static func number(_ text: Substring.UTF8View) -> Int? {
    guard let first = text.first, first != UInt8(ascii: "0") || text.count == 1 else { return nil }
    var number = 0
    for byte in text {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      let (shifted, overflows) = number.multipliedReportingOverflow(by: 10)
      let (sum, carries) = shifted.addingReportingOverflow(Int(byte - UInt8(ascii: "0")))
      if overflows || carries { return nil }
      number = sum
    }
    return number
  }

  private static func isIdentifier(_ text: Substring) -> Bool {
    !text.isEmpty
      && text.unicodeScalars.allSatisfy { $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0) || $0 == "-") }
  }
}
