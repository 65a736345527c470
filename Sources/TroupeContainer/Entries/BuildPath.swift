import Synchronization

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
    /// The last error that a resolve inside of the factory threw and that was reported.
    var reported: (any Error)?
  }

  private let state: Lock<State>

  /// Goes on from the current task's path.
  init(_ entry: Entry) {
    state = Lock(State(entry: entry, outer: Self.current))
  }

  /// Says that the factory has returned, so that nobody who asks from now on is asking on its behalf.
  func end() {
    let former = state.withLock { state in
      defer { (state.entry, state.reported) = (nil, nil) }
      return state
    }
    // Its end may run anybody's code, and must not under the lock.
    withExtendedLifetime(former) {}
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

  /// Whether an error that the innermost factory throws comes from a resolve inside of it and was reported.
  static func isReported(_ error: any Error) -> Bool {
    let record = Readers.shared.pointee.record
    if let frame = record.pointee.building {
      return record.pointee.reported.map { $0.frame == frame && $0.error.refers(to: error) } ?? false
    }
    return current?.state.withLock { $0.reported }.map { ErrorReference($0).refers(to: error) } ?? false
  }

  /// Notes that a resolve inside of the innermost factory, or of the one outside of it, throws an error that was reported.
  static func noteReported(_ error: any Error, outside: Bool = false) {
    let record = Readers.shared.pointee.record
    var (frame, path) = (record.pointee.building, current)
    if outside {
      if let inner = frame { frame = inner.pointee.outer } else { path = path?.state.withLock { $0.outer } }
    }
    if let frame { return record.pointee.reported = (frame, ErrorReference(error)) }
    let former = path?.state.withLock { state in
      defer { state.reported = error }
      return state.reported
    }
    withExtendedLifetime(former) {}
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
