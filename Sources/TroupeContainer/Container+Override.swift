import Synchronization

extension Container {
  /// Has what a task resolves from this container come from other registrations for as long as an operation runs. Other tasks
  /// see none of that, nor do threads and detached tasks that the operation starts; tasks that inherit task-local values do.
  /// When the operation is over, so is it for those of them that still run.
  ///
  /// ```swift
  /// let container = Container()
  /// container.register(String.self) { _ in "real" }
  /// container.register([Character].self) { resolver in Array(try resolver.resolve(String.self)) }
  /// try container.withOverrides {
  ///   $0.register(String.self) { _ in "fake" }
  /// } operation: {
  ///   let characters: [Character] = try container.resolve()
  ///   assert(characters == ["f", "a", "k", "e"])
  /// }
  /// ```
  ///
  /// It is as if there were a child container with the other registrations, from which everybody in the task resolves who
  /// resolves from this one or from a child of it. So a singleton of this container is made without them, and one that has been
  /// made stays what it is. What is made once in a scope is made of them in a scope that the operation makes, and stays that for
  /// as long as the scope; in a scope that was there before it is made without them. Overrides within overrides add to them.
  ///
  /// Made for tests. While an operation runs anywhere, everybody resolves from this container on the long way, which takes
  /// several times as long; before and after it costs nothing.
  ///
  /// - Parameters:
  ///   - register: Makes the other registrations.
  ///   - operation: What runs with them.
  /// - Throws: What either of the closures throws.
  public func withOverrides<R>(_ register: (any Registrar) throws -> Void, operation: () throws -> R) rethrows -> R {
    let override = try begin(register)
    defer { end(override) }
    return try Self.$overrides.withValue(overrides(with: override), operation: operation)
  }

  /// The same for an operation that is asynchronous.
  nonisolated(nonsending)
    public func withOverrides<R>(
      _ register: (any Registrar) throws -> Void, operation: nonisolated(nonsending) () async throws -> R
    ) async rethrows -> R
  {
    let override = try begin(register)
    defer { end(override) }
    return try await Self.$overrides.withValue(overrides(with: override), operation: operation)
  }

  /// What a container is overridden by while an operation runs.
  private final class Override: Sendable {
    let container: Container
    private let isOver = Atomic(false)

    init(_ container: Container) { self.container = container }

    /// The container with the other registrations, as long as the operation runs.
    var present: Container? { isOver.load(ordering: .relaxed) ? nil : container }

    /// Ends it for all tasks that have inherited it.
    func end() { isOver.store(true, ordering: .relaxed) }
  }

  /// What the present task has containers overridden by, the innermost first. Whoever puts a container here holds it.
  @TaskLocal private static var overrides: [ObjectIdentifier: [Override]] = [:]

  private func begin(_ register: (any Registrar) throws -> Void) rethrows -> Override {
    let child = Container(kind: .override, parent: self, collisions: collisionPolicy)
    try register(child)
    writer.withLock { $0.countOverride(1, in: self) }
    return Override(child)
  }

  private func end(_ override: Override) {
    override.end()
    writer.withLock { $0.countOverride(-1, in: self) }
  }

  private func overrides(with override: Override) -> [ObjectIdentifier: [Override]] {
    var overrides = Self.overrides
    overrides[ObjectIdentifier(self), default: []].insert(override, at: 0)
    return overrides
  }

  /// What the present task has this container overridden by, the innermost first, but for what whoever asks must not be made of
  /// since it lasts longer: a singleton of the container, or something scoped where the scope was there before.
  var presentOverrides: [Container] {
    guard quickVersion.load(ordering: .relaxed) == 0, let known = Self.overrides[ObjectIdentifier(self)] else { return [] }
    let overrides = known.compactMap(\.present)
    let lasting = BuildPath.all().filter { entry in
      entry.lifetime != .transient && !overrides.contains { $0.has(entry) }
    }
    return overrides.filter { override in lasting.allSatisfy { $0.details.scopeOverrides.contains(override.number) } }
  }

  /// The numbers of what the present task has this container and its parents overridden by, as far as whoever asks may be made of
  /// it.
  var overrideNumbers: [Int] {
    var numbers: [Int] = []
    var next: Container? = self
    while let container = next {
      numbers += container.presentOverrides.map(\.number)
      next = container.parent
    }
    return numbers
  }

  /// The container that an entry is registered in, which may be above this one; this one if it is registered in none.
  func home(of entry: Entry) -> Container { lineage.first { $0.has(entry) } ?? self }

  /// Whether an entry, or the one that it stands in for, is registered here, or makes the instances that a resolve wants cached of
  /// one that is.
  private func has(_ entry: Entry) -> Bool {
    entries(entry.metatype, exactly: entry.tags).contains {
      $0.isSameRegistration(as: entry) || $0.detailsBox?.details.otherCaching?.isSameRegistration(as: entry) == true
    }
  }
}
