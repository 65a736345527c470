internal import Dispatch

/// The queue of a host for work that blocks its thread: reading files, waiting for probes, opening libraries. An async caller suspends
/// meanwhile, so that it blocks no thread of the cooperative pool.
struct HostQueue: Sendable {
  private let queue = DispatchQueue(label: "troupe.host")

  /// Runs a closure after the earlier ones and returns its result.
  nonisolated(nonsending)
    func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result
  {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Swift.Result(catching: body)) }
    }
  }

  /// Runs a closure that throws no error.
  nonisolated(nonsending)
    func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result
  {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: body()) }
    }
  }
}
