/// Makes a type `Resolvable`: writes an `init(scope:)` that has everything resolved that an instance needs.
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
/// It stands on a class, a struct or an actor, generic and nested ones among them, and looks at what is written in the type
/// itself, not in its extensions.
///
/// **With an initialiser** `init(scope:)` calls it and has every argument resolved. One that has a default is left out, and so
/// is a variadic one; an autoclosure is resolved when it is called. What an initialiser throws, or its nil, ends the process:
/// there is nobody to tell. Of several initialisers the one is called that is neither `convenience` nor delegates to another,
/// nor is unavailable; where that leaves more than one, ``ResolvableInitializer()`` stands before the one that is meant.
///
/// **Without an initialiser** every stored property is resolved that has no initial value, `var name: Name?` among them; write
/// `= nil` for what begins as nothing. A property wrapper with arguments is taken to have a value of its own. A struct keeps
/// its memberwise initialiser.
///
/// An optional that is not registered is nil. All else that is missing ends the process with a message, as
/// `DependencyResolver.resolve` does.
///
/// **Subclasses** have `@Resolvable`, too, if they need more than their superclass. One without an initialiser calls
/// `super.init(scope:)`, which the superclass has to have as a designated one: its own `@Resolvable` gives it that if it has no
/// initialiser either, and it needs something or inherits from nothing, not even a protocol. Below another one the compiler
/// says that the initialiser "must call a designated initializer of the superclass"; then the subclass has to have one of its
/// own. A class that conforms to `Resolvable` by another protocol, and not by its superclass, names `Resolvable` itself.
///
/// **Actors**: `init(scope:)` belongs to none. The initialiser of a type with a global actor has to be `nonisolated`; without
/// one, its properties are assigned outside of the actor, so that they have to be `Sendable`. A global actor is known by its
/// name, which ends in `Actor`, and has to stand on a subclass as well.
///
/// What is resolved can be seen before anything is made: the type conforms to ``DependencyListing``.
@attached(
  member, conformances: Resolvable, DependencyListing,
  names: named(init()), named(init(scope:)), named(listedDependencies))
@attached(
  extension, conformances: Resolvable, DependencyListing,
  names: named(init(scope:)))
public macro Resolvable() = #externalMacro(module: "TroupeMacros", type: "ResolvableMacro")

/// Says which of several initialisers `@Resolvable` calls.
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
