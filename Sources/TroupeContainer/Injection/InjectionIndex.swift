import Synchronization

/// An injection and the entry that registers it.
struct RegisteredInjection: Sendable {
  let entry: Entry
  let injection: Injection
}

/// Finds the injections for a target among those of one container at one version.
///
/// An injection into a class is found by the target's class and its superclasses, each a dictionary lookup. An injection into a
/// protocol or a value type is found by a cast, which takes microseconds for a protocol. So `InjectionCache` keeps the result for each
/// dynamic type, and the casts happen once for each type and version of the container.
final class InjectionIndex: Sendable {
  let version: UInt64
  /// In the order of registration.
  let all: [RegisteredInjection]
  /// The indices in `all` of the injections into each class.
  private let classes: [ObjectIdentifier: [Int]]
  /// The indices in `all` of the other injections, one list for each target type.
  private let others: [[Int]]

  init(_ all: [RegisteredInjection], version: UInt64) {
    self.all = all
    self.version = version
    let byType = Dictionary(grouping: all.indices) { ObjectIdentifier(all[$0].injection.target) }
    let isClass = { (indices: [Int]) in all[indices[0]].injection.target is AnyClass }
    classes = byType.filter { isClass($0.value) }
    others = byType.values.filter { !isClass($0) }
  }

  /// Returns the injections for a target, in the order of registration.
  func injections(into target: Any) -> [RegisteredInjection] {
    var found = others.filter { all[$0[0]].injection.plan.applies(to: target) }.flatMap { $0 }
    var ancestor: AnyClass? = type(of: target) as? AnyClass
    while let present = ancestor {
      found += classes[ObjectIdentifier(present)] ?? []
      ancestor = _getSuperclass(present)
    }
    return found.sorted().map { all[$0] }
  }
}

/// The lookups of a container's injections since the last change.
///
/// Two versions decide what is current. `injectionsChanged` of the container is the version of the last change to an injection, which
/// makes the index stale. Any change makes the lists for targets stale, since it may load a library in which a type conforms to
/// another protocol.
struct InjectionCache {
  /// Nil if no injection was looked up since the last change to injections.
  fileprivate var index: InjectionIndex?
  /// The injections for targets of each dynamic type.
  fileprivate var known: [ObjectIdentifier: [RegisteredInjection]] = [:]
  /// The version of the container for which `known` is valid.
  fileprivate var knownVersion: UInt64 = 0
  /// In a container that learns, the types of targets whose last `resolve(into:)` found no injection.
  fileprivate var untouched: [ObjectIdentifier: any Any.Type] = [:]

  init() {}

  /// Returns the index, if it has the last change to injections.
  fileprivate func index(_ changed: UInt64) -> InjectionIndex? {
    index.flatMap { $0.version >= changed ? $0 : nil }
  }

  fileprivate func known(_ identity: ObjectIdentifier, _ version: UInt64, _ changed: UInt64) -> [RegisteredInjection]? {
    guard knownVersion == version, let index, index.version >= changed else { return nil }
    return known[identity]
  }

  /// Clears the cache, except for the learned types, and returns the former cache, for a release outside the lock.
  fileprivate mutating func reset() -> InjectionCache {
    let former = self
    self = InjectionCache()
    untouched = former.untouched
    return former
  }
}

extension Container {
  /// Returns the injections for a target in the order in which they run: first those of the ancestors, except the ones that a child
  /// hides, each container's in the order of registration.
  ///
  /// - Throws: The error of the load of a pending injection.
  func injections<Target>(into target: Target) throws -> [RegisteredInjection] {
    if parent == nil, !isFastPathDisabled { return try ownInjections(into: target) }
    let found = try selfAndAncestors.reduce([]) { Self.overriding(try $1.ownInjections(into: target), by: $0) }
    if isLearning {
      let metatype = type(of: target as Any)
      injectionCache.withLock { $0.untouched[ObjectIdentifier(metatype)] = found.isEmpty ? metatype : nil }
    }
    return found
  }

  /// The types of the targets for which this container had no injection, sorted by name. Empty unless the container learns.
  var untouchedTargets: [any Any.Type] {
    injectionCache.withLock { Array($0.untouched.values) }.sorted { typeName($0) < typeName($1) }
  }

  private static func overriding(
    _ inherited: [RegisteredInjection], by own: [RegisteredInjection]
  ) -> [RegisteredInjection] {
    if inherited.isEmpty { return own }
    if own.isEmpty { return inherited }
    let known = Dictionary(grouping: own) { $0.entry.tagHash }
    let rest = inherited.filter { parent in
      !(known[parent.entry.tagHash]?.contains { $0.entry.hasTags(exactly: parent.entry.tags) } ?? false)
    }
    return rest + own
  }

  private func ownInjections<Target>(into target: Target) throws -> [RegisteredInjection] {
    let identity = ObjectIdentifier(type(of: target as Any))
    while true {
      // The order of the loads matters: a reader of a version sees the changes of that version.
      let version = version.load(ordering: .acquiring)
      let changed = injectionsChanged.load(ordering: .acquiring)
      if changed == 0 { return [] }
      let known = injectionCache.withLock { $0.known(identity, version, changed) }
      if let known { return known }
      if let index = try injectionCache.withLock({ $0.index(changed) }) ?? makeInjectionIndex(version) {
        let found = index.injections(into: target)
        store(found, for: identity, index, version)
        return found
      }
    }
  }

  /// Returns an index of at least this version. If an injection is pending, loads it, which publishes a new version, and returns nil.
  private func makeInjectionIndex(_ version: UInt64) throws -> InjectionIndex? {
    let (injections, isComplete) = ownInjections()
    if isComplete { return InjectionIndex(injections, version: version) }
    _ = try loadedCandidates(Injection.self, Request(tags: []))
    return nil
  }

  /// - Returns: The injections of this container, and whether none is pending.
  private func ownInjections() -> (injections: [RegisteredInjection], isComplete: Bool) {
    let entries = entries(Injection.self, including: [])
    let injections = entries.compactMap { entry -> RegisteredInjection? in
      // Entries of another kind were not made by `into`.
      guard entry.kind == .plain, let injection = try? entry.typed(Injection.self).make(self, Container.Request(tags: []))
      else { return nil }
      return RegisteredInjection(entry: entry, injection: injection)
    }
    return (injections, entries.allSatisfy { $0.kind != .pending })
  }

  /// Caches the injections for targets of a type, unless they are stale.
  private func store(
    _ found: [RegisteredInjection], for identity: ObjectIdentifier, _ index: InjectionIndex, _ version: UInt64
  ) {
    let dropped = injectionCache.withLock { cache -> InjectionCache? in
      guard index.version >= injectionsChanged.load(ordering: .acquiring) else { return nil }
      var dropped: InjectionCache?
      if (cache.index?.version ?? 0) < index.version {
        dropped = cache.reset()
        cache.index = index
      }
      if cache.knownVersion < version { (cache.known, cache.knownVersion) = ([:], version) }
      if cache.knownVersion == version { cache.known[identity] = found }
      return dropped
    }
    // The release may run any code, so it happens outside the lock.
    withExtendedLifetime(dropped) {}
  }

  /// Releases removed injections. Called after a change to injections was published.
  func clearInjectionCache() {
    let dropped = injectionCache.withLock { $0.reset() }
    withExtendedLifetime(dropped) {}
  }
}
