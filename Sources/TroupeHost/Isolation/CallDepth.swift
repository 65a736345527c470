internal import Glibc
internal import TroupeCall
internal import TroupeIsolation

/// The calls of workers that are in progress on a thread. A callback may call a worker again, and that callback too.
enum CallDepth {
  /// A call in progress.
  private struct Frame {
    let worker: ObjectIdentifier
    let deadline: Deadline
    let outer: UnsafePointer<Frame>?

    /// The number of calls of a worker among this one and the outer ones.
    func count(of worker: ObjectIdentifier) -> Int {
      (self.worker == worker ? 1 : 0) + (outer?.pointee.count(of: worker) ?? 0)
    }
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let status = pthread_key_create(&key, nil)
    precondition(status == 0, "the process has no more thread-specific keys")
    return key
  }()

  /// The largest number of calls of one worker within each other.
  private static let maximum = 16

  private static var current: UnsafePointer<Frame>? {
    pthread_getspecific(key).map { UnsafePointer($0.assumingMemoryBound(to: Frame.self)) }
  }

  /// Whether a call of a worker is in progress on this thread.
  static func contains(_ worker: PluginWorker) -> Bool { (current?.pointee.count(of: ObjectIdentifier(worker)) ?? 0) > 0 }

  /// Runs a call with its deadline, that of the outer call if it is earlier. Throws an `IsolatedPluginError` if there are too many calls of
  /// the worker within each other.
  ///
  /// - Parameter slots: The number of calls that the worker can have in flight.
  static func run<Result>(
    _ worker: PluginWorker, until deadline: Deadline, slots: Int, _ body: (Deadline) throws -> Result
  ) throws -> Result {
    let outer = current
    let id = ObjectIdentifier(worker)
    if let depth = outer?.pointee.count(of: id), depth >= min(maximum, slots) {
      throw IsolatedPluginError(
        "calls of a worker are nested \(depth) deep, which is the limit; end the recursion of the callbacks, or raise concurrentCalls"
      )
    }
    var frame = Frame(worker: id, deadline: min(deadline, outer?.pointee.deadline ?? .never), outer: outer)
    return try withUnsafePointer(to: &frame) { pointer in
      pthread_setspecific(key, pointer)
      defer { pthread_setspecific(key, outer) }
      return try body(pointer.pointee.deadline)
    }
  }
}
