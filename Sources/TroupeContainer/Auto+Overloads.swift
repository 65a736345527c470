// Written by scripts/generate-overloads. Change that script, not this file.
//
// Each function has two overloads. One returns an `AutoFactory`, which knows its dependencies and which `register(factory:)` accepts. The
// other returns a function, and is chosen only where the context requires one. Overloads for 0, 1 and 2 parameters avoid parameter packs,
// which the optimizer of Swift 6.3.1 does not specialize.

/// A factory that `auto` made of an initializer. Its dependencies are the types of the parameters, so `Container.validate()` and the graph know
/// them before it runs.
///
/// ```swift
/// struct Engine {}
/// struct Car {
///   let engine: Engine
/// }
///
/// let container = Container()
/// container.register { _ in Engine() }
/// container.register(factory: auto(Car.init))
/// assert(container.graph().edges.count == 1)
/// ```
///
/// A resolve costs as much as one of a closure that calls the initializer.
@frozen
public struct AutoFactory<T>: Sendable {
  @usableFromInline let factory: @Sendable (any Resolver) throws -> T
  @usableFromInline let parameters: [any Any.Type]

  @inlinable
  init(_ parameters: (any ArgumentTypes.Type)?, factory: @escaping @Sendable (any Resolver) throws -> T) {
    self.factory = factory
    self.parameters = parameters?.types ?? []
  }

  /// Returns a new instance whose dependencies it resolves.
  public func callAsFunction(_ resolver: any Resolver) throws -> T { try factory(resolver) }
}

/// An asynchronous factory of an initializer, made by `auto`; see ``AutoFactory``.
@frozen
public struct AsyncAutoFactory<T>: Sendable {
  @usableFromInline let factory: @Sendable (any Resolver) async throws -> T
  @usableFromInline let parameters: [any Any.Type]

  @inlinable
  init(_ parameters: (any ArgumentTypes.Type)?, factory: @escaping @Sendable (any Resolver) async throws -> T) {
    self.factory = factory
    self.parameters = parameters?.types ?? []
  }

  /// Returns a new instance whose dependencies it resolves.
  public func callAsFunction(_ resolver: any Resolver) async throws -> T { try await factory(resolver) }
}

/// A factory of an initializer on the main actor, made by `mainauto`; see ``AutoFactory``.
@frozen
public struct MainAutoFactory<T>: Sendable {
  @usableFromInline let factory: @MainActor @Sendable (any Resolver) throws -> T
  @usableFromInline let parameters: [any Any.Type]

  @inlinable
  init(_ parameters: (any ArgumentTypes.Type)?, factory: @escaping @MainActor @Sendable (any Resolver) throws -> T) {
    self.factory = factory
    self.parameters = parameters?.types ?? []
  }

  /// Returns a new instance whose dependencies it resolves.
  @MainActor
  public func callAsFunction(_ resolver: any Resolver) throws -> T { try factory(resolver) }
}

/// Returns a factory of an initializer. It resolves each parameter without tags and arguments.
///
/// ```swift
/// struct Engine {}
/// struct Car {
///   let engine: Engine
/// }
///
/// let container = Container()
/// container.register { _ in Engine() }
/// container.register(factory: auto(Car.init))
/// let car = try container.resolve(Car.self)
/// ```
@inlinable
public func auto<T, each Dependency>(
  _ initializer: @escaping @Sendable (repeat each Dependency) throws -> T
) -> AutoFactory<T> {
  AutoFactory(ArgumentList<repeat each Dependency>.self) { resolver in
    try initializer(repeat resolver.resolve((each Dependency).self))
  }
}

/// Returns a factory of an initializer without parameters.
@inlinable
public func auto<T>(
  _ initializer: @escaping @Sendable () throws -> T
) -> AutoFactory<T> {
  AutoFactory(nil) { _ in try initializer() }
}

/// Returns a factory of an initializer with one parameter, which it resolves without tags and arguments.
@inlinable
public func auto<T, Dependency>(
  _ initializer: @escaping @Sendable (Dependency) throws -> T
) -> AutoFactory<T> {
  AutoFactory(ArgumentList<Dependency>.self) { resolver in try initializer(resolver.resolve(Dependency.self)) }
}

