// Searches for registrations. They make no instance and load no plugin. The type, the group and the tags are looked up; only the
// metadata of the registrations found so is compared.

extension Resolver {
  /// The keys of the registrations of a type whose tags include all the given ones, and which are in a group if one is given;
  /// those of parents included, as in arrays. In the order of registration, each once.
  ///
  /// ```swift
  /// struct Granularity: Equatable, Sendable {
  ///   var meters: Int
  /// }
  ///
  /// let container = Container()
  /// for meters in 1...4 {
  ///   container.register(String.self, tags: meters, Group("maps"), metadata: Granularity(meters: meters)) { _ in "\(meters)" }
  /// }
  /// assert(container.filter(String.self, group: Group("maps")).count == 4)
  /// assert(container.filter(String.self, metadata: Granularity(meters: 2)) == [Key(tags: 2, Group("maps"))])
  /// let coarse = container.filter(String.self) { (metadata: Granularity) in metadata.meters > 2 }
  /// assert(try! container.resolve(keys: coarse) == ["3", "4"])
  /// ```
  ///
  /// `find(_:)` with a `Criteria` gives the same as a set. Nothing is made. Thread: any. Cost: proportional to the
  /// registrations of the type with the rarest of the tags, the group being one.
  public func filter<T, each Value: Hashable & Sendable>(
    _ type: T.Type = T.self, tags: repeat each Value, group: Group? = nil
  ) -> [Key<T>] {
    var keys = Filtered()
    for candidate in container.filtered(T.self, TagList.boxed(repeat each tags), group) { keys.insert(candidate.entry) }
    return keys.of(T.self)
  }

  /// The keys of the registrations of a type, as `filter(_:tags:group:)` gives them, with metadata of the predicate's type that the
  /// predicate says yes to. Metadata of another type, and none, does not fit.
  ///
  /// A key under which there are several registrations with other arguments is among them if one of these fits. The predicate
  /// runs on the caller's thread, under no lock, and may resolve and register.
  ///
  /// - Throws: What the predicate throws.
  public func filter<T, each Value: Hashable & Sendable, Metadata>(
    _ type: T.Type = T.self, tags: repeat each Value, group: Group? = nil, matching predicate: (Metadata) throws -> Bool
  ) rethrows -> [Key<T>] {
    var keys = Filtered()
    for candidate in container.filtered(T.self, TagList.boxed(repeat each tags), group) {
      try keys.insert(candidate.entry, ifMatching: predicate)
    }
    return keys.of(T.self)
  }

  /// The keys of the registrations of a type, as `filter(_:tags:group:)` gives them, with metadata that equals the given one
  /// and is of its type.
  public func filter<T, each Value: Hashable & Sendable, Metadata: Equatable & Sendable>(
    _ type: T.Type = T.self, tags: repeat each Value, group: Group? = nil, metadata: Metadata
  ) -> [Key<T>] {
    filter(type, tags: repeat each tags, group: group) { (other: Metadata) in other == metadata }
  }

  /// The keys of the registrations of all types in a group, those of parents included. In the order of registration, each once.
  ///
  /// Nothing is made. Thread: any. Cost: proportional to the registrations in the group and to the number of types.
  public func filter(group: Group) -> [AnyKey] {
    var keys = Filtered()
    for candidate in container.filtered(group) { keys.insert(candidate.entry) }
    return keys.keys
  }

  /// The keys of the registrations of all types in a group with metadata of the predicate's type that the predicate says yes
  /// to; see `filter(_:tags:group:matching:)`.
  ///
  /// - Throws: What the predicate throws.
  public func filter<Metadata>(group: Group, matching predicate: (Metadata) throws -> Bool) rethrows -> [AnyKey] {
    var keys = Filtered()
    for candidate in container.filtered(group) { try keys.insert(candidate.entry, ifMatching: predicate) }
    return keys.keys
  }

  /// The keys of the registrations of all types in a group with metadata that equals the given one and is of its type.
  public func filter<Metadata: Equatable & Sendable>(group: Group, metadata: Metadata) -> [AnyKey] {
    filter(group: group) { (other: Metadata) in other == metadata }
  }

  /// Those of some keys under which something is registered, here or in a parent, in their order, each once.
  ///
  /// Nothing is made. Thread: any. Cost: proportional to the keys.
  public func filter<K: Keyed>(keys: some Sequence<K>) -> [K] {
    var seen: Set<K> = []
    return keys.filter { key in container[AnyKey(key)] != nil && seen.insert(key).inserted }
  }

  /// Those of some keys under which something is registered with metadata of the predicate's type that the predicate says yes
  /// to; see `filter(_:tags:group:matching:)`.
  ///
  /// - Throws: What the predicate throws.
  public func filter<K: Keyed, Metadata>(
    keys: some Sequence<K>, matching predicate: (Metadata) throws -> Bool
  ) rethrows -> [K] {
    var seen: Set<K> = []
    return try keys.filter { key in
      let isMatch = try container.entries(AnyKey(key)).contains { entry in
        try entry.metadata(as: Metadata.self).map { try predicate($0) } ?? false
      }
      return isMatch && seen.insert(key).inserted
    }
  }

  /// Those of some keys under which something is registered with metadata that equals the given one and is of its type.
  public func filter<K: Keyed, Metadata: Equatable & Sendable>(keys: some Sequence<K>, metadata: Metadata) -> [K] {
    filter(keys: keys) { (other: Metadata) in other == metadata }
  }
}

/// The keys of entries, each once, in the order in which they come.
private struct Filtered {
  private(set) var keys: [AnyKey] = []
  private var seen: Set<AnyKey> = []

  mutating func insert(_ entry: Entry) {
    let key = entry.key
    if seen.insert(key).inserted { keys.append(key) }
  }

  mutating func insert<Metadata>(_ entry: Entry, ifMatching predicate: (Metadata) throws -> Bool) rethrows {
    guard let metadata = entry.metadata(as: Metadata.self), try predicate(metadata) else { return }
    insert(entry)
  }

  /// The keys, which are all of a type.
  func of<T>(_ type: T.Type) -> [Key<T>] { keys.map { Key($0.tags) } }
}

extension Container {
  /// Returns the registrations of a type with tags that include some tags, and a group if one is given; see `candidates`.
  fileprivate func filtered(_ metatype: any Any.Type, _ tags: [Tag], _ group: Group?) -> [Candidate] {
    candidates(metatype, including: group.map { TagHash.distinct(tags + [Tag.make($0)]) } ?? tags)
  }

  /// Returns the registrations of all types in a group; see `candidates`.
  fileprivate func filtered(_ group: Group) -> [Candidate] {
    let tags = [Tag.make(group)]
    var metatypes: [ObjectIdentifier: any Any.Type] = [:]
    for container in selfAndAncestors {
      for metatype in container.types(including: tags) { metatypes[ObjectIdentifier(metatype)] = metatype }
    }
    return metatypes.values.flatMap { candidates($0, including: tags) }.sorted { $0.entry.sequence < $1.entry.sequence }
  }

  /// Returns the registrations under a key in this container and its ancestors, without overridden ones.
  fileprivate func entries(_ key: AnyKey) -> [Entry] {
    candidates(key.metatype, including: key.tags).map(\.entry).filter { $0.hasTags(exactly: key.tags) }
  }
}
