/// Singletons, and scoped instances, which are the singletons of a scope: `SingletonBuilds` decides who makes the instance, these functions do
/// it or wait.
extension Container {
  /// Makes the instance of a singleton, or blocks until the thread or task that makes it ends. Makes another attempt if that one failed,
  /// because the arguments may differ.
  func makeOnce<T>(_ entry: TypedEntry<T>, _ request: Request, reportingTo container: Container) throws {
    while !entry.isBuilt {
      let step = try SingletonBuilds.begin(
        entry, path: BuildPath.all(), hasArguments: request.hasArguments, isOnMain: request.isOnMainActor && entry.kind == .main
      )
      switch consume step {
      case .done: break
      case .make(let build):
        return try make(build, entry, request, reportingTo: container)
      case .wait(let edges): edges.wait()
      }
    }
  }

  /// Runs the factory of a build in the context of the caller.
  private func make<T>(_ build: SingletonBuild, _ entry: TypedEntry<T>, _ request: Request, reportingTo container: Container)
    throws
  {
    do {
      try container.run(entry, request) { entry.memory.initialize(to: try entry.make(self, request)) }
    } catch {
      build.finish(error)
      throw error
    }
    build.finish()
  }

  /// Makes the instance of a singleton, or suspends until the thread or task that makes it ends.
  ///
  /// A factory that suspends runs in a task of its own, so that the cancellation of the first caller does not fail the others.
  nonisolated(nonsending)
    func makeOnceAsync<T>(_ entry: TypedEntry<T>, _ request: Request) async throws -> T
  {
    while true {
      switch try SingletonBuilds.begin(
        entry, path: BuildPath.all(), hasArguments: request.hasArguments, isQueued: entry.kind == .main)
      {
      case .done: break
      case .make(let build):
        if entry.runs(in: request) {
          try make(build, entry, request, reportingTo: self)
          return entry.memory.pointee
        }
        start(build, entry, request)
        try await wait(for: build, nil, isBeginner: true, request)
      case .wait(let edges):
        let build = edges.target
        try await wait(for: build, edges, isBeginner: false, request)
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
    let task = Task {
      let (build, entry) = (retainedBuild.takeRetainedValue(), retainedEntry.takeRetainedValue())
      guard entry.kind == .main else {
        do {
          entry.memory.initialize(to: try await runAsync(entry, self, transfer.value))
        } catch {
          return build.finish(error)
        }
        return build.finish()
      }
      await MainActor.run {
        // A caller on the main actor may have made the instance before this ran.
        guard build.claim() else { return }
        let request = transfer.value.onMainActor()
        // The waiters get the error.
        try? make(build, entry, request, reportingTo: self)
      }
    }
    build.setTask(task)
  }

  /// Waits for the end of a build.
  ///
  /// - Parameter edges: The edges of the caller, kept until the end. Nil for the caller that began the build: the factories above it are
  ///   above the build as well.
  /// - Throws: The error of the build if a new attempt would fail likewise; a `CancellationError` if the task is cancelled, while the build
  ///   goes on for the others.
  nonisolated(nonsending)
    private func wait(
      for build: SingletonBuild, _ edges: consuming SingletonBuilds.WaitEdges?, isBeginner: Bool, _ request: Request
    ) async throws
  {
    let event = AsyncOneShotEvent()
    if build.enqueue({ event.signal() }) {
      try await withTaskPriorityEscalationHandler {
        build.escalate(to: Task.currentPriority)
        try await event.wait()
      } onPriorityEscalated: {
        build.escalate(to: $1)
      }
    }
    _ = consume edges
    try build.checkFailure(isBeginner: isBeginner, hasArguments: request.hasArguments)
  }
}
