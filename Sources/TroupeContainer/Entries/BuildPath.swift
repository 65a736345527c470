public import Synchronization

/// The factories that run above the present one.
///
/// Synchronous factories are a list on their thread's stack, which costs a few instructions; asynchronous ones are a list
/// that their task and its children carry.
@usableFromInline
final class BuildPath: Sendable {
  /// The innermost asynchronous factory of the current task.
  @TaskLocal static var current: BuildPath?

  private struct State {
    /// Nil once the factory has returned. A task that it started inherits the path and may outlive it by far, and must not keep
    /// what is unregistered meanwhile, nor its instance.
    var entry: Entry?
    var outer: BuildPath?
  }

  private let state: Lock<State>

  /// Goes on from the current task's path.
  init(_ entry: Entry) {
    state = Lock(State(entry: entry, outer: Self.current))
  }

  /// Says that the factory has returned, so that nobody who asks from now on is asking on its behalf.
  func end() {
    let entry = state.withLock { state in
      defer { state.entry = nil }
      return state.entry
    }
    // Its end may run anybody's code, and must not under the lock.
    withExtendedLifetime(entry) {}
  }

  /// Calls a closure for each asynchronous factory above the caller that has not returned, innermost first. Those that have are
  /// forgotten, since tasks whose factories start each other can go on for ever.
  private static func forEachRunning(_ body: (Entry) -> Void) {
    var inner: (path: BuildPath, outer: BuildPath?)?
    var path = current
    while let present = path {
      let state = present.state.withLock { $0 }
      if let entry = state.entry {
        if let inner, inner.outer !== present { inner.path.goOn(with: present) }
        inner = (present, state.outer)
        body(entry)
      }
      path = state.outer
    }
    if let inner, inner.outer != nil { inner.path.goOn(with: nil) }
  }

  /// Says what runs outside of this.
  private func goOn(with outer: BuildPath?) {
    let former = state.withLock { state in
      defer { state.outer = outer }
      return state.outer
    }
    withExtendedLifetime(former) {}
  }

  /// All factories above the caller, outermost first.
  static func all() -> [Entry] {
    var entries: [Entry] = []
    var frame = Readers.shared.pointee.record.pointee.building
    while let present = frame {
      entries.append(present.pointee.entry.takeUnretainedValue())
      frame = present.pointee.outer
    }
    forEachRunning { entries.append($0) }
    return entries.reversed()
  }

  /// The path from the last time that an entry's factory began to the present, and the entry again.
  static func ring(to entry: Entry) -> [Entry] {
    let path = all()
    guard let start = path.lastIndex(where: { $0.isSameRegistration(as: entry) }) else { return [entry] }
    return path[start...] + [entry]
  }

  /// How often a factory may run inside itself with other arguments where the stack is no measure: in a task, or on a stack
  /// that somebody else has made. Beyond it is taken for a ring.
  static var maximumRecursion: Int { 1000 }

  /// Whether running an entry's factory now would go round in a ring on this thread. A factory that takes arguments may come back
  /// to itself, presumably with others, until the stack comes to its end.
  @inlinable
  static func isRing(_ entry: Entry, hasArguments: Bool, _ record: UnsafeMutablePointer<ReaderRecord>) -> Bool {
    var frame = record.pointee.building
    while let present = frame {
      if present.pointee.entry.toOpaque() == Unmanaged.passUnretained(entry).toOpaque() {
        return !hasArguments || isTooDeep(entry, record)
      }
      frame = present.pointee.outer
    }
    return false
  }

  /// Whether a factory of what is scoped has come back to itself through one scope after another, until the stack comes to its end.
  static func isRingThroughScopes(_ entry: Entry, _ record: UnsafeMutablePointer<ReaderRecord>) -> Bool {
    guard entry.lifetime == .scoped else { return false }
    var frame = record.pointee.building
    while let present = frame {
      if present.pointee.entry._withUnsafeGuaranteedRef({ $0.isSameRegistration(as: entry) }) {
        return isTooDeep(entry, record)
      }
      frame = present.pointee.outer
    }
    return false
  }

  @usableFromInline
  static func isTooDeep(_ entry: Entry, _ record: UnsafeMutablePointer<ReaderRecord>) -> Bool {
    let stack = record.pointee.stack ?? ThreadStack()
    record.pointee.stack = stack
    if let isNearEnd = stack.isNearEnd { return isNearEnd }
    var count = 0
    var frame = record.pointee.building
    while let present = frame {
      if present.pointee.entry._withUnsafeGuaranteedRef({ $0.isSameRegistration(as: entry) }) { count += 1 }
      frame = present.pointee.outer
    }
    return count > maximumRecursion
  }

  /// Runs a closure as the factory of an entry, which stays alive meanwhile.
  @inlinable @inline(__always)
  static func within<T>(
    _ entry: Entry, _ record: UnsafeMutablePointer<ReaderRecord>, _ body: () throws -> T
  ) rethrows -> T {
    var frame = BuildFrame(entry: .passUnretained(entry), outer: record.pointee.building)
    return try withUnsafeMutablePointer(to: &frame) { frame in
      record.pointee.building = frame
      defer { record.pointee.building = frame.pointee.outer }
      return try body()
    }
  }
}

// Asynchronous factories of transients without arguments run untracked: entering them into the path takes longer than most of them.
// A dependency cycle then shows in the number of runs. Beyond a few at a time, and inside of tracked factories, runs are tracked.

extension Entry {
  /// The number of untracked runs of a factory at a time.
  private static var maximumRunCount: UInt32 { 8 }

  /// Begins a run of the factory that is not entered into the path, for a reader. Returns false if the run has to be tracked.
  final func beginUntrackedRun() -> Bool {
    guard BuildPath.current == nil, runCount.load(ordering: .relaxed) < Self.maximumRunCount else { return false }
    runCount.wrappingAdd(1, ordering: .relaxed)
    return true
  }

  /// Ends an untracked run. The entry may be freed then.
  @inlinable @inline(__always)
  final func endUntrackedRun() { runCount.wrappingSubtract(1, ordering: .releasing) }
}
