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
public final class ContainerBuilder: Sendable, CustomStringConvertible {
  /// Has the registrations and is never resolved from.
  private let model = Container()

  /// Makes a builder without registrations.
  public init() {}

  /// Makes a container of what is registered now. What is registered later is not in it, nor in its scopes, and it shares no
  /// instance with another one.
  ///
  /// Cost: proportional to the registrations, a microsecond each.
  public func build() -> ScopedContainer { ScopedContainer(model.copy()) }

  /// One line with the number of registrations.
  public var description: String { "ContainerBuilder of \(model)" }

  // MARK: The forms, for every lifetime

  /// Where a registration is written.
  typealias Source = (file: StaticString, line: Int)

  /// - Parameters:
  ///   - source: Where it is written; nil if nobody knows.
  ///   - dependencies: The types that the factory resolves, for `validate()` and the graph; nil if nobody knows.
  func register<C>(
    _ lifetime: Lifetime, at source: Source? = nil, dependencies: [any Any.Type]? = nil,
    _ factory: @escaping @Sendable (any DependencyResolutionScope) -> C
  ) {
    let keys = dependencies.map { $0.map { AnyKey(metatype: $0, tagset: []) } }
    let registrar: any Registrar = keys.map { model.annotated(dependsOn: $0) } ?? model
    registrar.add(
      .plain(C.self, tags: TagList([]), lifetime: lifetime, source: source) { resolver in
        factory(ScopedContainer(resolver._container.takeUnretainedValue()))
      })
  }

  func register<C>(
    _ lifetime: Lifetime, at source: Source? = nil, withoutScope factory: @escaping @Sendable () -> C
  ) {
    register(lifetime, at: source, dependencies: []) { _ in factory() }
  }

  func register<C, I>(_ lifetime: Lifetime, at source: Source? = nil, _ conversion: @escaping Assigned<C, I>) {
    register(lifetime, at: source, dependencies: [I.self]) { scope in conversion(AssignedInstance(instance: scope.resolve())) }
  }

  func register<I: Resolvable>(_ lifetime: Lifetime, at source: Source? = nil, resolvable implementation: I.Type) {
    register(lifetime, at: source, dependencies: I.knownDependencies) { scope in I(scope: scope) }
  }

  func register<C, I: Resolvable>(
    _ lifetime: Lifetime, at source: Source? = nil, resolvable conversion: @escaping Assigned<C, I>
  ) {
    // What is assigned to itself would come back to itself. Otherwise it depends on what is registered by then what is resolved.
    let isSame = C.self == I.self
    register(lifetime, at: source, dependencies: isSame ? I.knownDependencies : nil) { scope in
      let registered = isSame ? nil : scope.tryResolve(I.self)
      return conversion(AssignedInstance(instance: registered ?? I(scope: scope)))
    }
  }

  // MARK: What is made anew for each resolve

  /// Registers what a function makes, as the type that it gives.
  @preconcurrency public func transient<I>(
    _ factory: @escaping @Sendable () -> I, fileID: StaticString = #fileID, line: Int = #line
  ) { register(.transient, at: (fileID, line), withoutScope: factory) }

  /// Registers what a function makes of what a scope has, as the type that it gives.
  @preconcurrency public func transient<I>(
    _ factory: @escaping @Sendable (any DependencyResolutionScope) -> I, fileID: StaticString = #fileID, line: Int = #line
  ) { register(.transient, at: (fileID, line), factory) }

  /// Registers what a function makes, as a type.
  @preconcurrency public func transient<C>(
    _ contract: C.Type, _ factory: @escaping @Sendable () -> C, fileID: StaticString = #fileID, line: Int = #line
  ) { register(.transient, at: (fileID, line), withoutScope: factory) }

  /// Registers what a function makes of what a scope has, as a type.
  @preconcurrency public func transient<C>(
    _ contract: C.Type, _ factory: @escaping @Sendable (any DependencyResolutionScope) -> C, fileID: StaticString = #fileID,
    line: Int = #line
  ) { register(.transient, at: (fileID, line), factory) }

  /// Registers what is resolved as another type, which has to be registered itself.
  public func transient<C, I>(
    _ contract: C.Type, _ implementation: @escaping Assigned<C, I>, fileID: StaticString = #fileID, line: Int = #line
  ) { register(.transient, at: (fileID, line), implementation) }

  /// Registers something that makes itself.
  public func transient<I: Resolvable>(_ implementation: I.Type, fileID: StaticString = #fileID, line: Int = #line) {
    register(.transient, at: (fileID, line), resolvable: implementation)
  }

