import Synchronization

/// A scope is a child container with its own instances of its ancestors' scoped registrations, which `ScopeStorage` keeps.
extension Container {
  /// Returns a new scope: a child container with its own instances of the registrations with the lifetime `.scoped`.
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
  /// - A scoped instance belongs to the nearest scope from which it is resolved, or to the container of the registration if there
  ///   is no scope below that. Its factory resolves from there.
  /// - A singleton belongs to the container of its registration, and its factory resolves from there. A transient resolves its
  ///   dependencies from the scope of the resolve.
  /// - Otherwise a scope is like any container with a parent. It may have registrations of its own, which other containers do not
  ///   see and which hide those of its ancestors, and scopes of its own. It has the collision policy of its parent.
  ///
  /// A scope ends with the last reference to it. It then releases its instances in the reverse order of their creation. An instance
  /// that keeps its own scope is a reference cycle, until `clear()`. When a registration is removed, all scopes release their
  /// instances of it. A scope keeps its parent.
  ///
  /// Safe to call from any thread. Cost: a few allocations, some hundred nanoseconds, independent of the number of registrations.
  /// The end of a scope takes a time proportional to its instances.
  public func scope() -> Container {
    if ignoresRegistrations { return self }
    markAncestorsAsScoped()
    return Container(.scope, parent: self, collisions: collisionPolicy)
  }

  /// Records in this container and its ancestors that scopes exist below them.
  private func markAncestorsAsScoped() {
    if hasScopes.load(ordering: .acquiring) { return }
    // Ancestors first: a container with the flag relies on its ancestors' flags.
    parent?.markAncestorsAsScoped()
    writer.withLock { _ in hasScopes.store(true, ordering: .releasing) }
  }

  /// The topmost ancestor, or this container if it has no parent. Each container keeps its ancestors.
  var root: Unmanaged<Container> { rootOfParent ?? .passUnretained(self) }

  // MARK: Scoped entries

  /// Returns the candidate that keeps the instance of a scoped registration for this container: the scoped entry of the nearest scope.
  func inScope(_ candidate: Candidate) -> Candidate {
    guard let scope = scope(below: candidate.owningContainer), let storage = scope.scopeStorage?.takeUnretainedValue() else {
      return candidate
    }
    return Candidate(entry: storage.scopedEntry(for: candidate), owningContainer: scope)
  }

  /// True if the instance of a candidate that a resolve from here would return exists.
  func hasInstance(_ candidate: Candidate) -> Bool {
    guard candidate.entry.lifetime == .scoped, candidate.owningContainer !== self,
      let scope = scope(below: candidate.owningContainer)
    else {
      return candidate.entry.isBuilt
    }
    return scope.scopeStorage?.takeUnretainedValue().scopedEntry(of: candidate.entry)?.isBuilt ?? false
  }

  /// Returns the nearest scope, this container or an ancestor, that is below a container.
  private func scope(below owningContainer: Container) -> Container? {
    // The overrides of a container come directly before it.
    let end = owningContainer.isOverride ? owningContainer.parent : owningContainer
    var next: Container? = self
    while let container = next, container !== end {
      if container.scopeStorage != nil { return container }
      next = container.parent
    }
    return nil
  }

  /// False only if no registration of this container has scoped entries.
  var mayHaveScopedEntries: Bool { isOverride || hasScopes.load(ordering: .relaxed) }

  /// Removes and returns the scoped entries of removed registrations in all scopes. The caller must publish the removal first.
  func removeScopedEntries(of entries: [Entry]) -> [Unmanaged<Entry>] {
    let origins = entries.filter { $0.lifetime == .scoped }
    return origins.isEmpty ? [] : root._withUnsafeGuaranteedRef { $0.scopes.withLock { list in list.take(origins) } }
  }

  /// Releases entries that are in no list, once no reader or factory uses them.
  func discard(_ entries: [Unmanaged<Entry>]) {
    if entries.isEmpty { return }
    var outcome = writer.withLock { $0.discard(entries, in: self) }
    finish(&outcome)
    if outcome.waitsForReaders { waitForReaders() }
  }
}

extension Entry {
  /// Returns a scoped entry of this registration.
  ///
  /// - Parameter overrides: The IDs of the overrides in which the scope was made.
  final func makeScopedEntry(within overrides: [Int]) -> Entry {
    let scopedEntry = copy(tags: tags, lifetime: lifetime)
    scopedEntry.detailsBox = detailsBox
    if !overrides.isEmpty { scopedEntry.details.scopeOverrides = overrides }
    scopedEntry.owner = owner
    scopedEntry.sequence = sequence
    return scopedEntry
  }

  /// True if both entries belong to one registration: the same entry, or a scoped registration and a scoped entry of it.
  final func isSameRegistration(as other: Entry) -> Bool {
    self === other || (lifetime == .scoped && other.lifetime == .scoped && sequence != 0 && sequence == other.sequence)
  }
}
