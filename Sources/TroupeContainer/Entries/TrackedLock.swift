/// A lock whose waits are edges of the wait-for graph of `SingletonBuilds`, so that a wait that would never end is an error.
///
///     thread 1   holds A and resolves S   ─→ waits for thread 2, which makes S       A ─→ S
///     thread 2   makes S and wants A      ─→ finds the path A ─→ S: `.cycle`
///
/// A host holds one while it opens a plugin, which may resolve anything. In the graph it is a build without an instance: its entry is in no
/// container, and runs as a factory does for as long as the lock is held.
///
/// Not recursive: the holder that asks again gets `.cycle`. Not fair: an unlock wakes all waiters, and a thread that comes later may win.
package final class TrackedLock: Sendable {
  private final class LockEntry: Entry, @unchecked Sendable {
    // Sendable for the reason given at `Entry`; the further member is constant.
    let group: ObjectIdentifier

    init(_ owner: Owner, _ group: ObjectIdentifier) {
      self.group = group
      super.init(kind: .plain, metatype: TrackedLock.self, tags: [], lifetime: .singleton, location: nil)
      self.owner = owner
    }
  }

  private struct Unlocked: Error {}

  private let entry: LockEntry

  /// - Parameters:
  ///   - owner: Names the lock in a report of failed factories.
  ///   - group: Several locks that `isAnyHeld` treats as one.
  package init(owner: Owner, group: ObjectIdentifier) { entry = LockEntry(owner, group) }

  /// Runs a closure while no other thread holds the lock.
  ///
  /// - Throws: A `ResolutionError` with the reason `.cycle` if the wait would never end; the error of the closure.
  package func withLock<Result>(_ body: () throws -> Result) throws -> Result { try hold(acquire(), body) }

  /// Does nothing, and returns nil, if a thread holds the lock.
  package func withLockIfAvailable<Result>(_ body: () throws -> Result) rethrows -> Result? {
    guard let build = SingletonBuilds.beginIfIdle(entry) else { return nil }
    return try hold(build, body)
  }

  private func hold<Result>(_ build: SingletonBuild, _ body: () throws -> Result) rethrows -> Result {
    let record = EpochDomain.shared.pointee.record
    record.pointee.push(.passUnretained(entry))
    defer {
      record.pointee.pop()
      // A failed build leaves the entry without an instance, ready for the next one.
      build.finish(Unlocked())
    }
    return try body()
  }

  private func acquire() throws -> SingletonBuild {
    while true {
      switch try SingletonBuilds.begin(entry, path: BuildPath.all(), hasArguments: false) {
      case .done: preconditionFailure("a lock has no instance")
      case .make(let build): return build
      case .wait(let edges): edges.wait()
      }
    }
  }

  /// True if the caller runs inside `withLock` of this lock.
  package var isHeldByCaller: Bool { BuildPath.all().contains { $0 === entry } }

  /// Returns true if the caller runs inside `withLock` of a lock of the group.
  package static func isAnyHeld(ofGroup group: ObjectIdentifier) -> Bool {
    BuildPath.all().contains { ($0 as? LockEntry)?.group == group }
  }
}
