extension Resolver {
  /// The instance registered under a type without tags.
  ///
  /// An optional is the wrapped type's instance, or nil if that is not registered. An array or a set is every instance of
  /// its element type, in registration order. A `LazyResolver` is made on the spot. A registration of the very type is
  /// preferred to all of these.
  ///
  /// - Throws: A `ResolutionError`.
  @inlinable
  public func resolve<T>(_ type: T.Type = T.self) throws -> T {
    try _container._withUnsafeGuaranteedRef { container in
      if let instance = try container.quickly(T.self, tagHash: 0, hasTags: { _ in true }) { return instance }
      return try container.slowly(T.self, tags: [])
    }
  }

  /// The instance registered under a type and tags, made with the given arguments.
  ///
  /// An optional is the wrapped type's instance, or nil if that is not registered. An array or a set is every instance of
  /// its element type whose tags include the given ones, in registration order. A `LazyResolver` is made on the spot. A
  /// registration of the very type is preferred to all of these.
  ///
  /// - Throws: A `ResolutionError`.
  @inlinable
  public func resolve<T, each Tag: Hashable & Sendable, each Argument>(
    _ type: T.Type = T.self, tags: repeat each Tag, args: repeat each Argument
  ) throws -> T {
    try _container._withUnsafeGuaranteedRef { container in
      var probe = TagProbe()
      for tag in repeat each tags { probe.add(tag) }
      if probe.isQuick {
        let hasTags = { (entry: Entry) -> Bool in
          guard entry.unownedTags.count == probe.count else { return false }
          var index = 0
          for tag in repeat each tags {
            guard entry.hasTag(tag, hash: probe.hashes[index]) else { return false }
            index += 1
          }
          return true
        }
        let hash = probe.sum
        if Self._isEmpty(repeat (each Argument).self) {
          if let instance = try container.quickly(T.self, tagHash: hash, hasTags: hasTags) { return instance }
        } else if let instance = try container.quickly(T.self, tagHash: hash, hasTags: hasTags, args: repeat each args) {
          return instance
        }
      }
      return try container.slowly(T.self, tags: TagProbe.boxed(repeat each tags), args: repeat each args)
    }
  }

  /// The instance registered under a key, made with the given arguments; see `resolve(_:tags:args:)`.
  ///
  /// - Throws: A `ResolutionError`.
  public func resolve<T, each Argument>(key: Key<T>, args: repeat each Argument) throws -> T {
    try container.slowly(T.self, tags: key.tags, args: repeat each args)
  }

  /// Whether a pack has no elements.
  @inlinable @inline(__always)
  public static func _isEmpty<each Element>(_ type: repeat (each Element).Type) -> Bool {
    for _ in repeat each type { return false }
    return true
  }
}

// MARK: Asynchronous contexts

extension Resolver {
  /// The instance registered under a type without tags; see the synchronous `resolve(_:)`. Any registration can be resolved this
  /// way: one on the main actor is made there, a singleton that is just being made is waited for.
  ///
  /// - Throws: A `ResolutionError`; a `CancellationError` if the task is cancelled while it waits for a singleton.
  nonisolated(nonsending)
    public func resolve<T>(_ type: T.Type = T.self) async throws -> T
  {
    try await container.asynchronously(T.self, Container.Request(tags: []))
  }

  /// The instance registered under a type and tags, made with the given arguments; see the synchronous
  /// `resolve(_:tags:args:)`.
  ///
  /// - Throws: A `ResolutionError`; a `CancellationError` if the task is cancelled while it waits for a singleton.
  nonisolated(nonsending)
    public func resolve<T, each Tag: Hashable & Sendable, each Argument>(
      _ type: T.Type = T.self, tags: repeat each Tag, args: repeat each Argument
    ) async throws -> T
  {
    let request = Container.Request(TagProbe.boxed(repeat each tags), repeat each args)
    return try await container.asynchronously(T.self, request)
  }

  /// The instance registered under a key, made with the given arguments; see the synchronous `resolve(_:tags:args:)`.
  ///
  /// - Throws: A `ResolutionError`; a `CancellationError` if the task is cancelled while it waits for a singleton.
  nonisolated(nonsending)
    public func resolve<T, each Argument>(key: Key<T>, args: repeat each Argument) async throws -> T
  {
    try await container.asynchronously(T.self, Container.Request(key.tags, repeat each args))
  }
}

// MARK: The main actor

extension Resolver {
  /// The instance registered under a type and tags, made on the main actor with the given arguments; see the
  /// `resolve(_:tags:args:)` without isolation.
  ///
  /// - Throws: A `ResolutionError`.
  @MainActor
  public func resolve<T, each Tag: Hashable & Sendable, each Argument>(
    _ type: T.Type = T.self, isolation: MainActor, tags: repeat each Tag, args: repeat each Argument
  ) throws -> T {
    let request = Container.Request(TagProbe.boxed(repeat each tags), repeat each args)
    return try container.onMain(T.self, request)
  }

  /// The instance registered under a key, made on the main actor with the given arguments; see the
  /// `resolve(_:tags:args:)` without isolation.
  ///
  /// - Throws: A `ResolutionError`.
  @MainActor
  public func resolve<T, each Argument>(key: Key<T>, isolation: MainActor, args: repeat each Argument) throws -> T {
    try container.onMain(T.self, Container.Request(key.tags, repeat each args))
  }
}
