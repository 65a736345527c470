// The functions that `resolve` calls: each tries the fast path, then the slow path.

extension Container {
  /// Returns the instance registered under a type without tags.
  @inlinable
  func instance<T>(of type: T.Type) throws -> T {
    try fastInstance(T.self, find(ObjectIdentifier(T.self))) ?? instance(T.self, Request(tags: []))
  }

  /// Returns the instance registered under a type and a tag.
  @inlinable
  func instance<T, Value: Hashable & Sendable>(of type: T.Type, tag: Value) throws -> T {
    try fastInstance(T.self, find(ObjectIdentifier(T.self), tag: tag)) ?? instance(T.self, Request(tags: TagProbe.boxed(tag)))
  }

  /// Returns the instance registered under a type and two tags.
  @inlinable
  func instance<T, First: Hashable & Sendable, Second: Hashable & Sendable>(
    of type: T.Type, tags first: First, _ second: Second
  ) throws -> T {
    try fastInstance(T.self, find(ObjectIdentifier(T.self), tags: first, second))
      ?? instance(T.self, Request(tags: TagProbe.boxed(first, second)))
  }

  // A recursion of factories with arguments may be deep, so these use no closures.

  /// Returns the instance registered under a type and a tag, made with arguments.
  @inlinable
  func instance<T, Value: Hashable & Sendable, each Argument>(
    of type: T.Type, tag: Value, args: repeat each Argument
  ) throws -> T {
    if let instance = try fastInstance(T.self, find(ObjectIdentifier(T.self), tag: tag), args: repeat each args) {
      return instance
    }
    return try instance(T.self, Request(TagProbe.boxed(tag), repeat each args))
  }

  /// Returns the instance registered under a type and two tags, made with arguments.
  @inlinable
  func instance<T, First: Hashable & Sendable, Second: Hashable & Sendable, each Argument>(
    of type: T.Type, first: First, second: Second, args: repeat each Argument
  ) throws -> T {
    if let instance = try fastInstance(T.self, find(ObjectIdentifier(T.self), tags: first, second), args: repeat each args) {
      return instance
    }
    return try instance(T.self, Request(TagProbe.boxed(first, second), repeat each args))
  }

  /// Returns the instance registered under a type and tags, made with arguments.
  @inlinable
  func instance<T, each Value: Hashable & Sendable, each Argument>(
    of type: T.Type, tags: repeat each Value, args: repeat each Argument
  ) throws -> T {
    if let instance = try fastInstance(T.self, find(ObjectIdentifier(T.self), all: repeat each tags), args: repeat each args) {
      return instance
    }
    return try instance(T.self, Request(TagProbe.boxed(repeat each tags), repeat each args))
  }

  /// Returns the instance for a request.
  @inlinable
  func instance<T>(_ type: T.Type, _ request: Request) throws -> T {
    try withUnsafeTemporaryAllocation(of: T.self, capacity: 1) { buffer in
      guard let result = buffer.baseAddress, try initialize(result, request) else {
        preconditionFailure("a resolve stored no instance")
      }
      return result.move()
    }
  }

  /// Returns the instance for a request whose key may have no registration; nil if it has none.
  @inlinable
  func instanceIfPresent<T>(_ type: T.Type, _ request: Request) throws -> T? {
    try withUnsafeTemporaryAllocation(of: T.self, capacity: 1) { buffer in
      guard let result = buffer.baseAddress, try initialize(result, request) else { return nil }
      return result.move()
    }
  }

  /// Returns the instance registered under an optional type without tags, or else under the wrapped type; nil if there is none.
  @inlinable
  func optional<Wrapped>(of type: Wrapped?.Type) throws -> Wrapped? {
    if mayHave(ObjectIdentifier(type)) { return try instance(type, Request(tags: [])) }
    return try instanceIfPresent(Wrapped.self, tags: [])
  }

