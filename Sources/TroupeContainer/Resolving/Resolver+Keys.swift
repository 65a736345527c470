import Synchronization

/// Resolving by keys that are values. All of several keys are looked up at one version, as the members of an array are.
extension Resolver {
  /// Returns the instance registered under a key whose type is known at run time only, made with the given arguments; see
  /// `resolve(_:tags:args:)`. There is no asynchronous form: an asynchronous factory needs a key with a type.
  ///
  /// - Throws: A `ResolutionError`, or the error of the factory.
  public func resolve<each Argument>(key: AnyKey, args: repeat each Argument) throws -> Any {
    let request = Container.Request(key.tags, repeat each args)
    func instance<T>(_ type: T.Type) throws -> Any { try container.instance(type, request) }
    return try instance(key.metatype)
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
}

// MARK: Implementation

extension Container {
  @usableFromInline
  func instances<T>(_ keys: [Key<T>]) throws -> [T] {
    try fastInstances(keys) ?? instances(keys.map(AnyKey.init), Request(tags: [], isOptional: true))
  }

  @usableFromInline
  nonisolated(nonsending)
    static func instancesAsync<T>(_ keys: [Key<T>], from container: Unmanaged<Container>) async throws -> [T]
  {
    if let instances = try container._withUnsafeGuaranteedRef({ try $0.fastInstances(keys) }) { return instances }
    return try await container.takeUnretainedValue().instancesAsync(
      keys.map(AnyKey.init), Request(tags: [], isOptional: true))
  }

  /// Returns nil for the slow path, unless each instance exists, or its factory is synchronous and has no arguments.
  func fastInstances<T>(_ keys: [Key<T>]) throws -> [T]? {
    if isLearning || keys.isEmpty { return nil }
    let epochGuard = EpochGuard(epochs)
    return try withUnsafeTemporaryAllocation(of: Unmanaged<Entry>.self, capacity: keys.count) { found in
      let version = versionSum
      var count = 0
      for key in keys {
        guard let entry = nearestRegistration(ObjectIdentifier(T.self), tagHash: TagHash.sum(key.tags))?.entry,
          entry._withUnsafeGuaranteedRef({ $0.hasTags(exactly: key.tags) && $0.isReady(inOwnContainer: true) })
        else { break }
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

  /// Returns the registration that answers a request under each of some keys, as `select` finds it, all at one version of each container.
  func selection(_ keys: [AnyKey], _ request: Request) -> [Candidate?] {
    var nearest: [Candidate?] = Array(repeating: nil, count: keys.count)
    var fitting = nearest
    for container in selfAndAncestors {
      let entries = container.withSnapshot { version in
        keys.map { key in container.entries(key.metatype, exactly: key.tags) { $0.isVisible(at: version) } }
      }
      for index in keys.indices where fitting[index] == nil {
        guard let choice = container.choose(among: entries[index], request, for: self) else { continue }
        if choice.fits { fitting[index] = choice.candidate } else { nearest[index] = nearest[index] ?? choice.candidate }
      }
    }
    return zip(fitting, nearest).map { $0 ?? $1 }
  }

  /// Returns each key with the registration that answers a request under it, after loading. A container that learns records the requests.
  private func answers(_ keys: [AnyKey], _ request: Request) throws -> Zip2Sequence<[AnyKey], [Candidate?]> {
    if isLearning { for key in keys { learn(key.metatype, request.with(tags: key.tags)) } }
    return zip(keys, try loaded { selection(keys, request) })
  }

  /// Returns the instances of a type under some keys. It skips keys without a registration.
  func instances<T>(_ keys: [AnyKey], _ request: Request) throws -> [T] {
    if keys.isEmpty { return [] }
    let answers = try answers(keys, request)
    return try [T](unsafeUninitializedCapacity: keys.count) { buffer, count in
      guard let start = buffer.baseAddress else { return }
      for (key, candidate) in answers where try initialize(start + count, candidate, request.with(tags: key.tags)) {
        count += 1
      }
    }
  }

  /// Returns the instances under some keys, each with its key. It skips keys without a registration.
  func keyedInstances(_ keys: [AnyKey], _ request: Request) throws -> [(key: AnyKey, instance: Any)] {
    try answers(keys, request).compactMap { key, candidate in
      func instance<T>(_ type: T.Type) throws -> Any? {
        try Self.stored(type) { try initialize($0, candidate, request.with(tags: key.tags)) }
      }
      return try instance(key.metatype).map { (key, $0) }
    }
  }

  /// Returns the instances of a type under some keys in an asynchronous context. It skips keys without a registration.
  nonisolated(nonsending)
    func instancesAsync<T>(_ keys: [AnyKey], _ request: Request) async throws -> [T]
  {
    var instances: [T] = []
    for (key, candidate) in try answers(keys, request) {
      let instance = try await instanceAsync(of: candidate, T.self, request.with(tags: key.tags))
      if let instance { instances.append(instance) }
    }
    return instances
  }
}
