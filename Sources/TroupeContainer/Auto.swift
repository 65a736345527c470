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
@inlinable
public func auto<T, each Dependency>(
  _ initializer: @escaping @Sendable (repeat each Dependency) throws -> T
) -> @Sendable (any Resolver) throws -> T {
  { resolver in try initializer(repeat resolver.resolve((each Dependency).self)) }
}

/// Makes an asynchronous factory of an initialiser: each of its parameters is resolved without tags and arguments.
public func auto<T, each Dependency>(
  _ initializer: @escaping @Sendable (repeat each Dependency) async throws -> T
) -> @Sendable (any Resolver) async throws -> T {
  { resolver in try await initializer(repeat resolver.resolve((each Dependency).self)) }
}

/// Makes a factory on the main actor of an initialiser: each of its parameters is resolved there without tags and arguments.
public func mainauto<T: Sendable, each Dependency>(
  _ initializer: @escaping @MainActor @Sendable (repeat each Dependency) throws -> T
) -> @MainActor @Sendable (any Resolver) throws -> T {
  { resolver in try initializer(repeat resolver.resolve((each Dependency).self, isolation: MainActor.shared)) }
}
