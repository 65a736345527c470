extension Resolver {
  /// The instance registered under a type and exactly these tags, from the cache or not; see `resolve(_:tags:args:)`.
  ///
  /// Only what was registered with `cached:` takes heed: with true the cache is used, and filled if it is empty, with false the
  /// factory runs and the cache stays as it is. It holds for the members of an array, too, and for nothing that a factory resolves.
  ///
  /// - Throws: A `ResolutionError`, or what the factory throws.
  public func resolve<T, each Tag: Hashable & Sendable, each Argument>(
    _ type: T.Type = T.self, tags: repeat each Tag, args: repeat each Argument, cached: Bool
  ) throws -> T {
    let request = Container.Request(TagProbe.boxed(repeat each tags), repeat each args, cached: cached)
    return try container.resolve(T.self, request)
  }

  /// The instance registered under a key, from the cache or not; see `resolve(_:tags:args:cached:)`.
  ///
  /// - Throws: A `ResolutionError`, or what the factory throws.
  public func resolve<T, each Argument>(key: Key<T>, args: repeat each Argument, cached: Bool) throws -> T {
    try container.resolve(T.self, Container.Request(key.tags, repeat each args, cached: cached))
  }

  /// The instance registered under a type without tags, from the cache or not; see the synchronous
  /// `resolve(_:tags:args:cached:)`.
  ///
  /// - Throws: A `ResolutionError`, or what the factory throws; a `CancellationError` if the task is cancelled while it waits for a
  ///   singleton.
  nonisolated(nonsending)
    public func resolve<T>(_ type: T.Type = T.self, cached: Bool) async throws -> T
  {
    try await container.resolveAsync(T.self, Container.Request(tags: [], cached: cached))
  }

  /// The instance registered under a type and tags, from the cache or not; see the synchronous `resolve(_:tags:args:cached:)`.
  ///
  /// - Throws: A `ResolutionError`, or what the factory throws; a `CancellationError` if the task is cancelled while it waits for a
  ///   singleton.
  nonisolated(nonsending)
    public func resolve<T, each Tag: Hashable & Sendable, each Argument>(
      _ type: T.Type = T.self, tags: repeat each Tag, args: repeat each Argument, cached: Bool
    ) async throws -> T
  {
    let request = Container.Request(TagProbe.boxed(repeat each tags), repeat each args, cached: cached)
    return try await container.resolveAsync(T.self, request)
  }

  /// The instance registered under a type and tags, on the main actor, from the cache or not; see `resolve(_:tags:args:cached:)`.
  ///
  /// - Throws: A `ResolutionError`, or what the factory throws.
  @MainActor
  public func resolve<T, each Tag: Hashable & Sendable, each Argument>(
    _ type: T.Type = T.self, isolation: MainActor, tags: repeat each Tag, args: repeat each Argument, cached: Bool
  ) throws -> T {
    let request = Container.Request(onMainActor: TagProbe.boxed(repeat each tags), repeat each args, cached: cached)
    return try container.resolve(T.self, request)
  }
}
