/// A type that resolves its own dependencies, so that its registration needs no factory.
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
/// The macro `@Resolvable` writes the initializer. Any thread may make an instance, so the conformance must not be isolated to an actor.
public protocol Resolvable: SendableMetatype {
  /// - Parameter scope: The scope from which the instance resolves: for a singleton the root, for a scoped instance its scope, for
  ///   a transient the scope of the resolve. An instance that stores its scope keeps all instances of the scope alive; if it
  ///   belongs to that scope, it also keeps itself alive.
  init(scope: any DependencyResolutionScope)
}

/// A type that lists the dependencies of its `init(scope:)`, so that `Container.validate()` knows them before it makes an instance.
///
/// `@Resolvable` adds the conformance. A type with its own `init(scope:)` can conform as well:
///
/// ```swift
/// final class Clock: Resolvable, DependencyListing {
///   private let source: TimeSource
///   init(scope: any DependencyResolutionScope) { source = scope.resolve() }
///   static var listedDependencies: [any Any.Type]? { [TimeSource.self] }
/// }
/// ```
public protocol DependencyListing: SendableMetatype {
  /// The resolved types in the order of the resolves. An optional one may be missing. Nil if they are not known, as for a subclass
  /// without `@Resolvable` and without its own list.
  static var listedDependencies: [any Any.Type]? { get }
}

extension Resolvable {
  /// Nil if they are not known.
  static var knownDependencies: [any Any.Type]? { (self as? any DependencyListing.Type)?.listedDependencies }
}

// MARK: Macros

/// Makes a type `Resolvable`: adds an `init(scope:)` that resolves the parameters of the initializer, or else the stored properties.
///
/// ```swift
/// import TroupeScopes
///
/// protocol Clock {}
/// @Resolvable final class SystemClock: Clock {}
///
/// @Resolvable final class Greeter {
///   private let clock: any Clock
///   init(clock: any Clock) { self.clock = clock }
/// }
///
/// let builder = ContainerBuilder()
/// builder.singleton((any Clock).self, assigned(SystemClock.self))
/// builder.transient(Greeter.self)
/// let greeter: Greeter = builder.build().resolve()
/// ```
///
/// Attach it to a class, a struct or an actor, also to a generic or nested one. It reads only the type itself, not its extensions.
///
/// **With an initializer**, `init(scope:)` calls it with resolved arguments. It omits parameters with a default and variadic
/// parameters; an autoclosure resolves when it is called. An error of the initializer, or its nil, ends the process, because
/// `init(scope:)` does not throw. Of several initializers, it calls the available one that is neither `convenience` nor delegates
/// to another. If there is more than one of these, mark one with ``ResolvableInitializer()``.
///
/// **Without an initializer**, it resolves each stored property without an initial value, `var name: Name?` among them; declare
/// `var name: Name? = nil` for a property that begins as nil. It assumes that a property wrapper with arguments provides a value. A
/// struct keeps its memberwise initializer.
///
/// An optional that is not registered is nil. Any other missing dependency ends the process with a message, as in
/// `DependencyResolver.resolve`.
///
/// **Subclasses** need `@Resolvable` as well if they have dependencies besides those of their superclass. A subclass without an
/// initializer calls `super.init(scope:)`, which must be a designated initializer of the superclass. An `@Resolvable` superclass
/// without an initializer declares it, provided that it has dependencies or inherits from nothing, not even a protocol. For any
/// other superclass the compiler reports that the initializer "must call a designated initializer of the superclass"; then declare
/// an initializer in the subclass. A class that conforms to `Resolvable` by another protocol, and not by its superclass, must name
/// `Resolvable` itself.
///
/// **Actors**: `init(scope:)` is not isolated. The initializer of a type with a global actor must be `nonisolated`. Without an
/// initializer, the properties are assigned outside of the actor, so they must be `Sendable`. The macro recognizes a global actor
/// by its name, which must end in `Actor`; a subclass must repeat the attribute.
///
/// The type conforms to ``DependencyListing``, so the container knows its dependencies before it makes an instance.
@attached(
  member, conformances: Resolvable, DependencyListing,
  names: named(init()), named(init(scope:)), named(listedDependencies))
@attached(
  extension, conformances: Resolvable, DependencyListing,
  names: named(init(scope:)))
public macro Resolvable() = #externalMacro(module: "TroupeMacros", type: "ResolvableMacro")

/// Marks the initializer that `@Resolvable` calls if there are several.
///
/// ```swift
/// @Resolvable final class Store {
///   let path: Path
///   @ResolvableInitializer init(path: Path) { self.path = path }
///   init(text: String) { path = Path(text) }
/// }
/// ```
@attached(peer)
public macro ResolvableInitializer() = #externalMacro(module: "TroupeMacros", type: "ResolvableInitializerMacro")
