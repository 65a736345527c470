// The verbs of registration for factories that know what they resolve, which are those of `auto` and `mainauto`; what goes for
// all verbs stands at `Registrar`.

// MARK: Any context

extension Registrar {
  /// Registers a factory that `auto` has made under a key.
  @discardableResult
  public func register<T>(
    key: Key<T>, lifetime: Lifetime = .transient, fileID: StaticString = #fileID, line: Int = #line, factory: AutoFactory<T>
  ) -> Key<T> {
    let place = Place(file: fileID, line: line)
    add(
      PlainEntry(tags: key.tags, lifetime: lifetime, place: place, factory: factory.factory), factory.parameters.dependencies)
    return key
  }

  /// Registers a factory that `auto` has made under a type without tags.
  @discardableResult
  public func register<T>(
    _ type: T.Type = T.self, lifetime: Lifetime = .transient, fileID: StaticString = #fileID, line: Int = #line,
    factory: AutoFactory<T>
  ) -> Key<T> {
    register(key: Key(), lifetime: lifetime, fileID: fileID, line: line, factory: factory)
  }

  /// Registers a factory that `auto` has made under a type and tags.
  @discardableResult
  public func register<T, each Tag: Hashable & Sendable>(
    _ type: T.Type = T.self, tags: repeat each Tag, lifetime: Lifetime = .transient, fileID: StaticString = #fileID,
    line: Int = #line, factory: AutoFactory<T>
  ) -> Key<T> {
    register(key: Key(tags: repeat each tags), lifetime: lifetime, fileID: fileID, line: line, factory: factory)
  }
}

// MARK: Asynchronous contexts

extension Registrar {
  /// Registers an asynchronous factory that `auto` has made under a key.
  @discardableResult
  public func register<T>(
    key: Key<T>, lifetime: Lifetime = .transient, fileID: StaticString = #fileID, line: Int = #line,
    factory: AsyncAutoFactory<T>
  ) -> Key<T> {
    let place = Place(file: fileID, line: line)
    add(
      AsyncEntry(tags: key.tags, lifetime: lifetime, place: place, factory: factory.factory), factory.parameters.dependencies)
    return key
  }

  /// Registers an asynchronous factory that `auto` has made under a type without tags.
  @discardableResult
  public func register<T>(
    _ type: T.Type = T.self, lifetime: Lifetime = .transient, fileID: StaticString = #fileID, line: Int = #line,
    factory: AsyncAutoFactory<T>
  ) -> Key<T> {
    register(key: Key(), lifetime: lifetime, fileID: fileID, line: line, factory: factory)
  }

  /// Registers an asynchronous factory that `auto` has made under a type and tags.
  @discardableResult
  public func register<T, each Tag: Hashable & Sendable>(
    _ type: T.Type = T.self, tags: repeat each Tag, lifetime: Lifetime = .transient, fileID: StaticString = #fileID,
    line: Int = #line, factory: AsyncAutoFactory<T>
  ) -> Key<T> {
    register(key: Key(tags: repeat each tags), lifetime: lifetime, fileID: fileID, line: line, factory: factory)
  }
}

// MARK: The main actor

extension Registrar {
  /// Registers a factory that `mainauto` has made under a key.
  @discardableResult
  public func register<T>(
    key: Key<T>, isolation: MainActor, lifetime: Lifetime = .transient, fileID: StaticString = #fileID, line: Int = #line,
    factory: MainAutoFactory<T>
  ) -> Key<T> {
    let place = Place(file: fileID, line: line)
    add(
      MainEntry(tags: key.tags, lifetime: lifetime, place: place, factory: factory.factory), factory.parameters.dependencies)
    return key
  }

  /// Registers a factory that `mainauto` has made under a type without tags.
  @discardableResult
  public func register<T>(
    _ type: T.Type = T.self, isolation: MainActor, lifetime: Lifetime = .transient, fileID: StaticString = #fileID,
    line: Int = #line, factory: MainAutoFactory<T>
  ) -> Key<T> {
    register(key: Key(), isolation: isolation, lifetime: lifetime, fileID: fileID, line: line, factory: factory)
  }

  /// Registers a factory that `mainauto` has made under a type without tags; the same with the labels in another order.
  @_disfavoredOverload @discardableResult
  public func register<T>(
    _ type: T.Type = T.self, lifetime: Lifetime = .transient, isolation: MainActor, fileID: StaticString = #fileID,
    line: Int = #line, factory: MainAutoFactory<T>
  ) -> Key<T> {
    register(key: Key(), isolation: isolation, lifetime: lifetime, fileID: fileID, line: line, factory: factory)
  }

  /// Registers a factory that `mainauto` has made under a type and tags.
  @discardableResult
  public func register<T, each Tag: Hashable & Sendable>(
    _ type: T.Type = T.self, isolation: MainActor, tags: repeat each Tag, lifetime: Lifetime = .transient,
    fileID: StaticString = #fileID, line: Int = #line, factory: MainAutoFactory<T>
  ) -> Key<T> {
    let key = Key<T>(tags: repeat each tags)
    return register(key: key, isolation: isolation, lifetime: lifetime, fileID: fileID, line: line, factory: factory)
  }

  /// Registers a factory that `mainauto` has made under a type and tags; the same with the labels in another order.
  @_disfavoredOverload @discardableResult
  public func register<T, each Tag: Hashable & Sendable>(
    _ type: T.Type = T.self, tags: repeat each Tag, lifetime: Lifetime = .transient, isolation: MainActor,
    fileID: StaticString = #fileID, line: Int = #line, factory: MainAutoFactory<T>
  ) -> Key<T> {
    let key = Key<T>(tags: repeat each tags)
    return register(key: key, isolation: isolation, lifetime: lifetime, fileID: fileID, line: line, factory: factory)
  }
}

extension Registrar {
  /// Registers an entry that is known to resolve something.
  private func add(_ entry: Entry, _ dependencies: [Dependency]) {
    entry.details.dependencies = dependencies
    add(entry)
  }
}
