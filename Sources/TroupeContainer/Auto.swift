// Each verb comes twice: as a factory that knows what it resolves, which `register(factory:)` takes, and as a plain function
// for whoever wants one. The latter are chosen only where a function is asked for.

/// Makes a factory of an initialiser: each of its parameters is resolved without tags and arguments.
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

/// The asynchronous `auto` for no dependencies, without a parameter pack; see the verbs of registration.
@_disfavoredOverload
public func auto<T>(_ initializer: @escaping @Sendable () async throws -> T) -> @Sendable (any Resolver) async throws -> T {
  { _ in try await initializer() }
}

/// Makes an asynchronous factory of an initialiser: each of its parameters is resolved without tags and arguments.
@_disfavoredOverload
public func auto<T, each Dependency>(
  _ initializer: @escaping @Sendable (repeat each Dependency) async throws -> T
) -> @Sendable (any Resolver) async throws -> T {
  { resolver in try await initializer(repeat resolver.resolve((each Dependency).self)) }
}

/// Makes a factory on the main actor of an initialiser: each of its parameters is resolved there without tags and arguments.
@_disfavoredOverload
public func mainauto<T: Sendable, each Dependency>(
  _ initializer: @escaping @MainActor @Sendable (repeat each Dependency) throws -> T
) -> @MainActor @Sendable (any Resolver) throws -> T {
  { resolver in try initializer(repeat resolver.resolve((each Dependency).self, isolation: MainActor.shared)) }
}

/// `mainauto` for no dependencies, without a parameter pack; see the verbs of registration.
@_disfavoredOverload
public func mainauto<T: Sendable>(
  _ initializer: @escaping @MainActor @Sendable () throws -> T
) -> @MainActor @Sendable (any Resolver) throws -> T {
  { _ in try initializer() }
}
