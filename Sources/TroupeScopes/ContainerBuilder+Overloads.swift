// Written by scripts/generate-overloads. Change that script, not this file.

internal import TroupeContainer

extension ContainerBuilder {
  /// Registers a factory under the type of its result.
  @preconcurrency public func transient<I>(
    _ factory: @escaping @Sendable () -> I, fileID: StaticString = #fileID, line: Int = #line
  ) {
    register(.transient, at: (fileID, line), withoutScope: factory)
  }

  /// Registers a factory that resolves from a scope under the type of its result.
  @preconcurrency public func transient<I>(
    _ factory: @escaping @Sendable (any DependencyResolutionScope) -> I, fileID: StaticString = #fileID, line: Int = #line
  ) {
    register(.transient, at: (fileID, line), factory)
  }

  /// Registers a factory under a type.
  @preconcurrency public func transient<C>(
    _ contract: C.Type, _ factory: @escaping @Sendable () -> C, fileID: StaticString = #fileID, line: Int = #line
  ) {
    register(.transient, at: (fileID, line), withoutScope: factory)
  }

  /// Registers a factory that resolves from a scope under a type.
  @preconcurrency public func transient<C>(
    _ contract: C.Type, _ factory: @escaping @Sendable (any DependencyResolutionScope) -> C, fileID: StaticString = #fileID,
    line: Int = #line
  ) {
    register(.transient, at: (fileID, line), factory)
  }

  /// Registers the instance of another type under a type. The other type needs a registration of its own.
  public func transient<C, I>(
    _ contract: C.Type, _ implementation: @escaping Assigned<C, I>, fileID: StaticString = #fileID, line: Int = #line
  ) {
    register(.transient, at: (fileID, line), implementation)
  }

  /// Registers a type that creates itself from a scope.
  public func transient<I: Resolvable>(_ implementation: I.Type, fileID: StaticString = #fileID, line: Int = #line) {
    register(.transient, at: (fileID, line), resolvable: implementation)
  }

  /// Registers a type that creates itself from a scope under another type. If it has a registration of its own, that one is used.
  public func transient<C, I: Resolvable>(
    _ contract: C.Type, _ implementation: @escaping Assigned<C, I>, fileID: StaticString = #fileID, line: Int = #line
  ) {
    register(.transient, at: (fileID, line), resolvable: implementation)
  }

  /// Registers a factory under the type of its result.
  @preconcurrency public func scoped<I>(
    _ factory: @escaping @Sendable () -> I, fileID: StaticString = #fileID, line: Int = #line
  ) {
    register(.scoped, at: (fileID, line), withoutScope: factory)
  }

  /// Registers a factory that resolves from a scope under the type of its result.
  @preconcurrency public func scoped<I>(
    _ factory: @escaping @Sendable (any DependencyResolutionScope) -> I, fileID: StaticString = #fileID, line: Int = #line
  ) {
    register(.scoped, at: (fileID, line), factory)
  }

  /// Registers a factory under a type.
  @preconcurrency public func scoped<C>(
    _ contract: C.Type, _ factory: @escaping @Sendable () -> C, fileID: StaticString = #fileID, line: Int = #line
  ) {
    register(.scoped, at: (fileID, line), withoutScope: factory)
  }

  /// Registers a factory that resolves from a scope under a type.
  @preconcurrency public func scoped<C>(
    _ contract: C.Type, _ factory: @escaping @Sendable (any DependencyResolutionScope) -> C, fileID: StaticString = #fileID,
    line: Int = #line
  ) {
    register(.scoped, at: (fileID, line), factory)
  }

  /// Registers the instance of another type under a type. The other type needs a registration of its own.
  public func scoped<C, I>(
    _ contract: C.Type, _ implementation: @escaping Assigned<C, I>, fileID: StaticString = #fileID, line: Int = #line
  ) {
    register(.scoped, at: (fileID, line), implementation)
  }

