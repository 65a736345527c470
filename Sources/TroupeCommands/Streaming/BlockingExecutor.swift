internal import Dispatch

/// Runs one task on a thread of its own, so that the task may wait for files: the threads of Swift's own executor must not.
final class BlockingExecutor: TaskExecutor {
  // Dispatch gives each serial queue a thread at once. A concurrent queue would get further threads only after a while.
  private let queue = DispatchQueue(label: "troupe.files")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedTaskExecutor()
    queue.async { job.runSynchronously(on: executor) }
  }
}
