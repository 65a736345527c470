extension Resolver {
  /// Applies all injections for a target: those of this container and its ancestors for the dynamic type of the target, for its
  /// superclasses and for protocols that it conforms to. Does nothing if there are none.
  ///
  /// The injections of an ancestor come before those of its children, each container's in registration order. An injection of a child
  /// replaces one of an ancestor with the same key. All resolve from this container. Factories and blocks run on the calling thread.
  /// The caller makes sure that no other thread uses the target meanwhile.
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

  /// Applies all injections for a target if it is not nil; see `resolve(into:)` for targets that are not optional.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory or a block.
  @discardableResult
  public func resolve<Target>(into target: Target?) throws -> Target? {
    try target.map { try container.inject(into: $0) }
  }

  /// Applies all injections for a target in an asynchronous context, in which every factory and block can run; see the synchronous
  /// `resolve(into:)`.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory or a block; a `CancellationError` if the task is cancelled while it waits for a
  ///   singleton.
  @discardableResult
  nonisolated(nonsending)
    public func resolve<Target>(into target: Target) async throws -> Target
  {
    try await container.injectAsync(into: target)
  }

  /// Injects into a target, if there is one, in an asynchronous context; see the synchronous `resolve(into:)`.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory or a block; a `CancellationError` if the task is cancelled while it waits for a
  ///   singleton.
  @discardableResult
  nonisolated(nonsending)
    public func resolve<Target>(into target: Target?) async throws -> Target?
  {
    try await container.injectAsync(intoPresent: target)
  }

  /// Injects into a target on the main actor, so that factories and blocks can run that have to run there; see the `resolve(into:)`
  /// without isolation.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory or a block.
  @MainActor @discardableResult
  public func resolve<Target>(into target: Target, isolation: MainActor) throws -> Target {
    try container.inject(into: target, isOnMainActor: true)
  }

  /// Injects into a target, if there is one, on the main actor; see the `resolve(into:)` without isolation.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory or a block.
  @MainActor @discardableResult
  public func resolve<Target>(into target: Target?, isolation: MainActor) throws -> Target? {
    try target.map { try container.inject(into: $0, isOnMainActor: true) }
  }
}
