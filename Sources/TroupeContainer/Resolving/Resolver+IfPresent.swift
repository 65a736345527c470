// What may be missing. As with optionals, nil is the answer only if that very key is not found.

extension Resolver {
  /// The instance registered under a type and exactly these tags, or nil if nothing is registered so, or only an object that is
  /// gone.
  ///
  /// ```swift
  /// let container = Container()
  /// assert(try! container.resolve(ifPresent: Int.self) == nil)
  /// container.register(Int.self) { resolver in try resolver.resolve(Int.self, tags: "missing") }
  /// do {
  ///   _ = try container.resolve(ifPresent: Int.self)
  ///   assertionFailure("what the factory needs is missing")
  /// } catch {}
  /// ```
  ///
  /// It differs from resolving an optional in that nobody can register one for it.
  ///
  /// - Throws: For everything else, a missing dependency included, a `ResolutionError`, or what the factory throws.
  public func resolve<T, each Tag: Hashable & Sendable, each Argument>(
    ifPresent type: T.Type, tags: repeat each Tag, args: repeat each Argument
  ) throws -> T? {
    try container.resolveIfPresent(T.self, Container.Request(TagProbe.boxed(repeat each tags), repeat each args))
  }

  /// The instance registered under a key, or nil if nothing is; see `resolve(ifPresent:tags:args:)`.
  ///
  /// - Throws: For everything else, a missing dependency included, a `ResolutionError`, or what the factory throws.
  public func resolve<T, each Argument>(ifPresent key: Key<T>, args: repeat each Argument) throws -> T? {
    try container.resolveIfPresent(T.self, Container.Request(key.tags, repeat each args))
  }

  /// The instance registered under a type without tags, or nil if nothing is; see the synchronous `resolve(ifPresent:tags:args:)`.
  ///
  /// - Throws: For everything else a `ResolutionError`, or what the factory throws; a `CancellationError` if the task is
  ///   cancelled while it waits for a singleton.
  nonisolated(nonsending)
    public func resolve<T>(ifPresent type: T.Type) async throws -> T?
  {
    try await container.resolveIfPresentAsync(T.self, Container.Request(tags: []))
  }

  /// The instance registered under a type and tags, or nil if nothing is; see the synchronous `resolve(ifPresent:tags:args:)`.
  ///
  /// - Throws: For everything else a `ResolutionError`, or what the factory throws; a `CancellationError` if the task is
  ///   cancelled while it waits for a singleton.
  nonisolated(nonsending)
    public func resolve<T, each Tag: Hashable & Sendable, each Argument>(
      ifPresent type: T.Type, tags: repeat each Tag, args: repeat each Argument
    ) async throws -> T?
  {
    try await container.resolveIfPresentAsync(T.self, Container.Request(TagProbe.boxed(repeat each tags), repeat each args))
  }

  /// The instance registered under a key, or nil if nothing is; see the synchronous `resolve(ifPresent:tags:args:)`.
  ///
  /// - Throws: For everything else a `ResolutionError`, or what the factory throws; a `CancellationError` if the task is
  ///   cancelled while it waits for a singleton.
  nonisolated(nonsending)
    public func resolve<T, each Argument>(ifPresent key: Key<T>, args: repeat each Argument) async throws -> T?
  {
    try await container.resolveIfPresentAsync(T.self, Container.Request(key.tags, repeat each args))
  }

  /// The instance registered under a type and tags, made on the main actor, or nil if nothing is; see
  /// `resolve(ifPresent:tags:args:)`.
  ///
  /// - Throws: For everything else, a missing dependency included, a `ResolutionError`, or what the factory throws.
  @MainActor
  public func resolve<T, each Tag: Hashable & Sendable, each Argument>(
    ifPresent type: T.Type, isolation: MainActor, tags: repeat each Tag, args: repeat each Argument
  ) throws -> T? {
    try container.resolveIfPresent(T.self, Container.Request(onMainActor: TagProbe.boxed(repeat each tags), repeat each args))
  }

  /// The instance registered under a key, made on the main actor, or nil if nothing is; see `resolve(ifPresent:tags:args:)`.
  ///
  /// - Throws: For everything else, a missing dependency included, a `ResolutionError`, or what the factory throws.
  @MainActor
  public func resolve<T, each Argument>(ifPresent key: Key<T>, isolation: MainActor, args: repeat each Argument) throws -> T? {
    try container.resolveIfPresent(T.self, Container.Request(onMainActor: key.tags, repeat each args))
  }
}
