public import Synchronization

/// The fast path of `resolve`: a few nanoseconds, no lock, no allocation besides the instance.
///
/// It serves a request if the nearest container that has the key has exactly one registration under it, and the instance exists or a
/// synchronous factory makes it. Everything else takes the slow path (`Container+Resolve.swift`): several registrations under the key that
/// differ in their argument types, pending and weak entries, overrides, a container that learns, optionals and arrays.
///
///     instance(of:)                generated, one for each form of `resolve`    Container+EntryPoints.swift
///       find(type, tags)           EpochGuard, TypeTable, EntryList       ─→    PinnedEntry, or nil: slow path
///       make(type, pinned entry)   the instance of a singleton, or a run of the factory, then the end of the guard
///
/// These functions are inlined into the caller's module, which knows the types. Overloads for 0, 1 and 2 tags avoid parameter packs: the
/// optimizer of Swift 6.3.1 does not specialize them, nor closures in functions with packs, which costs 30 ns.
extension Container {
  /// An entry that a lookup has found, and the guard that keeps it allocated. Whoever receives it ends the guard: see `make`.
  @frozen @usableFromInline
  struct PinnedEntry {
    @usableFromInline let entry: Unmanaged<Entry>
    @usableFromInline let epochGuard: EpochGuard

    @inlinable @inline(__always)
    init(_ entry: Unmanaged<Entry>, _ epochGuard: EpochGuard) {
      self.entry = entry
      self.epochGuard = epochGuard
    }

    /// Ends the guard. Begins a run of the factory, unless a closure refuses the entry or the run would close a dependency cycle.
    ///
    /// - Returns: True if the caller must run the factory and then `pop` the record of the guard.
    @inlinable @inline(__always)
    func beginRun(if accepts: (Entry) -> Bool, hasArguments: Bool) -> Bool {
      let mayRun = entry._withUnsafeGuaranteedRef {
        accepts($0) && !BuildPath.isDependencyCycle($0, hasArguments: hasArguments, epochGuard.record)
      }
      if mayRun { epochGuard.record.pointee.push(entry) }
      epochGuard.end()
      return mayRun
    }
  }

  @frozen @usableFromInline
  enum FastPathError: Error {
    /// The slow path must make the instance.
    case slowPath
    /// The factory threw.
    case error(any Error)
  }

  // MARK: Lookup

  /// Returns the registration under a type without tags, or nil for the slow path.
  @inlinable @inline(__always)
  func find(_ identity: ObjectIdentifier) -> PinnedEntry? {
    let epochGuard = EpochGuard(epochs)
    if let entry = registration(identity, TagProbe()) { return PinnedEntry(entry, epochGuard) }
    epochGuard.end()
    return nil
  }

  @inlinable @inline(__always)
  func find<Value: Hashable & Sendable>(_ identity: ObjectIdentifier, tag: Value) -> PinnedEntry? {
    var probe = TagProbe()
    probe.add(tag)
    let epochGuard = EpochGuard(epochs)
    if let entry = registration(identity, probe), TagProbe.contains(entry, count: 1, tag, hash: probe.sum) {
      return PinnedEntry(entry, epochGuard)
    }
    epochGuard.end()
    return nil
  }

  @inlinable @inline(__always)
  func find<First: Hashable & Sendable, Second: Hashable & Sendable>(
    _ identity: ObjectIdentifier, tags first: First, _ second: Second
  ) -> PinnedEntry? {
    var probe = TagProbe()
    probe.add(first)
    probe.add(second)
    let epochGuard = EpochGuard(epochs)
    if let entry = registration(identity, probe),
      TagProbe.contains(entry, count: 2, first, hash: probe.hashes[0]),
      TagProbe.contains(entry, count: 2, second, hash: probe.hashes[1])
    {
      return PinnedEntry(entry, epochGuard)
    }
    epochGuard.end()
    return nil
  }

