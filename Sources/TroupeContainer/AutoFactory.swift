/// A factory that `auto` made of an initializer. Its dependencies are the types of the parameters, so `Container.validate()` and the
/// graph know them before it runs.
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
    self.parameters = parameters?.types ?? []
    self.factory = factory
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
    self.parameters = parameters?.types ?? []
    self.factory = factory
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
    self.parameters = parameters?.types ?? []
    self.factory = factory
  }

  /// Returns a new instance whose dependencies it resolves.
  @MainActor
  public func callAsFunction(_ resolver: any Resolver) throws -> T { try factory(resolver) }
}
