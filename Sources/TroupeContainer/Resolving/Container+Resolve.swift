// The general path of `resolve`. It looks up the registration that answers a request and makes an instance of it: `lookup`
// (`Container+Candidate.swift`), then `initialize` or `makeAsync` (`Candidate+Make.swift`).
//
// It is compiled once for all types. So instances are stored in memory of the caller: an optional of an unknown type takes longer to
// return than the rest.

extension Container {
  /// Returns the instance for a request.
  ///
  /// - Throws: `.notFound` if there is none, another `ResolutionError`, or what the factory throws.
  func resolve<T>(_ type: T.Type, _ request: Request) throws -> T {
    if isLearning { learn(type, request) }
    return try withUnsafeTemporaryAllocation(of: T.self, capacity: 1) { buffer in
      guard let result = buffer.baseAddress, try initialize(result, request) else {
        throw ResolutionError.notFound(AnyKey(metatype: type, tags: request.tags), in: self)
      }
      return result.move()
    }
  }

  /// Returns the instance for a request in an asynchronous context; throws as the synchronous one, and a `CancellationError` if the
  /// task is cancelled while it waits.
  nonisolated(nonsending)
    func resolveAsync<T>(_ type: T.Type, _ request: Request) async throws -> T
  {
    if isLearning { learn(type, request) }
    if let instance = try await instanceAsync(type, request) { return instance }
    throw ResolutionError.notFound(AnyKey(metatype: type, tags: request.tags), in: self)
  }

  /// Returns the instance for a request; nil if nothing is registered under its key, or only an object that was released.
  func resolveIfPresent<T>(_ type: T.Type, _ request: Request) throws -> T? {
    if isLearning { learn(type, request, isOptional: true) }
    return try withUnsafeTemporaryAllocation(of: T.self, capacity: 1) { buffer in
      guard let result = buffer.baseAddress, try initialize(result, request) else { return nil }
      return result.move()
    }
  }

  /// Returns the instance for a request in an asynchronous context, or nil as the synchronous one.
  nonisolated(nonsending)
    func resolveIfPresentAsync<T>(_ type: T.Type, _ request: Request) async throws -> T?
  {
    if isLearning { learn(type, request, isOptional: true) }
    return try await instanceAsync(type, request)
  }

  // MARK: Any context

  /// Stores the instance for a request. Returns false if there is none.
  func initialize<T>(_ result: UnsafeMutablePointer<T>, _ request: Request) throws -> Bool {
    if mayHave(ObjectIdentifier(T.self)) {
      if try initializeFast(result, request) { return true }
      if let candidate = try lookup(T.self, request) { return try candidate.initialize(result, in: self, request) }
    }
    return try initializeComposite(result, request)
  }

  /// Stores the instance of a candidate, or of a composite type if there is no candidate. Returns false if there is none.
  func initialize<T>(_ result: UnsafeMutablePointer<T>, _ candidate: Candidate?, _ request: Request) throws -> Bool {
    try candidate?.initialize(result, in: self, request) ?? initializeComposite(result, request)
  }

  /// Stores the instance for a request if it exists, or if its factory is synchronous and takes no arguments. Returns false
  /// otherwise.
  private func initializeFast<T>(_ result: UnsafeMutablePointer<T>, _ request: Request) throws -> Bool {
    let reading = Reading(readers)
    guard let found = nearestRegistration(ObjectIdentifier(T.self), tagHash: TagHash.sum(request.tags)),
      let entry = found._withUnsafeGuaranteedRef({ $0.fastEntry(for: request) })
    else {
      reading.end()
      return false
    }
    return try make(result, entry, reading, owner: found)
  }

  private func initializeComposite<T>(_ result: UnsafeMutablePointer<T>, _ request: Request) throws -> Bool {
    func initialize<C: Composite>(_ composite: C.Type) throws {
      precondition(T.self == C.self, "\(C.self) is not \(T.self)")
      try C.initialize(UnsafeMutableRawPointer(result).assumingMemoryBound(to: C.self), from: self, request)
    }
    guard let composite = CompositeTypes[T.self] else { return false }
    try initialize(composite)
    return true
  }

  /// Stores the instance of a composite type without tags if that needs no waiting. Returns false otherwise.
  func initializeCompositeWithoutWaiting<T>(_ result: UnsafeMutablePointer<T>) throws -> Bool {
    guard !isLearning, CompositeTypes[T.self] != nil else { return false }
    do { return try initialize(result, Request(tags: [], mayWait: false)) } catch is NotReady { return false }
  }

  // MARK: Asynchronous contexts

  /// Returns the instance for a request in an asynchronous context; nil if there is none.
  nonisolated(nonsending)
    func instanceAsync<T>(_ type: T.Type, _ request: Request) async throws -> T?
  {
    try await instanceAsync(of: lookup(type, request), type, request)
  }

  /// Returns the instance of a candidate, or of a composite type if there is no candidate; nil if there is none.
  nonisolated(nonsending)
    func instanceAsync<T>(of candidate: Candidate?, _ type: T.Type, _ request: Request) async throws -> T?
  {
    if let candidate { return try await candidate.makeAsync(type, in: self, request) }
    guard let composite = CompositeTypes[type] else { return nil }
    return try await compositeAsync(composite, type, request)
  }

  nonisolated(nonsending)
    private func compositeAsync<C: Composite, T>(_ composite: C.Type, _ type: T.Type, _ request: Request) async throws -> T
  {
    let instance = try await C.instanceAsync(from: self, request)
    precondition(T.self == C.self, "\(C.self) is not \(T.self)")
    // Both are the same type, so this copies the value.
    return unsafeBitCast(instance, to: T.self)
  }
}

extension Entry {
  /// The entry that makes the instance for a request for the tags of this one; nil if the slow path has to look.
  fileprivate final func fastEntry(for request: Container.Request) -> Unmanaged<Entry>? {
    guard has(exactly: request.tags) else { return nil }
    let entry = honoring(request)
    if request.hasArguments && entry.lifetime == .transient { return nil }
    if detailsBox != nil { noteRun() }
    return .passUnretained(entry)
  }
}
