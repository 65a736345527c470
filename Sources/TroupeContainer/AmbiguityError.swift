internal import struct FoundationEssentials.UUID

/// An error for tags that match several registrations of plugins, while no registration has exactly these tags.
public struct AmbiguityError: Error, CustomStringConvertible {
  /// A registration that matches.
  public struct Match: Sendable {
    /// The key, with all tags.
    public let key: AnyKey
    /// The name of its owner, such as the plugin's id.
    public let owner: String

    /// The owner, with the registration's UUID or, without one, its tags.
    fileprivate var name: String {
      let uuid = key.tagset.lazy.compactMap { $0.value as? UUID }.first
      return "\(owner) as \(uuid.map { $0.uuidString.lowercased() } ?? key.tagset.tagList)"
    }
  }

  /// The requested type and tags.
  public let key: AnyKey
  /// The registrations that match, in the order of registration.
  public let matches: [Match]

  init(_ key: AnyKey, _ entries: [Entry]) {
    self.key = key
    matches = entries.compactMap { entry in entry.owner.map { Match(key: entry.key, owner: $0.name) } }
  }

  /// One sentence that names the plugins and the UUIDs.
  public var description: String {
    "several registrations match \(key): \(matches.map(\.name).joined(separator: ", ")); add the UUID of one of them to the tags"
  }
}
