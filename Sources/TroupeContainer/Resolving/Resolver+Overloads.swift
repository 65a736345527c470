// Written by scripts/generate-overloads. Change that script, not this file.
//
// Overloads for 0 to 3 tags avoid parameter packs, which the optimizer of Swift 6.3.1 does not specialize.

extension Resolver {
  /// Returns the instance registered under a type without tags.
  ///
  /// An optional is the instance of the wrapped type, or nil if that is not registered. An array or a set has an instance of each
  /// registration of the element type, in registration order; if one cannot be made, the resolve throws its error. A
  /// `LazyResolver` is created. A registration of the requested type itself comes before all of these.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory.
  @inlinable @inline(__always)
  public func resolve<T>(_ type: T.Type = T.self) throws -> T {
    try Container.instance(of: T.self, from: _container)
  }

  /// Returns the instance registered under a type without tags, made with the given arguments. See the synchronous
  /// `resolve(_:tags:args:)`.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory.
  @inlinable @inline(__always)
  public func resolve<T, each Argument>(_ type: T.Type = T.self, args: repeat each Argument) throws -> T {
    try Container.instance(
      of: T.self, args: (repeat each args), Container.argumentList(repeat (each Argument).self), from: _container)
  }

  /// Returns the instance registered under a type and a tag. See the synchronous `resolve(_:tags:args:)`.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory.
  @inlinable @inline(__always)
  public func resolve<T, Value: Hashable & Sendable>(_ type: T.Type = T.self, tags tag: Value) throws -> T {
    try Container.instance(of: T.self, tag: tag, from: _container)
  }

  /// Returns the instance registered under a type and two tags. See the synchronous `resolve(_:tags:args:)`.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory.
  @inlinable @inline(__always)
  public func resolve<T, First: Hashable & Sendable, Second: Hashable & Sendable>(
    _ type: T.Type = T.self, tags first: First, _ second: Second
  ) throws -> T {
    try Container.instance(of: T.self, tags: first, second, from: _container)
  }

  /// Returns the instance registered under a type and three tags. See the synchronous `resolve(_:tags:args:)`.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory.
  @inlinable @inline(__always)
  public func resolve<T, First: Hashable & Sendable, Second: Hashable & Sendable, Third: Hashable & Sendable>(
    _ type: T.Type = T.self, tags first: First, _ second: Second, _ third: Third
  ) throws -> T {
    try Container.instance(of: T.self, tags: first, second, third, from: _container)
  }

  /// Returns the instance registered under a type and a tag, made with the given arguments. See the synchronous
  /// `resolve(_:tags:args:)`.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory.
  @inlinable @inline(__always)
  public func resolve<T, Value: Hashable & Sendable, each Argument>(
    _ type: T.Type = T.self, tags tag: Value, args: repeat each Argument
  ) throws -> T {
    try Container.instance(
      of: T.self, tag: tag, args: (repeat each args), Container.argumentList(repeat (each Argument).self), from: _container)
  }

  /// Returns the instance registered under a type and two tags, made with the given arguments. See the synchronous
  /// `resolve(_:tags:args:)`.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory.
  @inlinable @inline(__always)
  public func resolve<T, First: Hashable & Sendable, Second: Hashable & Sendable, each Argument>(
    _ type: T.Type = T.self, tags first: First, _ second: Second, args: repeat each Argument
  ) throws -> T {
    try Container.instance(
      of: T.self, tags: first, second, args: (repeat each args), Container.argumentList(repeat (each Argument).self),
      from: _container)
  }