  @inlinable @inline(__always)
  func find<each Value: Hashable & Sendable>(_ identity: ObjectIdentifier, all tags: repeat each Value) -> PinnedEntry? {
    var probe = TagProbe()
    // A loop over the pack would copy each tag.
    repeat probe.add(each tags)
    let epochGuard = EpochGuard(epochs)
    if let entry = registration(identity, probe) {
      var (isMatch, index) = (true, 0)
      repeat probe.compare(each tags, with: entry, &isMatch, &index)
      if isMatch { return PinnedEntry(entry, epochGuard) }
    }
    epochGuard.end()
    return nil
  }

  @usableFromInline
  func find(_ identity: ObjectIdentifier, boxed tags: [Tag]) -> PinnedEntry? {
    let epochGuard = EpochGuard(epochs)
    if let entry = registration(identity, tagHash: TagHash.sum(tags)),
      entry._withUnsafeGuaranteedRef({ $0.hasTags(exactly: tags) })
    {
      return PinnedEntry(entry, epochGuard)
    }
    epochGuard.end()
    return nil
  }

  /// Returns the registration whose tags have the hash of some tags, in the nearest container that has any, or the scoped entry for it.
  /// The caller has a guard and compares the tags.
  @inlinable @inline(__always)
  func registration(_ identity: ObjectIdentifier, _ probe: TagProbe) -> Unmanaged<Entry>? {
    probe.allowsFastPath ? registration(identity, tagHash: probe.sum) : nil
  }

  @inlinable @inline(__always)
  func registration(_ identity: ObjectIdentifier, tagHash: UInt) -> Unmanaged<Entry>? {
    if let version = fastPathVersion {
      let list = list(identity, tagHash: tagHash)
      if !list.isEmpty { return list.onlyEntry(visibleAt: version) }
      if parent == nil { return nil }
    }
    return nearestRegistrationUnlessLearning(identity, tagHash: tagHash)
  }

  /// Returns the registrations of this container under a type and tags with a hash.
  @inlinable @inline(__always)
  func list(_ identity: ObjectIdentifier, tagHash: UInt) -> EntryList {
    list(identity) { $0.list(tagHash: tagHash) }
  }

  @usableFromInline @inline(never)
  func nearestRegistrationUnlessLearning(_ identity: ObjectIdentifier, tagHash: UInt) -> Unmanaged<Entry>? {
    isLearning ? nil : nearestRegistration(identity, tagHash: tagHash)?.entry
  }

  /// Returns the registration in the nearest of this container and its ancestors that has any under a type and tags with a hash, or the
  /// scoped entry for it. The overrides of the present task come before each container. Returns nil for none and for several.
  ///
  /// - Parameters:
  ///   - scope: The nearest scope between the container of the request and this one.
  ///   - depth: How many ancestors may be searched, which bounds the stack of the recursion.
  /// - Returns: The entry and the container that keeps its instance, nil for an override.
  func nearestRegistration(
    _ identity: ObjectIdentifier, tagHash: UInt, below scope: Unmanaged<Container>? = nil, depth: Int = 64
  ) -> (entry: Unmanaged<Entry>, owningContainer: Unmanaged<Container>?)? {
    var list = EntryList.empty
    var owningContainer: Unmanaged<Container>? = .passUnretained(self)
    let version: UInt64
    if let fastPathVersion {
      version = fastPathVersion
    } else if let overriding = overridingList(identity, tagHash: tagHash) {
      (list, version) = overriding
      owningContainer = nil
    } else {
      version = self.version.load(ordering: .acquiring)
    }
    if list.isEmpty { list = self.list(identity, tagHash: tagHash) }
    if list.isEmpty {
      let scope = scope ?? (scopeStorage == nil ? nil : .passUnretained(self))
      return depth == 0 ? nil : parent?.nearestRegistration(identity, tagHash: tagHash, below: scope, depth: depth - 1)
    }
    guard let entry = list.onlyEntry(visibleAt: version) else { return nil }
    guard let scope, entry._withUnsafeGuaranteedRef({ $0.lifetime == .scoped }) else { return (entry, owningContainer) }
    return scopedEntry(of: entry, owningContainer: owningContainer, in: scope).map { ($0, scope) }
  }

