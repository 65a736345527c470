extension Entry {
  /// A registration of the same factory under a key, without an instance. Under a key of another type it fails when what the
  /// factory makes is not of that type.
  package func copied(to key: AnyKey) -> Entry {
    let copy = copy(tags: key.tags)
    guard ObjectIdentifier(metatype) != key.identity else { return copy }
    return Self.dynamic(key.metatype, tags: key.tagset, lifetime: lifetime) { resolver, arguments in
      try resolver.container.instance(of: copy, arguments: arguments)
    }
  }

  /// Makes the entry of a factory that looks at its arguments by itself, under a type that is known at run time.
  ///
  /// What the factory gives and is not of the type is an `.invalidInstanceType`.
  package static func dynamic(
    _ metatype: any Any.Type, tags: Set<AnySendableHashable>, lifetime: Lifetime,
    factory: @escaping @Sendable (_ resolver: any Resolver, _ arguments: [Any]) throws -> Any
  ) -> Entry {
    func make<T>(_ type: T.Type) -> Entry {
      DynamicEntry<T>(tags: TagHash.distinct(tags.map { Tag.make($0) }), lifetime: lifetime, place: nil) {
        resolver, arguments in
        guard let instance = try factory(resolver, arguments) as? T else {
          throw ResolutionError(AnyKey(T.self, tagset: tags), reason: .invalidInstanceType)
        }
        return instance
      }
    }
    return make(metatype)
  }
}
