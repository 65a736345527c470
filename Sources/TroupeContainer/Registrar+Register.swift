extension Registrar {
  /// Registers a factory under a key. What was registered under it before is replaced.
  ///
  /// The factory runs on the thread of whoever resolves. Instances that it shares between threads (a singleton, or whatever
  /// it captures) have to stand that.
  @discardableResult
  public func register<T, each Argument>(
    key: Key<T>, lifetime: Lifetime = .transient,
    factory: @escaping @Sendable (any Resolver, repeat each Argument) throws -> T
  ) -> Key<T> {
    self[AnyKey(key)] = Entry(key: key, lifetime: lifetime, factory: factory)
    return key
  }

  /// Registers a factory under a type and tags. What was registered under them before is replaced.
  @discardableResult
  public func register<T, each Tag: Hashable & Sendable, each Argument>(
    _ type: T.Type = T.self, tags: repeat each Tag, lifetime: Lifetime = .transient,
    factory: @escaping @Sendable (any Resolver, repeat each Argument) throws -> T
  ) -> Key<T> {
    register(key: Key<T>(tags: repeat each tags), lifetime: lifetime, factory: factory)
  }

  /// Registers an expression under a type and tags; it is evaluated at each resolve, or once for a singleton.
  @discardableResult
  public func register<T, each Tag: Hashable & Sendable>(
    _ type: T.Type = T.self, tags: repeat each Tag, lifetime: Lifetime = .transient,
    instance: @escaping @Sendable @autoclosure () throws -> T
  ) -> Key<T> {
    register(key: Key<T>(tags: repeat each tags), lifetime: lifetime) { _ in try instance() }
  }
}
