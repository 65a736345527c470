import Foundation
import Synchronization

/// Runs work on threads of its own, which begin as nearly together as can be, and gives what each made, in the order of
/// their numbers.
func onThreads<Output: Sendable>(_ count: Int, _ work: @escaping @Sendable (Int) throws -> Output) throws -> [Output] {
  let results = Results<Output>()
  let start = DispatchSemaphore(value: 0)
  let end = DispatchGroup()
  for number in 0..<count {
    end.enter()
    let thread = Thread {
      start.wait()
      let result = Result { try work(number) }
      results.byThread.withLock { $0[number] = result }
      end.leave()
    }
    thread.start()
  }
  for _ in 0..<count { start.signal() }
  end.wait()
  return try results.byThread.withLock { $0 }.sorted { $0.key < $1.key }.map { try $0.value.get() }
}

/// What the threads made, by their numbers.
private final class Results<Output: Sendable>: Sendable {
  let byThread = Mutex<[Int: Result<Output, any Error>]>([:])
}

/// Runs each part of a task on a thread of its own, so that the task goes on while the tests' threads are blocked.
final class Threads: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let thread = Thread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    thread.start()
  }
}
