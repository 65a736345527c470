internal import Dispatch

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
