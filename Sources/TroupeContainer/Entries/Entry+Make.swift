extension Entry {
  /// A registration of the same factory under a key, without an instance. Under a key of another type it fails when what the
  /// factory makes is not of that type.
  package func copied(to key: AnyKey) -> Entry {
    if kind == .pending && key != self.key { return copyPending(to: key) }
    let copy = ObjectIdentifier(metatype) == key.identity ? copy(tags: key.tags, lifetime: lifetime) : cast(to: key)
    copy.detailsBox = detailsBox?.withoutLearned
    if let otherCaching = details.otherCaching { copy.details.otherCaching = otherCaching.copied(to: key) }
    return copy
  }

  /// A registration under a key of another type, which fails when what the factory makes is not of that type.
  private func cast(to key: AnyKey) -> Entry {
    // What is made once in a scope is kept by the registration under the other key, which has one entry in each scope.
    let copy = copy(tags: key.tags, lifetime: lifetime == .scoped ? .transient : lifetime)
    func make<T>(_ type: T.Type) -> Entry {
      if kind == .weak { return WeakEntry<T>(tags: key.tags, place: placeInSource, casting: self) }
      return dynamic(type)
    }
    func dynamic<T>(_ type: T.Type) -> Entry {
      DynamicEntry<T>(tags: key.tags, lifetime: lifetime, place: placeInSource) { resolver, arguments in
        guard let instance = try resolver.container.instance(of: copy, arguments: arguments) as? T else {
          throw ResolutionError(key, reason: .invalidInstanceType)
        }
        return instance
      }
    }
    return make(key.metatype)
  }

  /// Makes the entry of a factory that takes no arguments, registered somewhere in a source, or nobody knows where.
  package static func plain<T>(
    _ type: T.Type, tags: TagList, lifetime: Lifetime, source: (file: StaticString, line: Int)? = nil,
    factory: @escaping @Sendable (any Resolver) throws -> T
  ) -> Entry {
    let place = source.map { Place(file: $0.file, line: $0.line) }
    return PlainEntry<T>(tags: tags.tags, lifetime: lifetime, place: place, factory: factory)
  }

  /// Makes an entry that stands for one which is registered later under the same key, as soon as somebody wants an instance.
  ///
  /// To whoever looks it is a registration like any other. Each resolve that comes upon it, alone or in an array, calls `load` and
  /// then looks up its key from the start, an array as a whole. The resolve fails with `.notFound` if the entry is there still,
  /// or nothing is; with what `load` throws; with `.cycle` if it comes from inside the entry's own `load`.
  ///
  /// - Parameters:
  ///   - type: The registered type. One that is known only at run time, as an `any Any.Type`, is opened by the call.
  ///   - lifetime: What the entry says of itself, as are the argument types.
  ///   - argumentTypes: The types of the arguments that will be taken, in order; nil if any may be.
  ///   - place: The source location of the registration, as `place` returns it; nil if it is not known. The text of each file stays
  ///     in memory until the program ends.
  ///   - load: Replaces the entry, with `Container.replace(owner:with:owner:)` for example. It runs on the thread that resolves,
  ///     under no lock of the container's, perhaps inside of factories, more than once, and on several threads at a time; it may
  ///     use the container in every way. Who makes others wait in it should do so by having them resolve a singleton, since
  ///     only such waits are seen to be part of a ring.
  package static func pending<T>(
    _ type: T.Type, tags: TagList, lifetime: Lifetime, argumentTypes: [any Any.Type]?,
    place: String? = nil, load: @escaping @Sendable () throws -> Void
  ) -> Entry {
    PendingEntry<T>(tags: tags.tags, lifetime: lifetime, types: argumentTypes, place: place.flatMap(Place.init), load: load)
  }

  /// Makes the entry of a factory that looks at its arguments by itself.
  ///
  /// - Parameters:
  ///   - unboxedFactory: Makes the instance from arguments where they lie, of which nothing may be kept; gives nil, and has then
  ///     done nothing, for arguments that it leaves to `factory`.
  ///   - factory: Makes the instance from any arguments.
  package static func dynamic<T>(
    _ type: T.Type, tags: TagList, lifetime: Lifetime,
    unboxedFactory: @escaping @Sendable (_ arguments: UnsafeBufferPointer<ArgumentReferences.Reference>) throws -> T? = {
      _ in nil
    },
    factory: @escaping @Sendable (_ resolver: any Resolver, _ arguments: [Any]) throws -> T
  ) -> Entry {
    DynamicEntry<T>(tags: tags.tags, lifetime: lifetime, place: nil, unboxedFactory: unboxedFactory, factory: factory)
  }
}
