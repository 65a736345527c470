/// Something that makes itself of what a scope has, so that it can be registered by its type alone.
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
/// It is made on whatever thread resolves, so its conformance is that of no actor.
public protocol Resolvable: SendableMetatype {
  /// Makes an instance.
  ///
  /// - Parameter scope: Where the instance belongs: for a singleton the root, for what is scoped its scope, for anything else
  ///   where it is resolved. What keeps it keeps all that is made there, itself included if that is where it belongs.
  init(scope: any DependencyResolutionScope)
}
