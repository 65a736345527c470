public import Synchronization

// The fast path of `resolve`: the nearest container that has the key has one registration under it, and the instance exists or the
// factory runs in any context. It allocates nothing besides the instance. `find` looks up the registration, `make` returns the
// instance. Every other resolve takes the slow path.
//
// No, one and two tags have functions of their own: the optimizer of Swift 6.3.1 does not specialize packs, nor closures in functions
// with packs. A pack of tags costs 30 ns more.

extension Container {
  /// A registration that a reader has found. The function that makes the instance ends the reading.
  @frozen @usableFromInline
  struct PinnedEntry {
    @usableFromInline let entry: Unmanaged<Entry>
    @usableFromInline let epochGuard: EpochGuard

    @inlinable @inline(__always)
    init(_ entry: Unmanaged<Entry>, _ epochGuard: EpochGuard) {
      self.entry = entry
      self.epochGuard = epochGuard
    }

    /// Ends the reading. Marks the factory as running, unless a closure refuses the entry, or the run would close a dependency cycle.
    /// Returns whether the caller has to run the factory, and to end the run.
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

  /// Why the fast path returns no instance.
  @frozen @usableFromInline
  enum FastPathFailure: Error {
    /// The slow path has to make the instance.
    case slowPath
    /// The factory threw an error.
    case error(any Error)
  }

  // MARK: Lookup

  /// Returns the registration under a type without tags. Returns nil if the slow path has to look up the registration.
  @inlinable @inline(__always)
  func find(_ identity: ObjectIdentifier) -> PinnedEntry? {
    let epochGuard = EpochGuard(epochs)
    if let entry = registration(identity, TagProbe()) { return PinnedEntry(entry, epochGuard) }
    epochGuard.end()
    return nil
  }

  /// Returns the registration under a type and a tag. Returns nil if the slow path has to look up the registration.
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

  /// Returns the registration under a type and two tags. Returns nil if the slow path has to look up the registration.
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

