/// Runs injections for a target: `InjectionIndex` finds them, and each `InjectionPlan` runs its steps in order.
///
/// A running injection counts as a factory of the thread or task. So an injection that needs itself through a factory is a dependency
/// cycle, errors have it in their path, and a container that learns records what its blocks resolve.
extension Resolver {
  /// Runs the injections for a target: those into its dynamic type, its superclasses and the protocols that it conforms to, of this
  /// container and its ancestors. Does nothing if there are none.
  ///
  /// The injections of an ancestor come before those of its children, each container's in registration order. An injection of a child
  /// replaces one of an ancestor with the same key. All resolve from this container. Factories and blocks run on the calling thread.
  /// No other thread may use the target meanwhile.
  ///
  /// Cost: the resolved properties, and one look-up under a lock. The container caches the injections of a type until its next change.
  ///
  /// - Returns: The target, if it is an object; otherwise the value that the injections made of it.
  /// - Throws: A `ResolutionError`, `.notFound` for a property that is not optional, or the error of a factory or a block. The earlier
  ///   steps stay applied: an object keeps the properties that they set.
  @discardableResult
  public func resolve<Target>(into target: Target) throws -> Target {
    try container.inject(into: target)
  }

  /// Runs the injections for a target unless it is nil; see `resolve(into:)` for targets that are not optional.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory or a block.
  @discardableResult
  public func resolve<Target>(into target: Target?) throws -> Target? {
    try target.map { try container.inject(into: $0) }
  }

  /// Runs the injections for a target in an asynchronous context, in which every factory and block can run; see the synchronous
  /// `resolve(into:)`.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory or a block. A `CancellationError` if the task is
  ///   canceled while it waits for a singleton.
  @discardableResult
  nonisolated(nonsending)
    public func resolve<Target>(into target: Target) async throws -> Target
  {
    try await container.injectAsync(into: target)
  }

  /// Runs the injections for a target unless it is nil, in an asynchronous context; see the synchronous `resolve(into:)`.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory or a block. A `CancellationError` if the task is
  ///   canceled while it waits for a singleton.
  @discardableResult
  nonisolated(nonsending)
    public func resolve<Target>(into target: Target?) async throws -> Target?
  {
    guard let target else { return nil }
    return try await container.injectAsync(into: target)
  }

  /// Runs the injections for a target on the main actor, and factories and blocks that must run there; see the `resolve(into:)`
  /// without isolation.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory or a block.
  @MainActor @discardableResult
  public func resolve<Target>(into target: Target, isolation: MainActor) throws -> Target {
    try container.inject(into: target, isOnMainActor: true)
  }

  /// Runs the injections for a target unless it is nil, on the main actor; see the `resolve(into:)` without isolation.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory or a block.
  @MainActor @discardableResult
  public func resolve<Target>(into target: Target?, isolation: MainActor) throws -> Target? {
    try target.map { try container.inject(into: $0, isOnMainActor: true) }
  }
}

// MARK: Running

extension Container {
  /// Runs each injection as the innermost factory of its thread. Like a factory with arguments, it may run inside itself with another
  /// target, until the stack is nearly full.
  func inject<Target>(into target: Target, isOnMainActor: Bool = false) throws -> Target {
    var target = target
    for found in try injections(into: target) {
      let record = try beginRun(of: found.entry, hasArguments: true)
      defer { record.pointee.pop() }
      do {
        try found.injection.plan.apply(to: &target, from: self, as: found.entry, isOnMainActor: isOnMainActor)
      } catch {
        throw failure(error, of: found.entry)
      }
    }
    return target
  }

  nonisolated(nonsending)
    func injectAsync<Target>(into target: Target) async throws -> Target
  {
    var target = target
    for found in try injections(into: target) { try await runAsync(found, into: &target) }
    return target
  }

  /// Runs an injection as the innermost factory of its task.
  nonisolated(nonsending)
    private func runAsync<Target>(_ found: RegisteredInjection, into target: inout Target) async throws
  {
    let entry = found.entry
    if BuildPath.all().count(where: { $0 === entry }) > BuildPath.maximumRecursion {
      throw ResolutionError.cycle(through: BuildPath.dependencyCycle(to: entry))
    }
    entry.learned?.recordRun()
    let path = BuildPath(entry)
    defer { path.end() }
    try await BuildPath.$current.withValue(path) {
      do {
        try await found.injection.plan.applyAsync(to: &target, from: self, as: entry)
      } catch {
        throw failure(error, of: entry)
      }
    }
  }
}
