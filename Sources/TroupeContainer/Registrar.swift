/// Where registrations are made.
///
/// ```swift
/// let container = Container()
/// container.register(lifetime: .singleton) { _ in [1, 2, 3] }
/// container.register(Int.self, tags: "sum") { resolver in try resolver.resolve([Int].self).reduce(0, +) }
/// assert(try! container.resolve(Int.self, tags: "sum") == 6)
/// ```
///
/// What was registered under the same type, tags and argument types before is replaced, unless the container has another
/// policy. A factory runs in the context of whoever resolves, on any thread, so what it captures has to stand that; instances of a
/// singleton are handed to every thread that asks for it.
///
/// A factory has to return or throw: one that ends its thread leaves those waiting for ever who want its singleton. So does
/// one that waits, other than by resolving, for a thread or a detached task which resolves what it is making; only who waits by
/// resolving is seen to wait in a ring. A task that an asynchronous factory starts with `Task { }` inherits what runs above it.
/// Until the factory has returned it gets a `.cycle` for what the factory is making, also if the factory does not wait for it;
/// a detached task waits for the instance instead.
///
/// Factories that need each other run one inside the other, on one stack, and instances pass through it by value, in
/// several copies: a type of many kilobytes belongs in a class.
///
/// A factory that has no use for the resolver may take nothing, `register { Engine() }`. Those who resolve give a factory its
/// arguments:
///
/// ```swift
/// container.register(String.self, tags: "greeting") { (_: any Resolver, name: String) in "Hello \(name)" }
/// assert(try! container.resolve(String.self, tags: "greeting", args: "Ann") == "Hello Ann")
/// ```
public protocol Registrar: AnyObject {
  /// The registration under a key. Setting it registers it there, as `add` does; setting nil removes what is there.
  subscript(key: AnyKey) -> Entry? { get set }

  /// Registers an entry under its key.
  func add(_ entry: Entry)

  /// Registers an assembly and what it depends on; an assembly whose type was registered before is ignored.
  func register(assembly: any Assembly)
}

extension Registrar {
  /// Registers an entry under its key.
  public func add(_ entry: Entry) { self[entry.key] = entry }

  /// The registration under a key. Setting it registers it there, as `add` does; setting nil removes what is there.
  public subscript<T>(key: Key<T>) -> Entry? {
    get { self[AnyKey(key)] }
    set { self[AnyKey(key)] = newValue }
  }

  /// Registers assemblies and what they depend on; an assembly whose type was registered before is ignored.
  public func register<each A: Assembly>(assemblies: repeat each A) {
    for assembly in repeat each assemblies { register(assembly: assembly) }
  }
}

extension Registrar {
  /// Registers a new entry and returns its key.
  ///
  /// - Parameters:
  ///   - dependencies: The dependencies of the factory; nil if they are not known.
  ///   - isCachingOverridable: Whether a resolve may override whether the instance is cached.
  func adding<T>(
    _ entry: TypedEntry<T>, dependencies: [Dependency]? = nil, metadata: (any Sendable)? = nil,
    isCachingOverridable: Bool = false
  ) -> Key<T> {
    if dependencies != nil || metadata != nil { entry.details = EntryDetails(metadata: metadata, dependencies: dependencies) }
    add(isCachingOverridable ? entry.withOverridableCaching() : entry)
    return Key(entry.tags)
  }
}

extension Lifetime {
  /// The lifetime of a cached instance, or of one that is not.
  init(cached: Bool) { self = cached ? .singleton : .transient }
}