  /// Returns the instance registered under a type and exactly these tags, made with the given arguments.
  ///
  /// An optional is the instance of the wrapped type, or nil if that is not registered. An array or a set has an instance of each
  /// registration of the element type whose tags include the given ones, in registration order, made with the arguments; if one
  /// cannot be made, the resolve throws its error. A `LazyResolver` is created. A registration of the requested type itself comes
  /// before all of these.
  ///
  /// If no registration has exactly these tags, a registration of a plugin that has further tags answers, provided that it is the
  /// only one. So its UUID alone, or its other tags, are enough.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory. The reason is `.error` with an `AmbiguityError` if registrations
  ///   of several plugins have these tags.
  @inlinable @inline(__always)
  public func resolve<T, each Tag: Hashable & Sendable, each Argument>(
    _ type: T.Type = T.self, tags: repeat each Tag, args: repeat each Argument
  ) throws -> T {
    try Container.instance(
      of: T.self, boxed: TagList.boxed(repeat each tags), args: (repeat each args),
      Container.argumentList(repeat (each Argument).self), from: _container)
  }

  /// Returns the instance registered under an optional type without tags. See the synchronous `resolve(_:tags:args:)`.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory.
  @inlinable @inline(__always)
  public func resolve<Wrapped>(_ type: Wrapped?.Type = Wrapped?.self) throws -> Wrapped? {
    try _container._withUnsafeGuaranteedRef { try $0.optional(of: Wrapped?.self) }
  }

  /// Returns the instance registered under the type of a lazy resolver without tags. See the synchronous `resolve(_:tags:args:)`.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory.
  public func resolve<Value>(_ type: LazyResolver<Value>.Type = LazyResolver<Value>.self) throws -> LazyResolver<Value> {
    try _container._withUnsafeGuaranteedRef { try $0.lazyResolver(of: LazyResolver<Value>.self) }
  }

  /// Returns the instance registered under an array type without tags. See the synchronous `resolve(_:tags:args:)`.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory.
  @inlinable @inline(__always)
  public func resolve<Element>(_ type: [Element].Type = [Element].self) throws -> [Element] {
    try _container._withUnsafeGuaranteedRef { try $0.array(of: Element.self, requested: ObjectIdentifier([Element].self)) }
  }

  /// Returns the instance registered under an array type and a tag. See the synchronous `resolve(_:tags:args:)`.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory.
  @inlinable @inline(__always)
  public func resolve<Element, Value: Hashable & Sendable>(
    _ type: [Element].Type = [Element].self, tags tag: Value
  ) throws -> [Element] {
    try _container._withUnsafeGuaranteedRef {
      try $0.array(of: Element.self, tag: tag, requested: ObjectIdentifier([Element].self))
    }
  }

  /// Returns the instance registered under a set type without tags. See the synchronous `resolve(_:tags:args:)`.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory.
  @inlinable @inline(__always)
  public func resolve<Element: Hashable>(_ type: Set<Element>.Type = Set<Element>.self) throws -> Set<Element> {
    try _container._withUnsafeGuaranteedRef { try $0.set(of: Element.self, requested: ObjectIdentifier(Set<Element>.self)) }
  }

  /// Returns the instance registered under a set type and a tag. See the synchronous `resolve(_:tags:args:)`.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory.
  @inlinable @inline(__always)
  public func resolve<Element: Hashable, Value: Hashable & Sendable>(
    _ type: Set<Element>.Type = Set<Element>.self, tags tag: Value
  ) throws -> Set<Element> {
    try _container._withUnsafeGuaranteedRef {
      try $0.set(of: Element.self, tag: tag, requested: ObjectIdentifier(Set<Element>.self))
    }
  }

  /// Returns the instance registered under a key. See the synchronous `resolve(_:tags:args:)`.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory.
  @inlinable @inline(__always)
  public func resolve<T>(key: Key<T>) throws -> T {
    try Container.instance(of: T.self, boxed: key.tags, from: _container)
  }

  /// Returns the instance registered under a key, made with the given arguments. See the synchronous `resolve(_:tags:args:)`.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory.
  @inlinable @inline(__always)
  public func resolve<T, each Argument>(key: Key<T>, args: repeat each Argument) throws -> T {
    try Container.instance(
      of: T.self, boxed: key.tags, args: (repeat each args), Container.argumentList(repeat (each Argument).self),
      from: _container)
  }

