/// The slow path of `resolve`, which serves every request:
///
///     instance(type, request)        entry points
///       initialize                   a container that learns records the request
///         initializeIfRegistered     one entry that is ready: as the fast path
///           lookup                   chooses and loads the registration: `Candidate.swift`, `Container+Loading.swift`
///           Candidate.initialize     makes the instance: `Candidate+Instance.swift`
///           Composite.instance       makes an optional, an array or a lazy resolver: `Composite.swift`
///
/// An asynchronous request first tries that path without waiting, as most need no suspension, and then takes `Candidate.makeAsync`.
///
/// All of it is compiled once for all types. So instances are stored in memory of the caller: to return an optional of an unknown type takes
/// longer than the rest.
extension Container {
  // MARK: Entry points

  func instance<T>(_ type: T.Type, _ request: Request) throws -> T {
    try withUnsafeTemporaryAllocation(of: T.self, capacity: 1) { buffer in
      guard let result = buffer.baseAddress, try initialize(result, request) else {
        preconditionFailure("a resolve stored no instance")
      }
      return result.move()
    }
  }

  func instanceIfPresent<T>(_ type: T.Type, _ request: Request) throws -> T? {
    try Self.stored(T.self) { try initialize($0, request) }
  }

  @inline(never)
  nonisolated(nonsending)
    static func instanceAsync<T>(_ type: T.Type, _ request: Request, from container: Unmanaged<Container>) async throws -> T
  {
    do {
      var request = request
      request.mayWait = false
      return try container._withUnsafeGuaranteedRef { try $0.instance(T.self, request) }
    } catch is WouldBlock {}
    return try await container.takeUnretainedValue().slowPathAsync(T.self, request)
  }

  /// Stores an instance. Returns false if the request is optional and has no registration, and nil if the caller must suspend.
  static func storeWithoutWaiting<T>(
    _ result: UnsafeMutablePointer<T>, _ request: Request, from container: Unmanaged<Container>
  ) throws -> Bool? {
    var request = request
    request.mayWait = false
    do { return try container._withUnsafeGuaranteedRef { try $0.initialize(result, request) } } catch is WouldBlock {
      return nil
    }
  }

  /// Stores the instance for a request. Returns false if the request is optional and has no registration.
  ///
  /// - Throws: `.notFound` without a registration, another `ResolutionError`, the error of a factory, or `WouldBlock`.
  @inline(never)
  func initialize<T>(_ result: UnsafeMutablePointer<T>, _ request: Request) throws -> Bool {
    if isLearning {
      // The asynchronous path records the request.
      guard request.mayWait else { throw WouldBlock() }
      learn(T.self, request)
    }
    if try initializeIfRegistered(result, request) { return true }
    if request.isOptional { return false }
    throw ResolutionError.notFound(AnyKey(metatype: T.self, tags: request.tags), in: self)
  }

  /// Returns the instance for an asynchronous request, and may suspend.
  ///
  /// - Throws: As `initialize`, and a `CancellationError` if the task is cancelled while it waits.
  nonisolated(nonsending)
    func slowPathAsync<T>(_ type: T.Type, _ request: Request) async throws -> T
  {
    if let instance = try await slowPathIfPresentAsync(type, request) { return instance }
    throw ResolutionError.notFound(AnyKey(metatype: type, tags: request.tags), in: self)
  }

  nonisolated(nonsending)
    func slowPathIfPresentAsync<T>(_ type: T.Type, _ request: Request) async throws -> T?
  {
    if isLearning { learn(type, request) }
    return try await instanceAsync(of: lookup(type, request), type, request)
  }

  // MARK: Synchronous requests

  /// Stores the instance for a request. Returns false without a registration.
  func initializeIfRegistered<T>(_ result: UnsafeMutablePointer<T>, _ request: Request) throws -> Bool {
    let epochGuard = EpochGuard(epochs)
    guard mayHave(ObjectIdentifier(T.self), depth: Self.maximumDepth) else {
      epochGuard.end()
      return try initializeComposite(result, request)
    }
    guard let found = nearestRegistration(ObjectIdentifier(T.self), tagHash: TagHash.sum(request.tags)),
      let entry = found.entry._withUnsafeGuaranteedRef({ $0.fastEntry(for: request) })
    else {
      epochGuard.end()
      return try initialize(result, lookup(T.self, request), request)
    }
    let (kind, isReady) = entry._withUnsafeGuaranteedRef { ($0.kind, $0.isReady(inOwnContainer: true)) }
    // The entry may be a variant, which only its registration keeps allocated.
    let record = epochGuard.record
    record.pointee.keep(found.entry)
    defer { record.pointee.pop() }
    if isReady {
      let begun = Self.begin(PinnedEntry(entry: entry, epochGuard: epochGuard), nil)
      if begun.form != .slowPath {
        result.initialize(to: try Self.take(T.self, begun, from: .passUnretained(self)))
        return true
      }
    } else {
      epochGuard.end()
    }
    if kind == .weak { return try entry._withUnsafeGuaranteedRef { try $0.initializeWeak(result, for: self) } }
    if !isReady, !request.hasArguments, kind == .plain || kind == .async, let owningContainer = found.owningContainer {
      let candidate = Candidate(
        entry: found.entry.takeUnretainedValue(), owningContainer: owningContainer.takeUnretainedValue())
      return try candidate.initialize(result, in: self, request)
    }
    return try initialize(result, lookup(T.self, request), request)
  }

  /// Stores the instance of a candidate, or of a composite type without one. Returns false for neither.
  func initialize<T>(_ result: UnsafeMutablePointer<T>, _ candidate: Candidate?, _ request: Request) throws -> Bool {
    try candidate?.initialize(result, in: self, request) ?? initializeComposite(result, request)
  }

  private func initializeComposite<T>(_ result: UnsafeMutablePointer<T>, _ request: Request) throws -> Bool {
    func initialize<C: Composite>(_ composite: C.Type) throws {
      precondition(T.self == C.self, "\(C.self) is not \(T.self)")
      let result = UnsafeMutableRawPointer(result).assumingMemoryBound(to: C.self)
      result.initialize(to: try C.instance(from: self, request))
    }
    guard let composite = CompositeTypes[T.self] else { return false }
    try initialize(composite)
    return true
  }

  // MARK: Asynchronous requests

  /// Returns the instance of a candidate, or of a composite type without one, or nil.
  nonisolated(nonsending)
    func instanceAsync<T>(of candidate: Candidate?, _ type: T.Type, _ request: Request) async throws -> T?
  {
    if let candidate { return try await candidate.makeAsync(type, in: self, request) }
    nonisolated(nonsending) func make<C: Composite>(_ composite: C.Type) async throws -> T {
      let instance = try await C.instanceAsync(from: self, request)
      precondition(T.self == C.self, "\(C.self) is not \(T.self)")
      return unsafeBitCast(instance, to: T.self)
    }
    guard let composite = CompositeTypes[type] else { return nil }
    return try await make(composite)
  }
}

extension Entry {
  /// Returns the entry that makes the instance if the request names exactly its tags and passes no arguments to a transient. Returns nil
  /// if `lookup` must choose.
  fileprivate final func fastEntry(for request: Container.Request) -> Unmanaged<Entry>? {
    guard unownedTags.count == request.tags.count, request.tags.isEmpty || includes(request.tags) else { return nil }
    if detailsBox == nil { return request.hasArguments && lifetime == .transient ? nil : .passUnretained(self) }
    let entry = variant(for: request)
    if request.hasArguments && entry.lifetime == .transient { return nil }
    learned?.recordRun()
    return .passUnretained(entry)
  }
}
