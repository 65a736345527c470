import Synchronization

extension Container {
  /// Overrides registrations of this container for the current task while an operation runs.
  ///
  /// Other tasks, threads and detached tasks do not see the overrides; tasks that inherit task-local values do. For tasks that
  /// outlive the operation, the overrides end with it.
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
  /// The overrides act like a child container from which the task resolves in place of this container. Therefore:
  ///
  /// - A singleton of this container does not use overrides, and an existing singleton stays.
  /// - In a scope that the operation makes, scoped instances that are made during the operation use overrides, and stay. An older scope
  ///   does not use overrides.
  /// - Nested overrides add to the outer ones.
  /// - The factory of an override reaches the original with `withoutOverrides`, to wrap it:
  ///
  /// ```swift
  /// let quoted = try container.withOverrides {
  ///   $0.register(String.self) { resolver in try "<" + resolver.withoutOverrides { try $0.resolve(String.self) } + ">" }
  /// } operation: {
  ///   try container.resolve(String.self)
  /// }
  /// assert(quoted == "<real>")
  /// ```
  ///
  /// For tests. While any operation runs, a resolve from this container takes about three times as long.
  ///
  /// - Parameters:
  ///   - register: Makes the overriding registrations.
  ///   - operation: The code that runs with the overrides.
  /// - Throws: The error of either closure.
  public func withOverrides<R>(_ register: (any Registrar) throws -> Void, operation: () throws -> R) rethrows -> R {
    let override = try begin(register)
    defer { end(override) }
    return try Self.$override.withValue(override, operation: operation)
  }

  /// Overrides registrations while an asynchronous operation runs; see the synchronous `withOverrides`.
  nonisolated(nonsending)
    public func withOverrides<R>(
      _ register: (any Registrar) throws -> Void, operation: nonisolated(nonsending) () async throws -> R
    ) async rethrows -> R
  {
    let override = try begin(register)
    defer { end(override) }
    return try await Self.$override.withValue(override, operation: operation)
  }

  /// True if an override of the current task, active or ended, registers an entry.
  static func isOverriding(_ entry: Entry) -> Bool {
    guard let override else { return false }
    return sequence(first: override, next: \.outer).contains { $0.container.has(entry) }
  }

  /// The overriding registrations of one operation: a link in the task-local chain of overrides.
  fileprivate final class Override: Sendable {
    /// A child of the overridden container.
    let container: Container
    /// The override around this one, of any container.
    let outer: Override?
    /// True after the operation, for tasks that have inherited the override.
    let hasEnded = Atomic(false)

    init(_ container: Container, outer: Override?) {
      self.container = container
      self.outer = outer
    }
  }

  /// The innermost override of the current task, of any container.
  @TaskLocal fileprivate static var override: Override?
  /// How many overrides of all containers are active. Reading it costs less than reading task-local storage.
  private static let overrideCount = Atomic<Int>(0)

  private func begin(_ register: (any Registrar) throws -> Void) rethrows -> Override {
    let child = Container(.override, parent: self, collisions: collisionPolicy)
    try register(child)
    Self.overrideCount.wrappingAdd(1, ordering: .relaxed)
    writer.withLock { $0.countOverride(1, in: self) }
    return Override(child, outer: Self.override)
  }

  private func end(_ override: Override) {
    override.hasEnded.store(true, ordering: .relaxed)
    writer.withLock { $0.countOverride(-1, in: self) }
    Self.overrideCount.wrappingSubtract(1, ordering: .relaxed)
  }

  /// The containers of the overrides of this container that are active in the current task, the innermost first.
  private var activeOverrides: some Sequence<Container> {
    sequence(state: Self.overrideCount.load(ordering: .relaxed) == 0 ? nil : Self.override) { next -> Container? in
      while let override = next {
        next = override.outer
        if override.container.parent === self, !override.hasEnded.load(ordering: .relaxed) { return override.container }
      }
      return nil
    }
  }

  /// The active overrides that the caller may use. The factory of a singleton of this container, or of a scoped instance of an older
  /// scope, may not use them, because its instance outlives the operation.
  var presentOverrides: [Container] {
    if fastPathVersion != nil { return [] }
    let overrides = Array(activeOverrides)
    if overrides.isEmpty || !BuildPath.isRunning { return overrides }
    let lasting = BuildPath.all().filter { entry in
      entry.lifetime != .transient && !overrides.contains { $0.has(entry) }
    }
    return overrides.filter { override in lasting.allSatisfy { $0.details.scopeOverrides.contains(override.containerID) } }
  }

  /// Returns the registrations under a type and tags with a hash in the innermost override that has any and that the caller may use, and
  /// the version of the override.
  func overridingList(_ identity: ObjectIdentifier, tagHash: UInt) -> (list: EntryList, version: UInt64)? {
    if BuildPath.isRunning { return presentOverrides.lazy.compactMap { $0.listAndVersion(identity, tagHash: tagHash) }.first }
    for override in activeOverrides {
      if let found = override.listAndVersion(identity, tagHash: tagHash) { return found }
    }
    return nil
  }

  private func listAndVersion(_ identity: ObjectIdentifier, tagHash: UInt) -> (list: EntryList, version: UInt64)? {
    // The version first: the list then has at least the registrations of that version.
    let version = version.load(ordering: .acquiring)
    let list = list(identity) { $0.list(tagHash: tagHash) }
    return list.isEmpty ? nil : (list, version)
  }

  /// The IDs of the overrides of this container and its ancestors that the caller may use.
  var overrideIDs: [Int] {
    if Self.overrideCount.load(ordering: .relaxed) == 0 { return [] }
    return sequence(first: self, next: \.parent).flatMap { $0.presentOverrides.map(\.containerID) }
  }

  /// Returns the one of this container and its ancestors that registers an entry, or this one if none does.
  func owningContainer(of entry: Entry) -> Container { selfAndAncestors.first { $0.has(entry) } ?? self }

  /// True if the container registers an entry, the origin of a scoped entry, or the entry whose variant for `cached` it is.
  private func has(_ entry: Entry) -> Bool {
    entries(entry.metatype, exactly: entry.tags).contains {
      $0.isSameRegistration(as: entry) || $0.detailsBox?.details.otherCaching?.isSameRegistration(as: entry) == true
    }
  }
}

extension Resolver {
  /// Runs an operation without the overrides that are active in the current task, of any container.
  ///
  /// So the factory of an override reaches the original; see `Container.withOverrides`. The factories that run in the operation use no
  /// overrides either.
  ///
  /// - Parameter operation: Gets the resolver, and for a singleton of an override the container that is overridden.
  public func withoutOverrides<R>(_ operation: (any Resolver) throws -> R) rethrows -> R {
    try Container.$override.withValue(nil) { try operation(overridden) }
  }

  /// Runs an asynchronous operation without overrides; see the synchronous `withoutOverrides`.
  nonisolated(nonsending)
    public func withoutOverrides<R>(_ operation: nonisolated(nonsending) (any Resolver) async throws -> R) async rethrows -> R
  {
    try await Container.$override.withValue(nil) { try await operation(overridden) }
  }

  private var overridden: any Resolver { sequence(first: container, next: \.parent).first { !$0.isOverride } ?? self }
}
