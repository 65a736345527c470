/// A key of a type that is known only at run time.
public struct AnyKey: Keyed, CustomStringConvertible {
  /// The registered type.
  package let metatype: any Any.Type
  /// The tags as entries keep them.
  let tags: [Tag]

  init(metatype: any Any.Type, tags: [Tag]) {
    self.metatype = metatype
    self.tags = tags
  }

  /// Creates a key of a type that is known only at run time.
  package init(metatype: any Any.Type, tags: TagList) {
    self.init(metatype: metatype, tags: tags.tags)
  }

  /// Creates a key of a type that is known only at run time.
  package init(metatype: any Any.Type, tagset: Set<AnySendableHashable>) {
    self.init(metatype: metatype, tags: TagList(tagset))
  }

  /// The tags. Each access creates a new set.
  public var tagset: Set<AnySendableHashable> { Set(tags.map(\.erased)) }

  /// Creates a key of a type and a set of tags.
  public init<T>(_ type: T.Type, tagset: Set<AnySendableHashable>) {
    self.init(metatype: type, tagset: tagset)
  }

  /// Creates a key of a type and tags; order and repeats do not matter.
  public init<T, each Value: Hashable & Sendable>(_ type: T.Type, tags: repeat each Value) {
    self.init(metatype: type, tags: TagProbe.boxed(repeat each tags))
  }

  /// Creates a type-erased copy of a key.
  public init(_ keyed: any Keyed) {
    if let key = keyed as? AnyKey {
      self = key
    } else if let key = keyed as? any TypedKey {
      self = key.untyped
    } else {
      preconditionFailure("\(Swift.type(of: keyed)) is neither Key nor AnyKey; Keyed is not meant to be adopted")
    }
  }

  /// The identity of the registered type.
  package var identity: ObjectIdentifier { ObjectIdentifier(metatype) }

  /// The name of the type with its module. Each access creates a new string.
  public var type: String { String(reflecting: metatype) }

  /// The type and the tags, such as `Example.Service ["a"]`.
  public var description: String {
    tags.isEmpty ? type : "\(type) \(tagset.tagList)"
  }

  /// Whether the types and the tags are equal.
  public static func == (left: Self, right: Self) -> Bool {
    left.identity == right.identity && TagHash.areEqual(left.tags, right.tags)
  }

  /// Hashes the type's identity and the tags.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(identity)
    hasher.combine(TagHash.sum(tags))
  }
}

/// A key with a static type, for reading the type from an `any Keyed`.
private protocol TypedKey {
  var untyped: AnyKey { get }
}

extension Key: TypedKey {
  fileprivate var untyped: AnyKey { AnyKey(metatype: T.self, tags: tags) }
}
