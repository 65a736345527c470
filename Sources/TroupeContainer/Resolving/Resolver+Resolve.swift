extension Resolver {
  /// The instance registered under a type without tags.
  ///
  /// An optional is the wrapped type's instance, or nil if that is not registered. An array or a set is every instance of
  /// its element type, whatever its tags, in registration order; one that cannot be made fails all. A `LazyResolver` is made on
  /// the spot. A registration of the very type is preferred to all of these.
  ///
  /// - Throws: A `ResolutionError`, or what the factory throws.
  @inlinable @inline(__always)
  public func resolve<T>(_ type: T.Type = T.self) throws -> T {
    try _container._withUnsafeGuaranteedRef { try $0.instance(of: T.self) }
  }

  /// The instance registered under a type and exactly these tags, made with the given arguments.
  ///
  /// An optional is the wrapped type's instance, or nil if that is not registered. An array or a set is every instance of
  /// its element type whose tags include the given ones, in registration order, each made with the arguments; one that cannot
  /// be made fails all. A `LazyResolver` is made on the spot. A registration of the very type is preferred to all of these.
  ///
  /// If no registration has exactly these tags, the only registration of a plugin that has these tags and more answers, so that
  /// either its UUID or its other tags are enough.
  ///
  /// - Throws: A `ResolutionError`, or what the factory throws. The reason is `.error` with an `AmbiguityError` if registrations of
  ///   several plugins have these tags.
  @inlinable @inline(__always)
  public func resolve<T, each Tag: Hashable & Sendable, each Argument>(
    _ type: T.Type = T.self, tags: repeat each Tag, args: repeat each Argument
  ) throws -> T {
    try _container._withUnsafeGuaranteedRef { try $0.instance(of: T.self, tags: repeat each tags, args: repeat each args) }
  }

  /// `resolve(_:tags:args:)` for one tag, which the compiler can specialise.
  @inlinable @inline(__always)
  public func resolve<T, Value: Hashable & Sendable>(_ type: T.Type = T.self, tags tag: Value) throws -> T {
    try _container._withUnsafeGuaranteedRef { try $0.instance(of: T.self, tag: tag) }
  }

  /// `resolve(_:tags:args:)` for two tags, which the compiler can specialise.
  @inlinable @inline(__always)
  public func resolve<T, First: Hashable & Sendable, Second: Hashable & Sendable>(
    _ type: T.Type = T.self, tags first: First, _ second: Second
  ) throws -> T {
    try _container._withUnsafeGuaranteedRef { try $0.instance(of: T.self, tags: first, second) }
  }

  /// `resolve(_:tags:args:)` for one tag and arguments, which the compiler can specialise.
  @inlinable @inline(__always)
  public func resolve<T, Value: Hashable & Sendable, each Argument>(
    _ type: T.Type = T.self, tags tag: Value, args: repeat each Argument
  ) throws -> T {
    try _container._withUnsafeGuaranteedRef { try $0.instance(of: T.self, tag: tag, args: repeat each args) }
  }

  /// `resolve(_:tags:args:)` for two tags and arguments, which the compiler can specialise.
  @inlinable @inline(__always)
  public func resolve<T, First: Hashable & Sendable, Second: Hashable & Sendable, each Argument>(
    _ type: T.Type = T.self, tags first: First, _ second: Second, args: repeat each Argument
  ) throws -> T {
    try _container._withUnsafeGuaranteedRef {
      try $0.instance(of: T.self, first: first, second: second, args: repeat each args)
    }
  }

  /// The instance registered under a key; see `resolve(_:tags:args:)`.
  ///
  /// - Throws: A `ResolutionError`, or what the factory throws.
  public func resolve<T>(key: Key<T>) throws -> T {
    try container.slowly(T.self, tags: key.tags)
  }

  /// The instance registered under a key, made with the given arguments; see `resolve(_:tags:args:)`.
  ///
  /// - Throws: A `ResolutionError`, or what the factory throws.
  public func resolve<T, each Argument>(key: Key<T>, args: repeat each Argument) throws -> T {
    try container.slowly(T.self, tags: key.tags, args: repeat each args)
  }
}

