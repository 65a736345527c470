public import Synchronization

/// The running factories above the current one.
///
/// Synchronous factories form a list in their thread's record, which costs a few instructions. Asynchronous factories form a list in
/// task-local storage, which child tasks inherit.
@usableFromInline
final class BuildPath: Sendable {
  /// The innermost asynchronous factory of the current task.
  @TaskLocal static var current: BuildPath?

  private struct State {
    /// Nil once the factory has returned. A task that the factory started inherits the path and may outlive it. The path must then
    /// not keep an unregistered entry or its instance.
    var entry: Entry?
    var outer: BuildPath?
  }

  private let state: Lock<State>
  /// How many asynchronous factories with a path run. Reading it takes less time than reading the path of the task.
  private static let runningCount = Atomic<Int>(0)

  /// Creates a path that extends the current task's path by an entry.
  init(_ entry: Entry) {
    state = Lock(State(entry: entry, outer: Self.current))
    Self.runningCount.wrappingAdd(1, ordering: .relaxed)
  }

  /// Marks the factory as returned: later requests of its tasks do not belong to it.
  func end() {
    let entry = state.withLock { state in
      defer { state.entry = nil }
      return state.entry
    }
    Self.runningCount.wrappingSubtract(1, ordering: .relaxed)
    // The release may run any code, so it happens outside the lock.
    withExtendedLifetime(entry) {}
  }

  /// Calls a closure for each asynchronous factory above the caller that has not returned, innermost first. Unlinks the returned
  /// ones, because tasks whose factories start each other can continue forever.
  private static func forEachRunning(_ body: (Entry) -> Void) {
    var inner: (path: BuildPath, outer: BuildPath?)?
    var path = current
    while let present = path {
      let state = present.state.withLock { $0 }
      if let entry = state.entry {
        if let inner, inner.outer !== present { inner.path.replaceOuter(with: present) }
        inner = (present, state.outer)
        body(entry)
      }
      path = state.outer
    }
    if let inner, inner.outer != nil { inner.path.replaceOuter(with: nil) }
  }

  /// Replaces the outer path.
  private func replaceOuter(with outer: BuildPath?) {
    let former = state.withLock { state in
      defer { state.outer = outer }
      return state.outer
    }
    withExtendedLifetime(former) {}
  }

  /// Whether a factory may run above the caller.
  static var isRunning: Bool {
    EpochDomain.shared.pointee.record.pointee.hazardCount.load(ordering: .relaxed) != 0 || mayBeInTask
  }

  /// Whether an asynchronous factory with a path may run above the caller.
  fileprivate static var mayBeInTask: Bool { runningCount.load(ordering: .relaxed) != 0 && current != nil }

  /// The innermost factory above the caller.
  static var innermost: Entry? {
    if let entry = EpochDomain.shared.pointee.record.pointee.runningEntries().last { return entry }
    var innermost: Entry?
    if runningCount.load(ordering: .relaxed) != 0 { forEachRunning { entry in innermost = innermost ?? entry } }
    return innermost
  }

  /// Returns all factories above the caller, outermost first.
  static func all() -> [Entry] {
    var entries: [Entry] = []
    if runningCount.load(ordering: .relaxed) != 0 {
      forEachRunning { entries.append($0) }
      entries.reverse()
    }
    return entries + EpochDomain.shared.pointee.record.pointee.runningEntries()
  }

  /// Returns the path from the last run of an entry's factory to the current factory, followed by the entry.
  static func dependencyCycle(to entry: Entry) -> [Entry] {
    let path = all()
    guard let start = path.lastIndex(where: { $0.isSameRegistration(as: entry) }) else { return [entry] }
    return path[start...] + [entry]
  }

  /// The limit of recursion with arguments if the stack's bounds are not known: in a task, or on a stack that the thread did not
  /// create. Beyond the limit the container reports a dependency cycle.
  static var maximumRecursion: Int { 1000 }

  /// Whether a run of an entry's factory would close a dependency cycle on this thread. A factory with arguments may call itself,
  /// presumably with other arguments, until the stack is nearly full.
  @inlinable
  static func isDependencyCycle(_ entry: Entry, hasArguments: Bool, _ record: UnsafeMutablePointer<ThreadRecord>) -> Bool {
    record.pointee.isRunning(entry, amongFirst: record.pointee.hazardCount.load(ordering: .relaxed))
      && (!hasArguments || isTooDeep(entry, record))
  }

  /// Whether a scoped factory has called itself through one scope after another until the stack is nearly full.
  static func isDependencyCycleThroughScopes(_ entry: Entry, _ record: UnsafeMutablePointer<ThreadRecord>) -> Bool {
    entry.lifetime == .scoped && count(of: entry, record) > 0 && isTooDeep(entry, record)
  }

  @usableFromInline
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

// Asynchronous factories of transients without arguments run untracked, because tracking takes longer than most of them. A
// dependency cycle then shows in the number of runs. Further runs than a few at a time, and runs inside tracked factories, are
// tracked.

extension Entry {
  /// The number of untracked runs of a factory at a time.
  private static var maximumUntrackedRunCount: UInt32 { 8 }

  /// Begins an untracked run of the factory, for a reader. Returns false if the run has to be tracked.
  @usableFromInline
  final func beginUntrackedRun() -> Bool {
    guard !BuildPath.mayBeInTask, untrackedRunCount.load(ordering: .relaxed) < Self.maximumUntrackedRunCount else {
      return false
    }
    untrackedRunCount.wrappingAdd(1, ordering: .relaxed)
    return true
  }

  /// Ends an untracked run. A writer may free the entry afterwards.
  @inlinable @inline(__always)
  final func endUntrackedRun() { untrackedRunCount.wrappingSubtract(1, ordering: .releasing) }
}
