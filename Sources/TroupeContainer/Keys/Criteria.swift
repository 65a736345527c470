/// A filter for the keys of `T`.
///
/// ```swift
/// let container = Container()
/// container.register(Int.self, tags: "a", "b") { _ in 1 }
/// assert(container.find(Criteria<Int>(op: .subset, tags: "a")).count == 1)
/// ```
public struct Criteria<T>: Sendable {
  /// The comparison of a key's tags with the wanted tags.
  public enum Op: Sendable {
    /// The tags are equal.
    case equal
    /// The key's tags include the wanted tags.
    case subset
  }

  /// The name of `T` with its module. Each access creates a new string.
  public var type: String { String(reflecting: T.self) }
  /// The comparison of the tags.
  public let op: Op
  /// The wanted tags.
  public let tags: Set<AnySendableHashable>

  /// Creates criteria for the keys of `T` with a set of tags.
  public init(op: Op = .equal, tagset: Set<AnySendableHashable>) {
    self.op = op
    self.tags = tagset
  }

  /// Creates criteria for the keys of `T` without tags, or with `.subset` for all keys of `T`.
  public init(op: Op = .equal) {
    self.init(op: op, tagset: [])
  }

  /// Creates criteria for the keys of `T` with tags.
  public init<each Tag: Hashable & Sendable>(op: Op = .equal, tags: repeat each Tag) {
    self.init(op: op, tagset: Set(elements: repeat each tags))
  }

  /// Creates criteria for exactly one key.
  public init(from key: Key<T>) {
    self.init(op: .equal, tagset: key.tagset)
  }

  /// Whether a key matches.
  public func matches(_ key: AnyKey) -> Bool {
    guard key.identity == ObjectIdentifier(T.self) else { return false }
    return switch op {
    case .equal: key.tagset == tags
    case .subset: key.tagset.isSuperset(of: tags)
    }
  }

  /// Whether a key matches.
  public func matches(_ key: Key<T>) -> Bool {
    matches(AnyKey(key))
  }
}