/// Returns a factory of an initializer with two parameters, which it resolves without tags and arguments.
@inlinable
public func auto<T, First, Second>(
  _ initializer: @escaping @Sendable (First, Second) throws -> T
) -> AutoFactory<T> {
  AutoFactory(ArgumentList<First, Second>.self) { resolver in
    try initializer(resolver.resolve(First.self), resolver.resolve(Second.self))
  }
}

/// Returns an asynchronous factory of an initializer. It resolves each parameter without tags and arguments.
@inlinable
public func auto<T, each Dependency>(
  _ initializer: @escaping @Sendable (repeat each Dependency) async throws -> T
) -> AsyncAutoFactory<T> {
  AsyncAutoFactory(ArgumentList<repeat each Dependency>.self) { resolver in
    try await initializer(repeat resolver.resolve((each Dependency).self))
  }
}

/// Returns an asynchronous factory of an initializer without parameters.
@inlinable
public func auto<T>(
  _ initializer: @escaping @Sendable () async throws -> T
) -> AsyncAutoFactory<T> {
  AsyncAutoFactory(nil) { _ in try await initializer() }
}

/// Returns an asynchronous factory of an initializer with one parameter, which it resolves without tags and arguments.
@inlinable
public func auto<T, Dependency>(
  _ initializer: @escaping @Sendable (Dependency) async throws -> T
) -> AsyncAutoFactory<T> {
  AsyncAutoFactory(ArgumentList<Dependency>.self) { resolver in try await initializer(resolver.resolve(Dependency.self)) }
}

/// Returns an asynchronous factory of an initializer with two parameters, which it resolves without tags and arguments.
@inlinable
public func auto<T, First, Second>(
  _ initializer: @escaping @Sendable (First, Second) async throws -> T
) -> AsyncAutoFactory<T> {
  AsyncAutoFactory(ArgumentList<First, Second>.self) { resolver in
    try await initializer(resolver.resolve(First.self), resolver.resolve(Second.self))
  }
}

/// Returns a factory on the main actor of an initializer. It resolves each parameter without tags and arguments.
@inlinable
public func mainauto<T: Sendable, each Dependency>(
  _ initializer: @escaping @MainActor @Sendable (repeat each Dependency) throws -> T
) -> MainAutoFactory<T> {
  MainAutoFactory(ArgumentList<repeat each Dependency>.self) { resolver in
    try initializer(repeat resolver.resolve((each Dependency).self, isolation: MainActor.shared))
  }
}

/// Returns a factory on the main actor of an initializer without parameters.
@inlinable
public func mainauto<T: Sendable>(
  _ initializer: @escaping @MainActor @Sendable () throws -> T
) -> MainAutoFactory<T> {
  MainAutoFactory(nil) { _ in try initializer() }
}

/// Returns a factory on the main actor of an initializer with one parameter, which it resolves without tags and arguments.
@inlinable
public func mainauto<T: Sendable, Dependency>(
  _ initializer: @escaping @MainActor @Sendable (Dependency) throws -> T
) -> MainAutoFactory<T> {
  MainAutoFactory(ArgumentList<Dependency>.self) { resolver in
    try initializer(resolver.resolve(Dependency.self, isolation: MainActor.shared))
  }
}

/// Returns a factory on the main actor of an initializer with two parameters, which it resolves without tags and arguments.
@inlinable
public func mainauto<T: Sendable, First, Second>(
  _ initializer: @escaping @MainActor @Sendable (First, Second) throws -> T
) -> MainAutoFactory<T> {
  MainAutoFactory(ArgumentList<First, Second>.self) { resolver in
    try initializer(
      resolver.resolve(First.self, isolation: MainActor.shared), resolver.resolve(Second.self, isolation: MainActor.shared))
  }
}

/// Returns a function that calls an initializer. It resolves each parameter without tags and arguments.
@_disfavoredOverload @inlinable
public func auto<T, each Dependency>(
  _ initializer: @escaping @Sendable (repeat each Dependency) throws -> T
) -> @Sendable (any Resolver) throws -> T {
  { resolver in try initializer(repeat resolver.resolve((each Dependency).self)) }
}

