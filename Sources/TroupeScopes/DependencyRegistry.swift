// Written by scripts/generate-overloads. Change that script, not this file.

/// Registers factories and types with one of three lifetimes.
///
/// - *transient*: each resolve makes an instance.
/// - *scoped*: each scope makes one instance.
/// - *singleton*: the root scope makes one instance for all scopes.
///
/// A factory runs on the thread that resolves. All threads share the instance of a singleton. A later registration of a type replaces
/// an earlier one. A registration of `C` answers requests for `C?` as well.
///
/// Factories are `@Sendable`. A client in an older language mode may omit it.
public protocol DependencyRegistry {
  /// Registers a factory under the type of its result.
  @preconcurrency func transient<I>(_ factory: @escaping @Sendable () -> I)
  /// Registers a factory that resolves from a scope under the type of its result.
  @preconcurrency func transient<I>(_ factory: @escaping @Sendable (any DependencyResolutionScope) -> I)
  /// Registers a factory under a type.
  @preconcurrency func transient<C>(_ contract: C.Type, _ factory: @escaping @Sendable () -> C)
  /// Registers a factory that resolves from a scope under a type.
  @preconcurrency func transient<C>(_ contract: C.Type, _ factory: @escaping @Sendable (any DependencyResolutionScope) -> C)
  /// Registers the instance of another type under a type. The other type needs a registration of its own.
  func transient<C, I>(_ contract: C.Type, _ implementation: @escaping Assigned<C, I>)
  /// Registers a type that creates itself from a scope.
  func transient<I: Resolvable>(_ implementation: I.Type)
  /// Registers a type that creates itself from a scope under another type. If it has a registration of its own, that one is used.
  func transient<C, I: Resolvable>(_ contract: C.Type, _ implementation: @escaping Assigned<C, I>)

  /// Registers a factory under the type of its result.
  @preconcurrency func scoped<I>(_ factory: @escaping @Sendable () -> I)
  /// Registers a factory that resolves from a scope under the type of its result.
  @preconcurrency func scoped<I>(_ factory: @escaping @Sendable (any DependencyResolutionScope) -> I)
  /// Registers a factory under a type.
  @preconcurrency func scoped<C>(_ contract: C.Type, _ factory: @escaping @Sendable () -> C)
  /// Registers a factory that resolves from a scope under a type.
  @preconcurrency func scoped<C>(_ contract: C.Type, _ factory: @escaping @Sendable (any DependencyResolutionScope) -> C)
  /// Registers the instance of another type under a type. The other type needs a registration of its own.
  func scoped<C, I>(_ contract: C.Type, _ implementation: @escaping Assigned<C, I>)
  /// Registers a type that creates itself from a scope.
  func scoped<I: Resolvable>(_ implementation: I.Type)
  /// Registers a type that creates itself from a scope under another type. If it has a registration of its own, that one is used.
  func scoped<C, I: Resolvable>(_ contract: C.Type, _ implementation: @escaping Assigned<C, I>)

  /// Registers a factory under the type of its result.
  @preconcurrency func singleton<I>(_ factory: @escaping @Sendable () -> I)
  /// Registers a factory that resolves from a scope under the type of its result.
  @preconcurrency func singleton<I>(_ factory: @escaping @Sendable (any DependencyResolutionScope) -> I)
  /// Registers a factory under a type.
  @preconcurrency func singleton<C>(_ contract: C.Type, _ factory: @escaping @Sendable () -> C)
  /// Registers a factory that resolves from a scope under a type.
  @preconcurrency func singleton<C>(_ contract: C.Type, _ factory: @escaping @Sendable (any DependencyResolutionScope) -> C)
  /// Registers the instance of another type under a type. The other type needs a registration of its own.
  func singleton<C, I>(_ contract: C.Type, _ implementation: @escaping Assigned<C, I>)
  /// Registers a type that creates itself from a scope.
  func singleton<I: Resolvable>(_ implementation: I.Type)
  /// Registers a type that creates itself from a scope under another type. If it has a registration of its own, that one is used.
  func singleton<C, I: Resolvable>(_ contract: C.Type, _ implementation: @escaping Assigned<C, I>)
}
