/// Where registrations are looked up and instances come from.
public protocol Resolver: AnyObject, Sendable {
  /// The registration under a key, or nil.
  subscript(key: AnyKey) -> Entry? { get }

  /// The registrations of a type whose tags include all the given ones, in registration order.
  func entries(of type: any Any.Type, including tags: Set<AnySendableHashable>) -> [Entry]
}

extension Resolver {
  /// The registration under a key, or nil.
  public subscript<T>(key: Key<T>) -> Entry? { self[AnyKey(key)] }

  /// The keys that fit. Nothing is made.
  public func find<T>(_ criteria: Criteria<T>) -> Set<Key<T>> {
    switch criteria.op {
    case .equal:
      let key = Key<T>(tagset: criteria.tags)
      return self[key] == nil ? [] : [key]
    case .subset:
      return Set(entries(of: T.self, including: criteria.tags).map { Key<T>(tagset: $0.key.tagset) })
    }
  }
}
