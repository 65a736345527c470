/// Searches for registrations by type, tags, group and metadata. A search makes no instance and loads no plugin.
///
/// Types, tags and groups are indexed. Metadata is not: a search compares that of the registrations which the indexes yield. Each
/// search returns the keys in the order of registration, each once, with those of ancestors. Safe to call from any thread.
extension Resolver {
  /// Returns the keys of a type whose tags include all the given ones, in a group if one is given.
  ///
  /// ```swift
  /// struct Granularity: Equatable, Sendable {
  ///   var meters: Int
  /// }
  ///
  /// let container = Container()
  /// for meters in 1...4 {
  ///   container.annotated(metadata: Granularity(meters: meters)).register(String.self, tags: meters, Group("maps")) { _ in "\(meters)" }
  /// }
  /// assert(container.filter(String.self, group: Group("maps")).count == 4)
  /// assert(container.filter(String.self, metadata: Granularity(meters: 2)) == [Key(tags: 2, Group("maps"))])
  /// let coarse = container.filter(String.self) { (metadata: Granularity) in metadata.meters > 2 }
  /// assert(try! container.resolve(keys: coarse) == ["3", "4"])
  /// ```
  ///
  /// `find(_:)` with a `Criteria` returns the same as a set. Cost: proportional to the registrations of the type with the rarest of
  /// the tags, one of which is the group.
  public func filter<T, each Value: Hashable & Sendable>(
    _ type: T.Type = T.self, tags: repeat each Value, group: Group? = nil
  ) -> [Key<T>] {
    container.entries(T.self, TagList.boxed(repeat each tags), group).keys.map { Key($0.tags) }
  }

  /// Returns those keys of `filter(_:tags:group:)` whose metadata has the predicate's type and satisfies the predicate.
  ///
  /// If several registrations of a key differ in their arguments, one of them is enough. The predicate runs on the caller's thread,
  /// under no lock, and may resolve and register.
  ///
  /// - Throws: The error of the predicate.
  public func filter<T, each Value: Hashable & Sendable, Metadata>(
    _ type: T.Type = T.self, tags: repeat each Value, group: Group? = nil, matching predicate: (Metadata) throws -> Bool
  ) rethrows -> [Key<T>] {
    let entries = container.entries(T.self, TagList.boxed(repeat each tags), group)
    return try entries.filter { try $0.matches(predicate) }.keys.map { Key($0.tags) }
  }

  /// Returns those keys of `filter(_:tags:group:)` whose metadata has this type and value.
  public func filter<T, each Value: Hashable & Sendable, Metadata: Equatable & Sendable>(
    _ type: T.Type = T.self, tags: repeat each Value, group: Group? = nil, metadata: Metadata
  ) -> [Key<T>] {
    filter(type, tags: repeat each tags, group: group) { (other: Metadata) in other == metadata }
  }

  /// Returns the keys of all types in a group.
  ///
  /// Cost: proportional to the registrations in the group and to the number of types.
  public func filter(group: Group) -> [AnyKey] { container.entries(group).keys }

  /// Returns the keys of all types in a group whose metadata has the predicate's type and satisfies the predicate; see
  /// `filter(_:tags:group:matching:)`.
  ///
  /// - Throws: The error of the predicate.
  public func filter<Metadata>(group: Group, matching predicate: (Metadata) throws -> Bool) rethrows -> [AnyKey] {
    try container.entries(group).filter { try $0.matches(predicate) }.keys
  }

  /// Returns the keys of all types in a group whose metadata has this type and value.
  public func filter<Metadata: Equatable & Sendable>(group: Group, metadata: Metadata) -> [AnyKey] {
    filter(group: group) { (other: Metadata) in other == metadata }
  }

  /// Returns those of some keys that are registered, in the order of the keys.
  ///
  /// Cost: proportional to the keys.
  public func filter<K: Keyed>(keys: some Sequence<K>) -> [K] {
    var seen: Set<K> = []
    return keys.filter { key in container[AnyKey(key)] != nil && seen.insert(key).inserted }
  }

  /// Returns those of some keys whose metadata has the predicate's type and satisfies the predicate; see
  /// `filter(_:tags:group:matching:)`.
  ///
  /// - Throws: The error of the predicate.
  public func filter<K: Keyed, Metadata>(
    keys: some Sequence<K>, matching predicate: (Metadata) throws -> Bool
  ) rethrows -> [K] {
    var seen: Set<K> = []
    return try keys.filter { key in
      try container.entries(AnyKey(key)).contains { try $0.matches(predicate) } && seen.insert(key).inserted
    }
  }

  /// Returns those of some keys whose metadata has this type and value.
  public func filter<K: Keyed, Metadata: Equatable & Sendable>(keys: some Sequence<K>, metadata: Metadata) -> [K] {
    filter(keys: keys) { (other: Metadata) in other == metadata }
  }
}

extension Container {
  fileprivate func entries(_ metatype: any Any.Type, _ tags: [Tag], _ group: Group?) -> [Entry] {
    candidates(metatype, including: group.map { TagHash.distinct(tags + [Tag.make($0)]) } ?? tags).map(\.entry)
  }

  fileprivate func entries(_ group: Group) -> [Entry] {
    let tags = [Tag.make(group)]
    var metatypes: [ObjectIdentifier: any Any.Type] = [:]
    for container in selfAndAncestors {
      for metatype in container.types(including: tags) { metatypes[ObjectIdentifier(metatype)] = metatype }
    }
    return metatypes.values.flatMap { entries($0, tags, nil) }.sorted { $0.sequence < $1.sequence }
  }

  /// Returns the registrations under a key in this container and its ancestors, except overridden ones.
  fileprivate func entries(_ key: AnyKey) -> [Entry] {
    entries(key.metatype, key.tags, nil).filter { $0.hasTags(exactly: key.tags) }
  }
}

extension Entry {
  /// Returns false without metadata of the predicate's type.
  fileprivate func matches<Metadata>(_ predicate: (Metadata) throws -> Bool) rethrows -> Bool {
    try metadata(as: Metadata.self).map(predicate) ?? false
  }
}

extension [Entry] {
  /// The keys, each once.
  fileprivate var keys: [AnyKey] {
    var seen: Set<AnyKey> = []
    return map(\.key).filter { seen.insert($0).inserted }
  }
}
