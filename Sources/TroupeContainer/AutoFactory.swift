/// A factory of an initialiser, made by `auto`, with its dependencies, which `Container.validate()` and the graph can read.
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
/// A resolve costs as much as with the function that the other overload of `auto` returns.
@frozen
public struct AutoFactory<T>: Sendable {
  @usableFromInline let factory: @Sendable (any Resolver) throws -> T
  /// The types of the initialiser's parameters.
  // Sendable: a metatype is constant.
  @usableFromInline let parameters: Parameters

  @inlinable
  init(_ parameters: Parameters, factory: @escaping @Sendable (any Resolver) throws -> T) {
    self.parameters = parameters
    self.factory = factory
  }

  /// Creates a factory without dependencies.
  init(_ factory: @escaping @Sendable () throws -> T) { self.init(Parameters()) { _ in try factory() } }

  /// Returns a new instance, with its dependencies resolved from a resolver.
  public func callAsFunction(_ resolver: any Resolver) throws -> T { try factory(resolver) }
}

/// An asynchronous factory of an initialiser, made by `auto`; see ``AutoFactory``.
@frozen
public struct AsyncAutoFactory<T>: Sendable {
  @usableFromInline let factory: @Sendable (any Resolver) async throws -> T
  /// The types of the initialiser's parameters.
  @usableFromInline let parameters: Parameters

  @inlinable
  init(_ parameters: Parameters, factory: @escaping @Sendable (any Resolver) async throws -> T) {
    self.parameters = parameters
    self.factory = factory
  }

  /// Creates a factory without dependencies.
  init(_ factory: @escaping @Sendable () async throws -> T) { self.init(Parameters()) { _ in try await factory() } }

  /// Returns a new instance, with its dependencies resolved from a resolver.
  public func callAsFunction(_ resolver: any Resolver) async throws -> T { try await factory(resolver) }
}

/// A factory of an initialiser on the main actor, made by `mainauto`; see ``AutoFactory``.
public struct MainAutoFactory<T>: Sendable {
  let factory: @MainActor @Sendable (any Resolver) throws -> T
  let parameters: Parameters

  init(_ parameters: Parameters, factory: @escaping @MainActor @Sendable (any Resolver) throws -> T) {
    self.parameters = parameters
    self.factory = factory
  }

  /// Creates a factory without dependencies.
  init(_ factory: @escaping @MainActor @Sendable () throws -> T) { self.init(Parameters()) { _ in try factory() } }

  /// Returns a new instance, with its dependencies resolved from a resolver.
  @MainActor
  public func callAsFunction(_ resolver: any Resolver) throws -> T { try factory(resolver) }
}

/// The types of the parameters of an initialiser.
@frozen @usableFromInline
struct Parameters: Sendable {
  @usableFromInline var types: [any Any.Type] = []

  @inlinable
  init() {}

  /// Adds one type. Swift 6.3 miscompiles the append in a loop over a pack of one element without optimisation.
  @inlinable
  mutating func add<T>(_ type: T.Type) { types.append(type) }

  @inlinable
  init<each Parameter>(_ type: repeat (each Parameter).Type) {
    repeat add((each Parameter).self)
  }

  /// The parameters as dependencies without tags and arguments.
  var dependencies: [Dependency] {
    types.map { Dependency(key: AnyKey(metatype: $0, tags: []), argumentTypes: [], source: .initializer) }
  }
}

// MARK: Functions

/// Returns a factory of an initialiser that resolves each parameter without tags and arguments.
@inlinable
public func auto<T, each Dependency>(
  _ initializer: @escaping @Sendable (repeat each Dependency) throws -> T
) -> AutoFactory<T> {
  AutoFactory(Parameters(repeat (each Dependency).self)) { resolver in
    try initializer(repeat resolver.resolve((each Dependency).self))
  }
}

/// `auto` for one dependency, which the compiler can specialise.
@inlinable
public func auto<T, Dependency>(_ initializer: @escaping @Sendable (Dependency) throws -> T) -> AutoFactory<T> {
  AutoFactory(Parameters(Dependency.self)) { resolver in try initializer(resolver.resolve(Dependency.self)) }
}

/// `auto` for two dependencies, which the compiler can specialise.
@inlinable
public func auto<T, First, Second>(
  _ initializer: @escaping @Sendable (First, Second) throws -> T
) -> AutoFactory<T> {
  AutoFactory(Parameters(First.self, Second.self)) { resolver in
    try initializer(resolver.resolve(First.self), resolver.resolve(Second.self))
  }
}

/// The asynchronous `auto` for no dependencies, without a parameter pack; see the `register` functions.
public func auto<T>(_ initializer: @escaping @Sendable () async throws -> T) -> AsyncAutoFactory<T> {
  AsyncAutoFactory(Parameters()) { _ in try await initializer() }
}

/// The asynchronous `auto` for one dependency, which the compiler can specialise.
@inlinable
public func auto<T, Dependency>(_ initializer: @escaping @Sendable (Dependency) async throws -> T) -> AsyncAutoFactory<T> {
  AsyncAutoFactory(Parameters(Dependency.self)) { resolver in try await initializer(resolver.resolve(Dependency.self)) }
}

/// The asynchronous `auto` for two dependencies, which the compiler can specialise.
@inlinable
public func auto<T, First, Second>(
  _ initializer: @escaping @Sendable (First, Second) async throws -> T
) -> AsyncAutoFactory<T> {
  AsyncAutoFactory(Parameters(First.self, Second.self)) { resolver in
    try await initializer(resolver.resolve(First.self), resolver.resolve(Second.self))
  }
}

/// Returns an asynchronous factory of an initialiser that resolves each parameter without tags and arguments.
public func auto<T, each Dependency>(
  _ initializer: @escaping @Sendable (repeat each Dependency) async throws -> T
) -> AsyncAutoFactory<T> {
  AsyncAutoFactory(Parameters(repeat (each Dependency).self)) { resolver in
    try await initializer(repeat resolver.resolve((each Dependency).self))
  }
}

/// Returns a factory on the main actor of an initialiser that resolves each parameter there without tags and arguments.
public func mainauto<T: Sendable, each Dependency>(
  _ initializer: @escaping @MainActor @Sendable (repeat each Dependency) throws -> T
) -> MainAutoFactory<T> {
  MainAutoFactory(Parameters(repeat (each Dependency).self)) { resolver in
    try initializer(repeat resolver.resolve((each Dependency).self, isolation: MainActor.shared))
  }
}

/// `mainauto` for no dependencies, without a parameter pack; see the `register` functions.
public func mainauto<T: Sendable>(
  _ initializer: @escaping @MainActor @Sendable () throws -> T
) -> MainAutoFactory<T> {
  MainAutoFactory(Parameters()) { _ in try initializer() }
}
