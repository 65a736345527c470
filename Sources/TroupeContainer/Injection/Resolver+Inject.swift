extension Resolver {
  /// Injects into a target: takes every injection that is registered, here or in a parent, for its type, for a superclass of that
  /// or for a protocol that it conforms to. What counts is what the target is, not what it is known as. Where there is no
  /// injection, nothing happens.
  ///
  /// The parents' injections come first, each container's in the order of their registration; a child's takes the place of a
  /// parent's with the same key. All resolve from this container. Factories and blocks run on the calling thread; that nobody else
  /// uses the target meanwhile is the caller's concern.
  ///
  /// Cost: that of what is resolved and set, and of finding the injections, which is remembered for a type until the next change to
  /// the container. That takes a lock for the look at a table, under which nobody's code runs.
  ///
  /// - Returns: The target, if it is an object; otherwise the value that the injections made of it.
  /// - Throws: A `ResolutionError`, `.notFound` for a property that is not optional, or the error of a factory or a block. The earlier
  ///   steps stay applied: an object keeps the properties that they set.
  @discardableResult
  public func resolve<Target>(into target: Target) throws -> Target {
    try container.inject(into: target)
  }

  /// Injects into a target if there is one; see `resolve(into:)` for what is no optional.
  ///
  /// - Throws: A `ResolutionError`, or what the factory throws.
  @discardableResult
  public func resolve<Target>(into target: Target?) throws -> Target? {
    guard let target else { return nil }
    return try container.inject(into: target)
  }

  /// Injects into a target in an asynchronous context, so that any factory and any block can run; see the synchronous
  /// `resolve(into:)`.
  ///
  /// - Throws: A `ResolutionError`, or what the factory throws; a `CancellationError` if the task is cancelled while it waits for a
  ///   singleton.
  @discardableResult
  nonisolated(nonsending)
    public func resolve<Target>(into target: Target) async throws -> Target
  {
    try await container.injectAsync(into: target)
  }

  /// Injects into a target, if there is one, in an asynchronous context; see the synchronous `resolve(into:)`.
  ///
  /// - Throws: A `ResolutionError`, or what the factory throws; a `CancellationError` if the task is cancelled while it waits for a
  ///   singleton.
  @discardableResult
  nonisolated(nonsending)
    public func resolve<Target>(into target: Target?) async throws -> Target?
  {
    guard let target else { return nil }
    return try await container.injectAsync(into: target)
  }

  /// Injects into a target on the main actor, so that factories and blocks can run that have to run there; see the `resolve(into:)`
  /// without isolation.
  ///
  /// - Throws: A `ResolutionError`, or what the factory throws.
  @MainActor @discardableResult
  public func resolve<Target>(into target: Target, isolation: MainActor) throws -> Target {
    try container.inject(into: target, isOnMainActor: true)
  }

  /// Injects into a target, if there is one, on the main actor; see the `resolve(into:)` without isolation.
  ///
  /// - Throws: A `ResolutionError`, or what the factory throws.
  @MainActor @discardableResult
  public func resolve<Target>(into target: Target?, isolation: MainActor) throws -> Target? {
    guard let target else { return nil }
    return try container.inject(into: target, isOnMainActor: true)
  }
}
