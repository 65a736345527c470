/// The key of a registration: a type and a set of tags.
public protocol Keyed: Sendable, Hashable {
  /// The name of the type with its module, for the user.
  var type: String { get }
  /// The tags.
  var tagset: Set<AnySendableHashable> { get }
}

/// The key of a registration of `T`.
///
/// ```swift
/// let container = Container()
/// let key = container.register(String.self, tags: "greeting") { _ in "hello" }
/// assert(key == Key<String>(tags: "greeting"))
/// ```
public struct Key<T>: Keyed, CustomStringConvertible {
  /// The tags as entries keep them.
  @usableFromInline let tags: [Tag]

  init(_ tags: [Tag]) {
    self.tags = tags
  }

  /// Creates a key of `T` and a set of tags.
  public init(tagset: Set<AnySendableHashable> = []) {
    self.init(TagHash.distinct(tagset.map(\.tag)))
  }

  /// Creates a key of `T` and tags; order and repeats do not matter.
  public init<each Value: Hashable & Sendable>(tags: repeat each Value) {
    self.init(TagProbe.boxed(repeat each tags))
  }

  /// The tags. Each access creates a new set.
  public var tagset: Set<AnySendableHashable> { Set(tags.map(\.erased)) }

  /// Creates a typed copy of a key, or returns nil if `keyed` is the key of another type.
  public init?(_ keyed: any Keyed) {
    let key = AnyKey(keyed)
    guard key.identity == ObjectIdentifier(T.self) else { return nil }
    self.init(key.tags)
  }

  /// The name of `T` with its module. Each access creates a new string.
  public var type: String { String(reflecting: T.self) }

  /// The type and the tags, such as `Example.Service ["a"]`.
  public var description: String { AnyKey(self).description }

  /// Whether the tags are equal.
  public static func == (left: Self, right: Self) -> Bool { TagHash.areEqual(left.tags, right.tags) }

  /// Hashes the tags.
  public func hash(into hasher: inout Hasher) { hasher.combine(TagHash.sum(tags)) }

  /// Whether a key equals a type-erased key.
  public static func == (left: Self, right: AnyKey) -> Bool { AnyKey(left) == right }
  /// Whether a key equals a type-erased key.
  public static func == (left: AnyKey, right: Self) -> Bool { left == AnyKey(right) }
  /// Whether a key differs from a type-erased key.
  public static func != (left: Self, right: AnyKey) -> Bool { !(left == right) }
  /// Whether a key differs from a type-erased key.
  public static func != (left: AnyKey, right: Self) -> Bool { !(left == right) }
}
