// The verbs of registration; what goes for all of them stands at `Registrar`.
//
// What is registered without tags and arguments has verbs without parameter packs, as have `auto`, `Criteria` and resolving: the
// optimiser of Swift 6.3.1 crashes in an asynchronous function that passes nothing but empty packs and keeps nothing else in its
// frame.

// MARK: Any context

extension Registrar {
  /// Registers a factory without arguments under a key.
  @discardableResult
  public func register<T>(
    key: Key<T>, lifetime: Lifetime = .transient, fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @Sendable (any Resolver) throws -> T
  ) -> Key<T> {
    add(PlainEntry(tags: key.tags, lifetime: lifetime, place: Place(file: fileID, line: line), factory: factory))
    return key
  }

  /// Registers a factory without arguments under a type without tags.
  @discardableResult
  public func register<T>(
    _ type: T.Type = T.self, lifetime: Lifetime = .transient, fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @Sendable (any Resolver) throws -> T
  ) -> Key<T> {
    register(key: Key(), lifetime: lifetime, fileID: fileID, line: line, factory: factory)
  }

  /// Registers a factory without arguments under a type and tags.
  @discardableResult
  public func register<T, each Tag: Hashable & Sendable>(
    _ type: T.Type = T.self, tags: repeat each Tag, lifetime: Lifetime = .transient, fileID: StaticString = #fileID,
    line: Int = #line, factory: @escaping @Sendable (any Resolver) throws -> T
  ) -> Key<T> {
    let place = Place(file: fileID, line: line)
    let key = Key<T>(tags: repeat each tags)
    add(PlainEntry(tags: key.tags, lifetime: lifetime, place: place, factory: factory))
    return key
  }

  /// Registers a factory with arguments under a key.
  @discardableResult
  public func register<T, each Argument>(
    key: Key<T>, lifetime: Lifetime = .transient, fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @Sendable (any Resolver, repeat each Argument) throws -> T
  ) -> Key<T> {
    add(ArgumentEntry(tags: key.tags, lifetime: lifetime, place: Place(file: fileID, line: line), factory: factory))
    return key
  }

  /// Registers a factory with arguments under a type and tags.
  @discardableResult
  public func register<T, each Tag: Hashable & Sendable, each Argument>(
    _ type: T.Type = T.self, tags: repeat each Tag, lifetime: Lifetime = .transient, fileID: StaticString = #fileID,
    line: Int = #line, factory: @escaping @Sendable (any Resolver, repeat each Argument) throws -> T
  ) -> Key<T> {
    let place = Place(file: fileID, line: line)
    let key = Key<T>(tags: repeat each tags)
    add(ArgumentEntry(tags: key.tags, lifetime: lifetime, place: place, factory: factory))
    return key
  }

  /// Registers an expression under a type without tags; it is evaluated at each resolve, or once for a singleton.
  @_disfavoredOverload @discardableResult
  public func register<T>(
    _ type: T.Type = T.self, lifetime: Lifetime = .transient, fileID: StaticString = #fileID, line: Int = #line,
    instance: @escaping @Sendable @autoclosure () throws -> T
  ) -> Key<T> {
    register(key: Key(), lifetime: lifetime, fileID: fileID, line: line, factory: AutoFactory(instance))
  }

  /// Registers an expression under a type and tags; it is evaluated at each resolve, or once for a singleton.
  @_disfavoredOverload @discardableResult
  public func register<T, each Tag: Hashable & Sendable>(
    _ type: T.Type = T.self, tags: repeat each Tag, lifetime: Lifetime = .transient, fileID: StaticString = #fileID,
    line: Int = #line, instance: @escaping @Sendable @autoclosure () throws -> T
  ) -> Key<T> {
    let key = Key<T>(tags: repeat each tags)
    return register(key: key, lifetime: lifetime, fileID: fileID, line: line, factory: AutoFactory(instance))
  }
}

// MARK: Asynchronous contexts

extension Registrar {
  /// Registers an asynchronous factory without arguments under a type without tags.
  @discardableResult
  public func register<T>(
    _ type: T.Type = T.self, lifetime: Lifetime = .transient, fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @Sendable (any Resolver) async throws -> T
  ) -> Key<T> {
    register(key: Key(), lifetime: lifetime, fileID: fileID, line: line, factory: factory)
  }

  /// Registers an asynchronous factory without arguments under a key.
  @discardableResult
  public func register<T>(
    key: Key<T>, lifetime: Lifetime = .transient, fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @Sendable (any Resolver) async throws -> T
  ) -> Key<T> {
    add(AsyncEntry(tags: key.tags, lifetime: lifetime, place: Place(file: fileID, line: line), factory: factory))
    return key
  }

  /// Registers an asynchronous factory under a key.
  @discardableResult
  public func register<T, each Argument>(
    key: Key<T>, lifetime: Lifetime = .transient, fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @Sendable (any Resolver, repeat each Argument) async throws -> T
  ) -> Key<T> {
    let place = Place(file: fileID, line: line)
    add(AsyncEntry(tags: key.tags, lifetime: lifetime, place: place, factory: factory))
    return key
  }

