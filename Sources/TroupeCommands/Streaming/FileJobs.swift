internal import Dispatch
internal import Synchronization
internal import TroupeHost

/// Processes files for an output directory, several at a time.
struct FileJobs {
  static let option = Option(
    "jobs", value: "N", "With --output-directory, process N FILEs at a time. Default: 1.")

  /// Processes one file.
  typealias Process = @Sendable (OutputDirectory.Task) async throws -> Void

  private let directory: OutputDirectory
  private let jobs: Int

  /// - Parameter jobs: The number of files at a time.
  init(_ directory: OutputDirectory, jobs: Int) { (self.directory, self.jobs) = (directory, jobs) }

  /// The number that an option such as `--jobs` names, 1 by default. Throws a `Diagnosis`.
  static func count(_ arguments: ParsedArguments, _ option: Option) throws(Diagnosis) -> Int {
    guard let text = arguments.one(option) else { return 1 }
    guard let count = Int(text), 1...1024 ~= count else {
      throw Diagnosis(
        .usage, option.word, problem: "\"\(text.shortened())\" is not a number of threads from 1 to 1024",
        remedy: "write one such as 2")
    }
    return count
  }

  /// Processes all files, and reports each failure on standard error. Returns the status of the first failure, or success. Throws a
  /// `Diagnosis` before it processes any.
  func run(_ process: @escaping Process) async throws -> ExitStatus {
    let signals = try OutputDirectory.removingPartialFilesAtSignals()
    defer { withExtendedLifetime(signals) {} }
    let queue = FileQueue(directory.tasks)
    await withTaskGroup { group in
      for _ in 0..<min(jobs, directory.tasks.count) {
        group.addTask(executorPreference: BlockingExecutor.shared) {
          while let task = queue.next() {
            do {
              if !directory.skips(task) { try await process(task) }
              queue.finish(nil)
            } catch {
              queue.finish(error)
            }
          }
        }
      }
    }
    return queue.end()
  }
}

/// The files that are still to be processed, and the results of the others.
private final class FileQueue: Sendable {
  private struct State {
    var startedCount = 0
    var doneCount = 0
    var failureCount = 0
    /// The status of the first failure.
    var status = ExitStatus.success
  }

  private let tasks: [OutputDirectory.Task]
  private let state = Mutex(State())
  private let line = ProgressLine()

  /// The number of failures that are reported with their text.
  private static let reportedFailures = 10

  init(_ tasks: [OutputDirectory.Task]) { self.tasks = tasks }

  /// Returns the next file; nil after the last one.
  func next() -> OutputDirectory.Task? {
    state.withLock { state in
      guard state.startedCount < tasks.count else { return nil }
      state.startedCount += 1
      return tasks[state.startedCount - 1]
    }
  }

  /// Counts a processed file and reports its failure.
  func finish(_ failure: (any Error)?) {
    let state = state.withLock { state in
      state.doneCount += 1
      if let failure {
        if state.failureCount == 0 { state.status = ExitStatus(Diagnosis.Code(of: failure)) }
        state.failureCount += 1
      }
      return state
    }
    if let failure, state.failureCount <= Self.reportedFailures { Terminal.complain("\(failure)") }
    line.show("\(state.doneCount) of \(tasks.count) files ")
  }

  /// Reports the number of failures. Returns the status of the first one, or success.
  func end() -> ExitStatus {
    line.end(keepsText: false)
    let state = state.withLock { $0 }
    if state.failureCount > 0 {
      Terminal.complain("\(state.failureCount) of \(tasks.count) file\(tasks.count == 1 ? "" : "s") failed")
    }
    return state.status
  }
}

/// Runs tasks that read and write files on threads of their own, since the threads of Swift's own executor must not wait.
final class BlockingExecutor: TaskExecutor {
  static let shared = BlockingExecutor()

  private let queue = DispatchQueue(label: "troupe.files", attributes: .concurrent)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedTaskExecutor()
    queue.async { job.runSynchronously(on: executor) }
  }
}
