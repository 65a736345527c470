// Loading of pending registrations. It comes before the first instance is made: outside of all locks, while the thread is no reader,
// and before a build begins, so that no build counts as waiting for it.

extension Container {
  /// Loads a pending registration, which `answer` has found for a request, and returns the registration that answers then.
  ///
  /// - Throws: A `ResolutionError` if it cannot be loaded.
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

  /// Returns the registrations of an array, as `candidates` finds them in one generation, after loading the pending ones.
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

  /// Returns the registration that answers each of some requests, as `selection` finds it, after loading the pending ones.
  ///
  /// - Throws: For the first one that cannot be loaded, a `ResolutionError`, or the error of the load.
  func loadedSelection(_ wanted: [KeyQuery]) throws -> [KeyMatch] {
    var loads = LoadTracker()
    while true {
      let selection = selection(wanted)
      let pending = selection.compactMap(\.candidate).filter { $0.entry.kind == .pending }
      if pending.isEmpty { return selection }
      var seen: Set<ObjectIdentifier> = []
      try loads.load(pending.filter { seen.insert(ObjectIdentifier($0.entry)).inserted }, for: self)
    }
  }

  /// Returns entries of this container that a query finds in one version, after loading the pending ones.
  ///
  /// - Parameter failed: Returns the error to throw for an entry whose load has failed.
  /// - Throws: The error of `failed`.
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
    // By their indices, so that no references are counted.
    for index in candidates.indices where candidates[index].entry.kind == .pending { return true }
    return false
  }
}

/// The entries that one resolve has loaded. It detects an entry that is pending again after each load.
private struct LoadTracker {
  /// By their identities, which no other entry can have while these exist.
  private var loaded: [ObjectIdentifier: Entry] = [:]
  private var rounds = 0

  /// Loads pending entries, which one look-up found, in their order, for a resolve from a container.
  ///
  /// - Throws: `.notFound` for an entry that was loaded before and is pending still; `.cycle` for one that is being loaded by the
  ///   caller; the error of the load.
  mutating func load(
    _ pending: [Container.Candidate], for container: Container, failed: (Entry, any Error) -> any Error = { $1 }
  ) throws {
    rounds += 1
    for candidate in pending {
      let entry = candidate.entry
      let isNew = loaded.updateValue(entry, forKey: ObjectIdentifier(entry)) == nil
      do {
        // A load that registers a new pending entry each time never ends.
        if !isNew || rounds > BuildPath.maximumRecursion { throw ResolutionError.stillPending(entry.key) }
        try container.run(entry, Container.Request(tags: [])) { try entry.load() }
      } catch {
        throw failed(entry, error)
      }
      candidate.owningContainer.replacePendingCopy(entry)
    }
  }
}

extension Container {
  /// Replaces the pending copy of a registration under another key by the registration, once it is loaded.
  fileprivate func replacePendingCopy(_ entry: Entry) {
    guard let original = entry.pendingOriginal, let loaded = self[original.key], loaded.kind != .pending else { return }
    commit([.exchange(entry, loaded.copied(to: entry.key))])
  }
}
