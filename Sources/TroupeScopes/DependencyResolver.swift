/// A source of instances by their registered types.
public protocol DependencyResolver {
  /// Returns the instance registered as `C`. Ends the program with a message that states the reason if it cannot.
  func resolve<C>() -> C

  /// Returns the instance registered as `C`, or nil if `C` is not registered. Ends the program with a message that states the
  /// reason if the resolve of a registration fails.
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
