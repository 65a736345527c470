internal import Dispatch
internal import Synchronization
internal import TroupeHost

/// Runs tasks that may block, on a thread of its own. The thread runs until `end`.
final class ThreadTaskExecutor: TaskExecutor {
  private let jobs = Mutex<[UnownedJob]>([])
  /// Signalled for each job, and once for the end.
  private let added = DispatchSemaphore(value: 0)

  /// Starts the thread. Throws a `SystemError` if the system has no thread left.
  init() throws(SystemError) { try DetachedThread.start { self.runJobs() } }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
    added.signal()
  }

  /// Ends the thread. No task may prefer it any more.
  func end() { added.signal() }

  private func runJobs() {
    while true {
      added.wait()
      guard let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return }
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}