/// Returns a function that calls an initializer without parameters.
@_disfavoredOverload @inlinable
public func auto<T>(
  _ initializer: @escaping @Sendable () throws -> T
) -> @Sendable (any Resolver) throws -> T {
  { _ in try initializer() }
}

/// Returns a function that calls an initializer with one parameter, which it resolves without tags and arguments.
@_disfavoredOverload @inlinable
public func auto<T, Dependency>(
  _ initializer: @escaping @Sendable (Dependency) throws -> T
) -> @Sendable (any Resolver) throws -> T {
  { resolver in try initializer(resolver.resolve(Dependency.self)) }
}

/// Returns a function that calls an initializer with two parameters, which it resolves without tags and arguments.
@_disfavoredOverload @inlinable
public func auto<T, First, Second>(
  _ initializer: @escaping @Sendable (First, Second) throws -> T
) -> @Sendable (any Resolver) throws -> T {
  { resolver in try initializer(resolver.resolve(First.self), resolver.resolve(Second.self)) }
}

/// Returns an asynchronous function that calls an initializer. It resolves each parameter without tags and arguments.
@_disfavoredOverload @inlinable
public func auto<T, each Dependency>(
  _ initializer: @escaping @Sendable (repeat each Dependency) async throws -> T
) -> @Sendable (any Resolver) async throws -> T {
  { resolver in try await initializer(repeat resolver.resolve((each Dependency).self)) }
}

/// Returns an asynchronous function that calls an initializer without parameters.
@_disfavoredOverload @inlinable
public func auto<T>(
  _ initializer: @escaping @Sendable () async throws -> T
) -> @Sendable (any Resolver) async throws -> T {
  { _ in try await initializer() }
}

/// Returns an asynchronous function that calls an initializer with one parameter, which it resolves without tags and arguments.
@_disfavoredOverload @inlinable
public func auto<T, Dependency>(
  _ initializer: @escaping @Sendable (Dependency) async throws -> T
) -> @Sendable (any Resolver) async throws -> T {
  { resolver in try await initializer(resolver.resolve(Dependency.self)) }
}

/// Returns an asynchronous function that calls an initializer with two parameters, which it resolves without tags and arguments.
@_disfavoredOverload @inlinable
public func auto<T, First, Second>(
  _ initializer: @escaping @Sendable (First, Second) async throws -> T
) -> @Sendable (any Resolver) async throws -> T {
  { resolver in try await initializer(resolver.resolve(First.self), resolver.resolve(Second.self)) }
}

/// Returns a function on the main actor that calls an initializer. It resolves each parameter without tags and arguments.
@_disfavoredOverload @inlinable
public func mainauto<T: Sendable, each Dependency>(
  _ initializer: @escaping @MainActor @Sendable (repeat each Dependency) throws -> T
) -> @MainActor @Sendable (any Resolver) throws -> T {
  { resolver in try initializer(repeat resolver.resolve((each Dependency).self, isolation: MainActor.shared)) }
}

/// Returns a function on the main actor that calls an initializer without parameters.
@_disfavoredOverload @inlinable
public func mainauto<T: Sendable>(
  _ initializer: @escaping @MainActor @Sendable () throws -> T
) -> @MainActor @Sendable (any Resolver) throws -> T {
  { _ in try initializer() }
}

/// Returns a function on the main actor that calls an initializer with one parameter, which it resolves without tags and
/// arguments.
@_disfavoredOverload @inlinable
public func mainauto<T: Sendable, Dependency>(
  _ initializer: @escaping @MainActor @Sendable (Dependency) throws -> T
) -> @MainActor @Sendable (any Resolver) throws -> T {
  { resolver in try initializer(resolver.resolve(Dependency.self, isolation: MainActor.shared)) }
}

/// Returns a function on the main actor that calls an initializer with two parameters, which it resolves without tags and
/// arguments.
@_disfavoredOverload @inlinable
public func mainauto<T: Sendable, First, Second>(
  _ initializer: @escaping @MainActor @Sendable (First, Second) throws -> T
) -> @MainActor @Sendable (any Resolver) throws -> T {
  { resolver in
    try initializer(
      resolver.resolve(First.self, isolation: MainActor.shared), resolver.resolve(Second.self, isolation: MainActor.shared))
  }
}
