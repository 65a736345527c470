// The synchronous verbs with metadata; every other verb has it through `annotated(metadata:)`.

extension Registrar {
  /// Registers a factory without arguments, and metadata, under a key.
  @discardableResult
  public func register<T, Metadata: Sendable>(
    key: Key<T>, lifetime: Lifetime = .transient, metadata: Metadata, fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @Sendable (any Resolver) throws -> T
  ) -> Key<T> {
    let place = Place(file: fileID, line: line)
    add(PlainEntry(tags: key.tags, lifetime: lifetime, place: place, factory: factory), metadata: metadata)
    return key
  }

  /// Registers a factory without arguments, and metadata, under a type without tags.
  ///
  /// ```swift
  /// let container = Container()
  /// let key = container.register(Int.self, metadata: "the answer") { _ in 42 }
  /// assert(container[key]?.metadata(as: String.self) == "the answer")
  /// ```
  @discardableResult
  public func register<T, Metadata: Sendable>(
    _ type: T.Type = T.self, lifetime: Lifetime = .transient, metadata: Metadata, fileID: StaticString = #fileID,
    line: Int = #line, factory: @escaping @Sendable (any Resolver) throws -> T
  ) -> Key<T> {
    register(key: Key(), lifetime: lifetime, metadata: metadata, fileID: fileID, line: line, factory: factory)
  }

  /// Registers a factory without arguments, and metadata, under a type and tags.
  @discardableResult
  public func register<T, each Tag: Hashable & Sendable, Metadata: Sendable>(
    _ type: T.Type = T.self, tags: repeat each Tag, lifetime: Lifetime = .transient, metadata: Metadata,
    fileID: StaticString = #fileID, line: Int = #line, factory: @escaping @Sendable (any Resolver) throws -> T
  ) -> Key<T> {
    let place = Place(file: fileID, line: line)
    let key = Key<T>(tags: repeat each tags)
    add(PlainEntry(tags: key.tags, lifetime: lifetime, place: place, factory: factory), metadata: metadata)
    return key
  }

  /// Registers a factory with arguments, and metadata, under a key.
  @discardableResult
  public func register<T, Metadata: Sendable, each Argument>(
    key: Key<T>, lifetime: Lifetime = .transient, metadata: Metadata, fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @Sendable (any Resolver, repeat each Argument) throws -> T
  ) -> Key<T> {
    let place = Place(file: fileID, line: line)
    add(ArgumentEntry(tags: key.tags, lifetime: lifetime, place: place, factory: factory), metadata: metadata)
    return key
  }

  /// Registers a factory with arguments, and metadata, under a type and tags.
  @discardableResult
  public func register<T, each Tag: Hashable & Sendable, Metadata: Sendable, each Argument>(
    _ type: T.Type = T.self, tags: repeat each Tag, lifetime: Lifetime = .transient, metadata: Metadata,
    fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @Sendable (any Resolver, repeat each Argument) throws -> T
  ) -> Key<T> {
    let place = Place(file: fileID, line: line)
    let key = Key<T>(tags: repeat each tags)
    add(ArgumentEntry(tags: key.tags, lifetime: lifetime, place: place, factory: factory), metadata: metadata)
    return key
  }

  /// Registers an expression, and metadata, under a type without tags; it is evaluated at each resolve, or once for a singleton.
  @_disfavoredOverload @discardableResult
  public func register<T, Metadata: Sendable>(
    _ type: T.Type = T.self, lifetime: Lifetime = .transient, metadata: Metadata, fileID: StaticString = #fileID,
    line: Int = #line, instance: @escaping @Sendable @autoclosure () throws -> T
  ) -> Key<T> {
    withoutDependencies.register(key: Key(), lifetime: lifetime, metadata: metadata, fileID: fileID, line: line) { _ in
      try instance()
    }
  }

  /// Registers an expression, and metadata, under a type and tags; it is evaluated at each resolve, or once for a singleton.
  @_disfavoredOverload @discardableResult
  public func register<T, each Tag: Hashable & Sendable, Metadata: Sendable>(
    _ type: T.Type = T.self, tags: repeat each Tag, lifetime: Lifetime = .transient, metadata: Metadata,
    fileID: StaticString = #fileID, line: Int = #line, instance: @escaping @Sendable @autoclosure () throws -> T
  ) -> Key<T> {
    let key = Key<T>(tags: repeat each tags)
    return withoutDependencies.register(key: key, lifetime: lifetime, metadata: metadata, fileID: fileID, line: line) { _ in
      try instance()
    }
  }

  /// Registers a new entry with metadata.
  private func add(_ entry: Entry, metadata: any Sendable) {
    entry.details.metadata = metadata
    add(entry)
  }
}
