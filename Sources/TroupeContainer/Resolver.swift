/// A source of instances, such as a container. A factory gets the resolver from which it takes its dependencies.
///
/// ```swift
/// container.register { resolver in try Car(engine: resolver.resolve(), wheels: resolver.resolve()) }
/// let car: Car = try container.resolve()
/// ```
///
/// Safe to use from any thread.
public protocol Resolver: AnyObject, Sendable {
  /// The container that resolves. It is unmanaged, so that threads which resolve at the same time do not write to its reference count.
  var _container: Unmanaged<Container> { get }
}

extension Resolver {
  package var container: Container { _container.takeUnretainedValue() }

  /// The registration under a key, here or in an ancestor.
  public subscript(key: AnyKey) -> Entry? {
    container[key]
  }

  /// The registration under a key, here or in an ancestor.
  public subscript<T>(key: Key<T>) -> Entry? { self[AnyKey(key)] }

  /// Returns the registrations of a type whose tags include all the given ones, here and in ancestors, in the order of registration.
  package func entries(of type: any Any.Type, including tags: Set<AnySendableHashable>) -> [Entry] {
    container.candidates(type, including: TagHash.distinct(tags.map { Tag.make($0) })).map(\.entry)
  }

  /// Returns the registered keys that match, here and in ancestors, without making an instance.
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
  /// The container and its ancestors, in the order of a lookup. The overrides of the current task come before their container.
  var selfAndAncestors: [Container] {
    var selfAndAncestors: [Container] = []
    for container in sequence(first: self, next: \.parent) {
      selfAndAncestors += container.presentOverrides.filter { override in !selfAndAncestors.contains { $0 === override } }
      selfAndAncestors.append(container)
    }
    return selfAndAncestors
  }
}
