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
  /// The registrations. Nothing is resolved from it.
  private let model = Container()

  /// Creates a builder without registrations.
  public init() {}

  /// Returns a container with the present registrations. Later registrations do not change it or its scopes. It shares no instance
  /// with another container.
  ///
  /// Cost: proportional to the registrations, a microsecond each.
  public func build() -> ScopedContainer { ScopedContainer(model.copy()) }

  /// One line with the number of registrations.
  public var description: String { "ContainerBuilder of \(model)" }

  // MARK: Registering with any lifetime

  /// The source location of a registration.
  typealias Source = (file: StaticString, line: Int)

  /// - Parameters:
  ///   - source: The source location; nil if it is unknown.
  ///   - dependencies: The types that the factory resolves, for `validate()` and the graph; nil if they are unknown.
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
    // A type that is assigned to itself would resolve itself for ever. The dependencies of another type depend on the registrations
    // at the time of the resolve.
    let isSame = C.self == I.self
    register(lifetime, at: source, dependencies: isSame ? I.knownDependencies : nil) { scope in
      let registered = isSame ? nil : scope.tryResolve(I.self)
      return conversion(AssignedInstance(instance: registered ?? I(scope: scope)))
    }
  }
}
