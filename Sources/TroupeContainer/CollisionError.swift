/// Two registrations have the same type, tags and argument types, in a container that does not allow that.
public struct CollisionError: Error, CustomStringConvertible {
  /// What was registered twice.
  public let key: AnyKey
  /// Where it was registered first, such as `Example/Services.swift:12`, or nil if that is not known.
  public let existing: String?
  /// Where it was to be registered again, or nil if that is not known.
  public let new: String?

  /// One sentence for a person.
  public var description: String {
    let (existing, new) = (existing ?? "an unknown place", new ?? "an unknown place")
    return "\(key) is registered twice: at \(existing) and again at \(new)"
  }
}
