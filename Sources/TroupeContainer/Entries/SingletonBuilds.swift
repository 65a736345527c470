import Synchronization

/// Makes each singleton once: one caller runs the factory, the others wait for it, and no wait closes a dependency cycle.
///
/// Each caller asks `begin`, which answers with a `NextStep`:
///
///     no instance, no build    make     run the factory, then `finish`
///     another caller builds    wait     `enqueue` an event, wait for it, begin again
///     instance exists          done
///
/// Waits form a wait-for graph. Its nodes are the present builds. If the factory of singleton A waits for singleton B, there is an edge from
/// A to B, which lasts as long as the `WaitEdges` of the caller:
///
///     thread 1   A ─→ B         thread 1 builds A and waits for B
///     thread 2   B ─→ A         thread 2 builds B: `begin` finds the path A ─→ B and throws `.cycle`
///
/// A factory on the main actor may be queued there while the main actor itself needs the instance. That caller takes over the build, as
/// otherwise both would wait forever: see `claim`.
///
/// A waiter raises the priority of the task that makes the instance to its own, as if the task were its child: see `escalate`.
///
/// One lock guards all builds of the process, because a cycle may lead through several containers. It is held for a few assignments and
/// never while a factory runs. A resolve of an existing instance does not take it.
enum SingletonBuilds {
  /// The next step of a caller that requests a singleton.
  enum NextStep: ~Copyable {
    /// Use the instance.
    case done
    /// Make the instance and pass the result to `finish`.
    case make(SingletonBuild)
    /// Wait for the caller that makes the instance.
    case wait(SingletonBuild, WaitEdges)
  }

  /// The edges of a waiting caller in the wait-for graph: from each build whose factory runs above the caller. They are removed with this
  /// value, so keep it while waiting.
  struct WaitEdges: ~Copyable {
    fileprivate let target: SingletonBuild
    fileprivate let dependents: [SingletonBuild]

    deinit {
      let dropped = lock.withLock { _ in
        dependents.compactMap { dependent in
          dependent.waitsFor.firstIndex { $0.target === target }.map { dependent.waitsFor.remove(at: $0) }
        }
      }
      // These may hold the last reference to a removed factory, whose release may run any code.
      withExtendedLifetime(dropped) {}
    }
  }

  private static let lock = Lock<Void>(())
  /// How many instances of singletons were made. Orders their release.
  static let count = Atomic<Int>(0)

  /// Decides which caller makes the instance of a singleton.
  ///
  /// - Parameters:
  ///   - path: The factories that run above the caller, outermost first.
  ///   - hasArguments: True if the caller has arguments for the factory.
  ///   - isQueued: True if the caller queues the factory on the main actor, and does not run it at once.
  ///   - isOnMain: True if the caller is on the main actor and may take over a queued factory.
  /// - Throws: `.cycle` if waiting would never end.
  static func begin(
    _ entry: Entry, path: [Entry], hasArguments: Bool, isQueued: Bool = false, isOnMain: Bool = false
  ) throws -> NextStep {
    let step: Result<NextStep, ResolutionError> = lock.withLock { _ in
      if entry.hasInstance.load(ordering: .acquiring) { return .success(.done) }
      guard let build = entry.build else {
        let build = SingletonBuild(entry: entry, hasBegun: !isQueued, hasArguments: hasArguments)
        entry.build = build
        return .success(.make(build))
      }
      if isOnMain && !build.hasBegun {
        build.hasBegun = true
        build.hasArguments = hasArguments
        build.wasTakenOver = true
        return .success(.make(build))
      }
      if let start = path.firstIndex(where: { $0 === entry }) {
        return .failure(.cycle(through: path[start...] + [entry]))
      }
      if let cycle = dependencyCycle(path, build) { return .failure(.cycle(through: cycle)) }
      // Every singleton whose factory runs above the caller waits with it.
      let dependents = path.indices.compactMap { index in
        path[index].build.map { (build: $0, path: Array(path[(index + 1)...])) }
      }
      for dependent in dependents {
        dependent.build.waitsFor.append(SingletonBuild.WaitEdge(target: build, path: dependent.path))
      }
      return .success(.wait(build, WaitEdges(target: build, dependents: dependents.map(\.build))))
    }
    return try step.get()
  }

  /// Begins a build without a wait. Returns nil if the entry has a build or an instance. Adds no edge to the wait-for graph: another caller
  /// would take it for a wait, and might find a cycle that does not exist.
  static func beginIfIdle(_ entry: Entry) -> SingletonBuild? {
    lock.withLock { _ in
      guard entry.build == nil, !entry.hasInstance.load(ordering: .acquiring) else { return nil }
      let build = SingletonBuild(entry: entry, hasBegun: true, hasArguments: false)
      entry.build = build
      return build
    }
  }

