/// Returns a factory that makes one instance for equal arguments: a singleton for each argument.
///
/// ```swift
/// final class Connection: Sendable {
///   let host: String
///   init(host: String) { self.host = host }
/// }
///
/// let container = Container()
/// container.register(factory: memoized { (_, host: String) in Connection(host: host) })
/// let first: Connection = try container.resolve(args: "a")
/// assert(try container.resolve(Connection.self, args: "a") === first)
/// assert(try container.resolve(Connection.self, args: "b") !== first)
/// ```
///
/// Register it as a transient. Each instance is made like a singleton: once, however many threads ask for it, from the container of the
/// registration, and without overrides. If the factory throws, nothing is kept, and the next resolve makes another attempt. Each call of
/// `memoized` has instances of its own. They are released with the registration: `unregister` it, or register it again, to release them
/// all.
///
/// Cost: memory of some 1,000 bytes for each instance, and under a microsecond for a resolve of an existing one.
///
/// - Parameter factory: Makes an instance from the resolver and the arguments.
public func memoized<T: Sendable, each Argument: Hashable & Sendable>(
  _ factory: @escaping @Sendable (any Resolver, repeat each Argument) throws -> T
) -> @Sendable (any Resolver, repeat each Argument) throws -> T {
  // Singletons under the arguments as one tag, since the tags of a key have no order.
  let instances = Container(collisions: .keep)
  // How many callers make the instance of each key.
  let callers = Lock<[Key<T>: Int]>([:])
  return { (resolver: any Resolver, argument: repeat each Argument) throws -> T in
    var tag: [AnySendableHashable] = []
    for argument in repeat each argument { tag.append(AnySendableHashable(argument)) }
    let key = Key<T>(tags: tag)
    if let instance = instances[key]?.builtInstance(T.self) { return instance.pointee }
    let container = resolver.container
    let owner = BuildPath.innermost.map { container.owningContainer(of: $0) } ?? container
    // The instances must not keep the container, so the factory gets it from the resolve.
    let arguments = (repeat each argument)
    callers.withLock { $0[key, default: 0] += 1 }
    // The last caller removes the entry if all attempts have failed. A caller that comes after that decision registers after the removal,
    // which the decision is part of.
    defer {
      instances.commit([.remove(T.self, key.tags)]) {
        let others = callers.withLock { callers in
          let others = callers[key, default: 1] - 1
          callers[key] = others == 0 ? nil : others
          return others
        }
        return others > 0 || instances[key]?.isBuilt ?? true
      }
    }
    instances.register(key: key, lifetime: .singleton) { (_, owner: Container) throws -> T in
      try factory(owner, repeat each arguments)
    }
    return try instances.resolve(key: key, args: owner)
  }
}
