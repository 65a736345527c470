/// Where registrations are looked up and instances come from.
public protocol Resolver: AnyObject, Sendable {
  /// The container that does the work. Not counted as a reference, so that threads which resolve at the same time do not
  /// write to the same place.
  var _container: Unmanaged<Container> { get }
}

extension Resolver {
  /// The container that does the work.
  package var container: Container { _container.takeUnretainedValue() }

  /// The registration under a key, here or in a parent, or nil.
  public subscript(key: AnyKey) -> Entry? {
    container[key]
  }

  /// The registration under a key, here or in a parent, or nil.
  public subscript<T>(key: Key<T>) -> Entry? { self[AnyKey(key)] }

  /// The registrations of a type whose tags include all the given ones, in registration order, those of parents included.
  package func entries(of type: any Any.Type, including tags: Set<AnySendableHashable>) -> [Entry] {
    container.candidates(type, including: TagHash.distinct(tags.map { Tag.make($0) })).map(\.entry)
  }

  /// The keys that fit, here and in parents. Nothing is made.
  public func find<T>(_ criteria: Criteria<T>) -> Set<Key<T>> {
    switch criteria.op {
    case .equal:
      let key = Key<T>(tagset: criteria.tags)
      return self[key] == nil ? [] : [key]
    case .subset:
      return Set(entries(of: T.self, including: criteria.tags).map { Key<T>($0.tags) })
    }
  }
}

extension Container {
  /// The container and its ancestors, each after the overrides that the current task has for it.
  var selfAndAncestors: [Container] {
    var selfAndAncestors: [Container] = []
    for container in sequence(first: self, next: \.parent) {
      selfAndAncestors += container.presentOverrides.filter { override in !selfAndAncestors.contains { $0 === override } }
      selfAndAncestors.append(container)
    }
    return selfAndAncestors
  }
}
