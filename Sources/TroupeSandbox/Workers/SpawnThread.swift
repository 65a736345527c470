internal import Dispatch
internal import Glibc
internal import Synchronization
internal import TroupeFiles

/// The thread that starts all workers of a process. It never ends, since the kernel ends a worker with the thread that started it, also if
/// the process was killed (`PR_SET_PDEATHSIG`).
final class SpawnThread: Sendable {
  private let jobs = Mutex<[@Sendable () -> Void]>([])
  private let added = DispatchSemaphore(value: 0)
  /// The process, since a forked process has no such thread.
  private let process = getpid()

  private static let current = Mutex<SpawnThread?>(nil)

  /// Runs a function on the thread, which it starts at the first call. Throws the function's error.
  static func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) throws -> Result {
    let thread = try current.withLock { current in
      if let current, current.process == getpid() { return current }
      let new = SpawnThread()
      try new.start()
      current = new
      return new
    }
    let outcome = Mutex<Swift.Result<Result, any Error>?>(nil)
    let done = DispatchSemaphore(value: 0)
    thread.add {
      let result = Swift.Result { try body() }
      outcome.withLock { $0 = result }
      done.signal()
    }
    done.wait()
    guard let result = outcome.withLock(\.self) else { preconditionFailure("the job has run") }
    return try result.get()
  }

  private func add(_ job: @escaping @Sendable () -> Void) {
    jobs.withLock { $0.append(job) }
    added.signal()
  }

  private func start() throws {
    try DetachedThread.start { self.runJobs() }
  }

  private func runJobs() -> Never {
    while true {
      added.wait()
      let job = jobs.withLock { $0.removeFirst() }
      job()
    }
  }
}
