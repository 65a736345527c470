import Synchronization

/// An injection and the entry that registers it.
typealias RegisteredInjection = (entry: Entry, injection: Injection)

/// The injections into targets of each dynamic type, since the last change of a container.
///
/// To find those for a type takes a cast to the type of each injection, which may take microseconds for a protocol. Any change makes the
/// cache stale, since it may load a library in which a type conforms to another protocol.
struct InjectionCache {
  fileprivate var known: [ObjectIdentifier: [RegisteredInjection]] = [:]
  /// The version of the container for which `known` is valid.
  fileprivate var version: UInt64 = 0
  /// In a container that learns, the types of targets whose last `resolve(into:)` found no injection.
  fileprivate var untouched: [ObjectIdentifier: any Any.Type] = [:]
}

extension Container {
  /// Returns the injections for a target in the order in which they run: first those of the ancestors, except the ones that a child
  /// hides, each container's in the order of registration.
  ///
  /// - Throws: The error of the load of a pending injection.
  func injections<Target>(into target: Target) throws -> [RegisteredInjection] {
    if parent == nil, fastPathVersion != nil { return try ownInjections(into: target) }
    var found: [RegisteredInjection] = []
    for container in selfAndAncestors {
      let inherited = try container.ownInjections(into: target)
      if found.isEmpty {
        found = inherited
      } else if !inherited.isEmpty {
        let own = found
        found = inherited.filter { inherited in !own.contains { $0.entry.hasTags(exactly: inherited.entry.tags) } } + own
      }
    }
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

  private func ownInjections<Target>(into target: Target) throws -> [RegisteredInjection] {
    let target: Any = target
    let identity = ObjectIdentifier(type(of: target))
    // The version first: a reader of a version sees at least the changes of that version.
    let version = version.load(ordering: .acquiring)
    if injectionsChanged.load(ordering: .acquiring) == 0 { return [] }
    if let known = injectionCache.withLock({ $0.version == version ? $0.known[identity] : nil }) { return known }
    let entries = try loaded({ self.entries(Injection.self, including: []) }, failed: { $1 })
    let found = entries.compactMap { entry -> RegisteredInjection? in
      // Entries of another kind were not made by `into`.
      guard entry.kind == .plain, let injection = try? entry.typed(Injection.self).make(self, Request(tags: [])),
        injection.plan.applies(to: target)
      else { return nil }
      return (entry, injection)
    }
    let dropped = injectionCache.withLock { cache -> [ObjectIdentifier: [RegisteredInjection]] in
      // An older list could keep injections that were removed meanwhile.
      guard version >= max(cache.version, injectionsChanged.load(ordering: .acquiring)) else { return [:] }
      let dropped = cache.version == version ? [:] : cache.known
      if cache.version < version { (cache.known, cache.version) = ([:], version) }
      cache.known[identity] = found
      return dropped
    }
    // The release may run any code, so it happens outside the lock.
    withExtendedLifetime(dropped) {}
    return found
  }

  /// Releases removed injections. Called after a change to injections was published.
  func clearInjectionCache() {
    let dropped = injectionCache.withLock { cache in
      defer { cache.known = [:] }
      return cache.known
    }
    withExtendedLifetime(dropped) {}
  }
}
