// What the functions in `Container+EntryPoints.swift` have in common.

extension Container {
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
    return try instanceIfPresent(of: Wrapped.self)
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

extension Container {
  /// Returns the instance for a request in an asynchronous context.
  @inlinable @inline(never)
  nonisolated(nonsending)
    static func instanceAsync<T>(_ type: T.Type, _ request: Request, from container: Unmanaged<Container>) async throws -> T
  {
    do throws(Unavailability) {
      return try instanceWithoutWaiting(T.self, request, from: container)
    } catch {
      if case .error(let error) = error { throw error }
    }
    return try await container.takeUnretainedValue().slowlyAsync(T.self, request)
  }

  /// Returns the instance for a request whose key may have no registration, in an asynchronous context; nil if it has none.
  @inlinable @inline(__always)
  nonisolated(nonsending)
    static func instanceIfPresentAsync<T>(
      _ type: T.Type, _ request: Request, from container: Unmanaged<Container>
    ) async throws -> T?
  {
    do throws(Unavailability) {
      return try instanceWithoutWaiting(T.self, request, from: container)
    } catch {
      switch error {
      case .missing: return nil
      case .error(let error): throw error
      case .waiting: return try await container.takeUnretainedValue().slowlyIfPresentAsync(T.self, request)
      }
    }
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
    let instance = try container._withUnsafeGuaranteedRef {
      try $0.fastInstance(Wrapped.self, $0.find(ObjectIdentifier(Wrapped.self)))
    }
    if let instance { return instance }
    return try await instanceIfPresentAsync(Wrapped.self, Request(tags: [], isOptional: true), from: container)
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

  /// Why a request has no instance without waiting.
  @frozen @usableFromInline
  enum Unavailability: Error {
    /// There is no registration.
    case missing
    /// The caller has to wait.
    case waiting
    case error(any Error)
  }

  /// Returns the instance for a request in an asynchronous context if that takes no waiting.
  @inlinable @inline(__always)
  static func instanceWithoutWaiting<T>(
    _ type: T.Type, _ request: Request, from container: Unmanaged<Container>
  ) throws(Unavailability) -> T {
    var request = request
    request.mayWait = false
    return try withUnsafeTemporaryAllocation(of: T.self, capacity: 1) { buffer throws(Unavailability) in
      // A buffer of one element has an address.
      let result = buffer.baseAddress.unsafelyUnwrapped
      let isStored: Bool?
      do { isStored = try container._withUnsafeGuaranteedRef { try $0.attempt(result, request) } } catch { throw .error(error) }
      guard let isStored else { throw .waiting }
      if !isStored { throw .missing }
      return result.move()
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
