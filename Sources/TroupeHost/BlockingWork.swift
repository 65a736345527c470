internal import Dispatch
internal import Synchronization

/// The queue of a host for work that blocks its thread: reading files, waiting for probes, opening libraries. An async caller suspends
/// meanwhile, so that it blocks no thread of the cooperative pool.
struct HostQueue: Sendable {
  private let queue = DispatchQueue(label: "troupe.host")

  /// Runs a closure after the earlier ones and returns its result, or throws its error. The queue then refers to the closure no more.
  nonisolated(nonsending)
    func run<Success: Sendable, Failure>(_ body: @escaping @Sendable () throws(Failure) -> Success) async throws(Failure)
    -> Success
  {
    let body = SingleUseClosure(body)
    let result: Result<Success, Failure> = await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: body()) }
    }
    return try result.get()
  }
}

/// Threads for single pieces of work that block.
enum BackgroundThread {
  /// Runs a closure on a new thread, or on one of Dispatch if the system has no thread left.
  static func run(_ body: @escaping @Sendable () -> Void) {
    do throws(SystemError) {
      try DetachedThread.start(body)
    } catch {
      DispatchQueue.global().async(execute: body)
    }
  }
}

/// A closure that is called once, and that has released what it captures when its result arrives.
///
/// Whoever waits for the result may then release the last reference to a captured host or plugin, and have it closed at once. Otherwise the
/// thread that has delivered the result would do that some time later, on behalf of nobody: with `shutdown` and destructors of plugins.
final class SingleUseClosure<Success, Failure: Error>: Sendable {
  private let body: Mutex<(@Sendable () throws(Failure) -> Success)?>

  init(_ body: @escaping @Sendable () throws(Failure) -> Success) { self.body = Mutex(body) }

  func callAsFunction() -> Result<Success, Failure> {
    let taken = body.withLock { body in
      defer { body = nil }
      return body
    }
    guard let taken else { preconditionFailure("the closure is called once") }
    return Result(catching: taken)
  }
}
