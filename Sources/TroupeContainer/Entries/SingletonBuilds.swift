import Synchronization

/// One attempt to make the instance of a singleton.
final class SingletonBuild: @unchecked Sendable {
  // Sendable because all variable members are used only under the lock of `SingletonBuilds`.

  /// A thread or a task that waits for the end of a build.
  enum Waiter {
    case thread(OneShotEvent)
    case task(AsyncOneShotEvent)
  }

  /// A build that another build waits for, and the factories between the two.
  struct WaitEdge {
    let build: SingletonBuild
    let path: [Entry]
  }

  let entry: Entry
  /// The builds that the factory waits for; several if the factory has child tasks.
  fileprivate var waitsFor: [WaitEdge] = []
  fileprivate var waiters: [Waiter] = []
  /// The error of a build that has failed.
  fileprivate var failure: (any Error)?
  /// Whether the factory has begun to run; a factory of the main actor may still be queued there.
  fileprivate var hasBegun: Bool
  /// Whether the current runner passes arguments to the factory.
  fileprivate var hasArguments: Bool
  /// Whether another caller, on the main actor, runs the factory in place of the caller that began the build.
  fileprivate var isRunByOtherCaller = false

  fileprivate init(entry: Entry, hasBegun: Bool, hasArguments: Bool) {
    self.entry = entry
    self.hasBegun = hasBegun
    self.hasArguments = hasArguments
  }
}

/// The builds of all singletons: each singleton is made once, by one thread or task, and waits cannot form a dependency cycle.
///
/// One lock guards all builds of the process, because a dependency cycle may lead through several containers. It is held for a few
/// assignments and never while a factory runs. A caller finds an existing instance without it.
enum SingletonBuilds {
  /// The next step of a caller that requests a singleton.
  enum Task {
    /// Use the existing instance.
    case done
    /// Make the instance and pass the result to `finish`.
    case make(SingletonBuild)
    /// Wait for the caller that makes the instance.
    case wait(SingletonBuild, Wait)
  }

  /// A registered wait of a caller.
  struct Wait {
    /// The builds that wait as well, because the caller runs inside their factories.
    fileprivate let dependents: [SingletonBuild]

    /// The wait of the caller that began the build: the factories above the caller are above the build as well.
    static var none: Wait { Wait(dependents: []) }
  }

  private static let lock = Lock<Void>(())
  /// The number of instances of singletons that were made. It orders their release.
  static let count = Atomic<Int>(0)

  /// Decides which caller makes a singleton's instance.
  ///
  /// - Parameters:
  ///   - path: The factories that run above the caller, outermost first.
  ///   - hasArguments: Whether the caller has arguments for the factory.
  ///   - later: Whether the caller queues the factory on the main actor, and does not run it at once.
  ///   - isOnMain: Whether the caller is on the main actor and may run a queued factory in place of its caller.
  /// - Throws: `.cycle` if waiting would never end.
  static func begin(
    _ entry: Entry, path: [Entry], hasArguments: Bool, later: Bool = false, isOnMain: Bool = false
  ) throws -> Task {
    let task: Result<Task, ResolutionError> = lock.withLock { _ in
      if entry.hasInstance.load(ordering: .acquiring) { return .success(.done) }
      guard let build = entry.build else {
        let build = SingletonBuild(entry: entry, hasBegun: !later, hasArguments: hasArguments)
        entry.build = build
        return .success(.make(build))
      }
      if isOnMain && !build.hasBegun {
        build.hasBegun = true
        build.hasArguments = hasArguments
        build.isRunByOtherCaller = true
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
        dependent.build.waitsFor.append(SingletonBuild.WaitEdge(build: build, path: dependent.path))
      }
      return .success(.wait(build, Wait(dependents: dependents.map(\.build))))
    }
    return try task.get()
  }

  /// Claims a build whose turn on the main actor has come. Returns false if another caller has run the factory there.
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

  /// Whether the failure of a build also applies to a waiter: for the caller that began the build, unless the factory got another
  /// caller's arguments; for other waiters, if neither they nor the runner have arguments.
  static func isAnswer(_ build: SingletonBuild, toBeginner: Bool, hasArguments: Bool) -> Bool {
    lock.withLock { _ in
      (toBeginner && !build.isRunByOtherCaller) || !(hasArguments || build.hasArguments)
    }
  }

  /// Ends a wait. Throws the error of the build.
  static func end(_ wait: Wait, _ build: SingletonBuild) throws {
    let (failure, dropped) = lock.withLock { _ in
      let dropped = wait.dependents.compactMap { dependent in
        dependent.waitsFor.firstIndex { $0.build === build }.map { dependent.waitsFor.remove(at: $0) }
      }
      return (build.failure, dropped)
    }
    // These may hold the last reference to a removed factory, whose release may run any code.
    withExtendedLifetime(dropped) {}
    if let failure { throw failure }
  }

  /// Ends a build, with the error of the factory if it has failed, and wakes all waiters. Otherwise the caller has stored the instance in
  /// the memory of the entry.
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
      defer { build.waiters = [] }
      return build.waiters
    }
    for waiter in waiters {
      switch waiter {
      case .thread(let event): event.signal()
      case .task(let task): task.signal()
      }
    }
  }

  /// Returns the factories of the dependency cycle that a wait for a build would close, or nil. The path is that of the waiting
  /// caller.
  private static func dependencyCycle(_ path: [Entry], _ build: SingletonBuild) -> [Entry]? {
    var visited: Set<ObjectIdentifier> = []

    /// Returns the factories from a build to one on the path, which comes last.
    func factories(from build: SingletonBuild) -> [Entry]? {
      if path.contains(where: { $0.build === build }) { return [build.entry] }
      guard visited.insert(ObjectIdentifier(build)).inserted else { return nil }
      for dependency in build.waitsFor {
        if let rest = factories(from: dependency.build) { return [build.entry] + dependency.path + rest }
      }
      return nil
    }

    guard let found = factories(from: build), let start = path.firstIndex(where: { $0 === found.last }) else { return nil }
    return path[start...] + found
  }
}
