internal import TroupeContainer

// The same forms as the protocol has them, without a place in the source, which no requirement could be met with. Whoever registers
// with a builder itself gets those that know the place.

extension ContainerBuilder: DependencyRegistry {
  /// Registers what a function makes, as the type that it gives.
  @_disfavoredOverload @preconcurrency public func transient<I>(_ factory: @escaping @Sendable () -> I) {
    register(.transient, withoutScope: factory)
  }

  /// Registers what a function makes of what a scope has, as the type that it gives.
  @_disfavoredOverload @preconcurrency public func transient<I>(
    _ factory: @escaping @Sendable (any DependencyResolutionScope) -> I
  ) { register(.transient, factory) }

  /// Registers what a function makes, as a type.
  @_disfavoredOverload @preconcurrency public func transient<C>(_ contract: C.Type, _ factory: @escaping @Sendable () -> C) {
    register(.transient, withoutScope: factory)
  }

  /// Registers what a function makes of what a scope has, as a type.
  @_disfavoredOverload @preconcurrency public func transient<C>(
    _ contract: C.Type, _ factory: @escaping @Sendable (any DependencyResolutionScope) -> C
  ) { register(.transient, factory) }

  /// Registers what is resolved as another type, which has to be registered itself.
  @_disfavoredOverload public func transient<C, I>(_ contract: C.Type, _ implementation: @escaping Assigned<C, I>) {
    register(.transient, implementation)
  }

  /// Registers something that makes itself.
  @_disfavoredOverload public func transient<I: Resolvable>(_ implementation: I.Type) {
    register(.transient, resolvable: implementation)
  }

  /// Registers something that makes itself, unless it is registered by its own type, as another type.
  @_disfavoredOverload public func transient<C, I: Resolvable>(_ contract: C.Type, _ implementation: @escaping Assigned<C, I>) {
    register(.transient, resolvable: implementation)
  }

  /// Registers what a function makes, as the type that it gives.
  @_disfavoredOverload @preconcurrency public func scoped<I>(_ factory: @escaping @Sendable () -> I) {
    register(.scoped, withoutScope: factory)
  }

  /// Registers what a function makes of what a scope has, as the type that it gives.
  @_disfavoredOverload @preconcurrency public func scoped<I>(
    _ factory: @escaping @Sendable (any DependencyResolutionScope) -> I
  ) { register(.scoped, factory) }

  /// Registers what a function makes, as a type.
  @_disfavoredOverload @preconcurrency public func scoped<C>(_ contract: C.Type, _ factory: @escaping @Sendable () -> C) {
    register(.scoped, withoutScope: factory)
  }

  /// Registers what a function makes of what a scope has, as a type.
  @_disfavoredOverload @preconcurrency public func scoped<C>(
    _ contract: C.Type, _ factory: @escaping @Sendable (any DependencyResolutionScope) -> C
  ) { register(.scoped, factory) }

  /// Registers what is resolved as another type, which has to be registered itself.
  @_disfavoredOverload public func scoped<C, I>(_ contract: C.Type, _ implementation: @escaping Assigned<C, I>) {
    register(.scoped, implementation)
  }

  /// Registers something that makes itself.
  @_disfavoredOverload public func scoped<I: Resolvable>(_ implementation: I.Type) {
    register(.scoped, resolvable: implementation)
  }

  /// Registers something that makes itself, unless it is registered by its own type, as another type.
  @_disfavoredOverload public func scoped<C, I: Resolvable>(_ contract: C.Type, _ implementation: @escaping Assigned<C, I>) {
    register(.scoped, resolvable: implementation)
  }

  /// Registers what a function makes, as the type that it gives.
  @_disfavoredOverload @preconcurrency public func singleton<I>(_ factory: @escaping @Sendable () -> I) {
    register(.singleton, withoutScope: factory)
  }

  /// Registers what a function makes of what a scope has, as the type that it gives.
  @_disfavoredOverload @preconcurrency public func singleton<I>(
    _ factory: @escaping @Sendable (any DependencyResolutionScope) -> I
  ) { register(.singleton, factory) }

  /// Registers what a function makes, as a type.
  @_disfavoredOverload @preconcurrency public func singleton<C>(_ contract: C.Type, _ factory: @escaping @Sendable () -> C) {
    register(.singleton, withoutScope: factory)
  }

  /// Registers what a function makes of what a scope has, as a type.
  @_disfavoredOverload @preconcurrency public func singleton<C>(
    _ contract: C.Type, _ factory: @escaping @Sendable (any DependencyResolutionScope) -> C
  ) { register(.singleton, factory) }

  /// Registers what is resolved as another type, which has to be registered itself.
  @_disfavoredOverload public func singleton<C, I>(_ contract: C.Type, _ implementation: @escaping Assigned<C, I>) {
    register(.singleton, implementation)
  }

  /// Registers something that makes itself.
  @_disfavoredOverload public func singleton<I: Resolvable>(_ implementation: I.Type) {
    register(.singleton, resolvable: implementation)
  }

  /// Registers something that makes itself, unless it is registered by its own type, as another type.
  @_disfavoredOverload public func singleton<C, I: Resolvable>(_ contract: C.Type, _ implementation: @escaping Assigned<C, I>) {
    register(.singleton, resolvable: implementation)
  }
}
