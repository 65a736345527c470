/// Gives instances of what is registered.
public protocol DependencyResolver {
  /// The instance registered as `C`. Ends the program if it cannot be given, with a message that says why.
  func resolve<C>() -> C

  /// The instance registered as `C`, or nil if nothing is. Ends the program if something is registered and cannot be given, with
  /// a message that says why.
  func tryResolve<C>() -> C?
}

extension DependencyResolver {
  /// The instance registered as a type; see `resolve()`.
  @inlinable
  public func resolve<C>(_ contract: C.Type) -> C { resolve() }

  /// The instance registered as a type, or nil if nothing is; see `tryResolve()`.
  @inlinable
  public func tryResolve<C>(_ contract: C.Type) -> C? { tryResolve() }
}
