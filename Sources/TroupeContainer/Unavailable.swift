// Functions for frequent mistakes. Without them the compiler would report another line, an internal error, or only that nothing fits:
//
//     c.register(Service.self, "main") { … }     missing argument label 'tags:' in call
//     c.resolve(Service.self)!                   it returns no optional, but throws: write 'try' in front, …
//
// None can be called. The compiler takes one only if no other function fits and the call has no other mistake, so that they hide no error:
// `Tests/Mistakes` has a file for each. A function whose closure could take that of a correct call would hide errors in the closure. They are
// emitted into clients, and so are no part of the binary interface.

extension Resolver {
  /// `resolve(T.self)!`, as in Swinject.
  @_alwaysEmitIntoClient @_disfavoredOverload
  @available(*, unavailable, message: "it returns no optional, but throws: write 'try' in front, and leave out '!' or '?'")
  public func resolve<T>(_ type: T.Type) -> T? { nil }

  /// A resolve with arguments whose type is nowhere.
  @_alwaysEmitIntoClient @_disfavoredOverload
  @available(*, unavailable, message: "the type is missing: write 'resolve(T.self, args: …)'")
  public func resolve<First, each Argument>(args first: First, _ other: repeat each Argument) {}

  /// A resolve with tags and arguments whose type is nowhere.
  @_alwaysEmitIntoClient @_disfavoredOverload
  @available(*, unavailable, message: "the type is missing: write 'resolve(T.self, tags: …, args: …)'")
  public func resolve<Tag: Hashable & Sendable, First, each Argument>(
    tags tag: Tag, args first: First, _ other: repeat each Argument
  ) {}
}

extension Registrar {
  /// A tag without its label or with another one; the compiler then names the label `tags:`.
  @_alwaysEmitIntoClient @_disfavoredOverload
  @available(*, unavailable, message: "a tag is of a type that is known, Hashable and Sendable")
  public func register<T, Tag: Hashable & Sendable, each Argument>(
    _ type: T.Type = T.self, tags tag: Tag, factory: @escaping @Sendable (any Resolver, repeat each Argument) throws -> T
  ) {}

  /// `auto` without its label; the compiler would propose the label `assembly:`.
  @_alwaysEmitIntoClient
  @available(*, unavailable, message: "write 'factory:' in front of 'auto'")
  public func register<T>(_ factory: AutoFactory<T>) {}

  /// An initializer of a type that is not of the registered type; the compiler would crash.
  @_alwaysEmitIntoClient @_disfavoredOverload
  @available(*, unavailable, message: "this makes neither the registered type nor one that conforms to it")
  public func register<T, Other, each Tag: Hashable & Sendable>(
    _ type: T.Type, tags: repeat each Tag, lifetime: Lifetime = .transient, factory: AutoFactory<Other>
  ) {}

  /// An asynchronous initializer of a type that is not of the registered type.
  @_alwaysEmitIntoClient @_disfavoredOverload
  @available(*, unavailable, message: "this makes neither the registered type nor one that conforms to it")
  public func register<T, Other, each Tag: Hashable & Sendable>(
    _ type: T.Type, tags: repeat each Tag, lifetime: Lifetime = .transient, factory: AsyncAutoFactory<Other>
  ) {}

  /// An initializer of the main actor, of a type that is not of the registered type.
  @_alwaysEmitIntoClient @_disfavoredOverload
  @available(*, unavailable, message: "this makes neither the registered type nor one that conforms to it")
  public func register<T, Other, each Tag: Hashable & Sendable>(
    _ type: T.Type, isolation: MainActor, tags: repeat each Tag, lifetime: Lifetime = .transient,
    factory: MainAutoFactory<Other>
  ) {}
}

extension Container {
  /// Overrides without an operation.
  @_alwaysEmitIntoClient @_disfavoredOverload
  @available(*, unavailable, message: "a second closure is missing, 'operation: { … }', in which the overrides hold")
  public func withOverrides(_ register: (any Registrar) throws -> Void) rethrows {}
}

extension InjectionBuilder {
  /// A property without a setter.
  @_alwaysEmitIntoClient @_disfavoredOverload
  @available(*, unavailable, message: "the property cannot be set: it is a constant, or its setter is private")
  public func inject<Value, each Tag: Hashable & Sendable>(
    _ keyPath: KeyPath<Target, Value>, tags: repeat each Tag
  ) -> InjectionBuilder { self }
}

/// Arguments that are not Hashable.
@_alwaysEmitIntoClient @_disfavoredOverload
@available(*, unavailable, message: "arguments have to be Hashable and Sendable, and the instance Sendable")
public func memoized<T, each Argument>(
  _ factory: @escaping @Sendable (any Resolver, repeat each Argument) throws -> T
) -> @Sendable (any Resolver, repeat each Argument) throws -> T { factory }

/// An asynchronous factory.
@_alwaysEmitIntoClient @_disfavoredOverload
@available(*, unavailable, message: "the factory has to be synchronous")
public func memoized<T, each Argument>(
  _ factory: @escaping @Sendable (any Resolver, repeat each Argument) async throws -> T
) -> @Sendable (any Resolver, repeat each Argument) async throws -> T { factory }