  /// Claims a build whose turn on the main actor has come. Returns false if another caller there has taken it over.
  static func claim(_ build: SingletonBuild) -> Bool {
    lock.withLock { _ in
      if build.hasBegun { return false }
      build.hasBegun = true
      return true
    }
  }

  /// Adds a waiter to a build. Returns false if the build has ended.
  static func enqueue(_ waiter: SingletonBuild.Waiter, _ build: SingletonBuild) -> Bool {
    lock.withLock { _ in
      guard build.entry.build === build else { return false }
      build.waiters.append(waiter)
      return true
    }
  }

  /// Gives a build the task that makes its instance, unless the build has ended.
  static func setTask(_ task: Task<Void, Never>, of build: SingletonBuild) {
    let priority = lock.withLock { _ in
      if build.entry.build === build { build.task = task }
      return build.priority
    }
    if let priority { task.escalatePriority(to: priority) }
  }

  /// Raises the priority of the task that makes the instance, for a waiter of a priority.
  static func escalate(_ build: SingletonBuild, to priority: TaskPriority) {
    let task = lock.withLock { _ in
      build.priority = max(build.priority ?? priority, priority)
      return build.task
    }
    // Outside of the lock: if that task waits as well, it escalates the next one.
    task?.escalatePriority(to: priority)
  }

  /// Returns the error of a build that has failed.
  static func failure(of build: SingletonBuild) -> (any Error)? { lock.withLock { _ in build.failure } }

  /// Decides whether a waiter throws the error of a build, or makes another attempt.
  ///
  /// The caller that began the build throws it, unless the factory got another caller's arguments. Others throw it if neither they nor the
  /// runner have arguments.
  static func isAnswer(_ build: SingletonBuild, toBeginner: Bool, hasArguments: Bool) -> Bool {
    lock.withLock { _ in
      (toBeginner && !build.wasTakenOver) || !(hasArguments || build.hasArguments)
    }
  }

  /// Ends a build and wakes all waiters. Without a failure, the caller has stored the instance in the memory of the entry.
  static func finish(_ build: SingletonBuild, _ failure: (any Error)? = nil) {
    let waiters = lock.withLock { _ in
      let entry = build.entry
      if let failure {
        build.failure = failure
      } else {
        entry.creationOrder.store(count.wrappingAdd(1, ordering: .relaxed).newValue, ordering: .relaxed)
        entry.hasInstance.store(true, ordering: .releasing)
      }
      entry.build = nil
      build.task = nil
      defer { build.waiters = [] }
      return build.waiters
    }
    for waiter in waiters {
      switch waiter {
      case .thread(let event): event.signal()
      case .task(let event): event.signal()
      }
    }
  }

  /// Returns the factories of the dependency cycle that a wait for a build would close, or nil. The path is that of the waiting caller.
  private static func dependencyCycle(_ path: [Entry], _ build: SingletonBuild) -> [Entry]? {
    var visited: Set<ObjectIdentifier> = []

    /// Returns the factories from a build to one on the path, which comes last.
    func factories(from build: SingletonBuild) -> [Entry]? {
      if path.contains(where: { $0.build === build }) { return [build.entry] }
      guard visited.insert(ObjectIdentifier(build)).inserted else { return nil }
      for edge in build.waitsFor {
        if let rest = factories(from: edge.target) { return [build.entry] + edge.path + rest }
      }
      return nil
    }

    guard let found = factories(from: build), let start = path.firstIndex(where: { $0 === found.last }) else { return nil }
    return path[start...] + found
  }
}

/// One attempt to make the instance of a singleton: a node of the wait-for graph.
final class SingletonBuild: @unchecked Sendable {
  // Sendable because all variable members are used only under the lock of `SingletonBuilds`.

  /// The event that wakes a caller which waits for the build.
  enum Waiter {
    case thread(OneShotEvent)
    case task(AsyncOneShotEvent)
  }

  /// A build that this one waits for, and the factories between the two.
  struct WaitEdge {
    let target: SingletonBuild
    let path: [Entry]
  }

  let entry: Entry
  /// Several if the factory has child tasks.
  fileprivate var waitsFor: [WaitEdge] = []
  fileprivate var waiters: [Waiter] = []
  fileprivate var failure: (any Error)?
  /// Nil if the factory runs in the context of a caller.
  fileprivate var task: Task<Void, Never>?
  /// The highest priority of a waiter.
  fileprivate var priority: TaskPriority?
  /// False while the factory is queued on the main actor.
  fileprivate var hasBegun: Bool
  /// True if the present runner passes arguments to the factory.
  fileprivate var hasArguments: Bool
  /// True if a caller on the main actor runs the factory in place of the caller that began the build.
  fileprivate var wasTakenOver = false

  fileprivate init(entry: Entry, hasBegun: Bool, hasArguments: Bool) {
    self.entry = entry
    self.hasBegun = hasBegun
    self.hasArguments = hasArguments
  }
}