  /// Returns the instance registered under a type without tags, or nil without a registration. See the synchronous
  /// `resolve(ifPresent:tags:args:)`.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory.
  @inlinable @inline(__always)
  public func resolve<T>(ifPresent type: T.Type) throws -> T? {
    try Container.instanceIfPresent(of: T.self, from: _container)
  }

  /// Returns the instance registered under a type and a tag, or nil without a registration. See the synchronous
  /// `resolve(ifPresent:tags:args:)`.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory.
  @inlinable @inline(__always)
  public func resolve<T, Value: Hashable & Sendable>(ifPresent type: T.Type, tags tag: Value) throws -> T? {
    try Container.instanceIfPresent(of: T.self, tag: tag, from: _container)
  }

  /// Returns the instance registered under a type and exactly these tags, made with the given arguments, or nil without a
  /// registration.
  ///
  /// ```swift
  /// let container = Container()
  /// assert(try! container.resolve(ifPresent: Int.self) == nil)
  /// container.register(Int.self) { resolver in try resolver.resolve(Int.self, tags: "missing") }
  /// do {
  ///   _ = try container.resolve(ifPresent: Int.self)
  ///   assertionFailure("the dependency of the factory is not registered")
  /// } catch {}
  /// ```
  ///
  /// Unlike a resolve of an optional type, it ignores a registration of the optional type. A released weak object counts as not
  /// registered. An array, a set or a `LazyResolver` needs no registration, so it is never nil.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory.
  @inlinable @inline(__always)
  public func resolve<T, each Tag: Hashable & Sendable, each Argument>(
    ifPresent type: T.Type, tags: repeat each Tag, args: repeat each Argument
  ) throws -> T? {
    try Container.instanceIfPresent(
      of: T.self, boxed: TagList.boxed(repeat each tags), args: (repeat each args),
      Container.argumentList(repeat (each Argument).self), from: _container)
  }

  /// Returns the instance registered under a key, or nil without a registration. See the synchronous
  /// `resolve(ifPresent:tags:args:)`.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory.
  @inlinable @inline(__always)
  public func resolve<T>(ifPresent key: Key<T>) throws -> T? {
    try Container.instanceIfPresent(of: T.self, boxed: key.tags, from: _container)
  }

  /// Returns the instance registered under a key, made with the given arguments, or nil without a registration. See the
  /// synchronous `resolve(ifPresent:tags:args:)`.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory.
  @inlinable @inline(__always)
  public func resolve<T, each Argument>(ifPresent key: Key<T>, args: repeat each Argument) throws -> T? {
    try Container.instanceIfPresent(
      of: T.self, boxed: key.tags, args: (repeat each args), Container.argumentList(repeat (each Argument).self),
      from: _container)
  }

  /// Returns the instance registered under a key, made with the given arguments, from the cache or past it.
  ///
  /// It applies only to registrations of `annotated(cached:)`. With true the resolve uses the cache, and fills it if it is empty.
  /// With false it runs the factory and leaves the cache as it is. It applies to the members of an array as well, but not to the
  /// dependencies of a factory.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory.
  public func resolve<T, each Argument>(key: Key<T>, args: repeat each Argument, cached: Bool) throws -> T {
    try _container._withUnsafeGuaranteedRef {
      try $0.instance(T.self, Container.Request(key.tags, repeat each args, cached: cached))
    }
  }

  /// Returns the instances registered under some keys, in the order of the keys. Keys without a registration, or with a weak
  /// object that was released, are left out. A key that occurs twice is resolved twice.
  ///
  /// ```swift
  /// let container = Container()
  /// let keys = (1...3).map { number in container.register(Int.self, tags: number) { _ in number } }
  /// assert(try! container.resolve(keys: [keys[2], Key(tags: "missing"), keys[0]]) == [3, 1])
  /// ```
  ///
  /// The key of an optional, an array or a lazy resolver that is not registered itself is resolved as `resolve(key:)` would.
  ///
  /// - Throws: For the first one that cannot be made, a `ResolutionError`, or the error of a factory.
  @inlinable
  public func resolve<T>(keys: some Sequence<Key<T>>) throws -> [T] {
    try _container._withUnsafeGuaranteedRef { try $0.instances(Array(keys)) }
  }

