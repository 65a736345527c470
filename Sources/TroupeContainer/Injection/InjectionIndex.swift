import Synchronization

/// An injection and the entry under which it is registered.
struct RegisteredInjection: Sendable {
  let entry: Entry
  let injection: Injection
}

/// The injections of one container at one version, by what they inject into.
final class InjectionIndex: Sendable {
  /// A version of the container; what was registered then is in the index.
  let version: UInt64
  /// In registration order.
  let all: [RegisteredInjection]
  /// The places in `all` of those into a class.
  private let classes: [ObjectIdentifier: [Int]]
  /// The places in `all` of the others, together for each type.
  private let others: [[Int]]

  init(_ all: [RegisteredInjection], version: UInt64) {
    self.all = all
    self.version = version
    let byType = Dictionary(grouping: all.indices) { ObjectIdentifier(all[$0].injection.target) }
    let isClass = { (indices: [Int]) in all[indices[0]].injection.target is AnyClass }
    classes = byType.filter { isClass($0.value) }
    others = byType.values.filter { !isClass($0) }
  }

  /// What is meant for a target, in registration order.
  ///
  /// Cost: a look for each of its superclasses, and a cast for each type that is injected into and is no class.
  func injections(into target: Any) -> [RegisteredInjection] {
    var found = others.filter { all[$0[0]].injection.plan.isMeant(for: target) }.flatMap { $0 }
    var ancestor: AnyClass? = type(of: target) as? AnyClass
    while let present = ancestor {
      found += classes[ObjectIdentifier(present)] ?? []
      ancestor = _getSuperclass(present)
    }
    return found.sorted().map { all[$0] }
  }
}

/// What a container remembers of its injections between one resolve and the next.
struct InjectionMemory {
  /// Its injections; nil if they were not asked for since the last change to them.
  fileprivate var index: InjectionIndex?
  /// What is meant for targets of a type, by its identity.
  fileprivate var known: [ObjectIdentifier: [RegisteredInjection]] = [:]
  /// The version of the container for which that is known. Not longer: with what registers there may come a library in which a type
  /// conforms to one more protocol.
  fileprivate var knownVersion: UInt64 = 0
  /// In a container that learns, the types of targets for which there was no injection when one was last asked for.
  fileprivate var untouched: [ObjectIdentifier: any Any.Type] = [:]

  init() {}

  /// Forgets all but what was learned, and gives what it was.
  fileprivate mutating func reset() -> InjectionMemory {
    let former = self
    self = InjectionMemory()
    untouched = former.untouched
    return former
  }
}

extension Container {
  /// What is meant for a target, here and in the parents, but what a child overrides: the parents' first, in registration order.
  ///
  /// - Throws: What loading an injection throws that is pending.
  func injections(into target: Any) throws -> [RegisteredInjection] {
    if parent == nil, quickVersion.load(ordering: .relaxed) != 0 { return try ownInjections(into: target) }
    let found = try lineage.reduce([]) { Self.overriding(try $1.ownInjections(into: target), by: $0) }
    if isLearning {
      let metatype = type(of: target)
      injectionMemory.withLock { $0.untouched[ObjectIdentifier(metatype)] = found.isEmpty ? metatype : nil }
    }
    return found
  }

  /// The types of the targets that were given to this container when it had no injection for them, if it learns; sorted by name.
  var untouchedTargets: [any Any.Type] {
    injectionMemory.withLock { Array($0.untouched.values) }.sorted { String(reflecting: $0) < String(reflecting: $1) }
  }

  /// What parents have, but what a child overrides, and then what the child has.
  private static func overriding(
    _ inherited: [RegisteredInjection], by own: [RegisteredInjection]
  ) -> [RegisteredInjection] {
    if inherited.isEmpty { return own }
    if own.isEmpty { return inherited }
    let known = Dictionary(grouping: own) { $0.entry.tagHash }
    let rest = inherited.filter { parent in
      !(known[parent.entry.tagHash]?.contains { $0.entry.has(exactly: parent.entry.tags) } ?? false)
    }
    return rest + own
  }

  /// What is registered here that is meant for a target, in registration order.
  private func ownInjections(into target: Any) throws -> [RegisteredInjection] {
    let identity = ObjectIdentifier(type(of: target))
    while true {
      // In this order: whoever sees a version sees the change that it came with.
      let version = version.load(ordering: .acquiring)
      let changed = injectionsChanged.load(ordering: .acquiring)
      if changed == 0 { return [] }
      let remembered = injectionMemory.withLock { memory -> (found: [RegisteredInjection]?, index: InjectionIndex?) in
        guard let index = memory.index, index.version >= changed else { return (nil, nil) }
        return (memory.knownVersion == version ? memory.known[identity] : nil, index)
      }
      if let found = remembered.found { return found }
      if let index = try remembered.index ?? makeInjectionIndex(version) {
        let found = index.injections(into: target)
        remember(found, for: identity, index, version)
        return found
      }
    }
  }

  /// The injections as they are at a version or a later one; nil if some had to be loaded first, so that a new version has come.
  private func makeInjectionIndex(_ version: UInt64) throws -> InjectionIndex? {
    let (injections, isComplete) = ownInjections()
    if isComplete { return InjectionIndex(injections, version: version) }
    _ = try loadedCandidates(Injection.self, Request(tags: []))
    return nil
  }

  /// Everything that is registered here, in registration order, and whether none of it is pending.
  private func ownInjections() -> (injections: [RegisteredInjection], isComplete: Bool) {
    let entries = entries(Injection.self, including: [])
    let injections = entries.compactMap { entry -> RegisteredInjection? in
      // Whatever is not of this kind was not made by `into`.
      guard entry.kind == .plain, let injection = try? entry.typed(Injection.self).make(self, Container.Request(tags: []))
      else { return nil }
      return RegisteredInjection(entry: entry, injection: injection)
    }
    return (injections, entries.allSatisfy { $0.kind != .pending })
  }

  /// Keeps what was found for the next one who asks, unless it is out of date already.
  private func remember(
    _ found: [RegisteredInjection], for identity: ObjectIdentifier, _ index: InjectionIndex, _ version: UInt64
  ) {
    let dropped = injectionMemory.withLock { memory -> InjectionMemory? in
      guard index.version >= injectionsChanged.load(ordering: .acquiring) else { return nil }
      var dropped: InjectionMemory?
      if (memory.index?.version ?? 0) < index.version {
        dropped = memory.reset()
        memory.index = index
      }
      if memory.knownVersion < version { (memory.known, memory.knownVersion) = ([:], version) }
      if memory.knownVersion == version { memory.known[identity] = found }
      return dropped
    }
    // Its end may run anybody's code, and must not under the lock.
    withExtendedLifetime(dropped) {}
  }

  /// Forgets everything about injections, so that what has gone is not kept. To be called after a change to them was published.
  func forgetInjections() {
    let dropped = injectionMemory.withLock { $0.reset() }
    withExtendedLifetime(dropped) {}
  }
}
