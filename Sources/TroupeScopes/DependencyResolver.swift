/// A source of instances by their registered types. Its functions do not throw: they end the program if a resolve fails.
public protocol DependencyResolver {
  /// Returns the instance registered as `C`. Ends the program with the reason if the resolve fails.
  func resolve<C>() -> C

  /// Returns the instance registered as `C`, or nil if `C` is not registered. Ends the program with the reason if the resolve of a
  /// registration fails.
  func tryResolve<C>() -> C?
}

extension DependencyResolver {
  /// Returns the instance registered as a type; see `resolve()`.
  @inlinable
  public func resolve<C>(_ contract: C.Type) -> C { resolve() }

  /// Returns the instance registered as a type, or nil if the type is not registered; see `tryResolve()`.
  @inlinable
  public func tryResolve<C>(_ contract: C.Type) -> C? { tryResolve() }
}

/// A resolver with its own instances of scoped registrations, such as for one request. Nested scopes share singletons.
public protocol DependencyResolutionScope: DependencyResolver, Sendable {
  /// Unique among the scopes of the process.
  var id: String { get }

  /// Returns a new scope inside this one.
  func scope() -> any DependencyResolutionScope
}

extension DependencyResolutionScope {
  /// Runs a closure with a new scope inside this one. The scope ends with the closure, unless the closure stores a reference to it.
  ///
  /// - Throws: The error of the closure.
  public func scope<Result>(_ body: (any DependencyResolutionScope) throws -> Result) rethrows -> Result {
    let scope = scope()
    // Without this the optimizer ends the scope after its last use in the closure.
    defer { withExtendedLifetime(scope) {} }
    return try body(scope)
  }

  /// Runs an asynchronous closure with a new scope inside this one. The scope ends with the closure, unless the closure stores a
  /// reference to it.
  ///
  /// - Throws: The error of the closure.
  nonisolated(nonsending)
    public func scope<Result>(
      _ body: nonisolated(nonsending) (any DependencyResolutionScope) async throws -> Result
    ) async rethrows -> Result
  {
    let scope = scope()
    defer { withExtendedLifetime(scope) {} }
    return try await body(scope)
  }
}