  /// Returns the instances registered under some keys, each made with the given arguments; see the synchronous `resolve(keys:)`.
  ///
  /// - Throws: For the first one that cannot be made, a `ResolutionError`, or the error of a factory.
  public func resolve<T, each Argument>(keys: some Sequence<Key<T>>, args: repeat each Argument) throws -> [T] {
    try container.instances(keys.map(AnyKey.init), Container.Request([], repeat each args, isOptional: true))
  }
}

// MARK: Asynchronous contexts

extension Resolver {
  /// Returns the instance registered under a type without tags.
  ///
  /// It can resolve every registration: a factory on the main actor runs there, and the caller suspends while another task makes
  /// a singleton. Swift selects this overload in asynchronous functions. At the top level of `main.swift` it selects the
  /// synchronous one and warns that `await` has no effect.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory; a `CancellationError` if the task is cancelled while it waits.
  @inlinable @inline(__always)
  nonisolated(nonsending)
    public func resolve<T>(_ type: T.Type = T.self) async throws -> T
  {
    try await Container.instanceAsync(of: T.self, from: _container)
  }

  /// Returns the instance registered under a type without tags, made with the given arguments. See the synchronous
  /// `resolve(_:tags:args:)`.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory; a `CancellationError` if the task is cancelled while it waits.
  @inlinable @inline(__always)
  nonisolated(nonsending)
    public func resolve<T, each Argument>(_ type: T.Type = T.self, args: repeat each Argument) async throws -> T
  {
    try await Container.instanceAsync(
      of: T.self, args: (repeat each args), Container.argumentList(repeat (each Argument).self), from: _container)
  }

  /// Returns the instance registered under a type and a tag. See the synchronous `resolve(_:tags:args:)`.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory; a `CancellationError` if the task is cancelled while it waits.
  @inlinable @inline(__always)
  nonisolated(nonsending)
    public func resolve<T, Value: Hashable & Sendable>(_ type: T.Type = T.self, tags tag: Value) async throws -> T
  {
    try await Container.instanceAsync(of: T.self, tag: tag, from: _container)
  }

  /// Returns the instance registered under a type and two tags. See the synchronous `resolve(_:tags:args:)`.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory; a `CancellationError` if the task is cancelled while it waits.
  @inlinable @inline(__always)
  nonisolated(nonsending)
    public func resolve<T, First: Hashable & Sendable, Second: Hashable & Sendable>(
      _ type: T.Type = T.self, tags first: First, _ second: Second
    ) async throws -> T
  {
    try await Container.instanceAsync(of: T.self, tags: first, second, from: _container)
  }

  /// Returns the instance registered under a type and exactly these tags, made with the given arguments. See the synchronous
  /// `resolve(_:tags:args:)`.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory; a `CancellationError` if the task is cancelled while it waits.
  @inlinable @inline(__always)
  nonisolated(nonsending)
    public func resolve<T, each Tag: Hashable & Sendable, each Argument>(
      _ type: T.Type = T.self, tags: repeat each Tag, args: repeat each Argument
    ) async throws -> T
  {
    try await Container.instanceAsync(
      of: T.self, boxed: TagList.boxed(repeat each tags), args: (repeat each args),
      Container.argumentList(repeat (each Argument).self), from: _container)
  }

  /// Returns the instance registered under an optional type without tags. See the synchronous `resolve(_:tags:args:)`.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory; a `CancellationError` if the task is cancelled while it waits.
  @inlinable @inline(__always)
  nonisolated(nonsending)
    public func resolve<Wrapped>(_ type: Wrapped?.Type = Wrapped?.self) async throws -> Wrapped?
  {
    try await Container.optionalAsync(of: Wrapped?.self, from: _container)
  }

