internal import FoundationEssentials

// Each function registers a factory of one kind under its own UUID and category tags. It calls the container's function with the UUID and
// the strings as tags.

extension Registrar {
  /// Registers a factory under its own UUID and category tags, with a name and metadata.
  ///
  /// If `id` is not a UUID, `@Plugin` reports a literal in the text of its type, and the host refuses the plugin; outside a plugin nothing
  /// is registered. This holds for every kind of factory.
  @discardableResult
  public func register<T, each Argument>(
    _ type: T.Type = T.self, id: String, name: String, tags: String..., metadata: [String: String] = [:],
    lifetime: Lifetime = .transient, fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @Sendable (any Resolver, repeat each Argument) throws -> T
  ) -> Key<T> {
    identified(id, name, tags, metadata) {
      $0.register(key: $1, lifetime: lifetime, fileID: fileID, line: line, factory: factory)
    }
  }

  /// Registers a factory without parameters under its own UUID and category tags, with a name and metadata.
  @_disfavoredOverload @discardableResult
  public func register<T>(
    _ type: T.Type = T.self, id: String, name: String, tags: String..., metadata: [String: String] = [:],
    lifetime: Lifetime = .transient, fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @Sendable () throws -> T
  ) -> Key<T> {
    identified(id, name, tags, metadata) {
      $0.register(key: $1, lifetime: lifetime, fileID: fileID, line: line, factory: factory)
    }
  }

  /// Registers an asynchronous factory under its own UUID and category tags, with a name and metadata.
  @discardableResult
  public func register<T, each Argument>(
    _ type: T.Type = T.self, id: String, name: String, tags: String..., metadata: [String: String] = [:],
    lifetime: Lifetime = .transient, fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @Sendable (any Resolver, repeat each Argument) async throws -> T
  ) -> Key<T> {
    identified(id, name, tags, metadata) {
      $0.register(key: $1, lifetime: lifetime, fileID: fileID, line: line, factory: factory)
    }
  }

  /// Registers an asynchronous factory without parameters under its own UUID and category tags, with a name and metadata.
  @_disfavoredOverload @discardableResult
  public func register<T>(
    _ type: T.Type = T.self, id: String, name: String, tags: String..., metadata: [String: String] = [:],
    lifetime: Lifetime = .transient, fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @Sendable () async throws -> T
  ) -> Key<T> {
    identified(id, name, tags, metadata) {
      $0.register(key: $1, lifetime: lifetime, fileID: fileID, line: line, factory: factory)
    }
  }

  /// Registers a factory on the main actor under its own UUID and category tags, with a name and metadata.
  @discardableResult
  public func register<T, each Argument>(
    _ type: T.Type = T.self, isolation: MainActor, id: String, name: String, tags: String..., metadata: [String: String] = [:],
    lifetime: Lifetime = .transient, fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @MainActor @Sendable (any Resolver, repeat each Argument) throws -> T
  ) -> Key<T> {
    identified(id, name, tags, metadata) {
      $0.register(key: $1, isolation: isolation, lifetime: lifetime, fileID: fileID, line: line, factory: factory)
    }
  }

  /// Registers a factory on the main actor under its own UUID; the same with the labels in another order.
  @_disfavoredOverload @discardableResult
  public func register<T, each Argument>(
    _ type: T.Type = T.self, id: String, name: String, tags: String..., metadata: [String: String] = [:],
    lifetime: Lifetime = .transient, isolation: MainActor, fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @MainActor @Sendable (any Resolver, repeat each Argument) throws -> T
  ) -> Key<T> {
    identified(id, name, tags, metadata) {
      $0.register(key: $1, isolation: isolation, lifetime: lifetime, fileID: fileID, line: line, factory: factory)
    }
  }

  /// Registers a factory on the main actor without parameters under its own UUID and category tags.
  @discardableResult
  public func register<T>(
    _ type: T.Type = T.self, isolation: MainActor, id: String, name: String, tags: String..., metadata: [String: String] = [:],
    lifetime: Lifetime = .transient, fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @MainActor @Sendable () throws -> T
  ) -> Key<T> {
    identified(id, name, tags, metadata) {
      $0.register(key: $1, isolation: isolation, lifetime: lifetime, fileID: fileID, line: line, factory: factory)
    }
  }

  /// Registers under the key of a UUID and tags, with the name and the metadata as the registrant's description.
  private func identified<T>(
    _ id: String, _ name: String, _ tags: [String], _ metadata: [String: String], register: (any Registrar, Key<T>) -> Key<T>
  ) -> Key<T> {
    var tagset = Set(tags.map { AnySendableHashable($0) })
    guard let uuid = UUID(uuidString: id) else {
      (unannotated as? any PluginRegistrar)?.refuse(
        "the factory \"\(name)\" has the id \"\(id)\", which is not a UUID; make one with uuidgen")
      return Key<T>(tagset: tagset)
    }
    tagset.insert(AnySendableHashable(uuid))
    let description = RegistrantInfo(name: name, metadata: metadata)
    return register(annotated(registrantInfo: description), Key<T>(tagset: tagset))
  }
}

/// The name and the metadata that a plugin gives a registration.
package struct RegistrantInfo: Sendable, Hashable {
  package let name: String
  package let metadata: [String: String]

  package init(name: String, metadata: [String: String]) { (self.name, self.metadata) = (name, metadata) }
}
