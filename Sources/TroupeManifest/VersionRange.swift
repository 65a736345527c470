/// A range of versions: conditions that all have to be met, such as `>=1.2.0 <3.0.0`.
///
///     let range = try VersionRange("^1.2.0")
///     assert(range.contains(SemanticVersion("1.9.1")!) && !range.contains(SemanticVersion("2.0.0")!))
///
/// A condition is a semantic version after `=`, `>`, `>=`, `<`, `<=`, or after `^`, which accepts every compatible version: not lower,
/// and with the same leftmost number that is not 0. As in node-semver, a range contains a prerelease only if a condition names a
/// prerelease of the same three numbers, since a request for 1.2 does not mean 2.0.0-alpha.
public struct VersionRange: Sendable, Hashable, CustomStringConvertible {
  fileprivate enum Operator: String, CaseIterable {
    // A longer operator comes before its prefix.
    case notLower = ">="
    case notHigher = "<="
    case higher = ">"
    case lower = "<"
    case same = "="
    case compatible = "^"
  }

  fileprivate struct Condition: Hashable {
    let sign: Operator
    let version: SemanticVersion
  }

  private let conditions: [Condition]
  /// The text of the range, with one space between its conditions; empty for every version.
  public let description: String

  /// All versions, prereleases included.
  public static let all = VersionRange(conditions: [], description: "")

  private init(conditions: [Condition], description: String) {
    self.conditions = conditions
    self.description = description
  }

  /// Reads conditions with spaces between them. An empty text accepts every version.
  public init(_ text: String) throws(ManifestError) {
    let words = text.split(separator: " ")
    var conditions: [Condition] = []
    for word in words {
      guard let sign = Operator.allCases.first(where: { word.hasPrefix($0.rawValue) }) else {
        let isVersion = SemanticVersion(String(word)) != nil
        throw ManifestError(
          isVersion
            ? "does not say what \"\(word)\" is to it; write ^\(word) for compatible versions, or =\(word) for just this one"
            : "has \"\(word)\", which is no condition such as ^1.2.0 or >=1.2.0")
      }
      guard let version = SemanticVersion(String(word.dropFirst(sign.rawValue.count))) else {
        throw ManifestError("has \"\(word)\", in which no semantic version such as 1.2.0 follows the \(sign.rawValue)")
      }
      conditions.append(Condition(sign: sign, version: version))
    }
    self.init(conditions: conditions, description: words.joined(separator: " "))
  }

  /// Returns whether a version is in the range.
  public func contains(_ version: SemanticVersion) -> Bool {
    conditions.allSatisfy { $0.isMet(by: version) }
      && (conditions.isEmpty || version.prerelease.isEmpty
        || conditions.contains { !$0.version.prerelease.isEmpty && $0.version.hasNumbers(of: version) })
  }

  /// Returns whether two ranges have the same conditions in the same order.
  public static func == (left: Self, right: Self) -> Bool { left.conditions == right.conditions }

  /// Hashes the conditions.
  public func hash(into hasher: inout Hasher) { hasher.combine(conditions) }
}

extension VersionRange.Condition {
  fileprivate func isMet(by other: SemanticVersion) -> Bool {
    switch sign {
    case .same: other == version
    case .higher: other > version
    case .notLower: other >= version
    case .lower: other < version
    case .notHigher: other <= version
    case .compatible:
      if other < version {
        false
      } else if version.major > 0 {
        other.major == version.major
      } else if version.minor > 0 {
        other.major == 0 && other.minor == version.minor
      } else {
        other.hasNumbers(of: version)
      }
    }
  }
}

extension SemanticVersion {
  fileprivate func hasNumbers(of other: SemanticVersion) -> Bool {
    (major, minor, patch) == (other.major, other.minor, other.patch)
  }
}
