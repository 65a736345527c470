/// Decides which registration answers a request, where the fast path cannot.
///
///     lookup      the answer, loaded if it is pending
///       answer    the registration with exactly the tags, or the only one of a plugin with these and further tags
///         select  nearest container first; in each, `choose`
///           choose    among the registrations under one key: exact argument types, then the latest that takes the arguments
///
/// For an array, `candidates` collects the registrations of all containers instead.
extension Container {
  /// A registration that may answer a request, and the container that registers it or, for a scoped entry, the scope.
  struct Candidate {
    let entry: Entry
    let owningContainer: Container
  }

  /// Returns the registration that answers a request, loaded if it was pending.
  ///
  /// - Throws: A `ResolutionError` if registrations of several plugins have the tags, or if a pending registration cannot be loaded.
  func lookup(_ metatype: any Any.Type, _ request: Request) throws -> Candidate? {
    guard let candidate = try answer(metatype, request) else { return nil }
    guard candidate.entry.kind == .pending else { return candidate }
    guard request.mayWait else { throw WouldBlock() }
    return try loaded { [try answer(metatype, request)] }[0]
  }

  /// Returns the registration with exactly the tags of a request, or else the only one with these and further tags whose owner allows
  /// partial tags. A plugin's registration has its UUID among its tags, which few requests name.
  func answer(_ metatype: any Any.Type, _ request: Request) throws -> Candidate? {
    if let exact = select(metatype, request) { return exact }
    // Requests for arrays come here as well; an array is rarely a registered type.
    guard mayHave(ObjectIdentifier(metatype)) else { return nil }
    let matches = selfAndAncestors.flatMap { $0.entries(metatype, including: request.tags) }.filter(\.allowsPartialTags)
      .sorted { $0.sequence < $1.sequence }
    guard let first = matches.first else { return nil }
    guard matches.allSatisfy({ $0.hasTags(exactly: first.tags) }) else {
      let key = AnyKey(metatype: metatype, tags: request.tags)
      throw ResolutionError(key, reason: .error(AmbiguityError(key, matches)))
    }
    // The request names all tags, so that an override in a child answers.
    return select(metatype, request.with(tags: first.tags))
  }

  /// Returns the registration with exactly the tags of a request in the nearest container that has one which takes the arguments, or the
  /// nearest one, for the error, if none takes them.
  func select(_ metatype: any Any.Type, _ request: Request) -> Candidate? {
    var nearest: Candidate?
    for container in selfAndAncestors {
      guard let choice = container.choose(among: container.entries(metatype, exactly: request.tags), request, for: self)
      else { continue }
      if choice.fits { return choice.candidate }
      nearest = nearest ?? choice.candidate
    }
    return nearest
  }

  /// Chooses among this container's registrations under one key for a request to a container: the one that takes exactly the argument
  /// types, or else the latest that the arguments can be cast for. An instance that exists needs no arguments.
  func choose(among entries: [Entry], _ request: Request, for container: Container) -> (candidate: Candidate, fits: Bool)? {
    guard let last = entries.last else { return nil }
    let isMade =
      entries.count == 1
      && (last.lifetime == .scoped ? container.hasInstance(Candidate(entry: last, owningContainer: self)) : last.isBuilt)
    let fitting =
      isMade ? last : entries.last { $0.accepts(exactly: request.types) } ?? entries.last { $0.accepts(request.arguments) }
    return (Candidate(entry: fitting ?? last, owningContainer: self), fitting != nil)
  }

  /// Returns the members of an array in registration order: registrations whose tags include the given ones and that no child overrides.
  func candidates(_ metatype: any Any.Type, including tags: [Tag]) -> [Candidate] {
    let selfAndAncestors = selfAndAncestors
    guard selfAndAncestors.count > 1 else {
      return entries(metatype, including: tags).map { Candidate(entry: $0, owningContainer: self) }
    }
    var candidates: [Candidate] = []
    // Keyed by the hash of the tags, so that each is compared with the few that it may override.
    var known: [UInt: [Entry]] = [:]
    for container in selfAndAncestors {
      let inherited = container.entries(metatype, including: tags).filter { entry in
        !(known[entry.tagHash]?.contains { $0.hasTags(exactly: entry.tags) && $0.collides(with: entry) } ?? false)
      }
      candidates += inherited.map { Candidate(entry: $0, owningContainer: container) }
      if container !== selfAndAncestors.last { for entry in inherited { known[entry.tagHash, default: []].append(entry) } }
    }
    return candidates.sorted { $0.entry.sequence < $1.entry.sequence }
  }
}

extension Entry {
  /// See `Owner.allowsPartialTags`.
  package final var allowsPartialTags: Bool { owner?.allowsPartialTags ?? false }
}
