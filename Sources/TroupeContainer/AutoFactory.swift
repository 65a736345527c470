/// A factory of an initializer, made by `auto`, with its dependencies, which `Container.validate()` and the graph can read.
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
  /// The types of the initializer's parameters.
  // Sendable: a metatype is constant.
  @usableFromInline let parameters: ParameterTypes

  @inlinable
  init(_ parameters: ParameterTypes, factory: @escaping @Sendable (any Resolver) throws -> T) {
    self.parameters = parameters
    self.factory = factory
  }

  /// Returns a new instance, with its dependencies resolved from a resolver.
  public func callAsFunction(_ resolver: any Resolver) throws -> T { try factory(resolver) }
}

/// An asynchronous factory of an initializer, made by `auto`; see ``AutoFactory``.
@frozen
public struct AsyncAutoFactory<T>: Sendable {
  @usableFromInline let factory: @Sendable (any Resolver) async throws -> T
  /// The types of the initializer's parameters.
  @usableFromInline let parameters: ParameterTypes

  @inlinable
  init(_ parameters: ParameterTypes, factory: @escaping @Sendable (any Resolver) async throws -> T) {
    self.parameters = parameters
    self.factory = factory
  }

  /// Returns a new instance, with its dependencies resolved from a resolver.
  public func callAsFunction(_ resolver: any Resolver) async throws -> T { try await factory(resolver) }
}

/// A factory of an initializer on the main actor, made by `mainauto`; see ``AutoFactory``.
@frozen
public struct MainAutoFactory<T>: Sendable {
  @usableFromInline let factory: @MainActor @Sendable (any Resolver) throws -> T
  /// The types of the initializer's parameters.
  @usableFromInline let parameters: ParameterTypes

  @inlinable
  init(_ parameters: ParameterTypes, factory: @escaping @MainActor @Sendable (any Resolver) throws -> T) {
    self.parameters = parameters
    self.factory = factory
  }

  /// Returns a new instance, with its dependencies resolved from a resolver.
  @MainActor
  public func callAsFunction(_ resolver: any Resolver) throws -> T { try factory(resolver) }
}

/// The types of the parameters of an initializer.
@frozen @usableFromInline
struct ParameterTypes: Sendable {
  @usableFromInline var types: [any Any.Type] = []

  @inlinable
  init() {}

  /// Adds one type. Swift 6.3 miscompiles the append in a loop over a pack of one element without optimization.
  @inlinable
  mutating func add<T>(_ type: T.Type) { types.append(type) }

  @inlinable
  init<each Parameter>(_ type: repeat (each Parameter).Type) {
    repeat add((each Parameter).self)
  }

  /// The parameters as dependencies without tags and arguments.
  var dependencies: [Dependency] {
    types.map { Dependency(key: AnyKey(metatype: $0, tags: []), argumentTypes: [], source: .known) }
  }
}