  /// Registers a type that creates itself from a scope.
  public func scoped<I: Resolvable>(_ implementation: I.Type, fileID: StaticString = #fileID, line: Int = #line) {
    register(.scoped, at: (fileID, line), resolvable: implementation)
  }

  /// Registers a type that creates itself from a scope under another type. If it has a registration of its own, that one is used.
  public func scoped<C, I: Resolvable>(
    _ contract: C.Type, _ implementation: @escaping Assigned<C, I>, fileID: StaticString = #fileID, line: Int = #line
  ) {
    register(.scoped, at: (fileID, line), resolvable: implementation)
  }

  /// Registers a factory under the type of its result.
  @preconcurrency public func singleton<I>(
    _ factory: @escaping @Sendable () -> I, fileID: StaticString = #fileID, line: Int = #line
  ) {
    register(.singleton, at: (fileID, line), withoutScope: factory)
  }

  /// Registers a factory that resolves from a scope under the type of its result.
  @preconcurrency public func singleton<I>(
    _ factory: @escaping @Sendable (any DependencyResolutionScope) -> I, fileID: StaticString = #fileID, line: Int = #line
  ) {
    register(.singleton, at: (fileID, line), factory)
  }

  /// Registers a factory under a type.
  @preconcurrency public func singleton<C>(
    _ contract: C.Type, _ factory: @escaping @Sendable () -> C, fileID: StaticString = #fileID, line: Int = #line
  ) {
    register(.singleton, at: (fileID, line), withoutScope: factory)
  }

  /// Registers a factory that resolves from a scope under a type.
  @preconcurrency public func singleton<C>(
    _ contract: C.Type, _ factory: @escaping @Sendable (any DependencyResolutionScope) -> C, fileID: StaticString = #fileID,
    line: Int = #line
  ) {
    register(.singleton, at: (fileID, line), factory)
  }

  /// Registers the instance of another type under a type. The other type needs a registration of its own.
  public func singleton<C, I>(
    _ contract: C.Type, _ implementation: @escaping Assigned<C, I>, fileID: StaticString = #fileID, line: Int = #line
  ) {
    register(.singleton, at: (fileID, line), implementation)
  }

  /// Registers a type that creates itself from a scope.
  public func singleton<I: Resolvable>(_ implementation: I.Type, fileID: StaticString = #fileID, line: Int = #line) {
    register(.singleton, at: (fileID, line), resolvable: implementation)
  }

  /// Registers a type that creates itself from a scope under another type. If it has a registration of its own, that one is used.
  public func singleton<C, I: Resolvable>(
    _ contract: C.Type, _ implementation: @escaping Assigned<C, I>, fileID: StaticString = #fileID, line: Int = #line
  ) {
    register(.singleton, at: (fileID, line), resolvable: implementation)
  }
}

// A requirement of a protocol has no default arguments, so each function exists without a source location as well. Callers of a builder
// get the functions with one.

extension ContainerBuilder: DependencyRegistry {
  /// Registers a factory under the type of its result.
  @_disfavoredOverload @preconcurrency public func transient<I>(_ factory: @escaping @Sendable () -> I) {
    register(.transient, withoutScope: factory)
  }

  /// Registers a factory that resolves from a scope under the type of its result.
  @_disfavoredOverload @preconcurrency public func transient<I>(
    _ factory: @escaping @Sendable (any DependencyResolutionScope) -> I
  ) {
    register(.transient, factory)
  }

  /// Registers a factory under a type.
  @_disfavoredOverload @preconcurrency public func transient<C>(_ contract: C.Type, _ factory: @escaping @Sendable () -> C) {
    register(.transient, withoutScope: factory)
  }

  /// Registers a factory that resolves from a scope under a type.
  @_disfavoredOverload @preconcurrency public func transient<C>(
    _ contract: C.Type, _ factory: @escaping @Sendable (any DependencyResolutionScope) -> C
  ) {
    register(.transient, factory)
  }

  /// Registers the instance of another type under a type. The other type needs a registration of its own.
  @_disfavoredOverload public func transient<C, I>(_ contract: C.Type, _ implementation: @escaping Assigned<C, I>) {
    register(.transient, implementation)
  }

