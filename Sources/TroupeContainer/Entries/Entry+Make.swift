extension Entry {
  /// A registration of the same factory under a key, without an instance. Under a key of another type it fails when what the
  /// factory makes is not of that type.
  package func copied(to key: AnyKey) -> Entry {
    let copy = copy(tags: key.tags)
    guard ObjectIdentifier(metatype) != key.identity else { return copy }
    func make<T>(_ type: T.Type) -> Entry {
      DynamicEntry<T>(tags: key.tags, lifetime: lifetime) { resolver, arguments in
        guard let instance = try resolver.container.instance(of: copy, arguments: arguments) as? T else {
          throw ResolutionError(key, reason: .invalidInstanceType)
        }
        return instance
      }
    }
    return make(key.metatype)
  }

  /// Makes the entry of a factory that takes no arguments.
  package static func plain<T>(
    _ type: T.Type, tags: Set<AnySendableHashable>, lifetime: Lifetime,
    factory: @escaping @Sendable (any Resolver) throws -> T
  ) -> Entry {
    PlainEntry<T>(tags: TagHash.distinct(tags.map { Tag.make($0) }), lifetime: lifetime, place: nil, factory: factory)
  }

  /// Makes the entry of a factory that looks at its arguments by itself.
  ///
  /// - Parameters:
  ///   - unboxedFactory: Makes the instance from arguments where they lie, of which nothing may be kept; gives nil, and has then
  ///     done nothing, for arguments that it leaves to `factory`.
  ///   - factory: Makes the instance from any arguments.
  package static func dynamic<T>(
    _ type: T.Type, tags: Set<AnySendableHashable>, lifetime: Lifetime,
    unboxedFactory: @escaping @Sendable (_ arguments: UnsafeBufferPointer<ArgumentReferences.Reference>) throws -> T? = {
      _ in nil
    },
    factory: @escaping @Sendable (_ resolver: any Resolver, _ arguments: [Any]) throws -> T
  ) -> Entry {
    DynamicEntry<T>(
      tags: TagHash.distinct(tags.map { Tag.make($0) }), lifetime: lifetime, unboxedFactory: unboxedFactory, factory: factory)
  }
}