  /// Returns the instance registered under the type of a lazy resolver without tags. See the synchronous `resolve(_:tags:args:)`.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory; a `CancellationError` if the task is cancelled while it waits.
  nonisolated(nonsending)
    public func resolve<Value>(
      _ type: LazyResolver<Value>.Type = LazyResolver<Value>.self
    ) async throws -> LazyResolver<Value>
  {
    try await Container.lazyResolverAsync(of: LazyResolver<Value>.self, from: _container)
  }

  /// Returns the instance registered under an array type without tags. See the synchronous `resolve(_:tags:args:)`.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory; a `CancellationError` if the task is cancelled while it waits.
  @inlinable @inline(__always)
  nonisolated(nonsending)
    public func resolve<Element>(_ type: [Element].Type = [Element].self) async throws -> [Element]
  {
    try await Container.arrayAsync(of: Element.self, requested: ObjectIdentifier([Element].self), from: _container)
  }

  /// Returns the instance registered under an array type and a tag. See the synchronous `resolve(_:tags:args:)`.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory; a `CancellationError` if the task is cancelled while it waits.
  @inlinable @inline(__always)
  nonisolated(nonsending)
    public func resolve<Element, Value: Hashable & Sendable>(
      _ type: [Element].Type = [Element].self, tags tag: Value
    ) async throws -> [Element]
  {
    try await Container.arrayAsync(of: Element.self, tag: tag, requested: ObjectIdentifier([Element].self), from: _container)
  }

  /// Returns the instance registered under a set type without tags. See the synchronous `resolve(_:tags:args:)`.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory; a `CancellationError` if the task is cancelled while it waits.
  @inlinable @inline(__always)
  nonisolated(nonsending)
    public func resolve<Element: Hashable>(_ type: Set<Element>.Type = Set<Element>.self) async throws -> Set<Element>
  {
    try await Container.setAsync(of: Element.self, requested: ObjectIdentifier(Set<Element>.self), from: _container)
  }

  /// Returns the instance registered under a set type and a tag. See the synchronous `resolve(_:tags:args:)`.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory; a `CancellationError` if the task is cancelled while it waits.
  @inlinable @inline(__always)
  nonisolated(nonsending)
    public func resolve<Element: Hashable, Value: Hashable & Sendable>(
      _ type: Set<Element>.Type = Set<Element>.self, tags tag: Value
    ) async throws -> Set<Element>
  {
    try await Container.setAsync(of: Element.self, tag: tag, requested: ObjectIdentifier(Set<Element>.self), from: _container)
  }

  /// Returns the instance registered under a key. See the synchronous `resolve(_:tags:args:)`.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory; a `CancellationError` if the task is cancelled while it waits.
  @inlinable @inline(__always)
  nonisolated(nonsending)
    public func resolve<T>(key: Key<T>) async throws -> T
  {
    try await Container.instanceAsync(of: T.self, boxed: key.tags, from: _container)
  }

  /// Returns the instance registered under a key, made with the given arguments. See the synchronous `resolve(_:tags:args:)`.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory; a `CancellationError` if the task is cancelled while it waits.
  @inlinable @inline(__always)
  nonisolated(nonsending)
    public func resolve<T, each Argument>(key: Key<T>, args: repeat each Argument) async throws -> T
  {
    try await Container.instanceAsync(
      of: T.self, boxed: key.tags, args: (repeat each args), Container.argumentList(repeat (each Argument).self),
      from: _container)
  }

  /// Returns the instance registered under a type without tags, or nil without a registration. See the synchronous
  /// `resolve(ifPresent:tags:args:)`.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory; a `CancellationError` if the task is cancelled while it waits.
  @inlinable @inline(__always)
  nonisolated(nonsending)
    public func resolve<T>(ifPresent type: T.Type) async throws -> T?
  {
    try await Container.instanceIfPresentAsync(of: T.self, from: _container)
  }

