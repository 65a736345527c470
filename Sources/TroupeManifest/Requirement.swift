/// A requirement of a plugin: another plugin in a range of versions, or any plugin that provides a contract.
///
/// The text is a plugin's id, followed by a space and a range unless every version is accepted, such as `org.example.counter ^1.2.0`; or
/// the name of a contract, such as `org.example.counter/1`.
public enum Requirement: Sendable, Hashable, CustomStringConvertible {
  /// A plugin, by its id.
  case plugin(id: String, VersionRange)
  /// A contract that some plugin provides, by its name.
  case contract(String)

  /// The largest number of requirements of a plugin, and of contracts that it provides.
  public static let maximumCount = 256

  /// Reads a requirement.
  public init(_ text: String) throws(ManifestError) {
    guard text.utf8.count <= ManifestText.maximumLength else {
      throw ManifestError("is longer than \(ManifestText.maximumLength) bytes")
    }
    let words = text.split(separator: " ", maxSplits: 1)
    guard let name = words.first else {
      throw ManifestError(
        "is empty; name a plugin, such as org.example.counter ^1.0.0, or a contract, such as org.example.counter/1"
      )
    }
    let rest = words.count > 1 ? String(words[1]) : ""
    if name.contains("/") {
      guard ContractName.isName(name) else {
        throw ManifestError("is not the name of a contract, such as org.example.counter/1")
      }
      guard rest.isEmpty else {
        throw ManifestError("has a range of versions behind a contract, whose version is in its name")
      }
      self = .contract(String(name))
    } else {
      let id = String(name)
      if let problem = PluginIdentifier.problem(in: id) { throw ManifestError(problem) }
      self = .plugin(id: id, try VersionRange(rest))
    }
  }

  /// The text of the requirement.
  public var description: String {
    switch self {
    case .plugin(let id, let range): range == .all ? id : "\(id) \(range)"
    case .contract(let name): name
    }
  }
}
