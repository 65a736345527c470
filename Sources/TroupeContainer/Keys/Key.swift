/// The key of a registration: a type and a set of tags. `Key` knows the type statically, `AnyKey` at run time.
public protocol Keyed: Sendable, Hashable {
  /// The name of the type with its module.
  var type: String { get }
  var tagset: Set<AnySendableHashable> { get }
}

/// The key of a registration of `T`.
///
/// ```swift
/// let container = Container()
/// let key = container.register(String.self, tags: "greeting") { _ in "hello" }
/// assert(key == Key<String>(tags: "greeting"))
/// ```
///
/// Two keys are equal if their types and sets of tags are equal. A registration with further tags has another key.
@frozen public struct Key<T>: Keyed, CustomStringConvertible {
  @usableFromInline let tags: [Tag]

  init(_ tags: [Tag]) { self.tags = tags }

  /// Creates a key of `T` and a set of tags.
  public init(tagset: Set<AnySendableHashable> = []) { self.init(TagHash.distinct(tagset.map(\.tag))) }

  /// Creates a key of `T` and tags; order and repeats do not matter.
  public init<each Value: Hashable & Sendable>(tags: repeat each Value) { self.init(TagList.boxed(repeat each tags)) }

  /// The tags, in a set that each access creates.
  public var tagset: Set<AnySendableHashable> { Set(tags.map(\.erased)) }

  /// Creates a typed copy of a key. Returns nil if it is the key of another type.
  public init?(_ keyed: any Keyed) {
    let key = AnyKey(keyed)
    guard key.identity == ObjectIdentifier(T.self) else { return nil }
    self.init(key.tags)
  }

  /// The name of `T` with its module, created by each access.
  public var type: String { typeName(T.self) }

  /// The type and the tags, such as `Example.Service ["a"]`.
  public var description: String { AnyKey(self).description }

  /// Compares the tags.
  public static func == (left: Self, right: Self) -> Bool { TagHash.areEqual(left.tags, right.tags) }

  /// Hashes the tags.
  public func hash(into hasher: inout Hasher) { hasher.combine(TagHash.sum(tags)) }

  /// Compares types and tags.
  public static func == (left: Self, right: AnyKey) -> Bool { AnyKey(left) == right }
  /// Compares types and tags.
  public static func == (left: AnyKey, right: Self) -> Bool { left == AnyKey(right) }
  /// Compares types and tags.
  public static func != (left: Self, right: AnyKey) -> Bool { !(left == right) }
  /// Compares types and tags.
  public static func != (left: AnyKey, right: Self) -> Bool { !(left == right) }
}

/// The key of a registration whose type is known only at run time.
public struct AnyKey: Keyed, CustomStringConvertible {
  package let metatype: any Any.Type
  let tags: [Tag]

  init(metatype: any Any.Type, tags: [Tag]) {
    self.metatype = metatype
    self.tags = tags
  }

  package init(metatype: any Any.Type, tags: TagList) { self.init(metatype: metatype, tags: tags.tags) }

  package init(metatype: any Any.Type, tagset: Set<AnySendableHashable>) {
    self.init(metatype: metatype, tags: TagList(tagset))
  }

  /// The tags, in a set that each access creates.
  public var tagset: Set<AnySendableHashable> { Set(tags.map(\.erased)) }

  /// Creates a key of a type and a set of tags.
  public init<T>(_ type: T.Type, tagset: Set<AnySendableHashable>) { self.init(metatype: type, tagset: tagset) }

  /// Creates a key of a type and tags; order and repeats do not matter.
  public init<T, each Value: Hashable & Sendable>(_ type: T.Type, tags: repeat each Value) {
    self.init(metatype: type, tags: TagList.boxed(repeat each tags))
  }

  /// Creates a type-erased copy of a key.
  public init(_ keyed: any Keyed) {
    guard let key = keyed as? AnyKey ?? (keyed as? any TypedKey)?.untyped else {
      preconditionFailure("\(Swift.type(of: keyed)) is neither Key nor AnyKey; Keyed is not meant to be adopted")
    }
    self = key
  }

  package var identity: ObjectIdentifier { ObjectIdentifier(metatype) }

  /// The name of the type with its module, created by each access.
  public var type: String { typeName(metatype) }

  /// The type and the tags, such as `Example.Service ["a"]`.
  public var description: String { tags.isEmpty ? type : "\(type) [\(sortedTags.joined(separator: ", "))]" }

  /// The tags as text for messages, sorted.
  var sortedTags: [String] { tags.map { $0.erased.description }.sorted() }

  /// The tags for JSON, in the same order: strings as they are, and other tags as in messages.
  var encodedTags: [String] {
    tags.map { $0.erased }.sorted { $0.description < $1.description }.map { tag in
      if Swift.type(of: tag.value) == String.self, let text = tag.value as? String { text } else { tag.description }
    }
  }

  /// Compares types and tags.
  public static func == (left: Self, right: Self) -> Bool {
    left.identity == right.identity && TagHash.areEqual(left.tags, right.tags)
  }

  /// Hashes the type's identity and the tags.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(identity)
    hasher.combine(TagHash.sum(tags))
  }
}

/// A key with a static type, to which an `any Keyed` can be cast.
private protocol TypedKey {
  var untyped: AnyKey { get }
}

extension Key: TypedKey {
  fileprivate var untyped: AnyKey { AnyKey(metatype: T.self, tags: tags) }
}
