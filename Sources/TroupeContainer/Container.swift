import Synchronization

/// Holds registrations and makes instances of them.
///
/// ```swift
/// protocol Plugin {}
/// struct First: Plugin {}
/// struct Second: Plugin {}
///
/// let container = Container()
/// container.register((any Plugin).self, tags: "kind", 1) { _ in First() }
/// container.register((any Plugin).self, tags: "kind", 2) { _ in Second() }
/// let plugins: [any Plugin] = try container.resolve(tags: "kind")
/// assert(plugins.count == 2)
/// ```
///
/// Safe to use from any thread. No lock of the container is held while a factory runs.
public final class Container: Resolver, Assembler {
  private let store = Mutex(Store())
  private let assemblies = AssemblyList()

  /// Makes an empty container.
  public init() {}

  /// The registration under a key. Setting it replaces what is there; setting nil removes it.
  public subscript(key: AnyKey) -> Entry? {
    get { store.withLock { $0[key] } }
    set { insert(newValue, for: key, owner: nil) }
  }

  /// The registration under a key. Setting it replaces what is there; setting nil removes it.
  ///
  /// A container is a `Registrar` and a `Resolver`, and each brings this subscript; one of its own tells which is meant.
  public subscript<T>(key: Key<T>) -> Entry? {
    get { self[AnyKey(key)] }
    set { self[AnyKey(key)] = newValue }
  }

  /// The registrations of a type whose tags include all the given ones, in registration order.
  ///
  /// Cost: proportional to the registrations of the type.
  public func entries(of type: any Any.Type, including tags: Set<AnySendableHashable>) -> [Entry] {
    store.withLock { $0.entries(of: ObjectIdentifier(type), including: tags) }
  }

  /// Registers on behalf of an owner; nil removes what is there.
  package func insert(_ entry: Entry?, for key: AnyKey, owner: Owner?) {
    // What is replaced is released outside the lock: the end of an instance may call the container.
    let replaced = store.withLock { $0.insert(entry, for: key, owner: owner) }
    withExtendedLifetime(replaced) {}
  }

  /// Removes everything that was registered on behalf of an owner, at once for every reader, and gives their number.
  @discardableResult
  public func unregister(owner: Owner) -> Int {
    store.withLock { $0.removeAll(of: owner) }.count
  }

  /// Registers an assembly for the next `assemble`; inside an assembly's `register(in:)` it registers at once.
  public func register(assembly: any Assembly) {
    assemblies.add(assembly, registrar: self)
  }

  /// Lets the assemblies register and then activates them.
  public func assemble() async throws {
    assemblies.register(in: self)
    try await assemblies.activate(resolver: self)
  }
}
