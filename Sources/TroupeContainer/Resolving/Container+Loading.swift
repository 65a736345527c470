/// Loads pending registrations, such as those of a plugin whose image is not open yet, before a resolve makes its first instance.
///
/// Each function looks up registrations, loads the pending ones among them and looks up again, until none is pending. Loading runs foreign
/// code, so it happens outside of all locks, without a guard, and before a build begins, so that no build counts as waiting for it.
extension Container {
  /// Returns the members of an array, as `candidates` finds them at one version.
  ///
  /// - Throws: For the first one that cannot be loaded, a `ResolutionError`, or the error of the load.
  func loadedCandidates(_ metatype: any Any.Type, _ request: Request) throws -> [Candidate] {
    let candidates = candidates(metatype, including: request.tags)
    var isLoaded = true
    // A loop over indices counts no references.
    for index in candidates.indices where candidates[index].entry.kind == .pending { isLoaded = false }
    if isLoaded { return candidates }
    guard request.mayWait else { throw WouldBlock() }
    return try loaded { self.candidates(metatype, including: request.tags) }.compactMap(\.self)
  }

  /// Returns the entries of this container that a query finds.
  ///
  /// - Parameter failed: Returns the error to throw for an entry whose load has failed.
  package func loaded(_ query: () -> [Entry], failed: (Entry, any Error) -> any Error) throws -> [Entry] {
    try loaded(failed: failed) { query().map { Candidate(entry: $0, owningContainer: self) } }.compactMap { $0?.entry }
  }

  /// Returns what a lookup finds, once none of it is pending. Detects that this would never be so: an entry is still pending after its load,
  /// or each load registers a new pending entry.
  ///
  /// - Parameters:
  ///   - failed: Returns the error to throw for an entry whose load has failed.
  ///   - lookup: Finds registrations of this container, at one version.
  /// - Throws: For the first entry that cannot be loaded, `.notFound` if it is still pending, `.cycle` if the caller is loading it, or the
  ///   error of the load; the error of the lookup.
  @inline(never)
  func loaded(failed: (Entry, any Error) -> any Error = { $1 }, _ lookup: () throws -> [Candidate?]) throws -> [Candidate?] {
    // The references keep other entries from getting the same identity.
    var loaded: [ObjectIdentifier: Entry] = [:]
    var rounds = 0
    while true {
      let found = try lookup()
      let pending = found.compactMap(\.self).filter { $0.entry.kind == .pending }
      if pending.isEmpty { return found }
      rounds += 1
      var seen: Set<ObjectIdentifier> = []
      for candidate in pending where seen.insert(ObjectIdentifier(candidate.entry)).inserted {
        let entry = candidate.entry
        let isNew = loaded.updateValue(entry, forKey: ObjectIdentifier(entry)) == nil
        do {
          if !isNew || rounds > BuildPath.maximumRecursion { throw ResolutionError.stillPending(entry.key) }
          try run(entry, Request(tags: [])) { try entry.pending?.load() }
        } catch {
          throw failed(entry, error)
        }
        candidate.owningContainer.replacePendingCopy(entry)
      }
    }
  }

  /// Once a registration is loaded, replaces its pending copy under another key as well.
  private func replacePendingCopy(_ entry: Entry) {
    guard let original = entry.pending?.original, let loaded = self[original.key], loaded.kind != .pending else { return }
    commit([.exchange(entry, loaded.copied(to: entry.key))])
  }
}
