// Written by scripts/generate-overloads. Change that script, not this file.
//
// Registrations without tags and arguments have functions without parameter packs: the optimizer of Swift 6.3.1 crashes in an
// asynchronous function that passes only empty packs and keeps nothing else in its frame.
//
// The last parameter of those for instances and for factories of `auto` keeps trailing closures from them: Swift would register a closure
// without `_ in` as the instance itself, and could not tell which function an error in a closure concerns.

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
    adding(key: key, lifetime: lifetime, location: CodeLocation(file: fileID, line: line), factory: factory)
  }

  /// Registers a factory under a type and tags.
  @discardableResult
  public func register<T, each Tag: Hashable & Sendable, each Argument>(
    _ type: T.Type = T.self, tags: repeat each Tag, lifetime: Lifetime = .transient, fileID: StaticString = #fileID,
    line: Int = #line, factory: @escaping @Sendable (any Resolver, repeat each Argument) throws -> T
  ) -> Key<T> {
    adding(
      key: Key<T>(tags: repeat each tags), lifetime: lifetime, location: CodeLocation(file: fileID, line: line),
      factory: factory)
  }

  /// Registers a factory that `auto` has created under a key.
  @discardableResult
  public func register<T>(
    key: Key<T>, lifetime: Lifetime = .transient, fileID: StaticString = #fileID, line: Int = #line, factory: AutoFactory<T>,
    noClosure: (Never) -> Void = { _ in }
  ) -> Key<T> {
    adding(
      PlainEntry(
        tags: key.tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line), factory: factory.factory),
      dependencies: factory.parameters)
  }

  /// Registers a factory that `auto` has created under a type without tags.
  @discardableResult
  public func register<T>(
    _ type: T.Type = T.self, lifetime: Lifetime = .transient, fileID: StaticString = #fileID, line: Int = #line,
    factory: AutoFactory<T>, noClosure: (Never) -> Void = { _ in }
  ) -> Key<T> {
    adding(
      PlainEntry(
        tags: Key<T>().tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line), factory: factory.factory),
      dependencies: factory.parameters)
  }

  /// Registers a factory that `auto` has created under a type and tags.
  @discardableResult
  public func register<T, each Tag: Hashable & Sendable>(
    _ type: T.Type = T.self, tags: repeat each Tag, lifetime: Lifetime = .transient, fileID: StaticString = #fileID,
    line: Int = #line, factory: AutoFactory<T>, noClosure: (Never) -> Void = { _ in }
  ) -> Key<T> {
    adding(
      PlainEntry(
        tags: Key<T>(tags: repeat each tags).tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line),
        factory: factory.factory), dependencies: factory.parameters)
  }

  /// Registers an expression under a type without tags. It is evaluated at each resolve, or once for a singleton.
  @_disfavoredOverload @discardableResult
  public func register<T>(
    _ type: T.Type = T.self, lifetime: Lifetime = .transient, fileID: StaticString = #fileID, line: Int = #line,
    instance: @escaping @Sendable @autoclosure () throws -> T, noClosure: (Never) -> Void = { _ in }
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
    line: Int = #line, instance: @escaping @Sendable @autoclosure () throws -> T, noClosure: (Never) -> Void = { _ in }
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
    adding(ArgumentEntry(tags: key.tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line), async: factory))
  }

  /// Registers an asynchronous factory under a type and tags.
  @discardableResult
  public func register<T, each Tag: Hashable & Sendable, each Argument>(
    _ type: T.Type = T.self, tags: repeat each Tag, lifetime: Lifetime = .transient, fileID: StaticString = #fileID,
    line: Int = #line, factory: @escaping @Sendable (any Resolver, repeat each Argument) async throws -> T
  ) -> Key<T> {
    adding(
      ArgumentEntry(
        tags: Key<T>(tags: repeat each tags).tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line),
        async: factory))
  }

  /// Registers an asynchronous factory that `auto` has created under a key.
  @discardableResult
  public func register<T>(
    key: Key<T>, lifetime: Lifetime = .transient, fileID: StaticString = #fileID, line: Int = #line,
    factory: AsyncAutoFactory<T>, noClosure: (Never) -> Void = { _ in }
  ) -> Key<T> {
    adding(
      AsyncEntry(
        tags: key.tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line), factory: factory.factory),
      dependencies: factory.parameters)
  }

  /// Registers an asynchronous factory that `auto` has created under a type without tags.
  @discardableResult
  public func register<T>(
    _ type: T.Type = T.self, lifetime: Lifetime = .transient, fileID: StaticString = #fileID, line: Int = #line,
    factory: AsyncAutoFactory<T>, noClosure: (Never) -> Void = { _ in }
  ) -> Key<T> {
    adding(
      AsyncEntry(
        tags: Key<T>().tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line), factory: factory.factory),
      dependencies: factory.parameters)
  }

  /// Registers an asynchronous factory that `auto` has created under a type and tags.
  @discardableResult
  public func register<T, each Tag: Hashable & Sendable>(
    _ type: T.Type = T.self, tags: repeat each Tag, lifetime: Lifetime = .transient, fileID: StaticString = #fileID,
    line: Int = #line, factory: AsyncAutoFactory<T>, noClosure: (Never) -> Void = { _ in }
  ) -> Key<T> {
    adding(
      AsyncEntry(
        tags: Key<T>(tags: repeat each tags).tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line),
        factory: factory.factory), dependencies: factory.parameters)
  }

  /// Registers a factory on the main actor under a key.
  @discardableResult
  public func register<T>(
    key: Key<T>, isolation: MainActor, lifetime: Lifetime = .transient, fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @MainActor @Sendable (any Resolver) throws -> T
  ) -> Key<T> {
    adding(ArgumentEntry(tags: key.tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line), main: factory))
  }

  /// Registers a factory on the main actor under a type without tags.
  @discardableResult
  public func register<T>(
    _ type: T.Type = T.self, isolation: MainActor, lifetime: Lifetime = .transient, fileID: StaticString = #fileID,
    line: Int = #line, factory: @escaping @MainActor @Sendable (any Resolver) throws -> T
  ) -> Key<T> {
    adding(
      ArgumentEntry(tags: Key<T>().tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line), main: factory))
  }

  /// Registers a factory on the main actor under a type and tags.
  @discardableResult
  public func register<T, each Tag: Hashable & Sendable>(
    _ type: T.Type = T.self, isolation: MainActor, tags: repeat each Tag, lifetime: Lifetime = .transient,
    fileID: StaticString = #fileID, line: Int = #line, factory: @escaping @MainActor @Sendable (any Resolver) throws -> T
  ) -> Key<T> {
    adding(
      ArgumentEntry(
        tags: Key<T>(tags: repeat each tags).tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line),
        main: factory))
  }

  /// Registers a factory on the main actor under a key.
  @discardableResult
  public func register<T, each Argument>(
    key: Key<T>, isolation: MainActor, lifetime: Lifetime = .transient, fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @MainActor @Sendable (any Resolver, repeat each Argument) throws -> T
  ) -> Key<T> {
    adding(ArgumentEntry(tags: key.tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line), main: factory))
  }

  /// Registers a factory on the main actor under a type and tags.
  @discardableResult
  public func register<T, each Tag: Hashable & Sendable, each Argument>(
    _ type: T.Type = T.self, isolation: MainActor, tags: repeat each Tag, lifetime: Lifetime = .transient,
    fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @MainActor @Sendable (any Resolver, repeat each Argument) throws -> T
  ) -> Key<T> {
    adding(
      ArgumentEntry(
        tags: Key<T>(tags: repeat each tags).tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line),
        main: factory))
  }

  /// Registers a factory on the main actor that `mainauto` has created under a key.
  @discardableResult
  public func register<T>(
    key: Key<T>, isolation: MainActor, lifetime: Lifetime = .transient, fileID: StaticString = #fileID, line: Int = #line,
    factory: MainAutoFactory<T>, noClosure: (Never) -> Void = { _ in }
  ) -> Key<T> {
    adding(
      ArgumentEntry(
        tags: key.tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line), main: factory.factory),
      dependencies: factory.parameters)
  }

  /// Registers a factory on the main actor that `mainauto` has created under a type without tags.
  @discardableResult
  public func register<T>(
    _ type: T.Type = T.self, isolation: MainActor, lifetime: Lifetime = .transient, fileID: StaticString = #fileID,
    line: Int = #line, factory: MainAutoFactory<T>, noClosure: (Never) -> Void = { _ in }
  ) -> Key<T> {
    adding(
      ArgumentEntry(
        tags: Key<T>().tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line), main: factory.factory),
      dependencies: factory.parameters)
  }

  /// Registers a factory on the main actor that `mainauto` has created under a type and tags.
  @discardableResult
  public func register<T, each Tag: Hashable & Sendable>(
    _ type: T.Type = T.self, isolation: MainActor, tags: repeat each Tag, lifetime: Lifetime = .transient,
    fileID: StaticString = #fileID, line: Int = #line, factory: MainAutoFactory<T>, noClosure: (Never) -> Void = { _ in }
  ) -> Key<T> {
    adding(
      ArgumentEntry(
        tags: Key<T>(tags: repeat each tags).tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line),
        main: factory.factory), dependencies: factory.parameters)
  }

  /// Registers an expression on the main actor under a type without tags. It is evaluated at each resolve, or once for a
  /// singleton.
  @_disfavoredOverload @discardableResult
  public func register<T>(
    _ type: T.Type = T.self, isolation: MainActor, lifetime: Lifetime = .transient, fileID: StaticString = #fileID,
    line: Int = #line, instance: @escaping @MainActor @Sendable @autoclosure () throws -> T,
    noClosure: (Never) -> Void = { _ in }
  ) -> Key<T> {
    adding(
      ArgumentEntry(
        tags: Key<T>().tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line), main: { _ in try instance() }
      ), dependencies: [])
  }

  /// Registers an expression on the main actor under a type and tags. It is evaluated at each resolve, or once for a singleton.
  @_disfavoredOverload @discardableResult
  public func register<T, each Tag: Hashable & Sendable>(
    _ type: T.Type = T.self, isolation: MainActor, tags: repeat each Tag, lifetime: Lifetime = .transient,
    fileID: StaticString = #fileID, line: Int = #line, instance: @escaping @MainActor @Sendable @autoclosure () throws -> T,
    noClosure: (Never) -> Void = { _ in }
  ) -> Key<T> {
    adding(
      ArgumentEntry(
        tags: Key<T>(tags: repeat each tags).tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line),
        main: { _ in try instance() }), dependencies: [])
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
      ArgumentEntry(tags: Key<T>().tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line), main: factory))
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
      ArgumentEntry(
        tags: Key<T>(tags: repeat each tags).tags, lifetime: lifetime, location: CodeLocation(file: fileID, line: line),
        main: factory))
  }
}
