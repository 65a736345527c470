/// An object that accepts registrations, such as a container.
///
/// ```swift
/// let container = Container()
/// container.register(lifetime: .singleton) { _ in [1, 2, 3] }
/// container.register(Int.self, tags: "sum") { resolver in try resolver.resolve([Int].self).reduce(0, +) }
/// assert(try! container.resolve(Int.self, tags: "sum") == 6)
/// ```
///
/// A registration replaces one with the same type, tags and argument types, unless the container has another policy. A factory runs
/// in the caller's context, on any thread, so its captured values must be thread-safe. A singleton is shared by all threads.
///
/// A factory must return or throw. If it ends its thread, all callers that wait for its singleton wait forever. The same happens if
/// it waits, other than by resolving, for a thread or a detached task that resolves the instance of the factory: the container
/// detects dependency cycles only through resolves. A task that an asynchronous factory starts with `Task { }` inherits the path of
/// running factories. Until the factory returns, such a task gets the error `.cycle` for the factory's instance, even if the
/// factory does not wait for the task. A detached task waits for the instance.
///
/// Nested factories run on one stack, and instances pass through it by value, in several copies. Use a class for a type of many
/// kilobytes.
///
/// A factory that does not use the resolver may have no parameter, `register { Engine() }`. A resolve can pass arguments to a
/// factory:
///
/// ```swift
/// container.register(String.self, tags: "greeting") { (_: any Resolver, name: String) in "Hello \(name)" }
/// assert(try! container.resolve(String.self, tags: "greeting", args: "Ann") == "Hello Ann")
/// ```
public protocol Registrar: AnyObject {
  /// The registration under a key. Setting an entry registers it as `add` does; setting nil removes the registrations under the
  /// key.
  subscript(key: AnyKey) -> Entry? { get set }

  /// Registers an entry under its key.
  func add(_ entry: Entry)

  /// Registers an assembly and its dependencies. Ignores an assembly whose type is already registered.
  func register(assembly: any Assembly)
}

extension Registrar {
  /// Registers an entry under its key.
  public func add(_ entry: Entry) { self[entry.key] = entry }

  /// The registration under a key. Setting an entry registers it as `add` does; setting nil removes the registrations under the
  /// key.
  public subscript<T>(key: Key<T>) -> Entry? {
    get { self[AnyKey(key)] }
    set { self[AnyKey(key)] = newValue }
  }

  /// Registers assemblies and their dependencies. Ignores an assembly whose type is already registered.
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
