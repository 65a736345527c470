internal import Dispatch
internal import Glibc
internal import Synchronization
package import TroupeHost

/// Processes files for an output directory on several threads.
///
/// Each job runs on a thread of its own, since it waits for files and plugin code. Jobs take files from one queue. A failing file is
/// reported and does not end the others.
package struct FileJobs {
  /// The end of the work on a file.
  package struct Progress: Sendable {
    /// The failed files are among the ended ones.
    package fileprivate(set) var endedCount = 0, failureCount = 0
    package let fileCount: Int
    /// The failure of this file, with its path; nil if it has not failed.
    package fileprivate(set) var failure: String?
    /// The code of the first failure of all files.
    package fileprivate(set) var firstFailure: Diagnosis.Code?
  }

  private let directory: OutputDirectory
  private let jobs: Int

  package init(_ directory: OutputDirectory, jobs: Int) { (self.directory, self.jobs) = (directory, jobs) }

  /// Processes each file. Throws a `Diagnosis` before it processes any.
  ///
  /// - Parameter report: Called after each file, on the thread of its job.
  /// - Returns: The progress after the last file.
  package func run(
    report: @escaping @Sendable (Progress) -> Void,
    _ process: @escaping @Sendable (OutputDirectory.Item) async throws -> Void
  ) async throws -> Progress {
    let threads = try threads()
    defer { for thread in threads { thread.end() } }
    try directory.prepare()
    let signals = try OutputDirectory.removingPartialFilesAtSignals()
    defer { withExtendedLifetime(signals) {} }
    let queue = FileQueue(directory.items)
    await withTaskGroup { group in
      for thread in threads {
        group.addTask(executorPreference: thread) {
          while let item = queue.next() {
            do {
              if try directory.needsProcessing(item) { try await process(item) }
              report(queue.recordEnd(of: item, failure: nil))
            } catch {
              report(queue.recordEnd(of: item, failure: error))
            }
          }
        }
      }
    }
    return queue.progress
  }

  /// Starts the threads, if the process has enough descriptors left for their files.
  private func threads() throws(Diagnosis) -> [ThreadTaskExecutor] {
    let count = min(jobs, directory.items.count)
    // An input and an output for each job, and some files of plugins.
    let needed = 2 * count + 16
    var descriptors: [Int32] = []
    while descriptors.count < needed, case let descriptor = dup(STDERR_FILENO), descriptor >= 0 {
      descriptors.append(descriptor)
    }
    for descriptor in descriptors { close(descriptor) }
    guard descriptors.count == needed else {
      throw Diagnosis(
        .missingResource, "--jobs",
        problem: "only \(descriptors.count) more files can be opened, and \(needed) are needed for \(count) jobs",
        remedy: "raise the limit with ulimit -n, or give fewer jobs")
    }
    var threads: [ThreadTaskExecutor] = []
    while threads.count < count {
      do throws(SystemError) {
        threads.append(try ThreadTaskExecutor())
      } catch {
        for thread in threads { thread.end() }
        throw Diagnosis(
          .missingResource, "--jobs", problem: "only \(threads.count) of \(count) threads can be started: \(error)",
          remedy: "raise the limit with ulimit -u, or give fewer jobs")
      }
    }
    return threads
  }
}

private final class FileQueue: Sendable {
  private let items: [OutputDirectory.Item]
  private let state: Mutex<(startedCount: Int, progress: FileJobs.Progress)>

  init(_ items: [OutputDirectory.Item]) {
    self.items = items
    state = Mutex((0, FileJobs.Progress(fileCount: items.count)))
  }

  var progress: FileJobs.Progress { state.withLock { $0.progress } }

  func next() -> OutputDirectory.Item? {
    state.withLock { state in
      guard state.startedCount < items.count else { return nil }
      state.startedCount += 1
      return items[state.startedCount - 1]
    }
  }

  func recordEnd(of item: OutputDirectory.Item, failure: (any Error)?) -> FileJobs.Progress {
    let text = failure.map { failure in
      let (text, path) = ("\(failure)", item.input.path)
      // The text may begin with a line of the file, such as table.csv:3.
      return text.hasPrefix(path + ":") ? text : "\(path): \(text)"
    }
    return state.withLock { state in
      state.progress.endedCount += 1
      state.progress.failure = text
      if let failure {
        state.progress.failureCount += 1
        state.progress.firstFailure = state.progress.firstFailure ?? Diagnosis.Code(of: failure)
      }
      return state.progress
    }
  }
}

/// Runs tasks that may block, on a thread of its own. The thread runs until `end`.
private final class ThreadTaskExecutor: TaskExecutor {
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
