/// A version in the sense of Semantic Versioning 2.0.0 (https://semver.org): `MAJOR.MINOR.PATCH[-PRERELEASE][+BUILD]`.
public struct SemanticVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The number of incompatible changes.
  public let major: Int
  /// The number of compatible additions.
  public let minor: Int
  /// The number of compatible fixes.
  public let patch: Int
  /// The dot-separated identifiers after the hyphen; empty for a release.
  public let prerelease: [String]
  /// The build metadata after the plus sign; comparisons ignore it.
  public let build: String?

  /// Returns nil if the text is not a version.
  public init?(_ text: String) {
    let bytes = text.utf8.span
    var end = 0
    guard let major = Self.number(bytes, &end, before: "."), let minor = Self.number(bytes, &end, before: "."),
      let patch = Self.number(bytes, &end)
    else { return nil }
    self.major = major
    self.minor = minor
    self.patch = patch
    // Most versions end here.
    if end == bytes.count {
      (prerelease, build) = ([], nil)
      return
    }

    guard bytes[end] == UInt8(ascii: "-") || bytes[end] == UInt8(ascii: "+") else { return nil }
    let parts = text[text.utf8.index(text.startIndex, offsetBy: end)...].split(
      separator: "+", maxSplits: 1, omittingEmptySubsequences: false)
    let identifiers = parts[0].isEmpty ? [] : parts[0].dropFirst().split(separator: ".", omittingEmptySubsequences: false)
    guard identifiers.allSatisfy({ Self.isIdentifier($0) && (!$0.allSatisfy(\.isNumber) || Self.isNumber($0)) })
    else { return nil }
    self.prerelease = identifiers.map(String.init)

    let metadata = parts.count == 1 ? [] : parts[1].split(separator: ".", omittingEmptySubsequences: false)
    guard metadata.allSatisfy(Self.isIdentifier) else { return nil }
    self.build = parts.count == 1 ? nil : String(parts[1])
  }

  /// The text of the version.
  public var description: String {
    "\(major).\(minor).\(patch)" + (prerelease.isEmpty ? "" : "-" + prerelease.joined(separator: "."))
      + (build.map { "+" + $0 } ?? "")
  }

  /// Compares the precedence by section 11 of the specification: numbers first, a prerelease before its release, its identifiers one by
  /// one, numbers before words.
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

  /// Returns whether two versions have the same precedence; build metadata is ignored.
  public static func == (left: Self, right: Self) -> Bool {
    (left.major, left.minor, left.patch) == (right.major, right.minor, right.patch) && left.prerelease == right.prerelease
  }

  /// Hashes the members that `==` compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(major)
    hasher.combine(minor)
    hasher.combine(patch)
    hasher.combine(prerelease)
  }

  private static func isNumber(_ text: Substring) -> Bool {
    var end = 0
    return number(text.utf8.span, &end) != nil && end == text.utf8.count
  }

  /// Reads the decimal number without a leading zero at a position, and moves the position past it.
  private static func number(_ bytes: Span<UInt8>, _ position: inout Int) -> Int? {
    let start = position
    var number = 0
    while position < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[position]) {
      let byte = bytes[position]
      position += 1
      let (shifted, overflows) = number.multipliedReportingOverflow(by: 10)
      let (sum, carries) = shifted.addingReportingOverflow(Int(byte - UInt8(ascii: "0")))
      if overflows || carries { return nil }
      number = sum
    }
    let length = position - start
    return length == 1 || length > 1 && bytes[start] != UInt8(ascii: "0") ? number : nil
  }

  /// Reads a number and the character after it.
  private static func number(_ bytes: Span<UInt8>, _ position: inout Int, before end: Unicode.Scalar) -> Int? {
    guard let number = number(bytes, &position), position < bytes.count, bytes[position] == UInt8(ascii: end) else {
      return nil
    }
    position += 1
    return number
  }

  private static func isIdentifier(_ text: Substring) -> Bool {
    !text.isEmpty
      && text.unicodeScalars.allSatisfy { $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0) || $0 == "-") }
  }
}
