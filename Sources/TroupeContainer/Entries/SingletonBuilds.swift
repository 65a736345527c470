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
/// One lock guards all builds of the process, because a cycle may lead through several containers. It is held for a few assignments, and for
/// a search by a caller that would wait, but never while foreign code runs. A resolve of an existing instance does not take it.
enum SingletonBuilds {
  /// The next step of a caller that requests a singleton.
  enum NextStep: ~Copyable {
    /// Use the instance.
    case done
    /// Make the instance and `finish` the build.
    case make(SingletonBuild)
    /// Wait for the caller that makes the instance.
    case wait(WaitEdges)
  }

  /// The edges of a waiting caller in the wait-for graph: from each build whose factory runs above the caller. They are removed with this
  /// value, so keep it while waiting.
  struct WaitEdges: ~Copyable {
    let target: SingletonBuild
    fileprivate let dependents: [SingletonBuild]

    /// Blocks the calling thread until the build ends.
    consuming func wait() {
      let event = OneShotEvent()
      if target.enqueue({ event.signal() }) { event.wait() }
    }

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

  fileprivate static let lock = Lock<Void>(())
  /// How many instances of singletons were made. Orders their release.
  fileprivate static let count = Atomic<Int>(0)

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
    // The error is made outside of the lock: it may compare tags, whose `==` may resolve.
    do throws(Cycle) {
      return try next(entry, path, hasArguments: hasArguments, isQueued: isQueued, isOnMain: isOnMain)
    } catch {
      throw ResolutionError.cycle(through: error.entries)
    }
  }

  private struct Cycle: Error {
    let entries: [Entry]
  }

  private static func next(
    _ entry: Entry, _ path: [Entry], hasArguments: Bool, isQueued: Bool, isOnMain: Bool
  ) throws(Cycle) -> NextStep {
    try lock.withLock { _ throws(Cycle) in
      if entry.isBuilt { return .done }
      guard let build = entry.build else {
        return .make(SingletonBuild(of: entry, hasBegun: !isQueued, hasArguments: hasArguments))
      }
      if isOnMain && !build.hasBegun {
        build.hasBegun = true
        build.hasArguments = hasArguments
        build.wasTakenOver = true
        return .make(build)
      }
      if let start = path.firstIndex(where: { $0 === entry }) { throw Cycle(entries: path[start...] + [entry]) }
      if let cycle = dependencyCycle(path, build) { throw Cycle(entries: cycle) }
      // Every singleton whose factory runs above the caller waits with it.
      var dependents: [SingletonBuild] = []
      for index in path.indices {
        guard let dependent = path[index].build else { continue }
        dependent.waitsFor.append(SingletonBuild.WaitEdge(target: build, path: Array(path[(index + 1)...])))
        dependents.append(dependent)
      }
      return .wait(WaitEdges(target: build, dependents: dependents))
    }
  }

  /// Begins a build without a wait. Returns nil if the entry has a build or an instance. Adds no edge to the wait-for graph: another caller
  /// would take it for a wait, and might find a cycle that does not exist.
  static func beginIfIdle(_ entry: Entry) -> SingletonBuild? {
    lock.withLock { _ in
      guard entry.build == nil, !entry.isBuilt else { return nil }
      return SingletonBuild(of: entry, hasBegun: true, hasArguments: false)
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

  /// A build that this one waits for, and the factories between the two.
  struct WaitEdge {
    let target: SingletonBuild
    let path: [Entry]
  }

  let entry: Entry
  /// Several if the factory has child tasks.
  fileprivate var waitsFor: [WaitEdge] = []
  /// Wake the callers that wait for the build.
  fileprivate var waiters: [@Sendable () -> Void] = []
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

  /// Becomes the build of an entry, under the lock.
  fileprivate init(of entry: Entry, hasBegun: Bool, hasArguments: Bool) {
    self.entry = entry
    self.hasBegun = hasBegun
    self.hasArguments = hasArguments
    entry.build = self
  }

  /// Claims the build when its turn on the main actor has come. Returns false if another caller there has taken it over.
  func claim() -> Bool {
    SingletonBuilds.lock.withLock { _ in
      defer { hasBegun = true }
      return !hasBegun
    }
  }

  /// Adds a waiter, unless the build has ended: it then returns false.
  ///
  /// - Parameter wake: Called once, at the end of the build.
  func enqueue(_ wake: @escaping @Sendable () -> Void) -> Bool {
    SingletonBuilds.lock.withLock { _ in
      guard entry.build === self else { return false }
      waiters.append(wake)
      return true
    }
  }

  /// Sets the task that makes the instance, unless the build has ended.
  func setTask(_ task: Task<Void, Never>) {
    let priority = SingletonBuilds.lock.withLock { _ in
      if entry.build === self { self.task = task }
      return self.priority
    }
    if let priority { task.escalatePriority(to: priority) }
  }

  /// Raises the priority of the task that makes the instance, for a waiter of a priority.
  func escalate(to waiter: TaskPriority) {
    let task = SingletonBuilds.lock.withLock { _ in
      priority = max(priority ?? waiter, waiter)
      return self.task
    }
    // Outside of the lock: if that task waits as well, it escalates the next one.
    task?.escalatePriority(to: waiter)
  }

  /// Throws the error of a failed build, unless a waiter makes another attempt.
  ///
  /// The caller that began the build throws it, unless the factory got another caller's arguments. Others throw it if neither they nor the
  /// runner have arguments. A cancelled task makes no other attempt.
  func checkFailure(isBeginner: Bool, hasArguments: Bool) throws {
    let (failure, isFinal) = SingletonBuilds.lock.withLock { _ in
      (self.failure, (isBeginner && !wasTakenOver) || !(hasArguments || self.hasArguments))
    }
    if let failure, isFinal || Task.isCancelled { throw failure }
  }

  /// Ends the build and wakes all waiters. Without a failure, the caller has stored the instance in the memory of the entry.
  func finish(_ failure: (any Error)? = nil) {
    let waiters = SingletonBuilds.lock.withLock { _ in
      if let failure {
        self.failure = failure
      } else {
        let order = SingletonBuilds.count.wrappingAdd(1, ordering: .relaxed).newValue
        entry.creationOrder.store(order, ordering: .relaxed)
        entry.hasInstance.store(true, ordering: .releasing)
      }
      entry.build = nil
      task = nil
      defer { self.waiters = [] }
      return self.waiters
    }
    for wake in waiters { wake() }
  }
}
