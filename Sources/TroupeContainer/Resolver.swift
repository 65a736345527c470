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
  /// The container and its parents, itself first, and before each what the present task has it overridden by.
  var lineage: [Container] {
    var lineage: [Container] = []
    for container in sequence(first: self, next: \.parent) {
      lineage += container.presentOverrides.filter { override in !lineage.contains { $0 === override } }
      lineage.append(container)
    }
    return lineage
  }

  /// An entry and the container that it is registered in.
  struct Candidate {
    let entry: Entry
    let home: Container
  }

  /// What an array of a type is made of: everything whose tags include the given ones, but what a child overrides; in
  /// registration order.
  func candidates(_ metatype: any Any.Type, including tags: [Tag]) -> [Candidate] {
    let lineage = lineage
    guard lineage.count > 1 else { return entries(metatype, including: tags).map { Candidate(entry: $0, home: self) } }
    var candidates: [Candidate] = []
    // By the hash of their tags, so that each is compared with the few that it may be an override of.
    var known: [UInt: [Entry]] = [:]
    for container in lineage {
      let inherited = container.entries(metatype, including: tags).filter { entry in
        !(known[entry.tagHash]?.contains { $0.has(exactly: entry.tags) && $0.collides(with: entry) } ?? false)
      }
      candidates += inherited.map { Candidate(entry: $0, home: container) }
      if container !== lineage.last { for entry in inherited { known[entry.tagHash, default: []].append(entry) } }
    }
    return candidates.sorted { $0.entry.sequence < $1.entry.sequence }
  }
}
