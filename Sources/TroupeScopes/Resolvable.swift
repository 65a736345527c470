/// A type that resolves its dependencies in its initializer, so that a registration needs only the type.
///
/// ```swift
/// struct Car: Resolvable {
///   let engine: Engine
///   init(scope: any DependencyResolutionScope) { engine = scope.resolve() }
/// }
///
/// let builder = ContainerBuilder()
/// builder.transient { Engine() }
/// builder.scoped(Car.self)
/// let car: Car = builder.build().resolve()
/// ```
///
/// Any thread may make an instance, so the conformance must not be isolated to an actor.
public protocol Resolvable: SendableMetatype {
  /// Creates an instance.
  ///
  /// - Parameter scope: The scope from which the instance resolves: for a singleton the root, for a scoped instance its scope, for
  ///   a transient the scope of the resolve. An instance that stores its scope keeps all instances of the scope alive; if it
  ///   belongs to that scope, it also keeps itself alive.
  init(scope: any DependencyResolutionScope)
}
