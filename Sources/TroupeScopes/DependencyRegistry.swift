/// Where dependencies are registered: for each of the lifetimes in seven forms.
///
/// - *transient*: made anew for each resolve.
/// - *scoped*: made once in each scope.
/// - *singleton*: made once in all, of what the root has.
///
/// A factory runs on whatever thread resolves, and a singleton's instance goes to every thread that asks for it. The later of two
/// registrations of one type counts. What is registered as `C` is resolved as `C?`, too.
///
/// Factories are `@Sendable` where the client checks that; a client in an older language mode may leave it out.
public protocol DependencyRegistry {
  /// Registers what a function makes, as the type that it gives.
  @preconcurrency func transient<I>(_ factory: @escaping @Sendable () -> I)
  /// Registers what a function makes of what a scope has, as the type that it gives.
  @preconcurrency func transient<I>(_ factory: @escaping @Sendable (any DependencyResolutionScope) -> I)
  /// Registers what a function makes, as a type.
  @preconcurrency func transient<C>(_ contract: C.Type, _ factory: @escaping @Sendable () -> C)
  /// Registers what a function makes of what a scope has, as a type.
  @preconcurrency func transient<C>(
    _ contract: C.Type, _ factory: @escaping @Sendable (any DependencyResolutionScope) -> C)
  /// Registers what is resolved as another type, which has to be registered itself.
  func transient<C, I>(_ contract: C.Type, _ implementation: @escaping Assigned<C, I>)
  /// Registers something that makes itself.
  func transient<I: Resolvable>(_ implementation: I.Type)
  /// Registers something that makes itself, unless it is registered by its own type, as another type.
  func transient<C, I: Resolvable>(_ contract: C.Type, _ implementation: @escaping Assigned<C, I>)

  /// Registers what a function makes, as the type that it gives.
  @preconcurrency func scoped<I>(_ factory: @escaping @Sendable () -> I)
  /// Registers what a function makes of what a scope has, as the type that it gives.
  @preconcurrency func scoped<I>(_ factory: @escaping @Sendable (any DependencyResolutionScope) -> I)
  /// Registers what a function makes, as a type.
  @preconcurrency func scoped<C>(_ contract: C.Type, _ factory: @escaping @Sendable () -> C)
  /// Registers what a function makes of what a scope has, as a type.
  @preconcurrency func scoped<C>(
    _ contract: C.Type, _ factory: @escaping @Sendable (any DependencyResolutionScope) -> C)
  /// Registers what is resolved as another type, which has to be registered itself.
  func scoped<C, I>(_ contract: C.Type, _ implementation: @escaping Assigned<C, I>)
  /// Registers something that makes itself.
  func scoped<I: Resolvable>(_ implementation: I.Type)
  /// Registers something that makes itself, unless it is registered by its own type, as another type.
  func scoped<C, I: Resolvable>(_ contract: C.Type, _ implementation: @escaping Assigned<C, I>)

  /// Registers what a function makes, as the type that it gives.
  @preconcurrency func singleton<I>(_ factory: @escaping @Sendable () -> I)
  /// Registers what a function makes of what a scope has, as the type that it gives.
  @preconcurrency func singleton<I>(_ factory: @escaping @Sendable (any DependencyResolutionScope) -> I)
  /// Registers what a function makes, as a type.
  @preconcurrency func singleton<C>(_ contract: C.Type, _ factory: @escaping @Sendable () -> C)
  /// Registers what a function makes of what a scope has, as a type.
  @preconcurrency func singleton<C>(
    _ contract: C.Type, _ factory: @escaping @Sendable (any DependencyResolutionScope) -> C)
  /// Registers what is resolved as another type, which has to be registered itself.
  func singleton<C, I>(_ contract: C.Type, _ implementation: @escaping Assigned<C, I>)
  /// Registers something that makes itself.
  func singleton<I: Resolvable>(_ implementation: I.Type)
  /// Registers something that makes itself, unless it is registered by its own type, as another type.
  func singleton<C, I: Resolvable>(_ contract: C.Type, _ implementation: @escaping Assigned<C, I>)
}
