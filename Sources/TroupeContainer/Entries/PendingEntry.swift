/// A pending registration: the first request for its instance loads the registration that replaces it.
///
/// For lookups it is like any other registration, with the lifetime and the argument types of its replacement. It never makes an
/// instance. A resolve that finds it calls `load`, which must replace the entry, then looks up the key again.
final class PendingEntry<T>: TypedEntry<T>, @unchecked Sendable {
  // Sendable for the reason given at `Entry`; the further members are constant, and types are thread-safe.
  typealias Load = @Sendable () throws -> Void

  private let types: [any Any.Type]?
  private let loading: Load
  private let original: Entry?

  /// Creates a pending entry. `original` is the entry of which this one is a copy under another key, or nil.
  init(
    tags: [Tag], lifetime: Lifetime, types: [any Any.Type]?, location: CodeLocation?, original: Entry? = nil, load: @escaping Load
  ) {
    self.types = types
    self.original = original
    loading = load
    super.init(kind: .pending, tags: tags, lifetime: lifetime, location: location)
  }

  override var argumentTypes: [any Any.Type]? { types }
  override func copy(tags: [Tag], lifetime: Lifetime) -> Entry {
    PendingEntry(tags: tags, lifetime: lifetime, types: types, location: codeLocation, original: original, load: loading)
  }

  override func copyPending(to key: AnyKey) -> Entry {
    let original = original ?? self
    func make<Other>(_ type: Other.Type) -> Entry {
      PendingEntry<Other>(
        tags: key.tags, lifetime: lifetime, types: types, location: codeLocation, original: original, load: loading)
    }
    return make(key.metatype)
  }

  override func accepts(_ arguments: [Any]) -> Bool { types.map { BoxedArguments.canCast(arguments, $0) } ?? true }
  override func load() throws { try loading() }
  override var pendingOriginal: Entry? { original }

  override func anyInstance(from container: Container, _ request: Container.Request) throws -> Any {
    try container.instance(T.self, request)
  }

  nonisolated(nonsending)
    override func anyInstanceAsync(from container: Container, _ request: Container.Request) async throws -> Any
  {
    try await container.slowPathAsync(T.self, request)
  }
}
