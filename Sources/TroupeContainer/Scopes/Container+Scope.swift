import Synchronization

// A scope is a child container in which what is registered above it as scoped is made once. It keeps such an instance in an entry of
// its own, a stand-in: a copy of the registration, which is in no list and found by the registration that it stands in for. So
// whoever looks for registrations finds each of them once, and whoever makes or waits for an instance finds an entry like that of
// a singleton.

extension Container {
  /// Makes a scope: a container that has what this one has, and in which what is registered as `.scoped` is made once.
  ///
  /// ```swift
  /// final class Transaction: Sendable {}
  ///
  /// let container = Container()
  /// container.register(lifetime: .scoped) { _ in Transaction() }
  /// let (first, second) = (container.scope(), container.scope())
  /// assert(try! first.resolve(Transaction.self) === first.resolve(Transaction.self))
  /// assert(try! first.resolve(Transaction.self) !== second.resolve(Transaction.self))
  /// ```
  ///
  /// - A scoped instance belongs to the nearest scope from which it is resolved; to the container that it is registered in if
  ///   there is none below that. Its factory resolves from there.
  /// - A singleton belongs to the container that it is registered in, wherever it is resolved, and so is made of what is scoped
  ///   there. A transient resolves what it needs from the scope that it is resolved from.
  /// - Otherwise a scope is like any container with a parent: it may have registrations of its own, which nobody else sees and
  ///   which go before those of its parents, and scopes of its own. Collisions in it are treated as in its parent.
  ///
  /// A scope ends when nobody has a reference to it any more. What was made in it is released then, the newest first. Something
  /// made in it that keeps the scope keeps itself, until `clear()`. When a registration goes, what scopes have made of it is
  /// released with it. A scope keeps its parent.
  ///
  /// Safe to call from any thread. Cost: that of a few allocations, some hundred nanoseconds, whatever is registered; ending it
  /// costs what was made in it.
  public func scope() -> Container {
    if ignoresRegistrations { return self }
    noteScopes()
    return Container(kind: .scope, parent: self, collisions: collisionPolicy)
  }

  /// Records in this container and its ancestors that scopes exist below them.
  private func noteScopes() {
    if hasScopes.load(ordering: .acquiring) { return }
    // Those above first: whoever finds this done may rely on it.
    parent?.noteScopes()
    writer.withLock { _ in hasScopes.store(true, ordering: .releasing) }
  }

  /// The container above all others, itself if it has no parent.
  var root: Container {
    var root = self
    while let parent = root.parent { root = parent }
    return root
  }

  // MARK: Stand-ins

  /// What makes an instance of a candidate for whoever asks here: what is scoped has an entry of its own in each scope.
  @inline(never)
  func inScope(_ candidate: Candidate) -> Candidate {
    guard candidate.entry.lifetime == .scoped, candidate.home !== self, let scope = scope(below: candidate.home),
      let memory = scope.scopeMemory?.takeUnretainedValue()
    else { return candidate }
    return Candidate(entry: memory.standIn(for: candidate), home: scope)
  }

  /// Whether the instance of a candidate has been made that whoever asks here would get.
  func hasMade(_ candidate: Candidate) -> Bool {
    guard candidate.entry.lifetime == .scoped, candidate.home !== self, let scope = scope(below: candidate.home) else {
      return candidate.entry.isBuilt
    }
    return scope.scopeMemory?.takeUnretainedValue().standIn(of: candidate.entry)?.isBuilt ?? false
  }

  /// The nearest scope from here on that is below a container; nil if there is none.
  private func scope(below home: Container) -> Container? {
    // What a container is overridden by goes just before it.
    let end = home.isOverride ? home.parent : home
    var next: Container? = self
    while let container = next, container !== end {
      if container.scopeMemory != nil { return container }
      next = container.parent
    }
    return nil
  }

  /// Whether what is registered here may have stand-ins.
  var mayHaveStandIns: Bool { isOverride || hasScopes.load(ordering: .relaxed) }

  /// Takes the stand-ins of entries that go away out of all scopes. Whoever calls has said so to readers before.
  func takeStandIns(of entries: [Unmanaged<Entry>]) -> [Unmanaged<Entry>] {
    let origins = entries.filter { $0._withUnsafeGuaranteedRef { $0.lifetime == .scoped } }
    return origins.isEmpty ? [] : root.scopes.withLock { list in list.take(origins) }
  }

  /// The same for somebody who has references to the entries.
  func takeStandIns(of entries: [Entry]) -> [Unmanaged<Entry>] {
    takeStandIns(of: entries.map { Unmanaged.passUnretained($0) })
  }

  /// Releases entries that are in no list, once no reader can reach them and nobody runs them.
  func discard(_ entries: [Unmanaged<Entry>]) {
    if entries.isEmpty { return }
    var outcome = writer.withLock { $0.discard(entries, in: self) }
    Self.release(&outcome.freed)
    if outcome.beginsSweep { sweepLater() }
    if outcome.waitsForReaders { waitForReaders() }
  }

  /// Ends a scope that nobody has any more, and gives what it keeps.
  func endScope() -> [Entry] {
    guard let memory = scopeMemory?.takeRetainedValue() else { return [] }
    memory.leave()
    return memory.takeAll().map { $0.takeRetainedValue() }
  }
}

extension Entry {
  /// The entry that makes and keeps the instance of a scope in place of this one, given the numbers of the overrides within which
  /// the scope was made.
  final func makeStandIn(within overrides: [Int]) -> Entry {
    let standIn = copy(tags: tags, lifetime: lifetime)
    standIn.detailsBox = detailsBox
    if !overrides.isEmpty { standIn.details.scopeOverrides = overrides }
    standIn.owner = owner
    standIn.sequence = sequence
    return standIn
  }

  /// Whether both are one registration, or one stands in for the other.
  final func isSameRegistration(as other: Entry) -> Bool {
    self === other || (lifetime == .scoped && other.lifetime == .scoped && sequence != 0 && sequence == other.sequence)
  }
}
