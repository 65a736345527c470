/// A placeholder for a registration that is loaded on demand, such as that of a plugin whose image is not open yet.
///
///     resolve ─→ finds PendingEntry ─→ load() opens the plugin, which replaces its pending entries ─→ looks up the key again
///
/// For lookups it is like any other registration, with the lifetime and the argument types of its replacement. It never makes an instance.
/// `Container.loaded` repeats the lookup until nothing that it finds is pending.
final class PendingEntry<T>: TypedEntry<T>, @unchecked Sendable {
  // Sendable for the reason given at `Entry`; the further member is constant.
  private let registration: PendingRegistration

  init(tags: [Tag], lifetime: Lifetime, location: CodeLocation?, _ registration: PendingRegistration) {
    self.registration = registration
    super.init(kind: .pending, tags: tags, lifetime: lifetime, location: location)
  }

  override var pending: PendingRegistration? { registration }
  override var argumentTypes: [any Any.Type]? { registration.argumentTypes }
  override func copy(tags: [Tag], lifetime: Lifetime) -> Entry {
    PendingEntry(tags: tags, lifetime: lifetime, location: codeLocation, registration)
  }
}

/// The argument types and the load of a registration whose factory a plugin brings once it is open.
struct PendingRegistration {
  let argumentTypes: [any Any.Type]?
  /// The entry of which the pending one is a copy under another key.
  var original: Entry?
  /// Replaces the entry.
  let load: @Sendable () throws -> Void
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
      tags: tags.tags, lifetime: lifetime, location: location.flatMap(CodeLocation.init),
      PendingRegistration(argumentTypes: argumentTypes, load: load))
  }
}
