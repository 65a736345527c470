internal import FoundationEssentials
internal import TroupeManifest

// Registration for plugins: each factory has a UUID of its own, category tags, a name and metadata. Each function calls the container's
// function for the same kind of factory, with the UUID and the strings as tags.

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
    let (registrar, key) = identified(T.self, id, name, tags, metadata)
    return registrar.register(key: key, lifetime: lifetime, fileID: fileID, line: line, factory: factory)
  }

  /// Registers an asynchronous factory under its own UUID and category tags, with a name and metadata.
  @discardableResult
  public func register<T, each Argument>(
    _ type: T.Type = T.self, id: String, name: String, tags: String..., metadata: [String: String] = [:],
    lifetime: Lifetime = .transient, fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @Sendable (any Resolver, repeat each Argument) async throws -> T
  ) -> Key<T> {
    let (registrar, key) = identified(T.self, id, name, tags, metadata)
    return registrar.register(key: key, lifetime: lifetime, fileID: fileID, line: line, factory: factory)
  }

  /// Registers a factory on the main actor under its own UUID and category tags, with a name and metadata.
  @discardableResult
  public func register<T, each Argument>(
    _ type: T.Type = T.self, isolation: MainActor, id: String, name: String, tags: String..., metadata: [String: String] = [:],
    lifetime: Lifetime = .transient, fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @MainActor @Sendable (any Resolver, repeat each Argument) throws -> T
  ) -> Key<T> {
    let (registrar, key) = identified(T.self, id, name, tags, metadata)
    return registrar.register(key: key, isolation: isolation, lifetime: lifetime, fileID: fileID, line: line, factory: factory)
  }

  /// Registers a factory on the main actor under its own UUID; the same with the labels in another order.
  @_disfavoredOverload @discardableResult
  public func register<T, each Argument>(
    _ type: T.Type = T.self, id: String, name: String, tags: String..., metadata: [String: String] = [:],
    lifetime: Lifetime = .transient, isolation: MainActor, fileID: StaticString = #fileID, line: Int = #line,
    factory: @escaping @MainActor @Sendable (any Resolver, repeat each Argument) throws -> T
  ) -> Key<T> {
    let (registrar, key) = identified(T.self, id, name, tags, metadata)
    return registrar.register(key: key, isolation: isolation, lifetime: lifetime, fileID: fileID, line: line, factory: factory)
  }

  /// Returns the registrar and the key for a registration with a UUID and tags. Its entry has the name and the metadata as its
  /// registrant's info. If the id is not a UUID, the registrar ignores registrations.
  private func identified<T>(
    _ type: T.Type, _ id: String, _ name: String, _ tags: [String], _ metadata: [String: String]
  ) -> (registrar: any Registrar, key: Key<T>) {
    var tagset = Set(tags.map { AnySendableHashable($0) })
    guard let uuid = UUID(uuidString: id) else {
      (unannotated as? any PluginRegistrar)?.fail(
        "the factory \"\(name)\" has the id \"\(id)\", which is not a UUID; make one with uuidgen")
      return (Container.null, Key(tagset: tagset))
    }
    tagset.insert(AnySendableHashable(uuid))
    return (annotated(registrantInfo: RegistrationTexts(name: name, metadata: metadata)), Key(tagset: tagset))
  }
}

/// The name and the metadata that a plugin gives a registration.
package struct RegistrationTexts: RegistrantInfo, Hashable {
  package let name: String
  package let metadata: [String: String]

  package init(name: String, metadata: [String: String]) { (self.name, self.metadata) = (name, metadata) }
}

// MARK: Documentation

extension Dictionary<String, String> {
  /// Returns the metadata that documents a registration for its users.
  ///
  /// ```swift
  /// registrar.register(
  ///   (any Transform).self, id: "6d9a5a0e-5a57-4d0f-8a55-3f5a1f6f0c02", name: "grep-for", tags: "grep-for",
  ///   metadata: .documentation(
  ///     "Passes the lines that match a regular expression.", parameters: ["pattern": "An extended regular expression."],
  ///     examples: [#""one\ntwo\n", "^t""#: #""two\n""#])
  /// ) { _, pattern in try LineFilter(pattern: pattern) }
  /// ```
  ///
  /// `troupe inspect`, `troupe catalog` and type stubs for Python show it, and `troupe catalog --check` runs the examples. Use
  /// `merging` to add other entries.
  ///
  /// - Parameters:
  ///   - description: The description. Its first sentence is the summary.
  ///   - parameters: The texts of the parameters by their names.
  ///   - examples: The results by the arguments. The arguments are the elements of a JSON array without its brackets, a result is JSON.
  ///     For a transform, the arguments are the input text and then the arguments of the factory; the result is the output text.
  public static func documentation(
    _ description: String, parameters: [String: String] = [:], examples: [String: String] = [:]
  ) -> [String: String] {
    let examples = examples.map { Documentation.Example(arguments: $0.key, result: $0.value) }
    return Documentation(description: description, parameters: parameters, examples: examples).metadata
  }
}
