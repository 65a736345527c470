// Written by scripts/generate-overloads. Change that script, not this file.
//
// Registrations without tags and arguments have functions without parameter packs: the optimizer of Swift 6.3.1 crashes in an
// asynchronous function that passes only empty packs and keeps nothing else in its frame.
//
// Overloads for factories without parameters exist since Swift would otherwise register a closure without `_ in` as the instance
// itself. They and those for instances are disfavored, so that Swift prefers a factory with a resolver where several fit.

extension Registrar {
  /// Registers a factory under a key.
  @discardableResult
  public func register<T>(
    key: Key<T>, lifetime: Lifetime = .transient, fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @Sendable (any Resolver) throws -> T
  ) -> Key<T> {
    adding(PlainEntry(tags: key.tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line), factory: factory))
  }

  /// Registers a factory under a type without tags.
  @discardableResult
  public func register<T>(
    _ type: T.Type = T.self, lifetime: Lifetime = .transient, fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @Sendable (any Resolver) throws -> T
  ) -> Key<T> {
    adding(
      PlainEntry(tags: Key<T>().tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line), factory: factory))
  }

  /// Registers a factory under a type and tags.
  @discardableResult
  public func register<T, each Tag: Hashable & Sendable>(
    _ type: T.Type = T.self, tags: repeat each Tag, lifetime: Lifetime = .transient, fileID: StaticString = #fileID,
    line: Int = #line, factory: @escaping @Sendable (any Resolver) throws -> T
  ) -> Key<T> {
    adding(
      PlainEntry(
        tags: Key<T>(tags: repeat each tags).tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line),
        factory: factory))
  }

  /// Registers a factory under a key.
  @discardableResult
  public func register<T, each Argument>(
    key: Key<T>, lifetime: Lifetime = .transient, fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @Sendable (any Resolver, repeat each Argument) throws -> T
  ) -> Key<T> {
    adding(
      ArgumentEntry(tags: key.tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line), factory: factory))
  }

  /// Registers a factory under a type and tags.
  @discardableResult
  public func register<T, each Tag: Hashable & Sendable, each Argument>(
    _ type: T.Type = T.self, tags: repeat each Tag, lifetime: Lifetime = .transient, fileID: StaticString = #fileID,
    line: Int = #line, factory: @escaping @Sendable (any Resolver, repeat each Argument) throws -> T
  ) -> Key<T> {
    adding(
      ArgumentEntry(
        tags: Key<T>(tags: repeat each tags).tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line),
        factory: factory))
  }

  /// Registers a factory without parameters under a key.
  @_disfavoredOverload @discardableResult
  public func register<T>(
    key: Key<T>, lifetime: Lifetime = .transient, fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @Sendable () throws -> T
  ) -> Key<T> {
    adding(
      PlainEntry(
        tags: key.tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line), factory: { _ in try factory() }),
      dependencies: [])
  }

  /// Registers a factory without parameters under a type without tags.
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
    adding(
      PlainEntry(
        tags: Key<T>().tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line),
        factory: { _ in try factory() }), dependencies: [])
  }

  /// Registers a factory without parameters under a type and tags.
  @_disfavoredOverload @discardableResult
  public func register<T, each Tag: Hashable & Sendable>(
    _ type: T.Type = T.self, tags: repeat each Tag, lifetime: Lifetime = .transient, fileID: StaticString = #fileID,
    line: Int = #line, factory: @escaping @Sendable () throws -> T
  ) -> Key<T> {
    adding(
      PlainEntry(
        tags: Key<T>(tags: repeat each tags).tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line),
        factory: { _ in try factory() }), dependencies: [])
  }

  /// Registers a factory that `auto` has created under a key.
  @discardableResult
  public func register<T>(
    key: Key<T>, lifetime: Lifetime = .transient, fileID: StaticString = #fileID, line: Int = #line, factory: AutoFactory<T>
  ) -> Key<T> {
    adding(
      PlainEntry(
        tags: key.tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line), factory: factory.factory),
      dependencies: factory.parameters.dependencies)
  }

  /// Registers a factory that `auto` has created under a type without tags.
  @discardableResult
  public func register<T>(
    _ type: T.Type = T.self, lifetime: Lifetime = .transient, fileID: StaticString = #fileID, line: Int = #line,
    factory: AutoFactory<T>
  ) -> Key<T> {
    adding(
      PlainEntry(
        tags: Key<T>().tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line), factory: factory.factory),
      dependencies: factory.parameters.dependencies)
  }

  /// Registers a factory that `auto` has created under a type and tags.
  @discardableResult
  public func register<T, each Tag: Hashable & Sendable>(
    _ type: T.Type = T.self, tags: repeat each Tag, lifetime: Lifetime = .transient, fileID: StaticString = #fileID,
    line: Int = #line, factory: AutoFactory<T>
  ) -> Key<T> {
    adding(
      PlainEntry(
        tags: Key<T>(tags: repeat each tags).tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line),
        factory: factory.factory), dependencies: factory.parameters.dependencies)
  }

  /// Registers an expression under a type without tags. It is evaluated at each resolve, or once for a singleton.
  @_disfavoredOverload @discardableResult
  public func register<T>(
    _ type: T.Type = T.self, lifetime: Lifetime = .transient, fileID: StaticString = #fileID, line: Int = #line,
    instance: @escaping @Sendable @autoclosure () throws -> T
  ) -> Key<T> {
    adding(
      PlainEntry(
        tags: Key<T>().tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line),
        factory: { _ in try instance() }), dependencies: [])
  }

  /// Registers an expression under a type and tags. It is evaluated at each resolve, or once for a singleton.
  @_disfavoredOverload @discardableResult
  public func register<T, each Tag: Hashable & Sendable>(
    _ type: T.Type = T.self, tags: repeat each Tag, lifetime: Lifetime = .transient, fileID: StaticString = #fileID,
    line: Int = #line, instance: @escaping @Sendable @autoclosure () throws -> T
  ) -> Key<T> {
    adding(
      PlainEntry(
        tags: Key<T>(tags: repeat each tags).tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line),
        factory: { _ in try instance() }), dependencies: [])
  }

  /// Registers an asynchronous factory under a key.
  @discardableResult
  public func register<T>(
    key: Key<T>, lifetime: Lifetime = .transient, fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @Sendable (any Resolver) async throws -> T
  ) -> Key<T> {
    adding(AsyncEntry(tags: key.tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line), factory: factory))
  }

  /// Registers an asynchronous factory under a type without tags.
  @discardableResult
  public func register<T>(
    _ type: T.Type = T.self, lifetime: Lifetime = .transient, fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @Sendable (any Resolver) async throws -> T
  ) -> Key<T> {
    adding(
      AsyncEntry(tags: Key<T>().tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line), factory: factory))
  }

  /// Registers an asynchronous factory under a type and tags.
  @discardableResult
  public func register<T, each Tag: Hashable & Sendable>(
    _ type: T.Type = T.self, tags: repeat each Tag, lifetime: Lifetime = .transient, fileID: StaticString = #fileID,
    line: Int = #line, factory: @escaping @Sendable (any Resolver) async throws -> T
  ) -> Key<T> {
    adding(
      AsyncEntry(
        tags: Key<T>(tags: repeat each tags).tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line),
        factory: factory))
  }

  /// Registers an asynchronous factory under a key.
  @discardableResult
  public func register<T, each Argument>(
    key: Key<T>, lifetime: Lifetime = .transient, fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @Sendable (any Resolver, repeat each Argument) async throws -> T
  ) -> Key<T> {
    adding(
      AsyncArgumentEntry(tags: key.tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line), factory: factory)
    )
  }

  /// Registers an asynchronous factory under a type and tags.
  @discardableResult
  public func register<T, each Tag: Hashable & Sendable, each Argument>(
    _ type: T.Type = T.self, tags: repeat each Tag, lifetime: Lifetime = .transient, fileID: StaticString = #fileID,
    line: Int = #line, factory: @escaping @Sendable (any Resolver, repeat each Argument) async throws -> T
  ) -> Key<T> {
    adding(
      AsyncArgumentEntry(
        tags: Key<T>(tags: repeat each tags).tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line),
        factory: factory))
  }

  /// Registers an asynchronous factory without parameters under a key.
  @_disfavoredOverload @discardableResult
  public func register<T>(
    key: Key<T>, lifetime: Lifetime = .transient, fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @Sendable () async throws -> T
  ) -> Key<T> {
    adding(
      AsyncEntry(
        tags: key.tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line),
        factory: { _ in try await factory() }), dependencies: [])
  }

  /// Registers an asynchronous factory without parameters under a type without tags.
  @_disfavoredOverload @discardableResult
  public func register<T>(
    _ type: T.Type = T.self, lifetime: Lifetime = .transient, fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @Sendable () async throws -> T
  ) -> Key<T> {
    adding(
      AsyncEntry(
        tags: Key<T>().tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line),
        factory: { _ in try await factory() }), dependencies: [])
  }

  /// Registers an asynchronous factory without parameters under a type and tags.
  @_disfavoredOverload @discardableResult
  public func register<T, each Tag: Hashable & Sendable>(
    _ type: T.Type = T.self, tags: repeat each Tag, lifetime: Lifetime = .transient, fileID: StaticString = #fileID,
    line: Int = #line, factory: @escaping @Sendable () async throws -> T
  ) -> Key<T> {
    adding(
      AsyncEntry(
        tags: Key<T>(tags: repeat each tags).tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line),
        factory: { _ in try await factory() }), dependencies: [])
  }

  /// Registers an asynchronous factory that `auto` has created under a key.
  @discardableResult
  public func register<T>(
    key: Key<T>, lifetime: Lifetime = .transient, fileID: StaticString = #fileID, line: Int = #line,
    factory: AsyncAutoFactory<T>
  ) -> Key<T> {
    adding(
      AsyncEntry(
        tags: key.tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line), factory: factory.factory),
      dependencies: factory.parameters.dependencies)
  }

  /// Registers an asynchronous factory that `auto` has created under a type without tags.
  @discardableResult
  public func register<T>(
    _ type: T.Type = T.self, lifetime: Lifetime = .transient, fileID: StaticString = #fileID, line: Int = #line,
    factory: AsyncAutoFactory<T>
  ) -> Key<T> {
    adding(
      AsyncEntry(
        tags: Key<T>().tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line), factory: factory.factory),
      dependencies: factory.parameters.dependencies)
  }

  /// Registers an asynchronous factory that `auto` has created under a type and tags.
  @discardableResult
  public func register<T, each Tag: Hashable & Sendable>(
    _ type: T.Type = T.self, tags: repeat each Tag, lifetime: Lifetime = .transient, fileID: StaticString = #fileID,
    line: Int = #line, factory: AsyncAutoFactory<T>
  ) -> Key<T> {
    adding(
      AsyncEntry(
        tags: Key<T>(tags: repeat each tags).tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line),
        factory: factory.factory), dependencies: factory.parameters.dependencies)
  }

  /// Registers a factory on the main actor under a key.
  @discardableResult
  public func register<T>(
    key: Key<T>, isolation: MainActor, lifetime: Lifetime = .transient, fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @MainActor @Sendable (any Resolver) throws -> T
  ) -> Key<T> {
    adding(MainEntry(tags: key.tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line), factory: factory))
  }

  /// Registers a factory on the main actor under a type without tags.
  @discardableResult
  public func register<T>(
    _ type: T.Type = T.self, isolation: MainActor, lifetime: Lifetime = .transient, fileID: StaticString = #fileID,
    line: Int = #line, factory: @escaping @MainActor @Sendable (any Resolver) throws -> T
  ) -> Key<T> {
    adding(
      MainEntry(tags: Key<T>().tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line), factory: factory))
  }

  /// Registers a factory on the main actor under a type and tags.
  @discardableResult
  public func register<T, each Tag: Hashable & Sendable>(
    _ type: T.Type = T.self, isolation: MainActor, tags: repeat each Tag, lifetime: Lifetime = .transient,
    fileID: StaticString = #fileID, line: Int = #line, factory: @escaping @MainActor @Sendable (any Resolver) throws -> T
  ) -> Key<T> {
    adding(
      MainEntry(
        tags: Key<T>(tags: repeat each tags).tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line),
        factory: factory))
  }

  /// Registers a factory on the main actor under a key.
  @discardableResult
  public func register<T, each Argument>(
    key: Key<T>, isolation: MainActor, lifetime: Lifetime = .transient, fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @MainActor @Sendable (any Resolver, repeat each Argument) throws -> T
  ) -> Key<T> {
    adding(MainEntry(tags: key.tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line), factory: factory))
  }

  /// Registers a factory on the main actor under a type and tags.
  @discardableResult
  public func register<T, each Tag: Hashable & Sendable, each Argument>(
    _ type: T.Type = T.self, isolation: MainActor, tags: repeat each Tag, lifetime: Lifetime = .transient,
    fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @MainActor @Sendable (any Resolver, repeat each Argument) throws -> T
  ) -> Key<T> {
    adding(
      MainEntry(
        tags: Key<T>(tags: repeat each tags).tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line),
        factory: factory))
  }

  /// Registers a factory on the main actor without parameters under a key.
  @discardableResult
  public func register<T>(
    key: Key<T>, isolation: MainActor, lifetime: Lifetime = .transient, fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @MainActor @Sendable () throws -> T
  ) -> Key<T> {
    adding(
      MainEntry(
        tags: key.tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line), factory: { _ in try factory() }),
      dependencies: [])
  }

  /// Registers a factory on the main actor without parameters under a type without tags.
  @discardableResult
  public func register<T>(
    _ type: T.Type = T.self, isolation: MainActor, lifetime: Lifetime = .transient, fileID: StaticString = #fileID,
    line: Int = #line, factory: @escaping @MainActor @Sendable () throws -> T
  ) -> Key<T> {
    adding(
      MainEntry(
        tags: Key<T>().tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line),
        factory: { _ in try factory() }), dependencies: [])
  }

  /// Registers a factory on the main actor without parameters under a type and tags.
  @discardableResult
  public func register<T, each Tag: Hashable & Sendable>(
    _ type: T.Type = T.self, isolation: MainActor, tags: repeat each Tag, lifetime: Lifetime = .transient,
    fileID: StaticString = #fileID, line: Int = #line, factory: @escaping @MainActor @Sendable () throws -> T
  ) -> Key<T> {
    adding(
      MainEntry(
        tags: Key<T>(tags: repeat each tags).tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line),
        factory: { _ in try factory() }), dependencies: [])
  }

  /// Registers a factory on the main actor that `mainauto` has created under a key.
  @discardableResult
  public func register<T>(
    key: Key<T>, isolation: MainActor, lifetime: Lifetime = .transient, fileID: StaticString = #fileID, line: Int = #line,
    factory: MainAutoFactory<T>
  ) -> Key<T> {
    adding(
      MainEntry(tags: key.tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line), factory: factory.factory),
      dependencies: factory.parameters.dependencies)
  }

  /// Registers a factory on the main actor that `mainauto` has created under a type without tags.
  @discardableResult
  public func register<T>(
    _ type: T.Type = T.self, isolation: MainActor, lifetime: Lifetime = .transient, fileID: StaticString = #fileID,
    line: Int = #line, factory: MainAutoFactory<T>
  ) -> Key<T> {
    adding(
      MainEntry(
        tags: Key<T>().tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line), factory: factory.factory),
      dependencies: factory.parameters.dependencies)
  }

  /// Registers a factory on the main actor that `mainauto` has created under a type and tags.
  @discardableResult
  public func register<T, each Tag: Hashable & Sendable>(
    _ type: T.Type = T.self, isolation: MainActor, tags: repeat each Tag, lifetime: Lifetime = .transient,
    fileID: StaticString = #fileID, line: Int = #line, factory: MainAutoFactory<T>
  ) -> Key<T> {
    adding(
      MainEntry(
        tags: Key<T>(tags: repeat each tags).tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line),
        factory: factory.factory), dependencies: factory.parameters.dependencies)
  }

  /// Registers an expression on the main actor under a type without tags. It is evaluated at each resolve, or once for a
  /// singleton.
  @_disfavoredOverload @discardableResult
  public func register<T>(
    _ type: T.Type = T.self, isolation: MainActor, lifetime: Lifetime = .transient, fileID: StaticString = #fileID,
    line: Int = #line, instance: @escaping @MainActor @Sendable @autoclosure () throws -> T
  ) -> Key<T> {
    adding(
      MainEntry(
        tags: Key<T>().tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line),
        factory: { _ in try instance() }), dependencies: [])
  }

  /// Registers an expression on the main actor under a type and tags. It is evaluated at each resolve, or once for a singleton.
  @_disfavoredOverload @discardableResult
  public func register<T, each Tag: Hashable & Sendable>(
    _ type: T.Type = T.self, isolation: MainActor, tags: repeat each Tag, lifetime: Lifetime = .transient,
    fileID: StaticString = #fileID, line: Int = #line, instance: @escaping @MainActor @Sendable @autoclosure () throws -> T
  ) -> Key<T> {
    adding(
      MainEntry(
        tags: Key<T>(tags: repeat each tags).tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line),
        factory: { _ in try instance() }), dependencies: [])
  }

  /// Registers a factory, and metadata, under a key.
  @discardableResult
  public func register<T, Metadata: Sendable>(
    key: Key<T>, lifetime: Lifetime = .transient, metadata: Metadata, fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @Sendable (any Resolver) throws -> T
  ) -> Key<T> {
    adding(
      PlainEntry(tags: key.tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line), factory: factory),
      metadata: metadata)
  }

  /// Registers a factory, and metadata, under a type without tags.
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
    adding(
      PlainEntry(tags: Key<T>().tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line), factory: factory),
      metadata: metadata)
  }

  /// Registers a factory, and metadata, under a type and tags.
  @discardableResult
  public func register<T, each Tag: Hashable & Sendable, Metadata: Sendable>(
    _ type: T.Type = T.self, tags: repeat each Tag, lifetime: Lifetime = .transient, metadata: Metadata,
    fileID: StaticString = #fileID, line: Int = #line, factory: @escaping @Sendable (any Resolver) throws -> T
  ) -> Key<T> {
    adding(
      PlainEntry(
        tags: Key<T>(tags: repeat each tags).tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line),
        factory: factory), metadata: metadata)
  }

  /// Registers a factory, and metadata, under a key.
  @discardableResult
  public func register<T, Metadata: Sendable, each Argument>(
    key: Key<T>, lifetime: Lifetime = .transient, metadata: Metadata, fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @Sendable (any Resolver, repeat each Argument) throws -> T
  ) -> Key<T> {
    adding(
      ArgumentEntry(tags: key.tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line), factory: factory),
      metadata: metadata)
  }

  /// Registers a factory, and metadata, under a type and tags.
  @discardableResult
  public func register<T, each Tag: Hashable & Sendable, Metadata: Sendable, each Argument>(
    _ type: T.Type = T.self, tags: repeat each Tag, lifetime: Lifetime = .transient, metadata: Metadata,
    fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @Sendable (any Resolver, repeat each Argument) throws -> T
  ) -> Key<T> {
    adding(
      ArgumentEntry(
        tags: Key<T>(tags: repeat each tags).tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line),
        factory: factory), metadata: metadata)
  }

  /// Registers a factory without parameters, and metadata, under a type without tags.
  @_disfavoredOverload @discardableResult
  public func register<T, Metadata: Sendable>(
    _ type: T.Type = T.self, lifetime: Lifetime = .transient, metadata: Metadata, fileID: StaticString = #fileID,
    line: Int = #line, factory: @escaping @Sendable () throws -> T
  ) -> Key<T> {
    adding(
      PlainEntry(
        tags: Key<T>().tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line),
        factory: { _ in try factory() }), dependencies: [], metadata: metadata)
  }

  /// Registers a factory without parameters, and metadata, under a type and tags.
  @_disfavoredOverload @discardableResult
  public func register<T, each Tag: Hashable & Sendable, Metadata: Sendable>(
    _ type: T.Type = T.self, tags: repeat each Tag, lifetime: Lifetime = .transient, metadata: Metadata,
    fileID: StaticString = #fileID, line: Int = #line, factory: @escaping @Sendable () throws -> T
  ) -> Key<T> {
    adding(
      PlainEntry(
        tags: Key<T>(tags: repeat each tags).tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line),
        factory: { _ in try factory() }), dependencies: [], metadata: metadata)
  }

  /// Registers an expression, and metadata, under a type without tags. It is evaluated at each resolve, or once for a singleton.
  @_disfavoredOverload @discardableResult
  public func register<T, Metadata: Sendable>(
    _ type: T.Type = T.self, lifetime: Lifetime = .transient, metadata: Metadata, fileID: StaticString = #fileID,
    line: Int = #line, instance: @escaping @Sendable @autoclosure () throws -> T
  ) -> Key<T> {
    adding(
      PlainEntry(
        tags: Key<T>().tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line),
        factory: { _ in try instance() }), dependencies: [], metadata: metadata)
  }

  /// Registers an expression, and metadata, under a type and tags. It is evaluated at each resolve, or once for a singleton.
  @_disfavoredOverload @discardableResult
  public func register<T, each Tag: Hashable & Sendable, Metadata: Sendable>(
    _ type: T.Type = T.self, tags: repeat each Tag, lifetime: Lifetime = .transient, metadata: Metadata,
    fileID: StaticString = #fileID, line: Int = #line, instance: @escaping @Sendable @autoclosure () throws -> T
  ) -> Key<T> {
    adding(
      PlainEntry(
        tags: Key<T>(tags: repeat each tags).tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line),
        factory: { _ in try instance() }), dependencies: [], metadata: metadata)
  }

  /// Registers a factory, whose instances are cached or not, under a key.
  @discardableResult
  public func register<T>(
    key: Key<T>, cached: Bool, fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @Sendable (any Resolver) throws -> T
  ) -> Key<T> {
    adding(
      PlainEntry(
        tags: key.tags, lifetime: Lifetime(cached: cached), location: CodeLocation(file: fileID, line: line), factory: factory),
      isCachingOverridable: true)
  }

  /// Registers a factory, whose instances are cached or not, under a type without tags.
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
  /// With `cached: true` the lifetime is `.singleton`, otherwise `.transient`. A resolve with `cached: false` runs the factory and leaves the
  /// cache as it is. One with `cached: true` uses the cache, and fills it if it is empty. Other resolves follow the registration. A
  /// registration without `cached:` ignores `cached:` in a resolve. Once the cache is filled, it ignores arguments.
  ///
  /// Cost: a second entry beside the registration.
  @discardableResult
  public func register<T>(
    _ type: T.Type = T.self, cached: Bool, fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @Sendable (any Resolver) throws -> T
  ) -> Key<T> {
    adding(
      PlainEntry(
        tags: Key<T>().tags, lifetime: Lifetime(cached: cached), location: CodeLocation(file: fileID, line: line),
        factory: factory), isCachingOverridable: true)
  }

  /// Registers a factory, whose instances are cached or not, under a type and tags.
  @discardableResult
  public func register<T, each Tag: Hashable & Sendable>(
    _ type: T.Type = T.self, tags: repeat each Tag, cached: Bool, fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @Sendable (any Resolver) throws -> T
  ) -> Key<T> {
    adding(
      PlainEntry(
        tags: Key<T>(tags: repeat each tags).tags, lifetime: Lifetime(cached: cached),
        location: CodeLocation(file: fileID, line: line), factory: factory), isCachingOverridable: true)
  }

  /// Registers a factory without parameters, whose instances are cached or not, under a type without tags.
  @_disfavoredOverload @discardableResult
  public func register<T>(
    _ type: T.Type = T.self, cached: Bool, fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @Sendable () throws -> T
  ) -> Key<T> {
    adding(
      PlainEntry(
        tags: Key<T>().tags, lifetime: Lifetime(cached: cached), location: CodeLocation(file: fileID, line: line),
        factory: { _ in try factory() }), dependencies: [], isCachingOverridable: true)
  }

  /// Registers a factory without parameters, whose instances are cached or not, under a type and tags.
  @_disfavoredOverload @discardableResult
  public func register<T, each Tag: Hashable & Sendable>(
    _ type: T.Type = T.self, tags: repeat each Tag, cached: Bool, fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @Sendable () throws -> T
  ) -> Key<T> {
    adding(
      PlainEntry(
        tags: Key<T>(tags: repeat each tags).tags, lifetime: Lifetime(cached: cached),
        location: CodeLocation(file: fileID, line: line), factory: { _ in try factory() }), dependencies: [],
      isCachingOverridable: true)
  }

  /// Registers a factory, whose instances are cached or not, under a type and tags.
  @discardableResult
  public func register<T, each Tag: Hashable & Sendable, each Argument>(
    _ type: T.Type = T.self, tags: repeat each Tag, cached: Bool, fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @Sendable (any Resolver, repeat each Argument) throws -> T
  ) -> Key<T> {
    adding(
      ArgumentEntry(
        tags: Key<T>(tags: repeat each tags).tags, lifetime: Lifetime(cached: cached),
        location: CodeLocation(file: fileID, line: line), factory: factory), isCachingOverridable: true)
  }

  /// Registers a factory that `auto` has created, whose instances are cached or not, under a type without tags.
  @discardableResult
  public func register<T>(
    _ type: T.Type = T.self, cached: Bool, fileID: StaticString = #fileID, line: Int = #line, factory: AutoFactory<T>
  ) -> Key<T> {
    adding(
      PlainEntry(
        tags: Key<T>().tags, lifetime: Lifetime(cached: cached), location: CodeLocation(file: fileID, line: line),
        factory: factory.factory), dependencies: factory.parameters.dependencies, isCachingOverridable: true)
  }

  /// Registers a factory that `auto` has created, whose instances are cached or not, under a type and tags.
  @discardableResult
  public func register<T, each Tag: Hashable & Sendable>(
    _ type: T.Type = T.self, tags: repeat each Tag, cached: Bool, fileID: StaticString = #fileID, line: Int = #line,
    factory: AutoFactory<T>
  ) -> Key<T> {
    adding(
      PlainEntry(
        tags: Key<T>(tags: repeat each tags).tags, lifetime: Lifetime(cached: cached),
        location: CodeLocation(file: fileID, line: line), factory: factory.factory),
      dependencies: factory.parameters.dependencies, isCachingOverridable: true)
  }

  /// Registers an asynchronous factory, whose instances are cached or not, under a type and tags.
  @discardableResult
  public func register<T, each Tag: Hashable & Sendable, each Argument>(
    _ type: T.Type = T.self, tags: repeat each Tag, cached: Bool, fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @Sendable (any Resolver, repeat each Argument) async throws -> T
  ) -> Key<T> {
    adding(
      AsyncArgumentEntry(
        tags: Key<T>(tags: repeat each tags).tags, lifetime: Lifetime(cached: cached),
        location: CodeLocation(file: fileID, line: line), factory: factory), isCachingOverridable: true)
  }

  /// Registers an asynchronous factory that `auto` has created, whose instances are cached or not, under a type without tags.
  @discardableResult
  public func register<T>(
    _ type: T.Type = T.self, cached: Bool, fileID: StaticString = #fileID, line: Int = #line, factory: AsyncAutoFactory<T>
  ) -> Key<T> {
    adding(
      AsyncEntry(
        tags: Key<T>().tags, lifetime: Lifetime(cached: cached), location: CodeLocation(file: fileID, line: line),
        factory: factory.factory), dependencies: factory.parameters.dependencies, isCachingOverridable: true)
  }

  /// Registers an asynchronous factory that `auto` has created, whose instances are cached or not, under a type and tags.
  @discardableResult
  public func register<T, each Tag: Hashable & Sendable>(
    _ type: T.Type = T.self, tags: repeat each Tag, cached: Bool, fileID: StaticString = #fileID, line: Int = #line,
    factory: AsyncAutoFactory<T>
  ) -> Key<T> {
    adding(
      AsyncEntry(
        tags: Key<T>(tags: repeat each tags).tags, lifetime: Lifetime(cached: cached),
        location: CodeLocation(file: fileID, line: line), factory: factory.factory),
      dependencies: factory.parameters.dependencies, isCachingOverridable: true)
  }

  /// Registers a factory on the main actor, whose instances are cached or not, under a type and tags.
  @discardableResult
  public func register<T, each Tag: Hashable & Sendable, each Argument>(
    _ type: T.Type = T.self, isolation: MainActor, tags: repeat each Tag, cached: Bool, fileID: StaticString = #fileID,
    line: Int = #line, factory: @escaping @MainActor @Sendable (any Resolver, repeat each Argument) throws -> T
  ) -> Key<T> {
    adding(
      MainEntry(
        tags: Key<T>(tags: repeat each tags).tags, lifetime: Lifetime(cached: cached),
        location: CodeLocation(file: fileID, line: line), factory: factory), isCachingOverridable: true)
  }

  /// Registers a factory on the main actor that `mainauto` has created, whose instances are cached or not, under a type without
  /// tags.
  @discardableResult
  public func register<T>(
    _ type: T.Type = T.self, isolation: MainActor, cached: Bool, fileID: StaticString = #fileID, line: Int = #line,
    factory: MainAutoFactory<T>
  ) -> Key<T> {
    adding(
      MainEntry(
        tags: Key<T>().tags, lifetime: Lifetime(cached: cached), location: CodeLocation(file: fileID, line: line),
        factory: factory.factory), dependencies: factory.parameters.dependencies, isCachingOverridable: true)
  }

  /// Registers a factory on the main actor that `mainauto` has created, whose instances are cached or not, under a type and tags.
  @discardableResult
  public func register<T, each Tag: Hashable & Sendable>(
    _ type: T.Type = T.self, isolation: MainActor, tags: repeat each Tag, cached: Bool, fileID: StaticString = #fileID,
    line: Int = #line, factory: MainAutoFactory<T>
  ) -> Key<T> {
    adding(
      MainEntry(
        tags: Key<T>(tags: repeat each tags).tags, lifetime: Lifetime(cached: cached),
        location: CodeLocation(file: fileID, line: line), factory: factory.factory),
      dependencies: factory.parameters.dependencies, isCachingOverridable: true)
  }

  /// Registers a factory that `auto` has created, and metadata, under a key.
  @discardableResult
  public func register<T, Metadata: Sendable>(
    key: Key<T>, lifetime: Lifetime = .transient, metadata: Metadata, fileID: StaticString = #fileID, line: Int = #line,
    factory: AutoFactory<T>
  ) -> Key<T> {
    adding(
      PlainEntry(
        tags: key.tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line), factory: factory.factory),
      dependencies: factory.parameters.dependencies, metadata: metadata)
  }

  /// Registers a factory that `auto` has created, and metadata, under a type without tags.
  @discardableResult
  public func register<T, Metadata: Sendable>(
    _ type: T.Type = T.self, lifetime: Lifetime = .transient, metadata: Metadata, fileID: StaticString = #fileID,
    line: Int = #line, factory: AutoFactory<T>
  ) -> Key<T> {
    adding(
      PlainEntry(
        tags: Key<T>().tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line), factory: factory.factory),
      dependencies: factory.parameters.dependencies, metadata: metadata)
  }

  /// Registers a factory that `auto` has created, and metadata, under a type and tags.
  @discardableResult
  public func register<T, each Tag: Hashable & Sendable, Metadata: Sendable>(
    _ type: T.Type = T.self, tags: repeat each Tag, lifetime: Lifetime = .transient, metadata: Metadata,
    fileID: StaticString = #fileID, line: Int = #line, factory: AutoFactory<T>
  ) -> Key<T> {
    adding(
      PlainEntry(
        tags: Key<T>(tags: repeat each tags).tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line),
        factory: factory.factory), dependencies: factory.parameters.dependencies, metadata: metadata)
  }

  /// Registers a factory on the main actor under a type without tags.
  ///
  /// Accepts `isolation:` behind the other labels.
  @_disfavoredOverload @discardableResult
  public func register<T>(
    _ type: T.Type = T.self, lifetime: Lifetime = .transient, isolation: MainActor, fileID: StaticString = #fileID,
    line: Int = #line, factory: @escaping @MainActor @Sendable (any Resolver) throws -> T
  ) -> Key<T> {
    adding(
      MainEntry(tags: Key<T>().tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line), factory: factory))
  }

  /// Registers a factory on the main actor that `mainauto` has created under a type without tags.
  ///
  /// Accepts `isolation:` behind the other labels.
  @_disfavoredOverload @discardableResult
  public func register<T>(
    _ type: T.Type = T.self, lifetime: Lifetime = .transient, isolation: MainActor, fileID: StaticString = #fileID,
    line: Int = #line, factory: MainAutoFactory<T>
  ) -> Key<T> {
    adding(
      MainEntry(
        tags: Key<T>().tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line), factory: factory.factory),
      dependencies: factory.parameters.dependencies)
  }

  /// Registers a factory on the main actor under a type and tags.
  ///
  /// Accepts `isolation:` behind the other labels.
  @_disfavoredOverload @discardableResult
  public func register<T, each Tag: Hashable & Sendable, each Argument>(
    _ type: T.Type = T.self, tags: repeat each Tag, lifetime: Lifetime = .transient, isolation: MainActor,
    fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @MainActor @Sendable (any Resolver, repeat each Argument) throws -> T
  ) -> Key<T> {
    adding(
      MainEntry(
        tags: Key<T>(tags: repeat each tags).tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line),
        factory: factory))
  }

  /// Registers a factory on the main actor that `mainauto` has created under a type and tags.
  ///
  /// Accepts `isolation:` behind the other labels.
  @_disfavoredOverload @discardableResult
  public func register<T, each Tag: Hashable & Sendable>(
    _ type: T.Type = T.self, tags: repeat each Tag, lifetime: Lifetime = .transient, isolation: MainActor,
    fileID: StaticString = #fileID, line: Int = #line, factory: MainAutoFactory<T>
  ) -> Key<T> {
    adding(
      MainEntry(
        tags: Key<T>(tags: repeat each tags).tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line),
        factory: factory.factory), dependencies: factory.parameters.dependencies)
  }
}
