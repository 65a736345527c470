/// A placeholder for a registration that is loaded on demand, such as that of a plugin whose image is not open yet.
///
///     resolve ─→ finds PendingEntry ─→ load() opens the plugin, which replaces its pending entries ─→ looks up the key again
///
/// For lookups it is like any other registration, with the lifetime and the argument types of its replacement. It never makes an instance.
/// `LoadTracker` repeats the lookup until nothing that it finds is pending.
final class PendingEntry<T>: TypedEntry<T>, @unchecked Sendable {
  // Sendable for the reason given at `Entry`; the further members are constant, and types are thread-safe.
  typealias Load = @Sendable () throws -> Void

  private let types: [any Any.Type]?
  private let loading: Load
  private let original: Entry?

  /// - Parameter original: The entry of which this one is a copy under another key.
  init(
    tags: [Tag], lifetime: Lifetime, types: [any Any.Type]?, location: CodeLocation?, original: Entry? = nil,
    load: @escaping Load
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

extension Entry {
  /// Returns an entry that the first request for its instance replaces, under the same key.
  ///
  /// Each resolve that finds it, alone or in an array, calls `load` and then repeats the lookup, for an array as a whole. The resolve
  /// throws the error of `load`, `.notFound` if the entry was not replaced or was removed, and `.cycle` inside the entry's own `load`.
  ///
  /// - Parameters:
  ///   - type: The registered type. The call opens a type that is known only at run time, as an `any Any.Type`.
  ///   - lifetime: The lifetime of the replacement, for descriptions.
  ///   - argumentTypes: The argument types of the replacement, in order, or nil for any.
  ///   - location: The source location of the registration, as `Entry.location` returns it. The id of each file stays in memory until the
  ///     program ends.
  ///   - load: Replaces the entry, for example with `Container.replace(owner:with:owner:)`. It runs on the resolving thread,
  ///     without a lock of the container, possibly inside factories, several times, and on several threads at a time. It may use
  ///     the container without restrictions. To let other callers wait in it, use a `TrackedLock`, which takes part in the detection of
  ///     dependency cycles.
  package static func pending<T>(
    _ type: T.Type, tags: TagList, lifetime: Lifetime, argumentTypes: [any Any.Type]?,
    location: String? = nil, load: @escaping @Sendable () throws -> Void
  ) -> Entry {
    PendingEntry<T>(
      tags: tags.tags, lifetime: lifetime, types: argumentTypes, location: location.flatMap(CodeLocation.init), load: load)
  }
}
