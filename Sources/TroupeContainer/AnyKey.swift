/// A key whose type is known at run time only.
public struct AnyKey: Keyed, CustomStringConvertible {
  /// The registered type.
  package let metatype: any Any.Type
  /// The tags.
  public let tagset: Set<AnySendableHashable>

  /// Makes a key of a type that is known at run time only.
  package init(metatype: any Any.Type, tagset: Set<AnySendableHashable>) {
    self.metatype = metatype
    self.tagset = tagset
  }

  /// Makes a key of a type and a set of tags.
  public init<T>(_ type: T.Type, tagset: Set<AnySendableHashable>) {
    self.init(metatype: type, tagset: tagset)
  }

  /// Makes a key of a type and tags; order and repeats do not matter.
  public init<T, each Tag: Hashable & Sendable>(_ type: T.Type, tags: repeat each Tag) {
    self.init(metatype: type, tagset: Set(elements: repeat each tags))
  }

  /// Forgets the type of a key.
  public init(_ keyed: any Keyed) {
    if let key = keyed as? AnyKey {
      self = key
    } else if let key = keyed as? any TypedKey {
      self = key.untyped
    } else {
      preconditionFailure("\(Swift.type(of: keyed)) is neither Key nor AnyKey; Keyed is not meant to be adopted")
    }
  }

  /// The tags as entries keep them.
  var tags: [Tag] { TagHash.distinct(tagset.map { Tag.make($0) }) }

  /// What the registered type is told apart by.
  package var identity: ObjectIdentifier { ObjectIdentifier(metatype) }

  /// The name of the type with its module. Made anew at each call.
  public var type: String { String(reflecting: metatype) }

  /// The type and the tags, such as `Example.Service ["a"]`.
  public var description: String {
    tagset.isEmpty ? type : "\(type) \(tagset.tagList)"
  }

  /// Whether type and tags are the same.
  public static func == (left: Self, right: Self) -> Bool {
    left.identity == right.identity && left.tagset == right.tagset
  }

  /// Hashes the type's identity and the tags.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(identity)
    hasher.combine(tagset)
  }
}

/// A key that knows its type statically, so that the type can be read from an `any Keyed`.
private protocol TypedKey {
  var untyped: AnyKey { get }
}

extension Key: TypedKey {
  fileprivate var untyped: AnyKey { AnyKey(T.self, tagset: tagset) }
}
