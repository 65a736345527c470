/// The owner of registrations, such as a plugin. Registrations of an owner are removed together: see `Container.unregister(owner:)`.
///
/// Owners have identity: two with the same name are different.
public final class Owner: Sendable, Hashable, CustomStringConvertible {
  /// The display name.
  public let name: String
  /// True if some of the tags of a registration suffice to resolve it. A plugin's registration has its UUID as a tag, which few requests
  /// name.
  let allowsPartialTags: Bool

  /// Creates an owner with a display name.
  public convenience init(name: String) { self.init(name: name, allowsPartialTags: false) }

  /// Creates an owner with a display name.
  ///
  /// - Parameter allowsPartialTags: True if a request for one instance also matches a registration of this owner if it has the
  ///   requested tags and more. Such a match counts only if no registration has exactly the requested tags.
  package init(name: String, allowsPartialTags: Bool) {
    self.name = name
    self.allowsPartialTags = allowsPartialTags
  }

  /// The name.
  public var description: String { name }

  /// Returns true if both are the same owner.
  public static func == (left: Owner, right: Owner) -> Bool { left === right }

  /// Hashes the identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