  /// Registers a type that creates itself from a scope.
  @_disfavoredOverload public func transient<I: Resolvable>(_ implementation: I.Type) {
    register(.transient, resolvable: implementation)
  }

  /// Registers a type that creates itself from a scope under another type. If it has a registration of its own, that one is used.
  @_disfavoredOverload public func transient<C, I: Resolvable>(_ contract: C.Type, _ implementation: @escaping Assigned<C, I>) {
    register(.transient, resolvable: implementation)
  }

  /// Registers a factory under the type of its result.
  @_disfavoredOverload @preconcurrency public func scoped<I>(_ factory: @escaping @Sendable () -> I) {
    register(.scoped, withoutScope: factory)
  }

  /// Registers a factory that resolves from a scope under the type of its result.
  @_disfavoredOverload @preconcurrency public func scoped<I>(
    _ factory: @escaping @Sendable (any DependencyResolutionScope) -> I
  ) {
    register(.scoped, factory)
  }

  /// Registers a factory under a type.
  @_disfavoredOverload @preconcurrency public func scoped<C>(_ contract: C.Type, _ factory: @escaping @Sendable () -> C) {
    register(.scoped, withoutScope: factory)
  }

  /// Registers a factory that resolves from a scope under a type.
  @_disfavoredOverload @preconcurrency public func scoped<C>(
    _ contract: C.Type, _ factory: @escaping @Sendable (any DependencyResolutionScope) -> C
  ) {
    register(.scoped, factory)
  }

  /// Registers the instance of another type under a type. The other type needs a registration of its own.
  @_disfavoredOverload public func scoped<C, I>(_ contract: C.Type, _ implementation: @escaping Assigned<C, I>) {
    register(.scoped, implementation)
  }

  /// Registers a type that creates itself from a scope.
  @_disfavoredOverload public func scoped<I: Resolvable>(_ implementation: I.Type) {
    register(.scoped, resolvable: implementation)
  }

  /// Registers a type that creates itself from a scope under another type. If it has a registration of its own, that one is used.
  @_disfavoredOverload public func scoped<C, I: Resolvable>(_ contract: C.Type, _ implementation: @escaping Assigned<C, I>) {
    register(.scoped, resolvable: implementation)
  }

  /// Registers a factory under the type of its result.
  @_disfavoredOverload @preconcurrency public func singleton<I>(_ factory: @escaping @Sendable () -> I) {
    register(.singleton, withoutScope: factory)
  }

  /// Registers a factory that resolves from a scope under the type of its result.
  @_disfavoredOverload @preconcurrency public func singleton<I>(
    _ factory: @escaping @Sendable (any DependencyResolutionScope) -> I
  ) {
    register(.singleton, factory)
  }

  /// Registers a factory under a type.
  @_disfavoredOverload @preconcurrency public func singleton<C>(_ contract: C.Type, _ factory: @escaping @Sendable () -> C) {
    register(.singleton, withoutScope: factory)
  }

  /// Registers a factory that resolves from a scope under a type.
  @_disfavoredOverload @preconcurrency public func singleton<C>(
    _ contract: C.Type, _ factory: @escaping @Sendable (any DependencyResolutionScope) -> C
  ) {
    register(.singleton, factory)
  }

  /// Registers the instance of another type under a type. The other type needs a registration of its own.
  @_disfavoredOverload public func singleton<C, I>(_ contract: C.Type, _ implementation: @escaping Assigned<C, I>) {
    register(.singleton, implementation)
  }

  /// Registers a type that creates itself from a scope.
  @_disfavoredOverload public func singleton<I: Resolvable>(_ implementation: I.Type) {
    register(.singleton, resolvable: implementation)
  }

  /// Registers a type that creates itself from a scope under another type. If it has a registration of its own, that one is used.
  @_disfavoredOverload public func singleton<C, I: Resolvable>(_ contract: C.Type, _ implementation: @escaping Assigned<C, I>) {
    register(.singleton, resolvable: implementation)
  }
}
