extension Entry {
  /// Returns a registration of the same factory under a key, without an instance. Under a key of another type, it fails if the
  /// factory's instance is not of that type.
  package func copied(to key: AnyKey) -> Entry {
    if kind == .pending && key != self.key { return copyPending(to: key) }
    let copy = ObjectIdentifier(metatype) == key.identity ? copy(tags: key.tags, lifetime: lifetime) : cast(to: key)
    copy.detailsBox = detailsBox?.withoutLearned
    if let otherCaching = details.otherCaching { copy.details.otherCaching = otherCaching.copied(to: key) }
    return copy
  }

  /// Returns a registration under a key of another type, which fails if the factory's instance is not of that type.
  private func cast(to key: AnyKey) -> Entry {
    // The registration under the other key keeps the instances of scopes, with one entry in each scope.
    let copy = copy(tags: key.tags, lifetime: lifetime == .scoped ? .transient : lifetime)
    func make<T>(_ type: T.Type) -> Entry {
      if kind == .weak { return WeakEntry<T>(tags: key.tags, location: codeLocation, casting: self) }
      return dynamic(type)
    }
    func dynamic<T>(_ type: T.Type) -> Entry {
      DynamicEntry<T>(tags: key.tags, lifetime: lifetime, location: codeLocation) { resolver, arguments in
        guard let instance = try resolver.container.instance(of: copy, arguments: arguments) as? T else {
          throw ResolutionError(key, reason: .invalidInstanceType)
        }
        return instance
      }
    }
    return make(key.metatype)
  }

  /// Returns the entry of a factory without arguments; `source` is its source location, or nil if that is not known.
  package static func plain<T>(
    _ type: T.Type, tags: TagList, lifetime: Lifetime, source: (file: StaticString, line: Int)? = nil,
    factory: @escaping @Sendable (any Resolver) throws -> T
  ) -> Entry {
    let location = source.map { CodeLocation(file: $0.file, line: $0.line) }
    return PlainEntry<T>(tags: tags.tags, lifetime: lifetime, location: location, factory: factory)
  }

  /// Returns a pending entry: the first request for its instance loads the registration that replaces it, under the same key.
  ///
  /// For lookups it is like any other registration. Each resolve that finds it, alone or in an array, calls `load` and then repeats
  /// the lookup, for an array as a whole. The resolve fails with `.notFound` if the entry was not replaced or was removed; with the
  /// error of `load`; with `.cycle` if it comes from inside the entry's own `load`.
  ///
  /// - Parameters:
  ///   - type: The registered type. The call opens a type that is known only at run time, as an `any Any.Type`.
  ///   - lifetime: The lifetime of the replacement, for descriptions.
  ///   - argumentTypes: The types of the arguments of the replacement, in order; nil if it takes any.
  ///   - location: The source location of the registration, as `location` returns it; nil if it is not known. The text of each file stays
  ///     in memory until the program ends.
  ///   - load: Replaces the entry, for example with `Container.replace(owner:with:owner:)`. It runs on the resolving thread,
  ///     without a lock of the container, possibly inside factories, several times, and on several threads at a time. It may use
  ///     the container without restrictions. To let other callers wait in it, let them resolve a singleton: only such waits are
  ///     part of the detection of dependency cycles.
  package static func pending<T>(
    _ type: T.Type, tags: TagList, lifetime: Lifetime, argumentTypes: [any Any.Type]?,
    location: String? = nil, load: @escaping @Sendable () throws -> Void
  ) -> Entry {
    PendingEntry<T>(
      tags: tags.tags, lifetime: lifetime, types: argumentTypes, location: location.flatMap(CodeLocation.init), load: load)
  }

  /// Returns the entry of a factory that checks its arguments itself.
  ///
  /// - Parameters:
  ///   - unboxedFactory: Makes the instance from unboxed arguments, and must not keep them. Returns nil without any effect for
  ///     arguments that it leaves to `factory`.
  ///   - factory: Makes the instance from any arguments.
  package static func dynamic<T>(
    _ type: T.Type, tags: TagList, lifetime: Lifetime,
    unboxedFactory: @escaping @Sendable (_ arguments: UnsafeBufferPointer<ArgumentReferences.Reference>) throws -> T? = {
      _ in nil
    },
    factory: @escaping @Sendable (_ resolver: any Resolver, _ arguments: [Any]) throws -> T
  ) -> Entry {
    DynamicEntry<T>(tags: tags.tags, lifetime: lifetime, location: nil, unboxedFactory: unboxedFactory, factory: factory)
  }
}
