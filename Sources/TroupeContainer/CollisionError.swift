/// An error for a registration with the type, tags and argument types of an earlier one, if the collision policy forbids it.
public struct CollisionError: Error, CustomStringConvertible {
  /// The key of both registrations.
  public let key: AnyKey
  /// The source location of the first registration, such as `Example/Services.swift:12`, or nil if it is not known.
  public let existing: String?
  /// The source location of the second registration, or nil if it is not known.
  public let new: String?

  /// One sentence for the user.
  public var description: String {
    let (existing, new) = (existing ?? "an unknown source location", new ?? "an unknown source location")
    return "\(key) is registered twice: at \(existing) and again at \(new)"
  }
}