  /// Returns the instance registered under a type and tags; nil if there is none.
  @inlinable
  func instanceIfPresent<T>(_ type: T.Type, tags: [Tag]) throws -> T? {
    if tags.isEmpty, let instance = try fastInstance(T.self, find(ObjectIdentifier(T.self))) { return instance }
    return try instanceIfPresent(T.self, Request(tags: tags, isOptional: true))
  }

  /// Returns the instance of a registration; nil if the slow path has to make it.
  @inlinable @inline(__always)
  func fastInstance<T>(_ type: T.Type, _ found: Found?) throws -> T? {
    guard let found else { return nil }
    do throws(FastPathFailure) { return try Self.make(T.self, found, for: .passUnretained(self)) } catch {
      return try error.rethrowFactoryError()
    }
  }

  /// Returns the instance of a registration, made with arguments; nil if the slow path has to make it.
  @inlinable @inline(__always)
  func fastInstance<T, each Argument>(_ type: T.Type, _ found: Found?, args: repeat each Argument) throws -> T? {
    guard let found else { return nil }
    do throws(FastPathFailure) {
      return try Self.makeWithArguments(T.self, found, for: .passUnretained(self), args: repeat each args)
    } catch {
      return try error.rethrowFactoryError()
    }
  }
}

// MARK: Asynchronous contexts

// Each is a function of its own, and the caller always awaits it. If a caller contained the fast path, it would suspend in some cases
// only. The compiler copies the rest of a function for each such case, so the size would grow with the square of the number of
// resolves.
//
// Without a reference to the container threads that resolve do not write to its reference count.

extension Container {
  /// Returns the instance registered under a type without tags in an asynchronous context.
  ///
  /// It is compiled once for all types, so that callers stay small.
  @usableFromInline
  nonisolated(nonsending)
    static func instanceAsync<T>(of type: T.Type, from container: Unmanaged<Container>) async throws -> T
  {
    let found = container._withUnsafeGuaranteedRef { $0.find(ObjectIdentifier(T.self)) }
    return try await instanceAsync(T.self, found, from: container) { Request(tags: []) }
  }

  /// Returns the instance registered under a type and a tag in an asynchronous context.
  @inlinable @inline(never)
  nonisolated(nonsending)
    static func instanceAsync<T, Value: Hashable & Sendable>(
      of type: T.Type, tag: Value, from container: Unmanaged<Container>
    ) async throws -> T
  {
    let found = container._withUnsafeGuaranteedRef { $0.find(ObjectIdentifier(T.self), tag: tag) }
    return try await instanceAsync(T.self, found, from: container) { Request(tags: TagProbe.boxed(tag)) }
  }

  /// Returns the instance registered under a type and two tags in an asynchronous context.
  @inlinable @inline(never)
  nonisolated(nonsending)
    static func instanceAsync<T, First: Hashable & Sendable, Second: Hashable & Sendable>(
      of type: T.Type, tags first: First, _ second: Second, from container: Unmanaged<Container>
    ) async throws -> T
  {
    let found = container._withUnsafeGuaranteedRef { $0.find(ObjectIdentifier(T.self), tags: first, second) }
    return try await instanceAsync(T.self, found, from: container) { Request(tags: TagProbe.boxed(first, second)) }
  }

  /// Returns the instance registered under a type and tags, made with arguments, in an asynchronous context.
  @inlinable @inline(never)
  nonisolated(nonsending)
    static func instanceAsync<T, each Value: Hashable & Sendable, each Argument>(
      of type: T.Type, tags: repeat each Value, args: repeat each Argument, from container: Unmanaged<Container>
    ) async throws -> T
  {
    let instance = try container._withUnsafeGuaranteedRef {
      try $0.fastInstance(T.self, $0.find(ObjectIdentifier(T.self), all: repeat each tags), args: repeat each args)
    }
    if let instance { return instance }
    return try await instanceAsync(T.self, Request(TagProbe.boxed(repeat each tags), repeat each args), from: container)
  }

