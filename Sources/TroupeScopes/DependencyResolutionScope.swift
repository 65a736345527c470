/// A scope: a resolver with its own instances of scoped registrations.
public protocol DependencyResolutionScope: DependencyResolver, Sendable {
  /// An identifier that no other scope of the process has.
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
