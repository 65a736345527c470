internal import struct FoundationEssentials.UUID

/// A type-erased tag: a value of any type that is `Hashable` and `Sendable`.
///
/// ```swift
/// let tags = Set<AnySendableHashable>(elements: "text", 7)
/// ```
///
/// Two tags are equal exactly if their types and values are equal: `1` as `Int` and `1` as `UInt8` are two tags, and so are `"a"`
/// and `Optional("a")`. The type is the static type of the value, or the dynamic type of an `any Hashable & Sendable`.
public struct AnySendableHashable: Hashable, Sendable, CustomStringConvertible {
  let tag: Tag

  init(tag: Tag) { self.tag = tag }

  /// A tag of a tag is that tag.
  public init<Value: Hashable & Sendable>(_ value: Value) { tag = Tag.make(value) }

  /// The value, as its own type or as an existential.
  public var value: any Hashable & Sendable { tag.anyValue }

  /// Compares types and values.
  public static func == (left: Self, right: Self) -> Bool { left.tag.equals(right.tag) }

  /// Hashes type and value.
  public func hash(into hasher: inout Hasher) { hasher.combine(tag.hash) }

  /// Strings in quotes, UUIDs in lower case, and numbers and texts of uncommon types with the type, such as `UInt8(1)`.
  public var description: String {
    let type = Swift.type(of: value)
    return switch value {
    case let text as String where type == String.self: text.debugDescription
    case let uuid as UUID where type == UUID.self: uuid.uuidString.lowercased()
    case _ where type == Int.self || type == Double.self: String(describing: value)
    case _ where type is any Numeric.Type: "\(type)(\(value))"
    case _ where type is any StringProtocol.Type: "\(type)(\(String(describing: value).debugDescription))"
    default: String(describing: value).withoutAddresses
    }
  }
}

extension Set<AnySendableHashable> {
  /// Creates a set of values of any types. Order and repeats do not matter.
  public init<each Value: Hashable & Sendable>(elements: repeat each Value) {
    self.init()
    for element in repeat each elements { insert(AnySendableHashable(element)) }
  }

  /// The tags as text, sorted, such as `["a", "b"]`.
  package var tagList: String { "[" + map(\.description).sorted().joined(separator: ", ") + "]" }
}
