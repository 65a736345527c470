public import Foundation

/// Returns the UUID of a text. The result is not optional, because an optional UUID would be another tag.
public func uuid(_ text: String) -> UUID {
  guard let uuid = UUID(uuidString: text) else { preconditionFailure("\(text) is no UUID") }
  return uuid
}
