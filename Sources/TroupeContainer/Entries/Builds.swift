import Synchronization

/// One attempt to make the instance of a singleton.
final class Build: @unchecked Sendable {
  // Sendable because everything that changes is touched only under the lock of `Builds`.

  /// Who waits for the end of a build.
  enum Waiter {
    case thread(Sleeper)
    case task(TaskWaiter)
  }

  /// A build that another one waits for, and the factories between the two.
  struct Dependency {
    let build: Build
    let path: [Entry]
  }

  let entry: Entry
  /// What the factory waits for at present; more than one thing if it has child tasks.
  fileprivate var waitsFor: [Dependency] = []
  fileprivate var waiters: [Waiter] = []
  /// Why it failed, once it has.
  fileprivate var failure: (any Error)?
  /// Whether the factory has begun to run; one that has to run on the main actor may still wait for its turn.
  fileprivate var hasBegun: Bool
  /// Whether the factory is given arguments, by whoever runs it.
  fileprivate var hasArguments: Bool
  /// Whether somebody on the main actor runs the factory in place of the one who began the build.
  fileprivate var isTakenOver = false

  fileprivate init(entry: Entry, hasBegun: Bool, hasArguments: Bool) {
    self.entry = entry
    self.hasBegun = hasBegun
    self.hasArguments = hasArguments
  }
}

/// Sees to it that a singleton is made once, however many threads and tasks ask for it, and that nobody waits in a ring.
///
/// One lock guards all builds in the process, since a ring may lead through several containers. It is held for a few
/// assignments and never while a factory runs; an instance that has been made is found without it.
enum Builds {
  /// What whoever asked for a singleton has to do.
  enum Task {
    /// Nothing: the instance is there.
    case done
    /// Make the instance and say how it went with `finish`.
    case make(Build)
    /// Wait for somebody else who makes it.
    case wait(Build, Wait)
  }

  /// A place in the queue of those who wait.
  struct Wait {
    /// The builds that wait, too, because their factories run above.
    fileprivate let dependents: [Build]

    /// The place of the one who started the build: what runs above it is above the build as well.
    static var none: Wait { Wait(dependents: []) }
  }

  private static let lock = Lock<Void>(())
  /// How many singletons have got their instance, for the order of disposal.
  static let count = Atomic<Int>(0)

  /// Decides who makes a singleton's instance.
  ///
  /// - Parameters:
  ///   - path: The factories that run above the caller, outermost first.
  ///   - hasArguments: Whether the caller has arguments for the factory.
  ///   - later: Whether the caller makes it not at once but when its turn on the main actor comes.
  ///   - isOnMain: Whether the caller is on the main actor and may take over what waits for its turn there.
  /// - Throws: `.cycle` if waiting would never end.
  static func begin(
    _ entry: Entry, path: [Entry], hasArguments: Bool, later: Bool = false, isOnMain: Bool = false
  ) throws -> Task {
    let task: Result<Task, ResolutionError> = lock.withLock { _ in
      if entry.state.load(ordering: .acquiring) == 1 { return .success(.done) }
      guard let build = entry.build else {
        let build = Build(entry: entry, hasBegun: !later, hasArguments: hasArguments)
        entry.build = build
        return .success(.make(build))
      }
      if isOnMain && !build.hasBegun {
        build.hasBegun = true
        build.hasArguments = hasArguments
        build.isTakenOver = true
        return .success(.make(build))
      }
      if let start = path.firstIndex(where: { $0 === entry }) {
        return .failure(.cycle(through: path[start...] + [entry]))
      }
      if let ring = ring(path, build) { return .failure(.cycle(through: ring)) }
      // Every singleton whose factory runs above the caller has to wait with it.
      let dependents = path.indices.compactMap { index in
        path[index].build.map { (build: $0, path: Array(path[(index + 1)...])) }
      }
      for dependent in dependents {
        dependent.build.waitsFor.append(Build.Dependency(build: build, path: dependent.path))
      }
      return .success(.wait(build, Wait(dependents: dependents.map(\.build))))
    }
    return try task.get()
  }

  /// Takes a build whose turn on the main actor has come, unless somebody there has made it meanwhile.
  static func claim(_ build: Build) -> Bool {
    lock.withLock { _ in
      if build.hasBegun { return false }
      build.hasBegun = true
      return true
    }
  }

  /// Puts a waiter into the queue, and gives false if the build has ended already.
  static func enqueue(_ waiter: Build.Waiter, _ build: Build) -> Bool {
    lock.withLock { _ in
      guard build.entry.build === build else { return false }
      build.waiters.append(waiter)
      return true
    }
  }

  /// Whether a build that failed would have failed likewise for somebody who waited for it: for who began it, unless another
  /// one's arguments were taken; for others, if neither they nor the one who made it have arguments.
  static func isAnswer(_ build: Build, toBeginner: Bool, hasArguments: Bool) -> Bool {
    lock.withLock { _ in
      (toBeginner && !build.isTakenOver) || !(hasArguments || build.hasArguments)
    }
  }

  /// Ends waiting. Throws what the build failed with.
  static func end(_ wait: Wait, _ build: Build) throws {
    let (failure, dropped) = lock.withLock { _ in
      let dropped = wait.dependents.compactMap { dependent in
        dependent.waitsFor.firstIndex { $0.build === build }.map { dependent.waitsFor.remove(at: $0) }
      }
      return (build.failure, dropped)
    }
    // They may be the last to hold a factory that has gone meanwhile, whose end may run anybody's code.
    withExtendedLifetime(dropped) {}
    if let failure { throw failure }
  }

  /// Ends a build: keeps the instance, or nothing if it failed, and wakes everybody who waits.
  static func finish<T>(_ build: Build, _ entry: TypedEntry<T>, _ result: Result<T, any Error>) {
    let waiters = lock.withLock { _ in
      switch result {
      case .success(let instance): entry.keep(instance)
      case .failure(let error): build.failure = error
      }
      entry.build = nil
      defer { build.waiters = [] }
      return build.waiters
    }
    for waiter in waiters {
      switch waiter {
      case .thread(let sleeper): sleeper.wake()
      case .task(let task): task.wake()
      }
    }
  }

  /// The factories on a ring that would close if somebody whose path this is waited for a build, or nil.
  private static func ring(_ path: [Entry], _ build: Build) -> [Entry]? {
    var visited: Set<ObjectIdentifier> = []

    /// The factories from a build to one on the path, which comes last.
    func way(from build: Build) -> [Entry]? {
      if path.contains(where: { $0.build === build }) { return [build.entry] }
      guard visited.insert(ObjectIdentifier(build)).inserted else { return nil }
      for dependency in build.waitsFor {
        if let rest = way(from: dependency.build) { return [build.entry] + dependency.path + rest }
      }
      return nil
    }

    guard let way = way(from: build), let start = path.firstIndex(where: { $0 === way.last }) else { return nil }
    return path[start...] + way
  }
}