  /// Returns the instance registered under a type and a tag, or nil without a registration. See the synchronous
  /// `resolve(ifPresent:tags:args:)`.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory; a `CancellationError` if the task is cancelled while it waits.
  @inlinable @inline(__always)
  nonisolated(nonsending)
    public func resolve<T, Value: Hashable & Sendable>(ifPresent type: T.Type, tags tag: Value) async throws -> T?
  {
    try await Container.instanceIfPresentAsync(of: T.self, tag: tag, from: _container)
  }

  /// Returns the instance registered under a type and exactly these tags, made with the given arguments, or nil without a
  /// registration. See the synchronous `resolve(ifPresent:tags:args:)`.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory; a `CancellationError` if the task is cancelled while it waits.
  @inlinable @inline(__always)
  nonisolated(nonsending)
    public func resolve<T, each Tag: Hashable & Sendable, each Argument>(
      ifPresent type: T.Type, tags: repeat each Tag, args: repeat each Argument
    ) async throws -> T?
  {
    try await Container.instanceIfPresentAsync(
      of: T.self, boxed: TagList.boxed(repeat each tags), args: (repeat each args),
      Container.argumentList(repeat (each Argument).self), from: _container)
  }

  /// Returns the instance registered under a key, or nil without a registration. See the synchronous
  /// `resolve(ifPresent:tags:args:)`.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory; a `CancellationError` if the task is cancelled while it waits.
  @inlinable @inline(__always)
  nonisolated(nonsending)
    public func resolve<T>(ifPresent key: Key<T>) async throws -> T?
  {
    try await Container.instanceIfPresentAsync(of: T.self, boxed: key.tags, from: _container)
  }

  /// Returns the instance registered under a key, made with the given arguments, or nil without a registration. See the
  /// synchronous `resolve(ifPresent:tags:args:)`.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory; a `CancellationError` if the task is cancelled while it waits.
  @inlinable @inline(__always)
  nonisolated(nonsending)
    public func resolve<T, each Argument>(ifPresent key: Key<T>, args: repeat each Argument) async throws -> T?
  {
    try await Container.instanceIfPresentAsync(
      of: T.self, boxed: key.tags, args: (repeat each args), Container.argumentList(repeat (each Argument).self),
      from: _container)
  }

  /// Returns the instance registered under a key, from the cache or past it. See the synchronous `resolve(key:args:cached:)`.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory; a `CancellationError` if the task is cancelled while it waits.
  nonisolated(nonsending)
    public func resolve<T>(key: Key<T>, cached: Bool) async throws -> T
  {
    try await Container.instanceAsync(T.self, Container.Request(tags: key.tags, cached: cached), from: _container)
  }

  /// Returns the instance registered under a key, made with the given arguments, from the cache or past it. See the synchronous
  /// `resolve(key:args:cached:)`.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory; a `CancellationError` if the task is cancelled while it waits.
  nonisolated(nonsending)
    public func resolve<T, each Argument>(key: Key<T>, args: repeat each Argument, cached: Bool) async throws -> T
  {
    try await Container.instanceAsync(T.self, Container.Request(key.tags, repeat each args, cached: cached), from: _container)
  }

  /// Returns the instances registered under some keys, in an asynchronous context, one after the other; see the synchronous
  /// `resolve(keys:)`.
  ///
  /// - Throws: For the first one that cannot be made, a `ResolutionError`, or the error of a factory; a `CancellationError` if
  ///   the task is cancelled while it waits.
  @inlinable
  nonisolated(nonsending)
    public func resolve<T>(keys: some Sequence<Key<T>>) async throws -> [T]
  {
    try await Container.instancesAsync(Array(keys), from: _container)
  }

