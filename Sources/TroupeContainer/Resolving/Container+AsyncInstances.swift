extension Container {
  /// The instance that a request is for, in an asynchronous context; nil if nothing is registered under its type and tags, or
  /// only an object that is gone.
  nonisolated(nonsending)
    func instanceAsync<T>(_ type: T.Type, _ request: Request) async throws -> T?
  {
    if let candidate = try answer(type, request) {
      if candidate.entry.kind != .pending { return try await presentInstanceAsync(candidate, type, request) }
      try load(candidate, type, request)
      return try await instanceAsync(type, request)
    }
    return try await compositeAsync(type, request)
  }

  /// What a type that is not registered itself is resolved as, in an asynchronous context; nil if it is made of no other.
  nonisolated(nonsending)
    func compositeAsync<T>(_ type: T.Type, _ request: Request) async throws -> T?
  {
    guard let composite = type as? any Composite.Type else { return nil }
    return try await instanceAsync(composite, type, request)
  }

  nonisolated(nonsending)
    private func instanceAsync<C: Composite, T>(_ composite: C.Type, _ type: T.Type, _ request: Request) async throws -> T
  {
    C.same(try await C.instanceAsync(from: self, request), as: type)
  }

  /// An instance of a registration, in an asynchronous context; nil if it is an object that is gone.
  nonisolated(nonsending)
    func presentInstanceAsync<T>(_ candidate: Candidate, _ type: T.Type, _ request: Request) async throws -> T?
  {
    let kind = candidate.entry.kind
    guard kind == .async || kind == .main else { return try presentInstance(candidate, type, request) }
    let candidate = candidate.entry.lifetime == .scoped ? inScope(candidate) : candidate
    let entry = candidate.entry.honoring(request).typed(T.self)
    guard entry.lifetime != .transient else { return try await run(entry, self, request) }
    if let built = entry.built { return built }
    return try await make(entry, candidate.home, request)
  }

  /// Makes the instance of a singleton in a task of its own, so that whoever asked first can be cancelled without harm to the
  /// others, and waits for it.
  nonisolated(nonsending)
    private func make<T>(_ entry: TypedEntry<T>, _ home: Container, _ request: Request) async throws -> T
  {
    let hasArguments = !request.arguments.isEmpty
    while true {
      let task = try Builds.begin(
        entry, path: BuildPath.all(), hasArguments: hasArguments, later: entry.kind == .main)
      switch task {
      case .done: break
      case .make(let build):
        start(build, entry, home, request)
        try await wait(for: build, .none, isBeginner: true, hasArguments: hasArguments)
      case .wait(let build, let wait):
        try await self.wait(for: build, wait, isBeginner: false, hasArguments: hasArguments)
      }
      if let built = entry.built { return built }
    }
  }

  private func start<T>(_ build: Build, _ entry: TypedEntry<T>, _ home: Container, _ request: Request) {
    let crossing = Crossing(request)
    Task {
      // What has to run on the main actor may have been made there while this waited for its turn.
      if entry.kind == .main {
        await MainActor.run {
          guard Builds.claim(build) else { return }
          let request = crossing.value
          Builds.finish(build, entry, Result { try home.run(entry, request) { try entry.makeOnMain(home, request.arguments) } })
        }
      } else {
        do {
          let instance = try await home.run(entry, home, crossing.value)
          Builds.finish(build, entry, .success(instance))
        } catch {
          Builds.finish(build, entry, .failure(error))
        }
      }
    }
  }

  /// Waits for the end of a build. Throws why it failed if that is an answer to the caller, who has to try again otherwise; a
  /// `CancellationError` if the task is cancelled meanwhile.
  nonisolated(nonsending)
    private func wait(for build: Build, _ wait: Builds.Wait, isBeginner: Bool, hasArguments: Bool) async throws
  {
    let waiter = TaskWaiter()
    if Builds.enqueue(.task(waiter), build) {
      do {
        try await waiter.wait()
      } catch {
        // The wait was cancelled; the build goes on for the others.
        try? Builds.end(wait, build)
        throw error
      }
    }
    do {
      try Builds.end(wait, build)
    } catch {
      guard Task.isCancelled || Builds.isAnswer(build, toBeginner: isBeginner, hasArguments: hasArguments) else { return }
      BuildPath.noteReported(error)
      throw error
    }
  }

  /// Runs a factory that needs a context as the innermost one of its task.
  nonisolated(nonsending)
    private func run<T>(_ entry: TypedEntry<T>, _ resolver: Container, _ request: Request) async throws -> T
  {
    if entry.kind == .main {
      let crossing = Crossing(request)
      return try await MainActor.run {
        Crossing(try self.run(entry, crossing.value) { try entry.makeOnMain(resolver, crossing.value.arguments) })
      }.value
    }
    if entry.lifetime == .transient {
      let count = BuildPath.all().count { $0 === entry }
      if count > (request.arguments.isEmpty ? 0 : BuildPath.maximumRecursion) {
        throw ResolutionError.cycle(through: BuildPath.ring(to: entry))
      }
    }
    if entry.lifetime == .scoped {
      // Each scope has an entry of its own.
      let count = BuildPath.all().count { $0.isSameRegistration(as: entry) }
      if count > BuildPath.maximumRecursion { throw ResolutionError.cycle(through: BuildPath.ring(to: entry)) }
    }
    entry.learned?.noteRun()
    let path = BuildPath(entry)
    defer { path.end() }
    return try await BuildPath.$current.withValue(path) {
      do {
        return try await entry.makeAsync(resolver, request.arguments)
      } catch {
        throw errorOfFactory(error, entry, request)
      }
    }
  }
}
