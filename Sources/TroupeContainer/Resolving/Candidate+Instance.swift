/// How a candidate makes its instance, by its lifetime and the form of its factory:
///
///     weak                     the object, if it still exists
///     transient                a run of the factory, from the container of the request
///     singleton, scoped        the instance if it exists, or `makeOnce` (`Container+Singletons.swift`), from the owning container or scope
///
/// A synchronous request of a factory that needs another context throws `.requiresAsync` or `.requiresIsolation`.
extension Container.Candidate {
  /// Stores an instance for a synchronous request to a container. Returns false for a weak object that was released.
  func initialize<T>(_ result: UnsafeMutablePointer<T>, in container: Container, _ request: Container.Request) throws -> Bool {
    if entry.kind == .weak { return try entry.initializeWeak(result, for: container) }
    let candidate = scoped(in: container)
    let entry = candidate.entry.variant(for: request).typed(T.self)
    guard request.mayWait || entry.isReady(for: request) else { throw WouldBlock() }
    if entry.lifetime == .transient {
      try container.run(entry, request) { result.initialize(to: try entry.make(container, request)) }
    } else if let instance = entry.builtInstance(T.self) {
      result.initialize(to: instance.pointee)
    } else if entry.runs(in: request) {
      try candidate.owningContainer.makeOnce(entry, request, reportingTo: container)
      result.initialize(to: entry.memory.pointee)
    } else {
      // Throws the error of the wrong context.
      result.initialize(to: try entry.make(candidate.owningContainer, request))
    }
    return true
  }

  /// Returns an instance for an asynchronous request to a container, or nil for a weak object that was released.
  nonisolated(nonsending)
    func makeAsync<T>(_ type: T.Type, in container: Container, _ request: Container.Request) async throws -> T?
  {
    if entry.kind == .weak { return try Container.stored(type) { try self.entry.initializeWeak($0, for: container) } }
    let candidate = scoped(in: container)
    let entry = candidate.entry.variant(for: request).typed(T.self)
    if entry.lifetime == .transient {
      if entry.runs(in: request) { return try container.run(entry, request) { try entry.make(container, request) } }
      return try await container.runAsync(entry, container, request)
    }
    if let instance = entry.builtInstance(T.self) { return instance.pointee }
    return try await candidate.owningContainer.makeOnceAsync(entry, request)
  }

  /// True if `initialize` needs no wait.
  func isReady(in container: Container, _ request: Container.Request) -> Bool {
    entry.kind == .weak || scoped(in: container).entry.variant(for: request).isReady(for: request)
  }

  /// For a scoped registration, returns the scope of a container and its entry, which keeps the instance.
  private func scoped(in container: Container) -> Self {
    entry.lifetime == .scoped && owningContainer !== container ? container.inScope(self) : self
  }
}

extension Entry {
  /// True if the factory runs in the synchronous context of a request.
  final func runs(in request: Container.Request) -> Bool {
    switch kind {
    case .async, .asyncArguments: false
    case .main: request.isOnMainActor
    default: true
    }
  }

  fileprivate final func isReady(for request: Container.Request) -> Bool {
    lifetime == .transient ? runs(in: request) : isBuilt
  }
}

// MARK: Runs of factories

extension Container {
  /// Runs a synchronous factory as the innermost factory of its thread. Inlined, since a recursion may be deep and a closure takes stack.
  ///
  /// - Parameter mayRecur: True if the factory may run inside itself. Nil if it may with arguments only.
  /// - Throws: `.cycle` if the run would close a dependency cycle; the error of the factory.
  @inline(__always)
  func run<T>(_ entry: Entry, _ request: Request, mayRecur: Bool? = nil, _ body: () throws -> T) throws -> T {
    let record = EpochDomain.shared.pointee.record
    if BuildPath.isDependencyCycle(entry, hasArguments: mayRecur ?? request.hasArguments, record)
      || BuildPath.isDependencyCycleThroughScopes(entry, record)
    {
      throw ResolutionError.cycle(through: BuildPath.dependencyCycle(to: entry))
    }
    entry.learned?.recordRun()
    record.pointee.push(.passUnretained(entry))
    defer { record.pointee.pop() }
    do { return try body() } catch { throw failure(error, of: entry, request) }
  }

  /// Runs a factory that suspends, or runs on the main actor, as the innermost factory of its task.
  nonisolated(nonsending)
    func runAsync<T>(_ entry: TypedEntry<T>, _ resolver: Container, _ request: Request) async throws -> T
  {
    if entry.kind == .main {
      let transfer = Transfer(request)
      return try await MainActor.run {
        let request = transfer.value.onMainActor()
        return Transfer(try run(entry, request) { try entry.make(resolver, request) })
      }.value
    }
    // Each scope has an entry of its own.
    let maximum = entry.lifetime == .transient && !request.hasArguments ? 0 : BuildPath.maximumRecursion
    return try await runAsync(entry, request, maximumRecursion: entry.lifetime == .singleton ? .max : maximum) {
      try await entry.makeAsync(resolver, request)
    }
  }

  /// Runs a factory or an injection that suspends as the innermost of its task.
  nonisolated(nonsending)
    func runAsync<Result>(
      _ entry: Entry, _ request: Request, maximumRecursion: Int,
      _ body: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result
  {
    if maximumRecursion != .max, BuildPath.all().count(where: { $0.isSameRegistration(as: entry) }) > maximumRecursion {
      throw ResolutionError.cycle(through: BuildPath.dependencyCycle(to: entry))
    }
    entry.learned?.recordRun()
    let path = BuildPath(entry)
    defer { path.end() }
    return try await BuildPath.$current.withValue(path) {
      do { return try await body() } catch { throw failure(error, of: entry, request) }
    }
  }
}
