extension Container {
  /// The instance that a request is for, in an asynchronous context; nil if nothing is registered under its type and tags.
  nonisolated(nonsending)
    func instanceAsync<T>(_ type: T.Type, _ request: Request) async throws -> T?
  {
    if let candidate = select(type, request) { return try await instanceAsync(candidate, type, request) }
    guard let composite = type as? any Composite.Type else { return nil }
    return try await composite.instanceAsync(from: self, request) as? T
  }

  /// An instance of a registration, in an asynchronous context.
  nonisolated(nonsending)
    func instanceAsync<T>(_ candidate: Candidate, _ type: T.Type, _ request: Request) async throws -> T
  {
    let entry = candidate.entry.typed(T.self)
    guard entry.kind == .async || entry.kind == .main else { return try instance(candidate, type, request) }
    guard entry.lifetime == .singleton else { return try await run(entry, self, request) }
    if let built = entry.built { return built }
    return try await make(entry, candidate.home, request)
  }

  /// Makes the instance of a singleton in a task of its own, so that whoever asked first can be cancelled without harm to the
  /// others, and waits for it.
  nonisolated(nonsending)
    private func make<T>(_ entry: TypedEntry<T>, _ home: Container, _ request: Request) async throws -> T
  {
    while true {
      switch try Builds.begin(entry, path: BuildPath.all(), later: entry.kind == .main) {
      case .done: break
      case .make(let build):
        start(build, entry, home, request)
        try await wait(for: build, Builds.Wait.none)
      case .wait(let build, let wait):
        do {
          try await self.wait(for: build, wait)
        } catch {
          // Whoever asked the same shares the failure; with arguments of one's own it may go well.
          if request.arguments.isEmpty || Task.isCancelled { throw error }
        }
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

  nonisolated(nonsending)
    private func wait(for build: Build, _ wait: Builds.Wait) async throws
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
    try Builds.end(wait, build)
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
    let path = BuildPath(entry)
    defer { path.end() }
    do {
      return try await BuildPath.$current.withValue(path) {
        try await entry.makeAsync(resolver, request.arguments)
      }
    } catch {
      throw ResolutionError.wrapping(error, entry)
    }
  }
}
