// Written by scripts/generate-overloads. Change that script, not this file.
//
// Overloads for properties of objects are inlined and take the key path as an autoclosure, so that the compiler replaces a literal by an
// access to the property. To set a property through a key path takes the runtime about four times as long as a resolve.

extension InjectionBuilder {
  /// Adds a step that sets a property to the instance registered under its type without tags.
  ///
  /// Pass a literal, since the argument is evaluated here and at each injection. The key path of a property that is isolated to
  /// an actor is not Sendable; use a block for such a property.
  @inlinable @inline(__always)
  public func inject<Value>(
    _ keyPath: @autoclosure @escaping @Sendable () -> any ReferenceWritableKeyPath<Target, Value> & Sendable
  ) -> InjectionBuilder {
    adding(keyPath(), tags: [], set: Self.setter(keyPath()))
  }

  /// Adds a step that sets a property to the instance registered under its type and exactly these tags.
  @inlinable @inline(__always)
  public func inject<Value, each Tag: Hashable & Sendable>(
    _ keyPath: @autoclosure @escaping @Sendable () -> any ReferenceWritableKeyPath<Target, Value> & Sendable,
    tags: repeat each Tag
  ) -> InjectionBuilder {
    adding(keyPath(), tags: TagList.boxed(repeat each tags), set: Self.setter(keyPath()))
  }

  /// Adds a step that sets an optional property to the instance registered under the optional type without tags, or else under
  /// the wrapped type. If there is neither, the property keeps its value.
  @inlinable @inline(__always)
  public func inject<Wrapped>(
    _ keyPath: @autoclosure @escaping @Sendable () -> any ReferenceWritableKeyPath<Target, Wrapped?> & Sendable
  ) -> InjectionBuilder {
    adding(optional: keyPath(), tags: [], set: Self.setter(keyPath()))
  }

  /// Adds a step that sets an optional property to the instance registered under the optional type and exactly these tags, or
  /// else under the wrapped type. If there is neither, the property keeps its value.
  @inlinable @inline(__always)
  public func inject<Wrapped, each Tag: Hashable & Sendable>(
    _ keyPath: @autoclosure @escaping @Sendable () -> any ReferenceWritableKeyPath<Target, Wrapped?> & Sendable,
    tags: repeat each Tag
  ) -> InjectionBuilder {
    adding(optional: keyPath(), tags: TagList.boxed(repeat each tags), set: Self.setter(keyPath()))
  }

  /// Adds a step that sets a property to the instance registered under its type without tags.
  ///
  /// For properties of values, and of objects of any protocol.
  @_disfavoredOverload @inlinable
  public func inject<Value>(
    _ keyPath: any WritableKeyPath<Target, Value> & Sendable
  ) -> InjectionBuilder {
    adding(keyPath, tags: [], set: Self.setter(ofAny: keyPath))
  }

  /// Adds a step that sets a property to the instance registered under its type and exactly these tags.
  ///
  /// For properties of values, and of objects of any protocol.
  @_disfavoredOverload @inlinable
  public func inject<Value, each Tag: Hashable & Sendable>(
    _ keyPath: any WritableKeyPath<Target, Value> & Sendable, tags: repeat each Tag
  ) -> InjectionBuilder {
    adding(keyPath, tags: TagList.boxed(repeat each tags), set: Self.setter(ofAny: keyPath))
  }

  /// Adds a step that sets an optional property to the instance registered under the optional type without tags, or else under
  /// the wrapped type. If there is neither, the property keeps its value.
  ///
  /// For properties of values, and of objects of any protocol.
  @_disfavoredOverload @inlinable
  public func inject<Wrapped>(
    _ keyPath: any WritableKeyPath<Target, Wrapped?> & Sendable
  ) -> InjectionBuilder {
    adding(optional: keyPath, tags: [], set: Self.setter(ofAny: keyPath))
  }

  /// Adds a step that sets an optional property to the instance registered under the optional type and exactly these tags, or
  /// else under the wrapped type. If there is neither, the property keeps its value.
  ///
  /// For properties of values, and of objects of any protocol.
  @_disfavoredOverload @inlinable
  public func inject<Wrapped, each Tag: Hashable & Sendable>(
    _ keyPath: any WritableKeyPath<Target, Wrapped?> & Sendable, tags: repeat each Tag
  ) -> InjectionBuilder {
    adding(optional: keyPath, tags: TagList.boxed(repeat each tags), set: Self.setter(ofAny: keyPath))
  }
}

extension Resolver {
  /// Runs the injections for a target: those into its dynamic type, its superclasses and the protocols that it conforms to, of
  /// this container and its ancestors. Does nothing if there are none.
  ///
  /// The injections of an ancestor come before those of its children, each container's in registration order. An injection of a
  /// child replaces one of an ancestor with the same key. All resolve from this container. Factories and blocks run on the
  /// calling thread. No other thread may use the target meanwhile.
  ///
  /// Cost: the resolved properties, and one look-up under a lock. The container caches the injections of a type until its next
  /// change.
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
    guard let target else { return nil }
    return try container.inject(into: target)
  }

  /// Runs the injections for a target, in an asynchronous context, in which every factory and block can run; see the synchronous
  /// `resolve(into:)`.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory or a block; a `CancellationError` if the task is cancelled while it
  ///   waits for a singleton.
  @discardableResult
  nonisolated(nonsending)
    public func resolve<Target>(into target: Target) async throws -> Target
  {
    try await container.injectAsync(into: target)
  }

  /// Runs the injections for a target unless it is nil, in an asynchronous context, in which every factory and block can run; see
  /// the synchronous `resolve(into:)`.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory or a block; a `CancellationError` if the task is cancelled while it
  ///   waits for a singleton.
  @discardableResult
  nonisolated(nonsending)
    public func resolve<Target>(into target: Target?) async throws -> Target?
  {
    guard let target else { return nil }
    return try await container.injectAsync(into: target)
  }

  /// Runs the injections for a target on the main actor, and factories and blocks that must run there; see the synchronous
  /// `resolve(into:)`.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory or a block.
  @MainActor @discardableResult
  public func resolve<Target>(into target: Target, isolation: MainActor) throws -> Target {
    try container.inject(into: target, isOnMainActor: true)
  }

  /// Runs the injections for a target unless it is nil, on the main actor, and factories and blocks that must run there; see the
  /// synchronous `resolve(into:)`.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory or a block.
  @MainActor @discardableResult
  public func resolve<Target>(into target: Target?, isolation: MainActor) throws -> Target? {
    guard let target else { return nil }
    return try container.inject(into: target, isOnMainActor: true)
  }
}
