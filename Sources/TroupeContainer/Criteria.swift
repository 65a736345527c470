/// What to look for among the keys of `T`.
///
/// ```swift
/// let container = Container()
/// container.register(Int.self, tags: "a", "b") { _ in 1 }
/// assert(container.find(Criteria<Int>(op: .subset, tags: "a")).count == 1)
/// ```
public struct Criteria<T>: Sendable {
  /// How the tags of a key are compared with the wanted ones.
  public enum Op: Sendable {
    /// They are the same.
    case equal
    /// They include the wanted ones.
    case subset
  }

  /// The name of `T` with its module. Made anew at each call.
  public var type: String { String(reflecting: T.self) }
  /// How the tags are compared.
  public let op: Op
  /// The wanted tags.
  public let tags: Set<AnySendableHashable>

  /// Looks for keys of `T` by a set of tags.
  public init(op: Op = .equal, tagset: Set<AnySendableHashable>) {
    self.op = op
    self.tags = tagset
  }

  /// Looks for keys of `T` without tags, or for all of them.
  public init(op: Op = .equal) {
    self.init(op: op, tagset: [])
  }

  /// Looks for keys of `T` by tags.
  public init<each Tag: Hashable & Sendable>(op: Op = .equal, tags: repeat each Tag) {
    self.init(op: op, tagset: Set(elements: repeat each tags))
  }

  /// Looks for exactly this key.
  public init(from key: Key<T>) {
    self.init(op: .equal, tagset: key.tagset)
  }

  /// Whether a key fits.
  public func matches(_ key: AnyKey) -> Bool {
    guard key.identity == ObjectIdentifier(T.self) else { return false }
    return switch op {
    case .equal: key.tagset == tags
    case .subset: key.tagset.isSuperset(of: tags)
    }
  }

  /// Whether a key fits.
  public func matches(_ key: Key<T>) -> Bool {
    matches(AnyKey(key))
  }
}