  /// Registers an asynchronous factory under a type and tags.
  @discardableResult
  public func register<T, each Tag: Hashable & Sendable, each Argument>(
    _ type: T.Type = T.self, tags: repeat each Tag, lifetime: Lifetime = .transient, fileID: StaticString = #fileID,
    line: Int = #line, factory: @escaping @Sendable (any Resolver, repeat each Argument) async throws -> T
  ) -> Key<T> {
    let place = Place(file: fileID, line: line)
    let key = Key<T>(tags: repeat each tags)
    add(AsyncEntry(tags: key.tags, lifetime: lifetime, place: place, factory: factory))
    return key
  }
}

// MARK: The main actor

extension Registrar {
  /// Registers a factory without arguments on the main actor under a type without tags.
  @discardableResult
  public func register<T>(
    _ type: T.Type = T.self, isolation: MainActor, lifetime: Lifetime = .transient, fileID: StaticString = #fileID,
    line: Int = #line, factory: @escaping @MainActor @Sendable (any Resolver) throws -> T
  ) -> Key<T> {
    register(key: Key(), isolation: isolation, lifetime: lifetime, fileID: fileID, line: line, factory: factory)
  }

  /// Registers a factory without arguments on the main actor under a type without tags; the same with the labels in another
  /// order.
  @_disfavoredOverload @discardableResult
  public func register<T>(
    _ type: T.Type = T.self, lifetime: Lifetime = .transient, isolation: MainActor, fileID: StaticString = #fileID,
    line: Int = #line, factory: @escaping @MainActor @Sendable (any Resolver) throws -> T
  ) -> Key<T> {
    register(key: Key(), isolation: isolation, lifetime: lifetime, fileID: fileID, line: line, factory: factory)
  }

  /// Registers an expression on the main actor under a type without tags.
  @_disfavoredOverload @discardableResult
  public func register<T>(
    _ type: T.Type = T.self, isolation: MainActor, lifetime: Lifetime = .transient, fileID: StaticString = #fileID,
    line: Int = #line, instance: @escaping @MainActor @Sendable @autoclosure () throws -> T
  ) -> Key<T> {
    let factory = MainAutoFactory(instance)
    return register(key: Key(), isolation: isolation, lifetime: lifetime, fileID: fileID, line: line, factory: factory)
  }

  /// Registers a factory without arguments on the main actor under a key.
  @discardableResult
  public func register<T>(
    key: Key<T>, isolation: MainActor, lifetime: Lifetime = .transient, fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @MainActor @Sendable (any Resolver) throws -> T
  ) -> Key<T> {
    add(MainEntry(tags: key.tags, lifetime: lifetime, place: Place(file: fileID, line: line), factory: factory))
    return key
  }

  /// Registers a factory on the main actor under a key.
  @discardableResult
  public func register<T, each Argument>(
    key: Key<T>, isolation: MainActor, lifetime: Lifetime = .transient, fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @MainActor @Sendable (any Resolver, repeat each Argument) throws -> T
  ) -> Key<T> {
    let place = Place(file: fileID, line: line)
    add(MainEntry(tags: key.tags, lifetime: lifetime, place: place, factory: factory))
    return key
  }

  /// Registers a factory on the main actor under a type and tags.
  @discardableResult
  public func register<T, each Tag: Hashable & Sendable, each Argument>(
    _ type: T.Type = T.self, isolation: MainActor, tags: repeat each Tag, lifetime: Lifetime = .transient,
    fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @MainActor @Sendable (any Resolver, repeat each Argument) throws -> T
  ) -> Key<T> {
    let place = Place(file: fileID, line: line)
    let key = Key<T>(tags: repeat each tags)
    add(MainEntry(tags: key.tags, lifetime: lifetime, place: place, factory: factory))
    return key
  }

  /// Registers a factory on the main actor under a type and tags; the same with the labels in another order.
  @_disfavoredOverload @discardableResult
  public func register<T, each Tag: Hashable & Sendable, each Argument>(
    _ type: T.Type = T.self, tags: repeat each Tag, lifetime: Lifetime = .transient, isolation: MainActor,
    fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @MainActor @Sendable (any Resolver, repeat each Argument) throws -> T
  ) -> Key<T> {
    let place = Place(file: fileID, line: line)
    let key = Key<T>(tags: repeat each tags)
    add(MainEntry(tags: key.tags, lifetime: lifetime, place: place, factory: factory))
    return key
  }

  /// Registers an expression on the main actor under a type and tags.
  @_disfavoredOverload @discardableResult
  public func register<T, each Tag: Hashable & Sendable>(
    _ type: T.Type = T.self, isolation: MainActor, tags: repeat each Tag, lifetime: Lifetime = .transient,
    fileID: StaticString = #fileID, line: Int = #line,
    instance: @escaping @MainActor @Sendable @autoclosure () throws -> T
  ) -> Key<T> {
    let key = Key<T>(tags: repeat each tags)
    let factory = MainAutoFactory(instance)
    return register(key: key, isolation: isolation, lifetime: lifetime, fileID: fileID, line: line, factory: factory)
  }
}