  /// Returns the scoped entry of a registration in a scope, and creates it unless the registration is an override's.
  private func scopedEntry(
    of entry: Unmanaged<Entry>, owningContainer: Unmanaged<Container>?, in scope: Unmanaged<Container>
  ) -> Unmanaged<Entry>? {
    scope._withUnsafeGuaranteedRef { scope in
      scope.scopeStorage?._withUnsafeGuaranteedRef {
        $0.scopedEntry(of: entry) ?? (owningContainer == nil ? nil : $0.makeScopedEntry(of: entry, owningContainer: self))
      }
    }
  }

  /// Returns false only if neither this container nor an ancestor ever had a registration of a type. Costs a few lookups.
  @usableFromInline
  func mayHave(_ identity: ObjectIdentifier) -> Bool {
    let epochGuard = EpochGuard(epochs)
    defer { epochGuard.end() }
    return mayHave(identity, depth: 64)
  }

  /// The recursion of `mayHave`, for a caller with a guard: a writer may replace the map of types meanwhile.
  func mayHave(_ identity: ObjectIdentifier, depth: Int) -> Bool {
    // A loop would count references to the ancestors.
    types[UInt(bitPattern: identity)] != 0 || isFastPathDisabled || depth == 0
      || parent?.mayHave(identity, depth: depth - 1) ?? false
  }

  // MARK: Instances

  /// Returns the instance of a registration without arguments, and ends the guard.
  @inlinable @inline(__always)
  static func make<T>(_ type: T.Type, _ pinned: PinnedEntry, for container: Unmanaged<Container>) throws(FastPathError) -> T {
    guard pinned.entry._withUnsafeGuaranteedRef({ $0.lifetime == .transient }) else {
      defer { pinned.epochGuard.end() }
      guard let instance = pinned.entry._withUnsafeGuaranteedRef({ $0.builtInstance(T.self) }) else { throw .slowPath }
      return instance.pointee
    }
    guard pinned.beginRun(if: { $0.kind == .plain }, hasArguments: false) else { throw .slowPath }
    defer { pinned.epochGuard.record.pointee.pop() }
    do {
      return try pinned.entry._withUnsafeGuaranteedRef { entry in
        try container._withUnsafeGuaranteedRef { try unsafeDowncast(entry, to: PlainEntry<T>.self).factory($0) }
      }
    } catch { throw .error(failure(error, of: pinned.entry, for: container)) }
  }

  /// Returns the instance of a registration, made with arguments of exactly the types that the factory takes, and ends the guard.
  @inlinable @inline(__always)
  static func makeWithArguments<T, each Argument>(
    _ type: T.Type, _ pinned: PinnedEntry, for container: Unmanaged<Container>, args: repeat each Argument
  ) throws(FastPathError) -> T {
    let (kind, lifetime) = pinned.entry._withUnsafeGuaranteedRef { ($0.kind, $0.lifetime) }
    if lifetime != .transient || kind == .plain && isEmpty(repeat (each Argument).self) {
      return try make(T.self, pinned, for: container)
    }
    guard pinned.beginRun(if: { $0.kind == .arguments || $0.kind == .dynamic }, hasArguments: true) else { throw .slowPath }
    defer { pinned.epochGuard.record.pointee.pop() }
    let instance: T?
    do {
      instance = try pinned.entry._withUnsafeGuaranteedRef { entry in
        if kind == .dynamic {
          return try ArgumentReferences.withReferences(repeat each args) { arguments in
            try unsafeDowncast(entry, to: DynamicEntry<T>.self).unboxedFactory(arguments)
          }
        }
        guard entry.hasArguments(repeat (each Argument).self) else { return nil }
        return try container._withUnsafeGuaranteedRef {
          try unsafeDowncast(entry, to: ArgumentEntry<T, repeat each Argument>.self).factory($0, repeat each args)
        }
      }
    } catch { throw .error(failure(error, of: pinned.entry, for: container)) }
    guard let instance else { throw .slowPath }
    return instance
  }

