/// Loads pending registrations, such as those of a plugin whose image is not open yet, before a resolve makes its first instance.
///
/// Each function looks up registrations, loads the pending ones among them and looks up again, until none is pending. Loading runs foreign
/// code, so it happens outside of all locks, without a guard, and before a build begins, so that no build counts as waiting for it.
extension Container {
  /// Loads the pending registration that `answer` has found for a request, and returns the registration that answers then.
  @inline(never)
  func loaded(_ found: Candidate, _ metatype: any Any.Type, _ request: Request) throws -> Candidate? {
    var candidate: Candidate? = found
    var loads = LoadTracker()
    while let pending = candidate, pending.entry.kind == .pending {
      try loads.load([pending], for: self)
      candidate = try answer(metatype, request)
    }
    return candidate
  }

  /// Returns the members of an array, as `candidates` finds them at one version.
  ///
  /// - Throws: For the first one that cannot be loaded, a `ResolutionError`, or the error of the load.
  func loadedCandidates(_ metatype: any Any.Type, _ request: Request) throws -> [Candidate] {
    var candidates = candidates(metatype, including: request.tags)
    if !Self.hasPending(candidates) { return candidates }
    guard request.mayWait else { throw WouldBlock() }
    var loads = LoadTracker()
    repeat {
      try loads.load(candidates.filter { $0.entry.kind == .pending }, for: self)
      candidates = self.candidates(metatype, including: request.tags)
    } while Self.hasPending(candidates)
    return candidates
  }

  /// Returns the registration that answers a request under each of some keys, as `selection` finds them at one version.
  ///
  /// - Throws: For the first one that cannot be loaded, a `ResolutionError`, or the error of the load.
  func loadedSelection(_ keys: [AnyKey], _ request: Request) throws -> [Candidate?] {
    var loads = LoadTracker()
    while true {
      let selection = selection(keys, request)
      let pending = selection.compactMap { $0 }.filter { $0.entry.kind == .pending }
      if pending.isEmpty { return selection }
      var seen: Set<ObjectIdentifier> = []
      try loads.load(pending.filter { seen.insert(ObjectIdentifier($0.entry)).inserted }, for: self)
    }
  }

  /// Returns the entries of this container that a query finds.
  ///
  /// - Parameter failed: Returns the error to throw for an entry whose load has failed.
  package func loaded(_ query: () -> [Entry], failed: (Entry, any Error) -> any Error) throws -> [Entry] {
    var loads = LoadTracker()
    while true {
      let entries = query()
      let pending = entries.filter { $0.kind == .pending }.map { Candidate(entry: $0, owningContainer: self) }
      if pending.isEmpty { return entries }
      try loads.load(pending, for: self, failed: failed)
    }
  }

  private static func hasPending(_ candidates: [Candidate]) -> Bool {
    // A loop over indices counts no references.
    for index in candidates.indices where candidates[index].entry.kind == .pending { return true }
    return false
  }
}

/// Loads pending entries for one resolve, and detects that it would never end: an entry that is still pending after its load, or a load that
/// registers a new pending entry each time.
private struct LoadTracker {
  /// Keyed by identity. The references keep other entries from getting the same one.
  private var loaded: [ObjectIdentifier: Entry] = [:]
  private var rounds = 0

  /// Loads the pending entries that one lookup has found, in their order.
  ///
  /// - Throws: `.notFound` for an entry that is still pending; `.cycle` for one that the caller is loading; the error of the load.
  mutating func load(
    _ pending: [Container.Candidate], for container: Container, failed: (Entry, any Error) -> any Error = { $1 }
  ) throws {
    rounds += 1
    for candidate in pending {
      let entry = candidate.entry
      let isNew = loaded.updateValue(entry, forKey: ObjectIdentifier(entry)) == nil
      do {
        if !isNew || rounds > BuildPath.maximumRecursion { throw ResolutionError.stillPending(entry.key) }
        try container.run(entry, Container.Request(tags: [])) { try entry.pending?.load() }
      } catch {
        throw failed(entry, error)
      }
      candidate.owningContainer.replacePendingCopy(entry)
    }
  }
}

extension Container {
  /// Once a registration is loaded, replaces its pending copy under another key as well.
  fileprivate func replacePendingCopy(_ entry: Entry) {
    guard let original = entry.pending?.original, let loaded = self[original.key], loaded.kind != .pending else { return }
    commit([.exchange(entry, loaded.copied(to: entry.key))])
  }
}
