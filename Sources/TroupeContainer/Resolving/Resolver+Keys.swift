import Synchronization

/// Resolving by keys that are values. All of several keys are looked up at one version, as the members of an array are.
extension Resolver {
  /// Returns the instance registered under a key whose type is known at run time only, made with the given arguments; see
  /// `resolve(_:tags:args:)`. There is no asynchronous form: an asynchronous factory needs a key with a type.
  ///
  /// - Throws: A `ResolutionError`, or the error of the factory.
  public func resolve<each Argument>(key: AnyKey, args: repeat each Argument) throws -> Any {
    try container.instance(key, Container.Request(key.tags, repeat each args))
  }

  /// Returns the instances registered under some keys, in the order of the keys. Keys without a registration, or with a weak object
  /// that was released, are left out. A key that occurs twice is resolved twice.
  ///
  /// ```swift
  /// let container = Container()
  /// let keys = (1...3).map { number in container.register(Int.self, tags: number) { _ in number } }
  /// assert(try! container.resolve(keys: [keys[2], Key(tags: "missing"), keys[0]]) == [3, 1])
  /// ```
  ///
  /// The key of an optional, an array or a lazy resolver that is not registered itself is resolved as `resolve(key:)` would.
  ///
  /// - Throws: For the first one that cannot be made, a `ResolutionError`, or the error of a factory.
  public func resolve<T>(keys: some Sequence<Key<T>>) throws -> [T] {
    try _container._withUnsafeGuaranteedRef { try $0.instances(Array(keys)) }
  }

  /// Returns the instances registered under some keys, each made with the given arguments; see `resolve(keys:)`.
  ///
  /// - Throws: For the first one that cannot be made, a `ResolutionError`, or the error of a factory.
  public func resolve<T, each Argument>(keys: some Sequence<Key<T>>, args: repeat each Argument) throws -> [T] {
    try container.instances(keys.map(AnyKey.init), Container.Request([], repeat each args, isOptional: true))
  }

  /// Returns the instances registered under some keys of any types, each with its key, in the keys' order; see `resolve(keys:args:)`
  /// for keys of one type. There is no asynchronous form.
  ///
  /// - Throws: For the first one that cannot be made, a `ResolutionError`, or the error of a factory.
  public func resolve<each Argument>(
    keys: some Sequence<AnyKey>, args: repeat each Argument
  ) throws -> [(key: AnyKey, instance: Any)] {
    try container.keyedInstances(Array(keys), Container.Request([], repeat each args, isOptional: true))
  }

  /// Returns the instances registered under some keys, in the order of the keys, one after the other; see the synchronous
  /// `resolve(keys:args:)`.
  ///
  /// - Throws: For the first one that cannot be made, a `ResolutionError`, or the error of a factory; a `CancellationError` if
  ///   the task is cancelled while it waits for a singleton.
  nonisolated(nonsending)
    public func resolve<T>(keys: some Sequence<Key<T>>) async throws -> [T]
  {
    try await Container.instancesAsync(Array(keys), from: _container)
  }

  /// Returns the instances registered under some keys, each made with the given arguments; see the asynchronous
  /// `resolve(keys:)`.
  ///
  /// - Throws: For the first one that cannot be made, a `ResolutionError`, or the error of a factory; a `CancellationError` if the task
  ///   is cancelled while it waits.
  nonisolated(nonsending)
    public func resolve<T, each Argument>(keys: some Sequence<Key<T>>, args: repeat each Argument) async throws -> [T]
  {
    try await container.instancesAsync(keys.map(AnyKey.init), Container.Request([], repeat each args, isOptional: true))
  }

  /// Returns the instances registered under some keys, in the order of the keys, made on the main actor; see the `resolve(keys:args:)` without
  /// isolation.
  ///
  /// - Throws: For the first one that cannot be made, a `ResolutionError`, or the error of a factory.
  @MainActor
  public func resolve<T, each Argument>(
    keys: some Sequence<Key<T>>, isolation: MainActor, args: repeat each Argument
  ) throws -> [T] {
    try container.instances(keys.map(AnyKey.init), Container.Request(onMainActor: [], repeat each args, isOptional: true))
  }
}

// MARK: Implementation

extension Container {
  func instance(_ key: AnyKey, _ request: Request) throws -> Any {
    func instance<T>(_ type: T.Type) throws -> Any { try self.instance(type, request) }
    return try instance(key.metatype)
  }

  func instances<T>(_ keys: [Key<T>]) throws -> [T] {
    try fastInstances(keys) ?? instances(keys.map(AnyKey.init), Request(tags: [], isOptional: true))
  }

  @inline(never)
  nonisolated(nonsending)
    static func instancesAsync<T>(_ keys: [Key<T>], from container: Unmanaged<Container>) async throws -> [T]
  {
    if let instances = try container._withUnsafeGuaranteedRef({ try $0.fastInstances(keys) }) { return instances }
    return try await container.takeUnretainedValue().instancesAsync(
      keys.map(AnyKey.init), Request(tags: [], isOptional: true))
  }

