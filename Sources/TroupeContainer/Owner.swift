/// Somebody on whose behalf registrations are made, a plugin for example, so that they can leave together.
///
/// Every owner is one of a kind, whatever its name.
public final class Owner: Sendable, Hashable, CustomStringConvertible {
  /// A name for people.
  public let name: String

  /// Makes an owner with a name for people.
  public init(name: String) {
    self.name = name
  }

  /// The name.
  public var description: String { name }

  /// Whether both are the same owner.
  public static func == (left: Owner, right: Owner) -> Bool { left === right }

  /// Hashes the identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
