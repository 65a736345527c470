/// What identifies a registration: a type and a set of tags.
public protocol Keyed: Sendable, Hashable {
  /// The name of the type with its module, for people.
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
public struct Key<T>: Keyed {
  /// The tags.
  public let tagset: Set<AnySendableHashable>

  /// Makes a key of `T` and a set of tags.
  public init(tagset: Set<AnySendableHashable> = []) {
    self.tagset = tagset
  }

  /// Makes a key of `T` and tags; order and repeats do not matter.
  public init<each Tag: Hashable & Sendable>(tags: repeat each Tag) {
    self.init(tagset: Set(elements: repeat each tags))
  }

  /// The same key with its type known, or nil if `keyed` is the key of another type.
  public init?(_ keyed: any Keyed) {
    let key = AnyKey(keyed)
    guard key.identity == ObjectIdentifier(T.self) else { return nil }
    self.init(tagset: key.tagset)
  }

  /// The name of `T` with its module. Made anew at each call.
  public var type: String { String(reflecting: T.self) }

  /// Whether a key is the same as one whose type was forgotten.
  public static func == (left: Self, right: AnyKey) -> Bool { AnyKey(left) == right }
  /// Whether a key is the same as one whose type was forgotten.
  public static func == (left: AnyKey, right: Self) -> Bool { left == AnyKey(right) }
  /// Whether a key differs from one whose type was forgotten.
  public static func != (left: Self, right: AnyKey) -> Bool { !(left == right) }
  /// Whether a key differs from one whose type was forgotten.
  public static func != (left: AnyKey, right: Self) -> Bool { !(left == right) }
}
