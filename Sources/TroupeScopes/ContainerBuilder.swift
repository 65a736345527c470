internal import TroupeContainer

/// Collects registrations and builds containers of them.
///
/// ```swift
/// let builder = ContainerBuilder()
/// builder.singleton((any Clock).self) { SystemClock() }
/// builder.scoped { scope in Request(clock: scope.resolve()) }
/// let container = builder.build()
/// container.scope { scope in scope.resolve(Request.self).handle() }
/// ```
///
/// Safe to use from any thread.
public final class ContainerBuilder: DependencyRegistry, Sendable {
  /// Has the registrations and is never resolved from.
  private let model = Container()

  /// Makes a builder without registrations.
  public init() {}

  /// Makes a container of what is registered now. What is registered later is not in it, nor in its scopes, and it shares no
  /// instance with another one.
  ///
  /// Cost: proportional to the registrations, a microsecond each.
  public func build() -> ScopedContainer { ScopedContainer(model.copy()) }

  // MARK: The forms, for every lifetime

  private func register<C>(_ lifetime: Lifetime, _ factory: @escaping @Sendable (any DependencyResolutionScope) -> C) {
    model.add(
      .plain(C.self, tags: TagList([]), lifetime: lifetime) { resolver in
        factory(ScopedContainer(resolver._container.takeUnretainedValue()))
      })
  }

  private func register<C, I>(_ lifetime: Lifetime, _ conversion: @escaping Assigned<C, I>) {
    register(lifetime) { scope in conversion(AssignedInstance(instance: scope.resolve())) }
  }

  private func register<C, I: Resolvable>(_ lifetime: Lifetime, resolvable conversion: @escaping Assigned<C, I>) {
    // What is assigned to itself would come back to itself.
    let isSame = C.self == I.self
    register(lifetime) { scope in
      let registered = isSame ? nil : scope.tryResolve(I.self)
      return conversion(AssignedInstance(instance: registered ?? I(scope: scope)))
    }
  }

  // MARK: What is made anew for each resolve

  @preconcurrency public func transient<I>(_ factory: @escaping @Sendable () -> I) { register(.transient) { _ in factory() } }

  @preconcurrency public func transient<I>(_ factory: @escaping @Sendable (any DependencyResolutionScope) -> I) {
    register(.transient, factory)
  }

  @preconcurrency public func transient<C>(_ contract: C.Type, _ factory: @escaping @Sendable () -> C) {
    register(.transient) { _ in factory() }
  }

  @preconcurrency public func transient<C>(
    _ contract: C.Type, _ factory: @escaping @Sendable (any DependencyResolutionScope) -> C
  ) {
    register(.transient, factory)
  }

  public func transient<C, I>(_ contract: C.Type, _ implementation: @escaping Assigned<C, I>) {
    register(.transient, implementation)
  }

  public func transient<I: Resolvable>(_ implementation: I.Type) { register(.transient) { scope in I(scope: scope) } }

  public func transient<C, I: Resolvable>(_ contract: C.Type, _ implementation: @escaping Assigned<C, I>) {
    register(.transient, resolvable: implementation)
  }

  // MARK: What is made once in each scope

  @preconcurrency public func scoped<I>(_ factory: @escaping @Sendable () -> I) { register(.scoped) { _ in factory() } }

  @preconcurrency public func scoped<I>(_ factory: @escaping @Sendable (any DependencyResolutionScope) -> I) {
    register(.scoped, factory)
  }

  @preconcurrency public func scoped<C>(_ contract: C.Type, _ factory: @escaping @Sendable () -> C) {
    register(.scoped) { _ in factory() }
  }

  @preconcurrency public func scoped<C>(
    _ contract: C.Type, _ factory: @escaping @Sendable (any DependencyResolutionScope) -> C
  ) {
    register(.scoped, factory)
  }

  public func scoped<C, I>(_ contract: C.Type, _ implementation: @escaping Assigned<C, I>) {
    register(.scoped, implementation)
  }

  public func scoped<I: Resolvable>(_ implementation: I.Type) { register(.scoped) { scope in I(scope: scope) } }

  public func scoped<C, I: Resolvable>(_ contract: C.Type, _ implementation: @escaping Assigned<C, I>) {
    register(.scoped, resolvable: implementation)
  }

  // MARK: What is made once in all

  @preconcurrency public func singleton<I>(_ factory: @escaping @Sendable () -> I) { register(.singleton) { _ in factory() } }

  @preconcurrency public func singleton<I>(_ factory: @escaping @Sendable (any DependencyResolutionScope) -> I) {
    register(.singleton, factory)
  }

  @preconcurrency public func singleton<C>(_ contract: C.Type, _ factory: @escaping @Sendable () -> C) {
    register(.singleton) { _ in factory() }
  }

  @preconcurrency public func singleton<C>(
    _ contract: C.Type, _ factory: @escaping @Sendable (any DependencyResolutionScope) -> C
  ) {
    register(.singleton, factory)
  }

  public func singleton<C, I>(_ contract: C.Type, _ implementation: @escaping Assigned<C, I>) {
    register(.singleton, implementation)
  }

  public func singleton<I: Resolvable>(_ implementation: I.Type) { register(.singleton) { scope in I(scope: scope) } }

  public func singleton<C, I: Resolvable>(_ contract: C.Type, _ implementation: @escaping Assigned<C, I>) {
    register(.singleton, resolvable: implementation)
  }
}
