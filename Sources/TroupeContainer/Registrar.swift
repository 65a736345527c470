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
/// Those who resolve give the factory its arguments:
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
