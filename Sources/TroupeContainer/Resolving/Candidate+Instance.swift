extension Container.Candidate {
  /// Stores an instance for a container, in any context. Returns false if the registration is an object that was released.
  func initialize<T>(
    _ result: UnsafeMutablePointer<T>, in container: Container, _ request: Container.Request
  ) throws -> Bool {
    if entry.kind == .weak { return try entry.initializeWeak(result, for: container) }
    let candidate = scoped(in: container)
    let entry = candidate.entry.variant(for: request).typed(T.self)
    guard request.mayWait || entry.isReady(for: request) else { throw WouldBlock() }
    if entry.lifetime == .transient {
      // Not `run`: a recursion may be deep, and a closure takes stack.
      let record = try container.beginRun(of: entry, request)
      defer { record.pointee.pop() }
      do { result.initialize(to: try entry.make(container, request)) } catch {
        throw container.failure(error, of: entry, request)
      }
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

  /// Returns an instance for a container, in an asynchronous context; nil if the registration is an object that was released.
  nonisolated(nonsending)
    func makeAsync<T>(_ type: T.Type, in container: Container, _ request: Container.Request) async throws -> T?
  {
    if entry.kind == .weak { return try entry.weakObject(type, for: container) }
    let candidate = scoped(in: container)
    let entry = candidate.entry.variant(for: request).typed(T.self)
    if entry.lifetime == .transient {
      if entry.runs(in: request) { return try container.run(entry, request) { try entry.make(container, request) } }
      return try await container.runAsync(entry, container, request)
    }
    if let instance = entry.builtInstance(T.self) { return instance.pointee }
    return try await candidate.owningContainer.makeOnceAsync(entry, request)
  }

  /// Whether `make` does not wait.
  func isReady(in container: Container, _ request: Container.Request) -> Bool {
    entry.kind == .weak || scoped(in: container).entry.variant(for: request).isReady(for: request)
  }

  /// The candidate with the entry that keeps a scoped instance for a container.
  private func scoped(in container: Container) -> Self {
    entry.lifetime == .scoped && owningContainer !== container ? container.inScope(self) : self
  }
}

extension Entry {
  /// Whether the factory runs in the synchronous context of a request.
  fileprivate final func runs(in request: Container.Request) -> Bool {
    switch kind {
    case .async, .asyncArguments: false
    case .main: request.isOnMainActor
    default: true
    }
  }

  /// Whether the instance exists, or is made without waiting.
  fileprivate final func isReady(for request: Container.Request) -> Bool {
    lifetime == .transient ? runs(in: request) : isBuilt
  }
}

// MARK: Singletons

extension Container {
  /// Makes the instance of a singleton, or waits for the thread or task that makes it. Makes it if that one failed: the arguments
  /// may differ.
  fileprivate func makeOnce<T>(_ entry: TypedEntry<T>, _ request: Request, reportingTo container: Container) throws {
    while !entry.isBuilt {
      let task = try SingletonBuilds.begin(
        entry, path: BuildPath.all(), hasArguments: request.hasArguments, isOnMain: request.isOnMainActor && entry.kind == .main
      )
      switch task {
      case .done: break
      case .make(let build):
        return try make(build, entry, request, reportingTo: container)
      case .wait(let build, let wait):
        let event = OneShotEvent()
        if SingletonBuilds.enqueue(.thread(event), build) { event.wait() }
        try? SingletonBuilds.end(wait, build)
      }
    }
  }

  /// Runs the factory of a build in the context of the caller.
  private func make<T>(_ build: SingletonBuild, _ entry: TypedEntry<T>, _ request: Request, reportingTo container: Container) throws {
    do {
      try container.run(entry, request) { entry.memory.initialize(to: try entry.make(self, request)) }
    } catch {
      SingletonBuilds.finish(build, error)
      throw error
    }
    SingletonBuilds.finish(build)
  }

  /// Makes the instance of a singleton, or suspends until the thread or task that makes it has ended. A factory that suspends runs
  /// in a task of its own, so that the cancellation of the first caller does not fail the others.
  nonisolated(nonsending)
    fileprivate func makeOnceAsync<T>(_ entry: TypedEntry<T>, _ request: Request) async throws -> T
  {
    while true {
      switch try SingletonBuilds.begin(entry, path: BuildPath.all(), hasArguments: request.hasArguments, later: entry.kind == .main) {
      case .done: break
      case .make(let build):
        if entry.runs(in: request) {
          try make(build, entry, request, reportingTo: self)
          return entry.memory.pointee
        }
        start(build, entry, request)
        try await wait(for: build, .none, isBeginner: true, request)
      case .wait(let build, let wait):
        try await self.wait(for: build, wait, isBeginner: false, request)
      }
      if let instance = entry.builtInstance(T.self) { return instance.pointee }
    }
  }

  /// Starts the task that makes the instance of a singleton.
  ///
  /// The task keeps the container. If that reference is the last, no reference to the entry may outlive it, since the container releases
  /// its singletons in reverse order. So the task takes over references to the build and the entry, and releases them first.
  private func start<T>(_ build: SingletonBuild, _ entry: TypedEntry<T>, _ request: Request) {
    let transfer = Transfer(request)
    let (retainedBuild, retainedEntry) = (Unmanaged.passRetained(build), Unmanaged.passRetained(entry))
    Task {
      let (build, entry) = (retainedBuild.takeRetainedValue(), retainedEntry.takeRetainedValue())
      guard entry.kind == .main else {
        do {
          entry.memory.initialize(to: try await runAsync(entry, self, transfer.value))
        } catch {
          return SingletonBuilds.finish(build, error)
        }
        return SingletonBuilds.finish(build)
      }
      await MainActor.run {
        // A caller on the main actor may have made the instance before this ran.
        guard SingletonBuilds.claim(build) else { return }
        let request = transfer.value.onMainActor()
        // The waiters get the error.
        try? make(build, entry, request, reportingTo: self)
      }
    }
  }

  /// Waits for the end of a build. Throws the error of the build if a new build would fail likewise, and a `CancellationError` if the
  /// task is cancelled.
  nonisolated(nonsending)
    private func wait(for build: SingletonBuild, _ wait: SingletonBuilds.Wait, isBeginner: Bool, _ request: Request) async throws
  {
    let waiter = AsyncOneShotEvent()
    if SingletonBuilds.enqueue(.task(waiter), build) {
      do {
        try await waiter.wait()
      } catch {
        // The build goes on for the others.
        try? SingletonBuilds.end(wait, build)
        throw error
      }
    }
    do {
      try SingletonBuilds.end(wait, build)
    } catch {
      guard Task.isCancelled || SingletonBuilds.isAnswer(build, toBeginner: isBeginner, hasArguments: request.hasArguments) else {
        return
      }
      throw error
    }
  }
}

// MARK: Factories

extension Container {
  /// Runs a synchronous factory as the innermost factory of its thread.
  func run<T>(_ entry: Entry, _ request: Request, _ body: () throws -> T) throws -> T {
    let record = try beginRun(of: entry, request)
    defer { record.pointee.pop() }
    do { return try body() } catch { throw failure(error, of: entry, request) }
  }

  /// Marks a synchronous factory as the innermost of its thread. The caller ends the run with `pop`. Throws `.cycle` if the run would
  /// close a dependency cycle.
  fileprivate func beginRun(of entry: Entry, _ request: Request) throws -> UnsafeMutablePointer<ThreadRecord> {
    let record = EpochDomain.shared.pointee.record
    if BuildPath.isDependencyCycle(entry, hasArguments: request.hasArguments, record)
      || BuildPath.isDependencyCycleThroughScopes(entry, record)
    {
      throw ResolutionError.cycle(through: BuildPath.dependencyCycle(to: entry))
    }
    if entry.detailsBox != nil { entry.recordRun() }
    record.pointee.push(.passUnretained(entry))
    return record
  }

  /// Runs a factory that suspends, or has to run on the main actor, as the innermost factory of its task.
  nonisolated(nonsending)
    private func runAsync<T>(_ entry: TypedEntry<T>, _ resolver: Container, _ request: Request) async throws -> T
  {
    if entry.kind == .main {
      let transfer = Transfer(request)
      return try await MainActor.run {
        let request = transfer.value.onMainActor()
        return Transfer(try run(entry, request) { try entry.make(resolver, request) })
      }.value
    }
    if entry.lifetime != .singleton {
      // Each scope has its own entry.
      let limit = entry.lifetime == .transient && !request.hasArguments ? 0 : BuildPath.maximumRecursion
      if BuildPath.all().count(where: { $0.isSameRegistration(as: entry) }) > limit {
        throw ResolutionError.cycle(through: BuildPath.dependencyCycle(to: entry))
      }
    }
    entry.learned?.recordRun()
    let path = BuildPath(entry)
    defer { path.end() }
    return try await BuildPath.$current.withValue(path) {
      do {
        return try await entry.makeAsync(resolver, request)
      } catch {
        throw failure(error, of: entry, request)
      }
    }
  }
}

extension Container.Request {
  /// Returns the same request of a caller on the main actor.
  @MainActor
  fileprivate func onMainActor() -> Self {
    var request = self
    request.isOnMainActor = true
    return request
  }
}