  /// Returns the instance of a registration, or nil for the slow path.
  @inlinable @inline(__always)
  func fastInstance<T>(_ type: T.Type, _ pinned: PinnedEntry?) throws -> T? {
    guard let pinned else { return nil }
    do throws(FastPathError) { return try Self.make(T.self, pinned, for: .passUnretained(self)) } catch {
      return try error.rethrowFactoryError()
    }
  }

  @inlinable @inline(__always)
  func fastInstance<T, each Argument>(_ type: T.Type, _ pinned: PinnedEntry?, args: repeat each Argument) throws -> T? {
    guard let pinned else { return nil }
    do throws(FastPathError) {
      return try Self.makeWithArguments(T.self, pinned, for: .passUnretained(self), args: repeat each args)
    } catch {
      return try error.rethrowFactoryError()
    }
  }

  /// Returns the instance of a registration in an asynchronous context, or takes the slow path with a request.
  ///
  /// The guard ends before the first suspension, on the thread on which it began: a nonsending function runs on the executor of its
  /// caller.
  @inlinable @inline(__always)
  nonisolated(nonsending)
    static func instanceAsync<T>(
      _ type: T.Type, _ pinned: PinnedEntry?, from container: Unmanaged<Container>, else request: () -> Request
    ) async throws -> T
  {
    if let pinned {
      if pinned.entry._withUnsafeGuaranteedRef({ $0.kind == .async && $0.lifetime == .transient && $0.beginUntrackedRun() }) {
        pinned.epochGuard.end()
        let resolver: any Resolver = container.takeUnretainedValue()
        // The resolver keeps the entry.
        defer { withExtendedLifetime(resolver) { pinned.entry._withUnsafeGuaranteedRef { $0.endUntrackedRun() } } }
        let factory = pinned.entry._withUnsafeGuaranteedRef { AsyncFactory(unsafeDowncast($0, to: AsyncEntry<T>.self)) }
        do { return try await factory.closure(resolver) } catch {
          throw failure(error, of: pinned.entry, for: container)
        }
      }
      do throws(FastPathError) { return try make(T.self, pinned, for: container) } catch {
        if case .error(let error) = error { throw error }
      }
    }
    return try await instanceAsync(T.self, request(), from: container)
  }

  @usableFromInline @inline(never)
  static func failure(_ error: any Error, of entry: Unmanaged<Entry>, for container: Unmanaged<Container>) -> any Error {
    entry._withUnsafeGuaranteedRef { entry in container._withUnsafeGuaranteedRef { $0.failure(error, of: entry) } }
  }

  @inlinable @inline(__always)
  static func isEmpty<each Element>(_ type: repeat (each Element).Type) -> Bool {
    for _ in repeat each type { return false }
    return true
  }
}

extension Entry {
  /// The memory of the instance of a singleton or of a scoped entry, or nil before it is made.
  @inlinable @inline(__always)
  final func builtInstance<T>(_ type: T.Type) -> UnsafeMutablePointer<T>? {
    hasInstance.load(ordering: .acquiring) ? unsafeDowncast(self, to: TypedEntry<T>.self).instance : nil
  }

  /// Compares argument types with those of the factory, for an entry of the kind `.arguments`.
  @inlinable @inline(__always)
  final func hasArguments<each Argument>(_ type: repeat (each Argument).Type) -> Bool {
    let types = argumentIdentities
    var index = 0
    for type in repeat each type {
      guard index < types.count, types[index] == ObjectIdentifier(type) else { return false }
      index += 1
    }
    return index == types.count
  }
}

extension Container.FastPathError {
  /// Throws the error of the factory, or returns nil for the slow path.
  @inlinable @inline(__always)
  func rethrowFactoryError<T>() throws -> T? {
    if case .error(let error) = self { throw error }
    return nil
  }
}
