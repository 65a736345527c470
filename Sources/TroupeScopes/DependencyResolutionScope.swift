/// Where what is registered as scoped is made once.
public protocol DependencyResolutionScope: DependencyResolver, Sendable {
  /// What tells this scope from every other one in the process.
  var id: String { get }

  /// Makes a scope inside of this one.
  func scope() -> any DependencyResolutionScope
}

extension DependencyResolutionScope {
  /// Does something in a scope inside of this one, which ends with it unless the closure hands it to somebody.
  ///
  /// - Throws: What the closure throws.
  public func scope<Result>(_ body: (any DependencyResolutionScope) throws -> Result) rethrows -> Result {
    let scope = scope()
    // Else the optimiser ends it after its last use in the closure.
    defer { withExtendedLifetime(scope) {} }
    return try body(scope)
  }

  /// Does something asynchronous in a scope inside of this one, which ends with it unless the closure hands it to somebody.
  ///
  /// - Throws: What the closure throws.
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
