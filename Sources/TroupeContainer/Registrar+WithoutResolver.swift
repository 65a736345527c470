// The functions that register factories without parameters, not even a resolver. `Registrar` documents the rules for all.
//
// Without them Swift would register a closure without `_ in`, or a function, as the instance itself. `validate()` knows that these
// factories have no dependencies.
//
// They are disfavored, as are the functions with `instance:`, so that Swift prefers a factory with a resolver, for example of several
// initialisers. Those of the main actor need no attribute: the conversion to a main-actor closure ranks them second.

// MARK: Any context

extension Registrar {
  /// Registers a factory that takes nothing under a key.
  @_disfavoredOverload @discardableResult
  public func register<T>(
    key: Key<T>, lifetime: Lifetime = .transient, fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @Sendable () throws -> T
  ) -> Key<T> {
    register(key: key, lifetime: lifetime, fileID: fileID, line: line, factory: AutoFactory(factory))
  }

  /// Registers a factory that takes nothing under a type without tags.
  ///
  /// ```swift
  /// let container = Container()
  /// container.register(lifetime: .singleton) { [1, 2, 3] }
  /// assert(try! container.resolve([Int].self) == [1, 2, 3])
  /// ```
  @_disfavoredOverload @discardableResult
  public func register<T>(
    _ type: T.Type = T.self, lifetime: Lifetime = .transient, fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @Sendable () throws -> T
  ) -> Key<T> {
    register(key: Key(), lifetime: lifetime, fileID: fileID, line: line, factory: AutoFactory(factory))
  }

  /// Registers a factory that takes nothing under a type and tags.
  @_disfavoredOverload @discardableResult
  public func register<T, each Tag: Hashable & Sendable>(
    _ type: T.Type = T.self, tags: repeat each Tag, lifetime: Lifetime = .transient, fileID: StaticString = #fileID,
    line: Int = #line, factory: @escaping @Sendable () throws -> T
  ) -> Key<T> {
    let key = Key<T>(tags: repeat each tags)
    return register(key: key, lifetime: lifetime, fileID: fileID, line: line, factory: AutoFactory(factory))
  }

  /// Registers a factory that takes nothing, and metadata, under a type without tags.
  @_disfavoredOverload @discardableResult
  public func register<T, Metadata: Sendable>(
    _ type: T.Type = T.self, lifetime: Lifetime = .transient, metadata: Metadata, fileID: StaticString = #fileID,
    line: Int = #line, factory: @escaping @Sendable () throws -> T
  ) -> Key<T> {
    withoutDependencies.register(key: Key(), lifetime: lifetime, metadata: metadata, fileID: fileID, line: line) { _ in
      try factory()
    }
  }

  /// Registers a factory that takes nothing, and metadata, under a type and tags.
  @_disfavoredOverload @discardableResult
  public func register<T, each Tag: Hashable & Sendable, Metadata: Sendable>(
    _ type: T.Type = T.self, tags: repeat each Tag, lifetime: Lifetime = .transient, metadata: Metadata,
    fileID: StaticString = #fileID, line: Int = #line, factory: @escaping @Sendable () throws -> T
  ) -> Key<T> {
    let key = Key<T>(tags: repeat each tags)
    return withoutDependencies.register(key: key, lifetime: lifetime, metadata: metadata, fileID: fileID, line: line) { _ in
      try factory()
    }
  }

  /// Registers a factory that takes nothing, whose instances are cached or not, as a resolve may override, under a type without
  /// tags.
  @_disfavoredOverload @discardableResult
  public func register<T>(
    _ type: T.Type = T.self, cached: Bool, fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @Sendable () throws -> T
  ) -> Key<T> {
    withoutDependencies.register(key: Key(), cached: cached, fileID: fileID, line: line) { _ in try factory() }
  }

  /// Registers a factory that takes nothing, whose instances are cached or not, as a resolve may override, under a type and tags.
  @_disfavoredOverload @discardableResult
  public func register<T, each Tag: Hashable & Sendable>(
    _ type: T.Type = T.self, tags: repeat each Tag, cached: Bool, fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @Sendable () throws -> T
  ) -> Key<T> {
    let key = Key<T>(tags: repeat each tags)
    return withoutDependencies.register(key: key, cached: cached, fileID: fileID, line: line) { _ in try factory() }
  }
}

// MARK: Asynchronous contexts

extension Registrar {
  /// Registers an asynchronous factory that takes nothing under a key.
  @_disfavoredOverload @discardableResult
  public func register<T>(
    key: Key<T>, lifetime: Lifetime = .transient, fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @Sendable () async throws -> T
  ) -> Key<T> {
    register(key: key, lifetime: lifetime, fileID: fileID, line: line, factory: AsyncAutoFactory(factory))
  }

  /// Registers an asynchronous factory that takes nothing under a type without tags.
  @_disfavoredOverload @discardableResult
  public func register<T>(
    _ type: T.Type = T.self, lifetime: Lifetime = .transient, fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @Sendable () async throws -> T
  ) -> Key<T> {
    register(key: Key(), lifetime: lifetime, fileID: fileID, line: line, factory: AsyncAutoFactory(factory))
  }

  /// Registers an asynchronous factory that takes nothing under a type and tags.
  @_disfavoredOverload @discardableResult
  public func register<T, each Tag: Hashable & Sendable>(
    _ type: T.Type = T.self, tags: repeat each Tag, lifetime: Lifetime = .transient, fileID: StaticString = #fileID,
    line: Int = #line, factory: @escaping @Sendable () async throws -> T
  ) -> Key<T> {
    let key = Key<T>(tags: repeat each tags)
    return register(key: key, lifetime: lifetime, fileID: fileID, line: line, factory: AsyncAutoFactory(factory))
  }
}

// MARK: The main actor

extension Registrar {
  /// Registers a factory that takes nothing on the main actor under a key.
  @discardableResult
  public func register<T>(
    key: Key<T>, isolation: MainActor, lifetime: Lifetime = .transient, fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @MainActor @Sendable () throws -> T
  ) -> Key<T> {
    register(key: key, isolation: isolation, lifetime: lifetime, fileID: fileID, line: line, factory: MainAutoFactory(factory))
  }

  /// Registers a factory that takes nothing on the main actor under a type without tags.
  @discardableResult
  public func register<T>(
    _ type: T.Type = T.self, isolation: MainActor, lifetime: Lifetime = .transient, fileID: StaticString = #fileID,
    line: Int = #line, factory: @escaping @MainActor @Sendable () throws -> T
  ) -> Key<T> {
    let factory = MainAutoFactory(factory)
    return register(key: Key(), isolation: isolation, lifetime: lifetime, fileID: fileID, line: line, factory: factory)
  }

  /// Registers a factory that takes nothing on the main actor under a type and tags.
  @discardableResult
  public func register<T, each Tag: Hashable & Sendable>(
    _ type: T.Type = T.self, isolation: MainActor, tags: repeat each Tag, lifetime: Lifetime = .transient,
    fileID: StaticString = #fileID, line: Int = #line, factory: @escaping @MainActor @Sendable () throws -> T
  ) -> Key<T> {
    let key = Key<T>(tags: repeat each tags)
    let factory = MainAutoFactory(factory)
    return register(key: key, isolation: isolation, lifetime: lifetime, fileID: fileID, line: line, factory: factory)
  }
}
