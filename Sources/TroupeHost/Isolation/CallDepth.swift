internal import Glibc
internal import TroupeCall
internal import TroupeIsolation

/// The calls of workers that are in progress on a thread. A callback may call a worker again, and that callback too.
enum CallDepth {
  /// A call in progress.
  private struct Frame {
    let depth: Int
    let deadline: Deadline
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let status = pthread_key_create(&key, nil)
    precondition(status == 0, "the process has no more thread-specific keys")
    return key
  }()

  /// The largest number of calls within each other.
  private static let maximum = 16

  /// Runs a call with its deadline, that of the outer call if it is earlier. Throws an `IsolatedPluginError` if there are too many calls
  /// within each other.
  ///
  /// - Parameter slots: The number of calls that the worker can have in flight.
  static func run<Result>(until deadline: Deadline, slots: Int, _ body: (Deadline) throws -> Result) throws -> Result {
    let outer = pthread_getspecific(key)?.assumingMemoryBound(to: Frame.self)
    var frame = Frame(depth: (outer?.pointee.depth ?? 0) + 1, deadline: min(deadline, outer?.pointee.deadline ?? .never))
    guard frame.depth <= min(maximum, slots) else {
      throw IsolatedPluginError("\(frame.depth - 1) calls of workers are within each other; end the recursion of the callbacks")
    }
    return try withUnsafePointer(to: &frame) { pointer in
      pthread_setspecific(key, pointer)
      defer { pthread_setspecific(key, outer) }
      return try body(pointer.pointee.deadline)
    }
  }
}
