import Synchronization

/// The factories that run above the current code, in the order in which they were called, except untracked runs (see below).
///
///     try await container.resolve(A.self)
///       factory of A, asynchronous         BuildPath.current ─→ A                    task-local, inherited by child tasks
///         factory of B, synchronous        hazards of the ThreadRecord: [ B ]
///           factory of C, synchronous      hazards of the ThreadRecord: [ B, C ]     all(): A, B, C
///             resolve(B.self)              isDependencyCycle: B runs already  ─→  ResolutionError.cycle, path B → C → B
///
/// A synchronous factory costs a few instructions: it is pushed to the hazards of its thread's record, which keep its entry allocated as
/// well. An asynchronous factory may continue on another thread, so it is a run in an object of this class in task-local storage. The path is
/// the synchronous factories of the thread inside the asynchronous ones of the task.
///
/// The path serves the detection of dependency cycles and their texts, learned dependencies, overrides, and the wait-for graph of
/// `SingletonBuilds`.
final class BuildPath: Sendable {
  /// The innermost asynchronous factory of the current task.
  @TaskLocal static var current: BuildPath?

  /// A run of an asynchronous factory.
  private final class Run: Sendable {
    /// Nil once the factory has returned. A task that the factory started inherits the path and may outlive it. The path must then
    /// not keep an unregistered entry or its instance.
    let entry: Lock<Entry?>

    init(_ entry: Entry) { self.entry = Lock(entry) }
  }

  /// The runs that had not returned when the last of them began. The returned ones are left out, because tasks whose factories start each
  /// other can continue forever.
  private let runs: [Run]
  /// How many asynchronous factories have a path. Reading it costs less than reading task-local storage.
  private static let runningCount = Atomic<Int>(0)

  /// Extends the current task's path by an entry. Call `end` when its factory returns.
  init(_ entry: Entry) {
    let outer = Self.current?.runs.filter { $0.entry.withLock { $0 != nil } } ?? []
    runs = outer + [Run(entry)]
    Self.runningCount.wrappingAdd(1, ordering: .relaxed)
  }

  /// Marks the factory as returned: later requests of its tasks do not belong to it.
  func end() {
    let entry = runs.last?.entry.withLock { entry in
      defer { entry = nil }
      return entry
    }
    Self.runningCount.wrappingSubtract(1, ordering: .relaxed)
    // The release may run any code, so it happens outside the lock.
    withExtendedLifetime(entry) {}
  }

  /// False only if no factory of the path runs above the caller.
  static var isRunning: Bool {
    EpochDomain.shared.pointee.record.pointee.hazardCount.load(ordering: .relaxed) != 0 || mayBeInTask
  }

  /// False only if no asynchronous factory with a path runs above the caller.
  fileprivate static var mayBeInTask: Bool { runningCount.load(ordering: .relaxed) != 0 && current != nil }

  /// The innermost factory above the caller.
  static var innermost: Entry? { all().last }

  /// Returns the factories above the caller, outermost first.
  static func all() -> [Entry] {
    let runs = mayBeInTask ? current?.runs ?? [] : []
    return runs.compactMap { $0.entry.withLock { $0 } } + EpochDomain.shared.pointee.record.pointee.runningEntries()
  }

  // MARK: Dependency cycles

  /// Returns the path of a cycle for an error: from the last run of an entry's factory to the current factory, then the entry again.
  static func dependencyCycle(to entry: Entry) -> [Entry] {
    let path = all()
    guard let start = path.lastIndex(where: { $0.isSameRegistration(as: entry) }) else { return [entry] }
    return path[start...] + [entry]
  }

  /// How deep a factory with arguments may call itself where the stack's bounds are unknown: in a task, or on a stack that the thread did
  /// not create. Beyond that it counts as a dependency cycle.
  static var maximumRecursion: Int { 1000 }

  /// Decides whether a run of an entry's factory would close a dependency cycle on this thread. A factory with arguments may call itself,
  /// presumably with other arguments, until the stack is nearly full.
  static func isDependencyCycle(_ entry: Entry, hasArguments: Bool, _ record: UnsafeMutablePointer<ThreadRecord>) -> Bool {
    record.pointee.isRunning(entry, amongFirst: record.pointee.hazardCount.load(ordering: .relaxed))
      && (!hasArguments || isTooDeep(entry, record))
  }

  /// Decides whether a scoped factory has called itself through one scope after another until the stack is nearly full.
  static func isDependencyCycleThroughScopes(_ entry: Entry, _ record: UnsafeMutablePointer<ThreadRecord>) -> Bool {
    entry.lifetime == .scoped && count(of: entry, record) > 0 && isTooDeep(entry, record)
  }

  static func isTooDeep(_ entry: Entry, _ record: UnsafeMutablePointer<ThreadRecord>) -> Bool {
    let stack = record.pointee.stackBounds ?? StackBounds()
    record.pointee.stackBounds = stack
    return stack.isNearEnd ?? (count(of: entry, record) > maximumRecursion)
  }

  /// How many factories of the same registration run on the thread.
  private static func count(of entry: Entry, _ record: UnsafeMutablePointer<ThreadRecord>) -> Int {
    record.pointee.runningEntries().count { $0.isSameRegistration(as: entry) }
  }
}

// MARK: Synchronous factories

extension ThreadRecord {
  /// Begins a run of an entry's factory, the innermost of the thread, until `pop`. The caller has a guard, which may end now, or a reference.
  @inline(__always)
  func push(_ entry: Unmanaged<Entry>) { push(UInt(bitPattern: entry.toOpaque())) }

  /// Keeps an entry allocated until `pop`.
  @inline(__always)
  func keep(_ entry: Unmanaged<Entry>) { push(UInt(bitPattern: entry.toOpaque()) | 1) }

  /// Searches the first hazards for a run of an entry's factory.
  @inline(__always)
  func isRunning(_ entry: Entry, amongFirst count: Int) -> Bool {
    let address = UInt(bitPattern: Unmanaged.passUnretained(entry).toOpaque())
    var index = count
    while index > 0 {
      index -= 1
      if hazards.load(ordering: .relaxed)[index].load(ordering: .relaxed) == address { return true }
    }
    return false
  }

  /// The entries whose factories run on the thread, outermost first.
  func runningEntries() -> [Entry] {
    let addresses = hazards.load(ordering: .relaxed)
    return (0..<hazardCount.load(ordering: .relaxed)).compactMap { index in
      let address = addresses[index].load(ordering: .relaxed)
      guard address & 1 == 0, let pointer = UnsafeRawPointer(bitPattern: address) else { return nil }
      return Unmanaged<Entry>.fromOpaque(pointer).takeUnretainedValue()
    }
  }
}

// MARK: Untracked runs

/// Most asynchronous factories of transients take less time than their tracking in a path. So a few runs of such a factory at a time, outside
/// of tracked ones, are only counted. In a dependency cycle the count reaches the limit; the further runs are tracked and find the cycle.
extension Entry {
  private static var maximumUntrackedRunCount: UInt32 { 8 }

  /// Begins an untracked run of the factory, for a caller with a guard. Returns false if the run must be tracked.
  final func beginUntrackedRun() -> Bool {
    guard !BuildPath.mayBeInTask, untrackedRunCount.load(ordering: .relaxed) < Self.maximumUntrackedRunCount else {
      return false
    }
    untrackedRunCount.wrappingAdd(1, ordering: .relaxed)
    return true
  }

  /// Ends an untracked run. The writer may free the entry at once.
  @inline(__always)
  final func endUntrackedRun() { untrackedRunCount.wrappingSubtract(1, ordering: .releasing) }
}