  /// Returns the registration under a type and tags. Returns nil if the slow path has to look up the registration.
  @inlinable @inline(__always)
  func find<each Value: Hashable & Sendable>(_ identity: ObjectIdentifier, all tags: repeat each Value) -> PinnedEntry? {
    var probe = TagProbe()
    // Not a loop over the pack, which would copy each tag.
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

  /// Returns the registration under a type and boxed tags. Returns nil if the slow path has to look up the registration.
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

  /// Returns the registration under a type and a hash of tags in the nearest container that has any, or the scoped entry for it.
  /// Returns nil if the slow path has to look up the registration.
  @inlinable @inline(__always)
  func registration(_ identity: ObjectIdentifier, _ probe: TagProbe) -> Unmanaged<Entry>? {
    probe.allowsFastPath ? registration(identity, tagHash: probe.sum) : nil
  }

  /// Returns the same for the sum of the hashes of distinct tags. For a reader.
  @inlinable @inline(__always)
  func registration(_ identity: ObjectIdentifier, tagHash: UInt) -> Unmanaged<Entry>? {
    let version = fastPathVersion.load(ordering: .acquiring)
    if version != 0 {
      let list = list(identity, tagHash: tagHash)
      if list != 0 { return EntryList.entry(list, visibleAt: version) }
      if parent == nil { return nil }
    }
    return nearestRegistrationUnlessLearning(identity, tagHash: tagHash)
  }

  /// The list of the registrations under a type and a hash of tags in this container.
  @inlinable @inline(__always)
  func list(_ identity: ObjectIdentifier, tagHash: UInt) -> UInt {
    list(identity) { $0.list(tagHash: tagHash) }
  }

  @usableFromInline @inline(never)
  func nearestRegistrationUnlessLearning(_ identity: ObjectIdentifier, tagHash: UInt) -> Unmanaged<Entry>? {
    isLearning ? nil : nearestRegistration(identity, tagHash: tagHash)?.entry
  }

  /// Returns the registration under a type and a hash of tags in the nearest of this container and its ancestors that has any, with
  /// the overrides of the present task before each, or the scoped entry for it. Returns nil if there are none or several. The owningContainer
  /// is the container that keeps the instance, nil for a registration of an override.
  ///
  /// - Parameters:
  ///   - scope: The nearest scope below this container, if there is one.
  ///   - depth: How many ancestors may be searched. It limits the stack that the recursion uses.
  func nearestRegistration(
    _ identity: ObjectIdentifier, tagHash: UInt, below scope: Unmanaged<Container>? = nil, depth: Int = 64
  ) -> (entry: Unmanaged<Entry>, owningContainer: Unmanaged<Container>?)? {
    var version = fastPathVersion.load(ordering: .acquiring)
    var list: UInt = 0
    var owningContainer: Unmanaged<Container>? = .passUnretained(self)
    if version == 0 {
      if let found = overridingList(identity, tagHash: tagHash) {
        (list, version) = found
        owningContainer = nil
      } else {
        version = self.version.load(ordering: .acquiring)
      }
    }
    if list == 0 { list = self.list(identity, tagHash: tagHash) }
    if list == 0 {
      let scope = scope ?? (scopeStorage == nil ? nil : .passUnretained(self))
      return depth == 0 ? nil : parent?.nearestRegistration(identity, tagHash: tagHash, below: scope, depth: depth - 1)
    }
    guard let entry = EntryList.entry(list, visibleAt: version) else { return nil }
    guard let scope, entry._withUnsafeGuaranteedRef({ $0.lifetime == .scoped }) else { return (entry, owningContainer) }
    return scopedEntry(of: entry, owningContainer: owningContainer, in: scope).map { ($0, scope) }
  }

  /// Returns the scoped entry of a registration in a scope. Creates it if there is none yet, unless an override has the registration.
  private func scopedEntry(
    of entry: Unmanaged<Entry>, owningContainer: Unmanaged<Container>?, in scope: Unmanaged<Container>
  ) -> Unmanaged<Entry>? {
    scope._withUnsafeGuaranteedRef { scope in
      scope.scopeStorage?._withUnsafeGuaranteedRef {
        $0.scopedEntry(of: entry) ?? (owningContainer == nil ? nil : $0.makeScopedEntry(of: entry, owningContainer: self))
      }
    }
  }

  /// Whether this container or an ancestor may have a registration of a type. It has none if none was ever made, no override is active,
  /// and there are few ancestors.
  @usableFromInline
  func mayHave(_ identity: ObjectIdentifier) -> Bool {
    let epochGuard = EpochGuard(epochs)
    defer { epochGuard.end() }
    return mayHave(identity, depth: 64)
  }

  /// Does the same for a reader: a writer may replace the map of types meanwhile.
  func mayHave(_ identity: ObjectIdentifier, depth: Int) -> Bool {
    // A loop would count references to the ancestors.
    types[UInt(bitPattern: identity)] != 0 || fastPathVersion.load(ordering: .relaxed) == 0 || depth == 0
      || parent?.mayHave(identity, depth: depth - 1) ?? false
  }

  // MARK: Instances

  /// Returns the instance of a registration without arguments. Throws `.slowPath` if the slow path has to make it.
  @inlinable @inline(__always)
  static func make<T>(_ type: T.Type, _ found: PinnedEntry, for container: Unmanaged<Container>) throws(FastPathFailure) -> T {
    guard found.entry._withUnsafeGuaranteedRef({ $0.lifetime == .transient }) else {
      defer { found.epochGuard.end() }
      guard let instance = found.entry._withUnsafeGuaranteedRef({ $0.builtInstance(T.self) }) else { throw .slowPath }
      return instance.pointee
    }
    guard found.beginRun(if: { $0.kind == .plain }, hasArguments: false) else { throw .slowPath }
    defer { found.epochGuard.record.pointee.pop() }
    do {
      return try found.entry._withUnsafeGuaranteedRef { entry in
        try container._withUnsafeGuaranteedRef { try unsafeDowncast(entry, to: PlainEntry<T>.self).factory($0) }
      }
    } catch { throw .error(failure(error, of: found.entry, for: container)) }
  }

  /// Returns the instance of a registration, made with arguments of exactly the types that the factory takes. Throws `.slowPath` if the
  /// slow path has to make it.
  @inlinable @inline(__always)
  static func makeWithArguments<T, each Argument>(
    _ type: T.Type, _ found: PinnedEntry, for container: Unmanaged<Container>, args: repeat each Argument
  ) throws(FastPathFailure) -> T {
    let (kind, lifetime) = found.entry._withUnsafeGuaranteedRef { ($0.kind, $0.lifetime) }
    if lifetime != .transient || kind == .plain && isEmpty(repeat (each Argument).self) {
      return try make(T.self, found, for: container)
    }
    guard found.beginRun(if: { $0.kind == .arguments || $0.kind == .dynamic }, hasArguments: true) else { throw .slowPath }
    defer { found.epochGuard.record.pointee.pop() }
    let instance: T?
    do {
      instance = try found.entry._withUnsafeGuaranteedRef { entry in
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
    } catch { throw .error(failure(error, of: found.entry, for: container)) }
    guard let instance else { throw .slowPath }
    return instance
  }

  /// Returns the instance of a registration; nil if the slow path has to make it.
  @inlinable @inline(__always)
  func fastInstance<T>(_ type: T.Type, _ found: PinnedEntry?) throws -> T? {
    guard let found else { return nil }
    do throws(FastPathFailure) { return try Self.make(T.self, found, for: .passUnretained(self)) } catch {
      return try error.rethrowFactoryError()
    }
  }

  /// Returns the instance of a registration, made with arguments; nil if the slow path has to make it.
  @inlinable @inline(__always)
  func fastInstance<T, each Argument>(_ type: T.Type, _ found: PinnedEntry?, args: repeat each Argument) throws -> T? {
    guard let found else { return nil }
    do throws(FastPathFailure) {
      return try Self.makeWithArguments(T.self, found, for: .passUnretained(self), args: repeat each args)
    } catch {
      return try error.rethrowFactoryError()
    }
  }
  /// Returns the instance of a registration, or for a request if the slow path has to make it, in an asynchronous context. The reading
  /// ends before the first suspension, on the thread on which it began: a nonsending function runs on the executor of its caller.
  @inlinable @inline(__always)
  nonisolated(nonsending)
    static func instanceAsync<T>(
      _ type: T.Type, _ found: PinnedEntry?, from container: Unmanaged<Container>, else request: () -> Request
    ) async throws -> T
  {
    if let found {
      if found.entry._withUnsafeGuaranteedRef({ $0.kind == .async && $0.lifetime == .transient && $0.beginUntrackedRun() }) {
        found.epochGuard.end()
        let resolver: any Resolver = container.takeUnretainedValue()
        // The resolver keeps the entry.
        defer { withExtendedLifetime(resolver) { found.entry._withUnsafeGuaranteedRef { $0.endUntrackedRun() } } }
        let factory = found.entry._withUnsafeGuaranteedRef { AsyncFactory(unsafeDowncast($0, to: AsyncEntry<T>.self)) }
        do { return try await factory.closure(resolver) } catch {
          throw failure(error, of: found.entry, for: container)
        }
      }
      do throws(FastPathFailure) { return try make(T.self, found, for: container) } catch {
        if case .error(let error) = error { throw error }
      }
    }
    return try await instanceAsync(T.self, request(), from: container)
  }

  /// Returns the error to throw for an error of a factory.
  @usableFromInline @inline(never)
  static func failure(_ error: any Error, of entry: Unmanaged<Entry>, for container: Unmanaged<Container>) -> any Error {
    entry._withUnsafeGuaranteedRef { entry in container._withUnsafeGuaranteedRef { $0.failure(error, of: entry) } }
  }

  /// Whether a pack has no elements.
  @inlinable @inline(__always)
  static func isEmpty<each Element>(_ type: repeat (each Element).Type) -> Bool {
    for _ in repeat each type { return false }
    return true
  }
}

extension Entry {
  /// The memory of the instance of a singleton or of a scoped entry; nil if it has not been made.
  @inlinable @inline(__always)
  final func builtInstance<T>(_ type: T.Type) -> UnsafeMutablePointer<T>? {
    state.load(ordering: .acquiring) == 1 ? unsafeDowncast(self, to: TypedEntry<T>.self).instance : nil
  }

  /// Whether the factory takes arguments of exactly these types; for an entry of the kind `.arguments`.
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

extension Container.FastPathFailure {
  /// Throws the error of the factory. Returns nil if the slow path has to make the instance.
  @inlinable @inline(__always)
  func rethrowFactoryError<T>() throws -> T? {
    if case .error(let error) = self { throw error }
    return nil
  }
}