  /// Returns the instances registered under some keys of one type, or nil for the slow path.
  func fastInstances<T>(_ keys: [Key<T>]) throws -> [T]? {
    let epochGuard = EpochGuard(epochs)
    return try withUnsafeTemporaryAllocation(of: Unmanaged<Entry>.self, capacity: max(1, keys.count)) { found in
      let version = versionSum
      var count = 0
      while count < keys.count, let entry = readyEntry(ObjectIdentifier(T.self), keys[count].tags) {
        // A buffer of at least one element has an address.
        (found.baseAddress.unsafelyUnwrapped + count).initialize(to: entry)
        count += 1
      }
      if count == keys.count, versionSum == version {
        return try instances(T.self, UnsafeMutableBufferPointer(rebasing: found[..<count]), epochGuard)
      }
      epochGuard.end()
      return nil
    }
  }

  /// Sums the versions of this container and its ancestors, so that any commit changes it.
  var versionSum: UInt64 { version.load(ordering: .acquiring) &+ (parent?.versionSum ?? 0) }

  /// Returns the registration under a type and exactly some tags if its instance exists, or its factory is synchronous and has no
  /// arguments. For a reader.
  func readyEntry(_ identity: ObjectIdentifier, _ tags: [Tag]) -> Unmanaged<Entry>? {
    guard !isLearning, let entry = nearestRegistration(identity, tagHash: TagHash.sum(tags))?.entry,
      entry._withUnsafeGuaranteedRef({ $0.hasTags(exactly: tags) && $0.isReady(inOwnContainer: true) })
    else { return nil }
    return entry
  }

  /// One of the requests of a `selection`.
  struct KeyQuery {
    let metatype: any Any.Type
    let request: Request
  }

  /// A request and the registration that answers it, if any.
  struct KeyMatch {
    let candidate: Candidate?
    let request: Request
  }

  /// Returns the registration that answers each of some requests, as `select` finds it, all at one version of each container.
  func selection(_ queries: [KeyQuery]) -> [KeyMatch] {
    var nearest: [Candidate?] = Array(repeating: nil, count: queries.count)
    var fitting: [Candidate?] = nearest
    for container in selfAndAncestors {
      let entries = container.withSnapshot { version in
        queries.map { container.entries($0.metatype, exactly: $0.request.tags, at: version) }
      }
      for (index, query) in queries.enumerated() where fitting[index] == nil {
        guard let choice = container.choose(among: entries[index], query.request, for: self) else { continue }
        if choice.fits { fitting[index] = choice.candidate } else { nearest[index] = nearest[index] ?? choice.candidate }
      }
    }
    return queries.indices.map { KeyMatch(candidate: fitting[$0] ?? nearest[$0], request: queries[$0].request) }
  }

  /// Returns the registration that answers a request under each of some keys, after loading. A container that learns records the
  /// requests.
  private func selection(_ keys: [AnyKey], _ request: Request) throws -> [KeyMatch] {
    let queries = keys.map { KeyQuery(metatype: $0.metatype, request: request.with(tags: $0.tags)) }
    if isLearning { for query in queries { learn(query.metatype, query.request) } }
    return try loadedSelection(queries)
  }

  /// Returns the instances of a type under some keys. It skips keys without a registration.
  func instances<T>(_ keys: [AnyKey], _ request: Request) throws -> [T] { try instances(selection(keys, request)) }

  /// Returns the instances under some keys, each with its key. It skips keys without a registration.
  func keyedInstances(_ keys: [AnyKey], _ request: Request) throws -> [(key: AnyKey, instance: Any)] {
    try zip(keys, selection(keys, request)).compactMap { key, selected in
      func instance<T>(_ type: T.Type) throws -> Any? { try (instances([selected]) as [T]).first }
      return try instance(key.metatype).map { (key, $0) }
    }
  }

  /// Returns the instances of a type for the selected registrations.
  private func instances<T>(_ selection: [KeyMatch]) throws -> [T] {
    if selection.isEmpty { return [] }
    return try [T](unsafeUninitializedCapacity: selection.count) { buffer, count in
      guard let start = buffer.baseAddress else { return }
      for selected in selection where try initialize(start + count, selected.candidate, selected.request) { count += 1 }
    }
  }

  /// Returns the instances of a type under some keys in an asynchronous context. It skips keys without a registration.
  nonisolated(nonsending)
    func instancesAsync<T>(_ keys: [AnyKey], _ request: Request) async throws -> [T]
  {
    var instances: [T] = []
    for selected in try selection(keys, request) {
      let instance = try await instanceAsync(of: selected.candidate, T.self, selected.request)
      if let instance { instances.append(instance) }
    }
    return instances
  }
}