  /// Registers something that makes itself, unless it is registered by its own type, as another type.
  public func transient<C, I: Resolvable>(
    _ contract: C.Type, _ implementation: @escaping Assigned<C, I>, fileID: StaticString = #fileID, line: Int = #line
  ) { register(.transient, at: (fileID, line), resolvable: implementation) }

  // MARK: What is made once in each scope

  /// Registers what a function makes, as the type that it gives.
  @preconcurrency public func scoped<I>(
    _ factory: @escaping @Sendable () -> I, fileID: StaticString = #fileID, line: Int = #line
  ) { register(.scoped, at: (fileID, line), withoutScope: factory) }

  /// Registers what a function makes of what a scope has, as the type that it gives.
  @preconcurrency public func scoped<I>(
    _ factory: @escaping @Sendable (any DependencyResolutionScope) -> I, fileID: StaticString = #fileID, line: Int = #line
  ) { register(.scoped, at: (fileID, line), factory) }

  /// Registers what a function makes, as a type.
  @preconcurrency public func scoped<C>(
    _ contract: C.Type, _ factory: @escaping @Sendable () -> C, fileID: StaticString = #fileID, line: Int = #line
  ) { register(.scoped, at: (fileID, line), withoutScope: factory) }

  /// Registers what a function makes of what a scope has, as a type.
  @preconcurrency public func scoped<C>(
    _ contract: C.Type, _ factory: @escaping @Sendable (any DependencyResolutionScope) -> C, fileID: StaticString = #fileID,
    line: Int = #line
  ) { register(.scoped, at: (fileID, line), factory) }

  /// Registers what is resolved as another type, which has to be registered itself.
  public func scoped<C, I>(
    _ contract: C.Type, _ implementation: @escaping Assigned<C, I>, fileID: StaticString = #fileID, line: Int = #line
  ) { register(.scoped, at: (fileID, line), implementation) }

  /// Registers something that makes itself.
  public func scoped<I: Resolvable>(_ implementation: I.Type, fileID: StaticString = #fileID, line: Int = #line) {
    register(.scoped, at: (fileID, line), resolvable: implementation)
  }

  /// Registers something that makes itself, unless it is registered by its own type, as another type.
  public func scoped<C, I: Resolvable>(
    _ contract: C.Type, _ implementation: @escaping Assigned<C, I>, fileID: StaticString = #fileID, line: Int = #line
  ) { register(.scoped, at: (fileID, line), resolvable: implementation) }

  // MARK: What is made once in all

  /// Registers what a function makes, as the type that it gives.
  @preconcurrency public func singleton<I>(
    _ factory: @escaping @Sendable () -> I, fileID: StaticString = #fileID, line: Int = #line
  ) { register(.singleton, at: (fileID, line), withoutScope: factory) }

  /// Registers what a function makes of what a scope has, as the type that it gives.
  @preconcurrency public func singleton<I>(
    _ factory: @escaping @Sendable (any DependencyResolutionScope) -> I, fileID: StaticString = #fileID, line: Int = #line
  ) { register(.singleton, at: (fileID, line), factory) }

  /// Registers what a function makes, as a type.
  @preconcurrency public func singleton<C>(
    _ contract: C.Type, _ factory: @escaping @Sendable () -> C, fileID: StaticString = #fileID, line: Int = #line
  ) { register(.singleton, at: (fileID, line), withoutScope: factory) }

  /// Registers what a function makes of what a scope has, as a type.
  @preconcurrency public func singleton<C>(
    _ contract: C.Type, _ factory: @escaping @Sendable (any DependencyResolutionScope) -> C, fileID: StaticString = #fileID,
    line: Int = #line
  ) { register(.singleton, at: (fileID, line), factory) }

  /// Registers what is resolved as another type, which has to be registered itself.
  public func singleton<C, I>(
    _ contract: C.Type, _ implementation: @escaping Assigned<C, I>, fileID: StaticString = #fileID, line: Int = #line
  ) { register(.singleton, at: (fileID, line), implementation) }

  /// Registers something that makes itself.
  public func singleton<I: Resolvable>(_ implementation: I.Type, fileID: StaticString = #fileID, line: Int = #line) {
    register(.singleton, at: (fileID, line), resolvable: implementation)
  }

  /// Registers something that makes itself, unless it is registered by its own type, as another type.
  public func singleton<C, I: Resolvable>(
    _ contract: C.Type, _ implementation: @escaping Assigned<C, I>, fileID: StaticString = #fileID, line: Int = #line
  ) { register(.singleton, at: (fileID, line), resolvable: implementation) }
}
