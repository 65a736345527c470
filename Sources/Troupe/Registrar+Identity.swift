internal import FoundationEssentials

extension Registrar {
  /// Registers a factory under its own UUID and category tags, with a name and facts about it for people.
  ///
  /// It is the same as `register(_:tags:lifetime:factory:)` with the UUID and the strings as tags. A text that is not a UUID
  /// has the plugin refused, and does nothing outside a plugin.
  @discardableResult
  public func register<T, each Argument>(
    _ type: T.Type = T.self, id: String, name: String, tags: String..., metadata: [String: String] = [:],
    lifetime: Lifetime = .transient, factory: @escaping @Sendable (any Resolver, repeat each Argument) throws -> T
  ) -> Key<T> {
    let host = unannotated as? any PluginRegistrar
    var tagset = Set(tags.map { AnySendableHashable($0) })
    guard let uuid = UUID(uuidString: id) else {
      host?.refuse("the factory \"\(name)\" has the id \"\(id)\", which is not a UUID; make one with uuidgen")
      return Key<T>(tagset: tagset)
    }
    tagset.insert(AnySendableHashable(uuid))
    let key = Key<T>(tagset: tagset)
    host?.describe(AnyKey(key), name: name, metadata: metadata)
    return register(key: key, lifetime: lifetime, factory: factory)
  }
}
