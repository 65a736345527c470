/// A factory made of an initialiser by `auto`, which knows what it resolves, so that `Container.validate()` and the graph know
/// it, too.
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
/// Resolving costs the same as with the function that `auto` gives where a function is wanted.
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

  /// Makes a factory that resolves nothing.
  init(_ factory: @escaping @Sendable () throws -> T) { self.init(Parameters()) { _ in try factory() } }

  /// Makes an instance of what a resolver has.
  public func callAsFunction(_ resolver: any Resolver) throws -> T { try factory(resolver) }
}

/// An asynchronous factory made of an initialiser by `auto`; see ``AutoFactory``.
public struct AsyncAutoFactory<T>: Sendable {
  let factory: @Sendable (any Resolver) async throws -> T
  let parameters: Parameters

  init(_ parameters: Parameters, factory: @escaping @Sendable (any Resolver) async throws -> T) {
    self.parameters = parameters
    self.factory = factory
  }

  /// Makes a factory that resolves nothing.
  init(_ factory: @escaping @Sendable () async throws -> T) { self.init(Parameters()) { _ in try await factory() } }

  /// Makes an instance of what a resolver has.
  public func callAsFunction(_ resolver: any Resolver) async throws -> T { try await factory(resolver) }
}

/// A factory on the main actor made of an initialiser by `mainauto`; see ``AutoFactory``.
public struct MainAutoFactory<T>: Sendable {
  let factory: @MainActor @Sendable (any Resolver) throws -> T
  let parameters: Parameters

  init(_ parameters: Parameters, factory: @escaping @MainActor @Sendable (any Resolver) throws -> T) {
    self.parameters = parameters
    self.factory = factory
  }

  /// Makes a factory that resolves nothing.
  init(_ factory: @escaping @MainActor @Sendable () throws -> T) { self.init(Parameters()) { _ in try factory() } }

  /// Makes an instance of what a resolver has.
  @MainActor
  public func callAsFunction(_ resolver: any Resolver) throws -> T { try factory(resolver) }
}

/// The types of the parameters of an initialiser.
@frozen @usableFromInline
struct Parameters: Sendable {
  @usableFromInline var types: [any Any.Type] = []

  @inlinable
  init() {}

  /// Not in a loop over a pack, which Swift 6.3 miscompiles without optimisation where there is one element.
  @inlinable
  mutating func add<T>(_ type: T.Type) { types.append(type) }

  @inlinable
  init<each Parameter>(_ type: repeat (each Parameter).Type) {
    repeat add((each Parameter).self)
  }

  /// As what a factory resolves, each without tags and arguments.
  var dependencies: [Dependency] {
    types.map { Dependency(key: AnyKey(metatype: $0, tags: []), argumentTypes: [], source: .initializer) }
  }
}

// MARK: The verbs

/// Makes a factory of an initialiser, which knows what it resolves: each of the parameters, without tags and arguments.
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

/// The asynchronous `auto` for no dependencies, without a parameter pack; see the verbs of registration.
public func auto<T>(_ initializer: @escaping @Sendable () async throws -> T) -> AsyncAutoFactory<T> {
  AsyncAutoFactory(Parameters()) { _ in try await initializer() }
}

/// Makes an asynchronous factory of an initialiser, which knows what it resolves: each of the parameters, without tags and
/// arguments.
public func auto<T, each Dependency>(
  _ initializer: @escaping @Sendable (repeat each Dependency) async throws -> T
) -> AsyncAutoFactory<T> {
  AsyncAutoFactory(Parameters(repeat (each Dependency).self)) { resolver in
    try await initializer(repeat resolver.resolve((each Dependency).self))
  }
}

/// Makes a factory on the main actor of an initialiser, which knows what it resolves there: each of the parameters, without
/// tags and arguments.
public func mainauto<T: Sendable, each Dependency>(
  _ initializer: @escaping @MainActor @Sendable (repeat each Dependency) throws -> T
) -> MainAutoFactory<T> {
  MainAutoFactory(Parameters(repeat (each Dependency).self)) { resolver in
    try initializer(repeat resolver.resolve((each Dependency).self, isolation: MainActor.shared))
  }
}

/// `mainauto` for no dependencies, without a parameter pack; see the verbs of registration.
public func mainauto<T: Sendable>(
  _ initializer: @escaping @MainActor @Sendable () throws -> T
) -> MainAutoFactory<T> {
  MainAutoFactory(Parameters()) { _ in try initializer() }
}
