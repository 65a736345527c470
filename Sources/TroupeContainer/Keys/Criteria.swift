/// A query for the registered keys of `T`, by all of their tags or some.
///
/// ```swift
/// let container = Container()
/// container.register(Int.self, tags: "a", "b") { _ in 1 }
/// assert(container.find(Criteria<Int>(op: .subset, tags: "a")).count == 1)
/// ```
public struct Criteria<T>: Sendable {
  /// How the tags of a key are compared with the given ones.
  public enum Op: Sendable {
    /// The tags are equal.
    case equal
    /// The key's tags include the wanted tags.
    case subset
  }

  /// The name of `T` with its module, created by each access.
  public var type: String { typeName(T.self) }
  /// How the tags are compared.
  public let op: Op
  /// The tags to compare with.
  public let tags: Set<AnySendableHashable>

  /// Matches the key of `T` with these tags, or with `.subset` all keys of `T` that include them.
  public init(op: Op = .equal, tagset: Set<AnySendableHashable>) {
    self.op = op
    self.tags = tagset
  }

  /// Matches the key of `T` without tags, or with `.subset` all keys of `T`.
  public init(op: Op = .equal) { self.init(op: op, tagset: []) }

  /// Matches the key of `T` with these tags, or with `.subset` all keys of `T` that include them.
  public init<each Tag: Hashable & Sendable>(op: Op = .equal, tags: repeat each Tag) {
    self.init(op: op, tagset: Set(elements: repeat each tags))
  }

  /// Matches one key.
  public init(from key: Key<T>) { self.init(op: .equal, tagset: key.tagset) }

  /// Compares type and tags.
  public func matches(_ key: AnyKey) -> Bool {
    guard key.identity == ObjectIdentifier(T.self) else { return false }
    return switch op {
    case .equal: key.tagset == tags
    case .subset: key.tagset.isSuperset(of: tags)
    }
  }

  /// Compares the tags.
  public func matches(_ key: Key<T>) -> Bool { matches(AnyKey(key)) }
}
