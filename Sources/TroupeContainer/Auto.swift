// Each function has two overloads. One returns a factory with its dependencies, which `register(factory:)` accepts. The other
// returns a plain function, and is chosen only where the context requires a function.

/// Returns a factory of an initialiser that resolves each parameter without tags and arguments.
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
@_disfavoredOverload @inlinable
public func auto<T, each Dependency>(
  _ initializer: @escaping @Sendable (repeat each Dependency) throws -> T
) -> @Sendable (any Resolver) throws -> T {
  { resolver in try initializer(repeat resolver.resolve((each Dependency).self)) }
}

/// `auto` for one dependency, which the compiler can specialise.
@_disfavoredOverload @inlinable
public func auto<T, Dependency>(
  _ initializer: @escaping @Sendable (Dependency) throws -> T
) -> @Sendable (any Resolver) throws -> T {
  { resolver in try initializer(resolver.resolve(Dependency.self)) }
}

/// `auto` for two dependencies, which the compiler can specialise.
@_disfavoredOverload @inlinable
public func auto<T, First, Second>(
  _ initializer: @escaping @Sendable (First, Second) throws -> T
) -> @Sendable (any Resolver) throws -> T {
  { resolver in try initializer(resolver.resolve(First.self), resolver.resolve(Second.self)) }
}

/// The asynchronous `auto` for no dependencies, without a parameter pack; see the `register` functions.
@_disfavoredOverload
public func auto<T>(_ initializer: @escaping @Sendable () async throws -> T) -> @Sendable (any Resolver) async throws -> T {
  { _ in try await initializer() }
}

/// The asynchronous `auto` for one dependency, which the compiler can specialise.
@_disfavoredOverload @inlinable
public func auto<T, Dependency>(
  _ initializer: @escaping @Sendable (Dependency) async throws -> T
) -> @Sendable (any Resolver) async throws -> T {
  { resolver in try await initializer(resolver.resolve(Dependency.self)) }
}

/// The asynchronous `auto` for two dependencies, which the compiler can specialise.
@_disfavoredOverload @inlinable
public func auto<T, First, Second>(
  _ initializer: @escaping @Sendable (First, Second) async throws -> T
) -> @Sendable (any Resolver) async throws -> T {
  { resolver in try await initializer(resolver.resolve(First.self), resolver.resolve(Second.self)) }
}

/// Returns an asynchronous factory of an initialiser that resolves each parameter without tags and arguments.
@_disfavoredOverload
public func auto<T, each Dependency>(
  _ initializer: @escaping @Sendable (repeat each Dependency) async throws -> T
) -> @Sendable (any Resolver) async throws -> T {
  { resolver in try await initializer(repeat resolver.resolve((each Dependency).self)) }
}

/// Returns a factory on the main actor of an initialiser that resolves each parameter there without tags and arguments.
@_disfavoredOverload
public func mainauto<T: Sendable, each Dependency>(
  _ initializer: @escaping @MainActor @Sendable (repeat each Dependency) throws -> T
) -> @MainActor @Sendable (any Resolver) throws -> T {
  { resolver in try initializer(repeat resolver.resolve((each Dependency).self, isolation: MainActor.shared)) }
}

/// `mainauto` for no dependencies, without a parameter pack; see the `register` functions.
@_disfavoredOverload
public func mainauto<T: Sendable>(
  _ initializer: @escaping @MainActor @Sendable () throws -> T
) -> @MainActor @Sendable (any Resolver) throws -> T {
  { _ in try initializer() }
}
