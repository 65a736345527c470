// A plugin's registration has its UUID among its tags, which most requests do not name. The slow path finds it by the tags that a
// request does name.

extension Container {
  /// Returns the registration that answers a request: the one with exactly its tags, else the only registration with these and
  /// further tags whose owner allows partial tags. Returns nil if there is none.
  ///
  /// - Throws: A `ResolutionError` that carries an `AmbiguityError` if there are several of the second kind.
  func answer(_ metatype: any Any.Type, _ request: Request) throws -> Candidate? {
    if let exact = select(metatype, request) { return exact }
    // Requests for arrays come here as well; an array is rarely a registered type.
    guard mayHave(ObjectIdentifier(metatype)) else { return nil }
    let matches = lineage.flatMap { $0.entries(metatype, including: request.tags) }.filter(\.allowsPartialTags)
      .sorted { $0.sequence < $1.sequence }
    guard let first = matches.first else { return nil }
    guard matches.allSatisfy({ $0.has(exactly: first.tags) }) else {
      throw ResolutionError.ambiguous(AnyKey(metatype: metatype, tags: request.tags), matches)
    }
    // With all tags, so that an override in a child answers.
    return select(metatype, request.naming(first.tags))
  }
}

extension Container.Request {
  /// The same request with other tags.
  fileprivate func naming(_ tags: [Tag]) -> Self {
    Self(tags: tags, arguments: arguments, types: types, cached: cached)
  }
}

extension Entry {
  /// Whether some of its tags are enough to resolve it.
  package final var allowsPartialTags: Bool { owner?.allowsPartialTags ?? false }
}