  /// Returns the instance for a request in an asynchronous context.
  @inlinable @inline(never)
  nonisolated(nonsending)
    static func instanceAsync<T>(_ type: T.Type, _ request: Request, from container: Unmanaged<Container>) async throws -> T
  {
    let instance = try container._withUnsafeGuaranteedRef { try $0.instanceWithoutWaiting(T.self, request) }
    if case .some(let instance?) = instance { return instance }
    return try await container.takeUnretainedValue().slowlyAsync(T.self, request)
  }

  /// Returns the instance for a request whose key may have no registration, in an asynchronous context; nil if it has none.
  @inlinable @inline(never)
  nonisolated(nonsending)
    static func instanceIfPresentAsync<T>(
      _ type: T.Type, _ request: Request, from container: Unmanaged<Container>
    ) async throws -> T?
  {
    let instance = try container._withUnsafeGuaranteedRef { try $0.instanceWithoutWaiting(T.self, request) }
    if let instance { return instance }
    return try await container.takeUnretainedValue().slowlyIfPresentAsync(T.self, request)
  }

  /// Returns the instance registered under an optional type without tags, or else under the wrapped type, in an asynchronous context;
  /// nil if there is none.
  @inlinable @inline(never)
  nonisolated(nonsending)
    static func optionalAsync<Wrapped>(of type: Wrapped?.Type, from container: Unmanaged<Container>) async throws -> Wrapped?
  {
    if container._withUnsafeGuaranteedRef({ $0.mayHave(ObjectIdentifier(type)) }) {
      return try await instanceAsync(type, Request(tags: []), from: container)
    }
    let request = Request(tags: [], isOptional: true)
    let instance = try container._withUnsafeGuaranteedRef { try $0.instanceWithoutWaiting(Wrapped.self, request) }
    if let instance { return instance }
    return try await container.takeUnretainedValue().slowlyIfPresentAsync(Wrapped.self, request)
  }

  /// Returns the instance of a registration, or for a request if the slow path has to make it, in an asynchronous context. The reading
  /// ends before the first suspension, on the thread on which it began: a nonsending function runs on the executor of its caller.
  @inlinable @inline(__always)
  nonisolated(nonsending)
    static func instanceAsync<T>(
      _ type: T.Type, _ found: Found?, from container: Unmanaged<Container>, else request: () -> Request
    ) async throws -> T
  {
    if let found {
      if found.entry._withUnsafeGuaranteedRef({ $0.kind == .async && $0.lifetime == .transient && $0.beginUntrackedRun() }) {
        found.reading.end()
        let resolver: any Resolver = container.takeUnretainedValue()
        // The resolver keeps the entry.
        defer { withExtendedLifetime(resolver) { found.entry._withUnsafeGuaranteedRef { $0.endUntrackedRun() } } }
        let factory = found.entry._withUnsafeGuaranteedRef { AsyncFactory(unsafeDowncast($0, to: AsyncEntry<T>.self)) }
        do { return try await factory.closure(resolver) } catch {
          throw failure(error, of: found.entry, for: container)
        }
      }
      do throws(FastPathFailure) { return try make(T.self, found, for: container) } catch {
        if case .error(let error) = error { throw error }
      }
    }
    return try await instanceAsync(T.self, request(), from: container)
  }

  /// Returns the instance for a request in an asynchronous context; nil if there is none. Returns `.none` if the caller has to wait.
  @inlinable @inline(__always)
  func instanceWithoutWaiting<T>(_ type: T.Type, _ request: Request) throws -> T?? {
    var request = request
    request.mayWait = false
    return try withUnsafeTemporaryAllocation(of: T.self, capacity: 1) { buffer in
      guard let result = buffer.baseAddress, let isStored = try attempt(result, request) else { return .none }
      return isStored ? result.move() : .some(nil)
    }
  }
}

extension Container.FastPathFailure {
  /// Throws the error of the factory. Returns nil if the slow path has to make the instance.
  @inlinable @inline(__always)
  func rethrowFactoryError<T>() throws -> T? {
    if case .error(let error) = self { throw error }
    return nil
  }
}
