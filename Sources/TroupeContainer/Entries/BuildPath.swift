import Synchronization

/// The factories that run above the present one.
///
/// Synchronous factories are a list on their thread's stack, which costs a few instructions; asynchronous ones are a list
/// that their task and its children carry.
@usableFromInline
final class BuildPath: Sendable {
  /// The innermost asynchronous factory of the current task.
  @TaskLocal static var current: BuildPath?

  private let entry: Entry
  private let outer: BuildPath?
  /// Whether the factory has returned. A task that it started inherits the path and may outlive it.
  private let isOver = Atomic<Bool>(false)

  /// Goes on from the current task's path.
  init(_ entry: Entry) {
    self.entry = entry
    outer = Self.current
  }

  /// Says that the factory has returned, so that nobody who asks from now on is asking on its behalf.
  func end() { isOver.store(true, ordering: .releasing) }

  /// All factories above the caller, outermost first.
  static func all() -> [Entry] {
    var entries: [Entry] = []
    var frame = Readers.shared.pointee.record.pointee.building
    while let present = frame {
      entries.append(present.pointee.entry.takeUnretainedValue())
      frame = present.pointee.outer
    }
    var path = current
    while let present = path {
      if !present.isOver.load(ordering: .acquiring) { entries.append(present.entry) }
      path = present.outer
    }
    return entries.reversed()
  }

  /// The path from the last time that an entry's factory began to the present, and the entry again.
  static func ring(to entry: Entry) -> [Entry] {
    let path = all()
    guard let start = path.lastIndex(where: { $0 === entry }) else { return [entry] }
    return path[start...] + [entry]
  }

  /// How often a factory may run inside itself with other arguments. Beyond it is taken for a ring, before the stack ends.
  @inlinable static var maximumRecursion: Int { 500 }

  /// Whether running an entry's factory now would go round in a ring. A factory that takes arguments may come back to itself,
  /// presumably with others.
  @inlinable
  static func isRing(_ entry: Entry, hasArguments: Bool, _ innermost: UnsafeMutablePointer<BuildFrame>?) -> Bool {
    var frame = innermost
    var count = 0
    while let present = frame {
      if present.pointee.entry.toOpaque() == Unmanaged.passUnretained(entry).toOpaque() {
        if !hasArguments { return true }
        count += 1
        if count > maximumRecursion { return true }
      }
      frame = present.pointee.outer
    }
    return false
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
