import Synchronization

/// An injection and the entry under which it is registered.
struct RegisteredInjection: Sendable {
  let entry: Entry
  let injection: Injection
}

/// The injections of one container at one version, by their targets' types.
final class InjectionIndex: Sendable {
  /// The version of the container whose injections the index contains.
  let version: UInt64
  /// The injections in registration order.
  let all: [RegisteredInjection]
  /// The indices in `all` of the injections into each class.
  private let classes: [ObjectIdentifier: [Int]]
  /// The indices in `all` of the other injections, grouped by their target type.
  private let others: [[Int]]

  init(_ all: [RegisteredInjection], version: UInt64) {
    self.all = all
    self.version = version
    let byType = Dictionary(grouping: all.indices) { ObjectIdentifier(all[$0].injection.target) }
    let isClass = { (indices: [Int]) in all[indices[0]].injection.target is AnyClass }
    classes = byType.filter { isClass($0.value) }
    others = byType.values.filter { !isClass($0) }
  }

  /// Returns the injections for a target, in registration order.
  ///
  /// Cost: a lookup for the class and each superclass, and a cast for each target type that is not a class.
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

/// The cached lookups of a container's injections.
struct InjectionCache {
  /// The injections of the container; nil if none was looked up since the last change to them.
  fileprivate var index: InjectionIndex?
  /// The injections for targets of a type, by its identity.
  fileprivate var known: [ObjectIdentifier: [RegisteredInjection]] = [:]
  /// The version of the container for which `known` is valid. A later change may load a library that makes a type conform to
  /// another protocol.
  fileprivate var knownVersion: UInt64 = 0
  /// In a container that learns, the types of targets whose last `resolve(into:)` found no injection.
  fileprivate var untouched: [ObjectIdentifier: any Any.Type] = [:]

  init() {}

  /// Returns the index of the injections if it contains the last change.
  fileprivate func index(_ changed: UInt64) -> InjectionIndex? {
    index.flatMap { $0.version >= changed ? $0 : nil }
  }

  /// Returns the injections for targets of a type at a version; nil if they are not known.
  fileprivate func known(_ identity: ObjectIdentifier, _ version: UInt64, _ changed: UInt64) -> [RegisteredInjection]? {
    guard knownVersion == version, let index, index.version >= changed else { return nil }
    return known[identity]
  }

  /// Clears the cache, except for the learned types, and returns the former cache.
  fileprivate mutating func reset() -> InjectionCache {
    let former = self
    self = InjectionCache()
    untouched = former.untouched
    return former
  }
}

extension Container {
  /// Returns the injections for a target, of this container and its ancestors, except the ones that a child hides: first those of
  /// the ancestors, each container's in registration order.
  ///
  /// - Throws: The error of loading a pending injection.
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
    injectionCache.withLock { Array($0.untouched.values) }.sorted { String(reflecting: $0) < String(reflecting: $1) }
  }

  /// Returns the inherited injections that the child does not hide, then those of the child.
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

  /// Returns the injections of this container for a target, in registration order.
  private func ownInjections<Target>(into target: Target) throws -> [RegisteredInjection] {
    let identity = ObjectIdentifier(type(of: target as Any))
    while true {
      // In this order: a reader of a version sees the changes of that version.
      let version = version.load(ordering: .acquiring)
      let changed = injectionsChanged.load(ordering: .acquiring)
      if changed == 0 { return [] }
      let known = injectionCache.withLock { $0.known(identity, version, changed) }
      if let known { return known }
      if let index = try injectionCache.withLock({ $0.index(changed) }) ?? makeInjectionIndex(version) {
        let found = index.injections(into: target)
        remember(found, for: identity, index, version)
        return found
      }
    }
  }

  /// Returns the injections at a version or a later one, or nil after it loaded pending ones, which published a new version.
  private func makeInjectionIndex(_ version: UInt64) throws -> InjectionIndex? {
    let (injections, isComplete) = ownInjections()
    if isComplete { return InjectionIndex(injections, version: version) }
    _ = try loadedCandidates(Injection.self, Request(tags: []))
    return nil
  }

  /// Returns the injections of this container, in registration order, and whether none is pending.
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

  /// Caches the injections for targets of a type, unless they are out of date.
  private func remember(
    _ found: [RegisteredInjection], for identity: ObjectIdentifier, _ index: InjectionIndex, _ version: UInt64
  ) {
    let dropped = injectionCache.withLock { memory -> InjectionCache? in
      guard index.version >= injectionsChanged.load(ordering: .acquiring) else { return nil }
      var dropped: InjectionCache?
      if (memory.index?.version ?? 0) < index.version {
        dropped = memory.reset()
        memory.index = index
      }
      if memory.knownVersion < version { (memory.known, memory.knownVersion) = ([:], version) }
      if memory.knownVersion == version { memory.known[identity] = found }
      return dropped
    }
    // The release may run any code, so it happens outside the lock.
    withExtendedLifetime(dropped) {}
  }

  /// Clears the cache, so that it does not keep removed injections. Call it after a change to them was published.
  func clearInjectionCache() {
    let dropped = injectionCache.withLock { $0.reset() }
    withExtendedLifetime(dropped) {}
  }
}