// MARK: Asynchronous contexts

extension Resolver {
  /// The instance registered under a type without tags; see the synchronous `resolve(_:)`. Any registration can be resolved this
  /// way: one on the main actor is made there, a singleton that is just being made is waited for.
  ///
  /// Swift takes this verb in asynchronous functions. At the top level of a program, in `main.swift`, it takes the synchronous
  /// one and warns that nothing behind the `await` is asynchronous.
  ///
  /// - Throws: A `ResolutionError`, or what the factory throws; a `CancellationError` if the task is cancelled while it waits for a
  ///   singleton.
  @inlinable @inline(__always)
  nonisolated(nonsending)
    public func resolve<T>(_ type: T.Type = T.self) async throws -> T
  {
    let container = _container
    // Without a call of an asynchronous function the caller neither suspends nor allocates a frame.
    var suspending: Unmanaged<Entry>?
    let instance = try withUnsafeTemporaryAllocation(of: T.self, capacity: 1) { buffer -> T? in
      guard let result = buffer.baseAddress else { return nil }
      return try container._withUnsafeGuaranteedRef { try $0.initialize(result, &suspending) } ? result.move() : nil
    }
    if let instance { return instance }
    let resolver = container.takeUnretainedValue()
    guard let suspending else { return try await resolver.slowlyAsync(T.self) }
    do {
      let factory = suspending._withUnsafeGuaranteedRef { unsafeDowncast($0, to: AsyncEntry<T>.self).factory }
      let instance = try await factory(resolver)
      withExtendedLifetime(resolver) { suspending._withUnsafeGuaranteedRef { $0.endUntrackedRun() } }
      return instance
    } catch {
      throw resolver.endUntrackedRun(suspending, error)
    }
  }

  /// The instance registered under a type and tags, made with the given arguments; see the synchronous
  /// `resolve(_:tags:args:)`.
  ///
  /// - Throws: A `ResolutionError`, or what the factory throws; a `CancellationError` if the task is cancelled while it waits for a
  ///   singleton.
  nonisolated(nonsending)
    public func resolve<T, each Tag: Hashable & Sendable, each Argument>(
      _ type: T.Type = T.self, tags: repeat each Tag, args: repeat each Argument
    ) async throws -> T
  {
    let request = Container.Request(TagProbe.boxed(repeat each tags), repeat each args)
    return try await container.resolveAsync(T.self, request)
  }

  /// The instance registered under a key, made with the given arguments; see the synchronous `resolve(_:tags:args:)`.
  ///
  /// - Throws: A `ResolutionError`, or what the factory throws; a `CancellationError` if the task is cancelled while it waits for a
  ///   singleton.
  nonisolated(nonsending)
    public func resolve<T, each Argument>(key: Key<T>, args: repeat each Argument) async throws -> T
  {
    try await container.resolveAsync(T.self, Container.Request(key.tags, repeat each args))
  }
}

// MARK: The main actor

extension Resolver {
  /// The instance registered under a type and tags, made on the main actor with the given arguments; see the
  /// `resolve(_:tags:args:)` without isolation.
  ///
  /// - Throws: A `ResolutionError`, or what the factory throws.
  @MainActor
  public func resolve<T, each Tag: Hashable & Sendable, each Argument>(
    _ type: T.Type = T.self, isolation: MainActor, tags: repeat each Tag, args: repeat each Argument
  ) throws -> T {
    let request = Container.Request(onMainActor: TagProbe.boxed(repeat each tags), repeat each args)
    return try container.resolve(T.self, request)
  }

  /// The instance registered under a key, made on the main actor with the given arguments; see the
  /// `resolve(_:tags:args:)` without isolation.
  ///
  /// - Throws: A `ResolutionError`, or what the factory throws.
  @MainActor
  public func resolve<T, each Argument>(key: Key<T>, isolation: MainActor, args: repeat each Argument) throws -> T {
    try container.resolve(T.self, Container.Request(onMainActor: key.tags, repeat each args))
  }
}
