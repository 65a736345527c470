/// Stands for a registration that is made under the same key when somebody wants an instance of it.
///
/// To whoever looks it is a registration like any other, with the lifetime and the arguments of what it stands for. Nothing is
/// ever made of it: whoever resolves it has it loaded, which is to replace it, and looks up the key anew.
final class PendingEntry<T>: TypedEntry<T>, @unchecked Sendable {
  // Sendable for the reason given at `Entry`; what it adds is constant, and types can be used anywhere.
  typealias Load = @Sendable () throws -> Void

  private let types: [any Any.Type]?
  private let loading: Load
  private let original: Entry?

  /// Makes a pending entry, one that stands for the same registration as `original`, but under a key of its own, if there is
  /// one.
  init(
    tags: [Tag], lifetime: Lifetime, types: [any Any.Type]?, place: Place?, original: Entry? = nil, load: @escaping Load
  ) {
    self.types = types
    self.original = original
    loading = load
    super.init(kind: .pending, tags: tags, lifetime: lifetime, place: place)
  }

  override var argumentTypes: [any Any.Type]? { types }
  override func copy(tags: [Tag], lifetime: Lifetime) -> Entry {
    PendingEntry(tags: tags, lifetime: lifetime, types: types, place: placeInSource, original: original, load: loading)
  }

  override func copyPending(to key: AnyKey) -> Entry {
    let original = original ?? self
    func make<Other>(_ type: Other.Type) -> Entry {
      PendingEntry<Other>(
        tags: key.tags, lifetime: lifetime, types: types, place: placeInSource, original: original, load: loading)
    }
    return make(key.metatype)
  }

  override func takes(_ arguments: [Any]) -> Bool { types.map { Arguments.fit(arguments, $0) } ?? true }
  override func load() throws { try loading() }
  override var standsFor: Entry? { original }

  override func anyInstance(from container: Container, _ request: Container.Request) throws -> Any {
    if let instance = try container.resolveIfPresent(T.self, request) { return instance }
    throw ResolutionError.notFound(key, in: container)
  }

  nonisolated(nonsending)
    override func anyInstanceAsync(from container: Container, _ request: Container.Request) async throws -> Any
  {
    if let instance = try await container.instanceAsync(T.self, request) { return instance }
    throw ResolutionError.notFound(key, in: container)
  }
}