  /// Returns the instances registered under some keys, in an asynchronous context, one after the other, each made with the given
  /// arguments; see the synchronous `resolve(keys:)`.
  ///
  /// - Throws: For the first one that cannot be made, a `ResolutionError`, or the error of a factory; a `CancellationError` if
  ///   the task is cancelled while it waits.
  nonisolated(nonsending)
    public func resolve<T, each Argument>(keys: some Sequence<Key<T>>, args: repeat each Argument) async throws -> [T]
  {
    try await container.instancesAsync(keys.map(AnyKey.init), Container.Request([], repeat each args, isOptional: true))
  }
}

// MARK: The main actor

extension Resolver {
  /// Returns the instance registered under a type and exactly these tags, made on the main actor with the given arguments. See
  /// the synchronous `resolve(_:tags:args:)`.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory.
  @MainActor
  @inlinable @inline(__always)
  public func resolve<T, each Tag: Hashable & Sendable, each Argument>(
    _ type: T.Type = T.self, isolation: MainActor, tags: repeat each Tag, args: repeat each Argument
  ) throws -> T {
    try Container.instance(
      of: T.self, onMainActor: TagList.boxed(repeat each tags), args: (repeat each args),
      Container.argumentList(repeat (each Argument).self), from: _container)
  }

  /// Returns the instance registered under a key, made on the main actor with the given arguments. See the synchronous
  /// `resolve(_:tags:args:)`.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory.
  @MainActor
  @inlinable @inline(__always)
  public func resolve<T, each Argument>(key: Key<T>, isolation: MainActor, args: repeat each Argument) throws -> T {
    try Container.instance(
      of: T.self, onMainActor: key.tags, args: (repeat each args), Container.argumentList(repeat (each Argument).self),
      from: _container)
  }

  /// Returns the instance registered under a type and exactly these tags, made on the main actor with the given arguments, or nil
  /// without a registration. See the synchronous `resolve(ifPresent:tags:args:)`.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory.
  @MainActor
  @inlinable @inline(__always)
  public func resolve<T, each Tag: Hashable & Sendable, each Argument>(
    ifPresent type: T.Type, isolation: MainActor, tags: repeat each Tag, args: repeat each Argument
  ) throws -> T? {
    try Container.instanceIfPresent(
      of: T.self, onMainActor: TagList.boxed(repeat each tags), args: (repeat each args),
      Container.argumentList(repeat (each Argument).self), from: _container)
  }

  /// Returns the instance registered under a key, made on the main actor with the given arguments, or nil without a registration.
  /// See the synchronous `resolve(ifPresent:tags:args:)`.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory.
  @MainActor
  @inlinable @inline(__always)
  public func resolve<T, each Argument>(
    ifPresent key: Key<T>, isolation: MainActor, args: repeat each Argument
  ) throws -> T? {
    try Container.instanceIfPresent(
      of: T.self, onMainActor: key.tags, args: (repeat each args), Container.argumentList(repeat (each Argument).self),
      from: _container)
  }

  /// Returns the instance registered under a key, made on the main actor with the given arguments, from the cache or past it. See
  /// the synchronous `resolve(key:args:cached:)`.
  ///
  /// - Throws: A `ResolutionError`, or the error of a factory.
  @MainActor
  public func resolve<T, each Argument>(
    key: Key<T>, isolation: MainActor, args: repeat each Argument, cached: Bool
  ) throws -> T {
    try _container._withUnsafeGuaranteedRef {
      try $0.instance(T.self, Container.Request(onMainActor: key.tags, repeat each args, cached: cached))
    }
  }

  /// Returns the instances registered under some keys, on the main actor, each made with the given arguments; see the synchronous
  /// `resolve(keys:)`.
  ///
  /// - Throws: For the first one that cannot be made, a `ResolutionError`, or the error of a factory.
  @MainActor
  public func resolve<T, each Argument>(keys: some Sequence<Key<T>>, isolation: MainActor, args: repeat each Argument) throws
    -> [T]
  {
    try container.instances(keys.map(AnyKey.init), Container.Request(onMainActor: [], repeat each args, isOptional: true))
  }
}
