// What is pending is loaded before anybody makes an instance of it: outside of every lock, while the thread reads nothing, and
// before a build begins, so that nobody is taken to wait for it.

extension Container {
  /// Loads a pending registration, which `answer` has found for a request, and returns the registration that answers then.
  ///
  /// - Throws: A `ResolutionError` if it cannot be loaded.
  @inline(never)
  func loaded(_ found: Candidate, _ metatype: any Any.Type, _ request: Request) throws -> Candidate? {
    var candidate: Candidate? = found
    var loads = Loads()
    while let pending = candidate, pending.entry.kind == .pending {
      try loads.load([pending], for: self)
      candidate = try answer(metatype, request)
    }
    return candidate
  }

  /// What an array of a type is made of, as `candidates` finds it at one moment, once none of it is pending any more.
  ///
  /// - Throws: For the first that cannot be loaded, a `ResolutionError`, or what loading it throws.
  func loadedCandidates(_ metatype: any Any.Type, _ request: Request) throws -> [Candidate] {
    var candidates = candidates(metatype, including: request.tags)
    if !Self.hasPending(candidates) { return candidates }
    guard request.mayWait else { throw NotReady() }
    var loads = Loads()
    repeat {
      try loads.load(candidates.filter { $0.entry.kind == .pending }, for: self)
      candidates = self.candidates(metatype, including: request.tags)
    } while Self.hasPending(candidates)
    return candidates
  }

  /// What answers each of some requests, as `selection` finds it, once none of it is pending any more.
  ///
  /// - Throws: For the first that cannot be loaded, a `ResolutionError`, or what loading it throws.
  func loadedSelection(_ wanted: [Wanted]) throws -> [Selected] {
    var loads = Loads()
    while true {
      let selection = selection(wanted)
      let pending = selection.compactMap(\.candidate).filter { $0.entry.kind == .pending }
      if pending.isEmpty { return selection }
      var seen: Set<ObjectIdentifier> = []
      try loads.load(pending.filter { seen.insert(ObjectIdentifier($0.entry)).inserted }, for: self)
    }
  }

  private static func hasPending(_ candidates: [Candidate]) -> Bool {
    // By their indices, so that no references are counted.
    for index in candidates.indices where candidates[index].entry.kind == .pending { return true }
    return false
  }
}

/// What one resolve has had loaded, so that nothing is loaded over and over which nobody registers.
private struct Loads {
  /// By their identities, which nobody else can have while they are here.
  private var loaded: [ObjectIdentifier: Entry] = [:]
  private var rounds = 0

  /// Loads pending entries, which were found together, in their order, for somebody who resolves from a container.
  ///
  /// - Throws: `.notFound` for an entry that was loaded before and is pending still; `.cycle` for one that is being loaded by the
  ///   caller; what loading it throws.
  mutating func load(_ pending: [Container.Candidate], for container: Container) throws {
    rounds += 1
    for candidate in pending {
      let entry = candidate.entry
      let isNew = loaded.updateValue(entry, forKey: ObjectIdentifier(entry)) == nil
      // What is replaced by something pending each time is never there.
      if !isNew || rounds > BuildPath.maximumRecursion { throw ResolutionError.stillPending(entry.key) }
      try container.run(entry, Container.Request(tags: [])) { try entry.load() }
      candidate.home.settle(entry)
    }
  }
}

extension Container {
  /// Puts what was meant in place of a pending entry that stands for one under another key, once that is not pending.
  fileprivate func settle(_ entry: Entry) {
    guard let original = entry.standsFor, let loaded = self[original.key], loaded.kind != .pending else { return }
    commit([.exchange(entry, loaded.copied(to: entry.key))])
  }
}
