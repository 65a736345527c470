// What is cached is a singleton, and what is not a transient; a resolve may override which of the two it is.

extension Registrar {
  /// Registers a factory without arguments under a key, whose instances are cached or not, as a resolve may override.
  @discardableResult
  public func register<T>(
    key: Key<T>, cached: Bool, fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @Sendable (any Resolver) throws -> T
  ) -> Key<T> {
    let place = Place(file: fileID, line: line)
    add(PlainEntry(tags: key.tags, lifetime: Lifetime(cached: cached), place: place, factory: factory).withOverridableCaching())
    return key
  }

  /// Registers a factory without arguments under a type without tags, whose instances are cached or not, as a resolve may override.
  ///
  /// ```swift
  /// final class Catalog: Sendable {}
  ///
  /// let container = Container()
  /// container.register(cached: true) { _ in Catalog() }
  /// let catalog = try container.resolve(Catalog.self)
  /// assert(try! container.resolve(Catalog.self, cached: false) !== catalog)
  /// assert(try! container.resolve(Catalog.self) === catalog)
  /// ```
  ///
  /// With `cached: true` it has the lifetime `.singleton`, otherwise `.transient`. A resolve with `cached: false` runs the
  /// factory and leaves the cache as it is; one with `cached: true` uses the cache, which it fills if it is empty. Any other
  /// resolve does as was registered. Resolves of a registration that was made without `cached:` ignore theirs.
  ///
  /// Cost: a second entry beside the registration.
  @discardableResult
  public func register<T>(
    _ type: T.Type = T.self, cached: Bool, fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @Sendable (any Resolver) throws -> T
  ) -> Key<T> {
    register(key: Key(), cached: cached, fileID: fileID, line: line, factory: factory)
  }

  /// Registers a factory without arguments under a type and tags, whose instances are cached or not, as a resolve may override.
  @discardableResult
  public func register<T, each Tag: Hashable & Sendable>(
    _ type: T.Type = T.self, tags: repeat each Tag, cached: Bool, fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @Sendable (any Resolver) throws -> T
  ) -> Key<T> {
    register(key: Key(tags: repeat each tags), cached: cached, fileID: fileID, line: line, factory: factory)
  }

  /// Registers a factory with arguments under a type and tags, whose instances are cached or not, as a resolve may override.
  /// Once it is filled, the cache ignores arguments.
  @discardableResult
  public func register<T, each Tag: Hashable & Sendable, each Argument>(
    _ type: T.Type = T.self, tags: repeat each Tag, cached: Bool, fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @Sendable (any Resolver, repeat each Argument) throws -> T
  ) -> Key<T> {
    let place = Place(file: fileID, line: line)
    let key = Key<T>(tags: repeat each tags)
    let lifetime = Lifetime(cached: cached)
    add(ArgumentEntry(tags: key.tags, lifetime: lifetime, place: place, factory: factory).withOverridableCaching())
    return key
  }

  /// Registers an asynchronous factory under a type and tags, whose instances are cached or not, as a resolve may override. Once it
  /// is filled, the cache ignores arguments.
  @discardableResult
  public func register<T, each Tag: Hashable & Sendable, each Argument>(
    _ type: T.Type = T.self, tags: repeat each Tag, cached: Bool, fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @Sendable (any Resolver, repeat each Argument) async throws -> T
  ) -> Key<T> {
    let place = Place(file: fileID, line: line)
    let key = Key<T>(tags: repeat each tags)
    add(AsyncEntry(tags: key.tags, lifetime: Lifetime(cached: cached), place: place, factory: factory).withOverridableCaching())
    return key
  }

  /// Registers a factory on the main actor under a type and tags, whose instances are cached or not, as a resolve may override.
  /// Once it is filled, the cache ignores arguments.
  @discardableResult
  public func register<T, each Tag: Hashable & Sendable, each Argument>(
    _ type: T.Type = T.self, isolation: MainActor, tags: repeat each Tag, cached: Bool, fileID: StaticString = #fileID,
    line: Int = #line, factory: @escaping @MainActor @Sendable (any Resolver, repeat each Argument) throws -> T
  ) -> Key<T> {
    let place = Place(file: fileID, line: line)
    let key = Key<T>(tags: repeat each tags)
    add(MainEntry(tags: key.tags, lifetime: Lifetime(cached: cached), place: place, factory: factory).withOverridableCaching())
    return key
  }
}

extension Lifetime {
  /// What is made once, if it is cached, and for each resolve otherwise.
  fileprivate init(cached: Bool) { self = cached ? .singleton : .transient }
}
