internal import struct FoundationEssentials.UUID

/// A tag of any type that is hashable and may cross threads.
///
/// ```swift
/// let tags = Set<AnySendableHashable>(elements: "text", 7)
/// ```
///
/// Two tags are equal when the values they were made from are equal as `AnyHashable`s.
public struct AnySendableHashable: Hashable, Sendable, CustomStringConvertible {
  /// The value that the tag was made from.
  public let value: any Hashable & Sendable

  /// Makes a tag of `value`. A tag made of a tag is that tag.
  public init<Value: Hashable & Sendable>(_ value: Value) {
    // Of this very type: an optional tag is a value of its own.
    self.value = Value.self == Self.self ? (value as? Self)?.value ?? value : value
  }

  /// Whether two tags are equal as `AnyHashable`s.
  public static func == (left: Self, right: Self) -> Bool {
    AnyHashable(left.value) == AnyHashable(right.value)
  }

  /// Hashes the value as an `AnyHashable`.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(AnyHashable(value))
  }

  /// The value as text; strings are quoted, and UUIDs are in lower case, as sources and everything else have them.
  public var description: String {
    switch value {
    case let text as String: text.debugDescription
    case let uuid as UUID: uuid.uuidString.lowercased()
    default: String(describing: value)
    }
  }
}

extension Set<AnySendableHashable> {
  /// Collects values of any types into a set of tags; order and repeats do not matter.
  public init<each Value: Hashable & Sendable>(elements: repeat each Value) {
    self.init()
    for element in repeat each elements { insert(AnySendableHashable(element)) }
  }

  /// The tags as text, sorted, such as `["a", "b"]`.
  package var tagList: String {
    "[" + map(\.description).sorted().joined(separator: ", ") + "]"
  }
}
