internal import TroupeContainer

/// Collects registrations, of which it builds containers. It is the `ContainerBuilder` of Lambdaspire on the container of Troupe.
///
/// ```swift
/// let builder = ContainerBuilder()
/// builder.singleton((any Clock).self) { SystemClock() }
/// builder.scoped { scope in Request(clock: scope.resolve()) }
/// let container = builder.build()
/// container.scope { scope in scope.resolve(Request.self).handle() }
/// ```
///
/// Each registration becomes one of a `Container` that is never resolved from, the model, and `build()` copies the model. So the typed
/// functions of this module need neither throw nor name tags, and the built container still offers those of `Container`.
///
/// Safe to use from any thread.
public final class ContainerBuilder: Sendable, CustomStringConvertible {
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

  typealias SourceLocation = (file: StaticString, line: Int)

  /// - Parameters:
  ///   - location: Nil if it is unknown.
  ///   - dependencies: The types that the factory resolves. Nil if they are unknown.
  func register<C>(
    _ lifetime: Lifetime, at location: SourceLocation? = nil, dependencies: [any Any.Type]? = nil,
    _ factory: @escaping @Sendable (any DependencyResolutionScope) -> C
  ) {
    let keys = dependencies.map { $0.map { AnyKey(metatype: $0, tagset: []) } }
    let registrar: any Registrar = keys.map { model.annotated(dependsOn: $0) } ?? model
    registrar.add(
      .plain(C.self, tags: TagList([]), lifetime: lifetime, source: location) { resolver in
        factory(ScopedContainer(resolver._container.takeUnretainedValue()))
      })
  }

  func register<C>(
    _ lifetime: Lifetime, at location: SourceLocation? = nil, withoutScope factory: @escaping @Sendable () -> C
  ) {
    register(lifetime, at: location, dependencies: []) { _ in factory() }
  }

  func register<C, I>(_ lifetime: Lifetime, at location: SourceLocation? = nil, _ conversion: @escaping Assigned<C, I>) {
    register(lifetime, at: location, dependencies: [I.self]) { scope in conversion(AssignedInstance(instance: scope.resolve()))
    }
  }

  func register<I: Resolvable>(_ lifetime: Lifetime, at location: SourceLocation? = nil, resolvable implementation: I.Type) {
    register(lifetime, at: location, dependencies: I.knownDependencies) { scope in I(scope: scope) }
  }

  func register<C, I: Resolvable>(
    _ lifetime: Lifetime, at location: SourceLocation? = nil, resolvable conversion: @escaping Assigned<C, I>
  ) {
    // A type that is assigned to itself would resolve itself forever. The dependencies of another type depend on whether it is
    // registered at the time of the resolve.
    let isSame = C.self == I.self
    register(lifetime, at: location, dependencies: isSame ? I.knownDependencies : nil) { scope in
      let registered = isSame ? nil : scope.tryResolve(I.self)
      return conversion(AssignedInstance(instance: registered ?? I(scope: scope)))
    }
  }
}

// MARK: Assignments

/// A proof that an implementation `I` is a `C`: the same type, a subclass, or a type that conforms.
///
/// No generic constraint expresses this relation for an arbitrary `C`. So the proof is a function: `assigned(I.self)` returns a
/// function to an `I`, which the compiler converts to a function to a `C` only if each `I` is a `C`.
public typealias Assigned<C, I> = @Sendable (AssignedInstance<I>) -> C

/// An instance of an implementation; used only by ``Assigned``.
public struct AssignedInstance<I> {
  let instance: I
}

/// Assigns an implementation to the type under which it is registered.
///
/// ```swift
/// builder.transient((any Clock).self, assigned(SystemClock.self))
/// ```
///
/// It compiles only if the implementation is that type, is a subclass of it, or conforms to it.
public func assigned<I>(_ implementation: I.Type) -> Assigned<I, I> {
  { $0.instance }
}
