internal import Glibc
internal import Synchronization
internal import TroupeHost

/// Processes files for an output directory, several at a time.
struct FileJobs {
  static let option = Option("jobs", value: "N", "With --output-directory, process N FILEs at a time. Default: 1.")

  private let directory: OutputDirectory
  private let jobs: Int

  /// - Parameter jobs: The number of files at a time.
  init(_ directory: OutputDirectory, jobs: Int) { (self.directory, self.jobs) = (directory, jobs) }

  /// The number of `--jobs`, 1 by default. Throws a `Diagnosis`.
  static func count(_ arguments: ParsedArguments) throws(Diagnosis) -> Int {
    guard let text = arguments.one(option) else { return 1 }
    guard let count = Int(text), 1...1024 ~= count else {
      throw Diagnosis(
        .usage, option.word, problem: "\"\(text.shortened())\" is not a number from 1 to 1024",
        remedy: "write one such as 2")
    }
    return count
  }

  /// Calls a closure for each file, on one thread for each job, and reports each failure on standard error. Returns the status of the first
  /// failure, or success. Throws a `Diagnosis` before it processes any file.
  func run(_ process: @escaping @Sendable (OutputDirectory.Item) async throws -> Void) async throws -> ExitStatus {
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
              queue.recordEnd(of: item, failure: nil)
            } catch {
              queue.recordEnd(of: item, failure: error)
            }
          }
        }
      }
    }
    return queue.reportFailureCount()
  }

  /// Starts a thread for each job. Throws a `Diagnosis` if the process lacks threads or descriptors for them.
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
        .missingResource, Self.option.word,
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
          .missingResource, Self.option.word, problem: "only \(threads.count) of \(count) threads can be started: \(error)",
          remedy: "raise the limit with ulimit -u, or give fewer jobs")
      }
    }
    return threads
  }
}

/// The files that are still to be processed, and the results of the others.
private final class FileQueue: Sendable {
  private struct State {
    var startedCount = 0
    var endedCount = 0
    var failureCount = 0
    /// The status of the first failure.
    var status = ExitStatus.success
  }

  private let items: [OutputDirectory.Item]
  private let state = Mutex(State())
  private let line = ProgressLine()

  /// The number of failures that are reported with their text.
  private static let reportedFailures = 10

  init(_ items: [OutputDirectory.Item]) { self.items = items }

  /// Returns the next file; nil after the last one.
  func next() -> OutputDirectory.Item? {
    state.withLock { state in
      guard state.startedCount < items.count else { return nil }
      state.startedCount += 1
      return items[state.startedCount - 1]
    }
  }

  /// Counts a file and reports its failure.
  func recordEnd(of item: OutputDirectory.Item, failure: (any Error)?) {
    let state = state.withLock { state in
      state.endedCount += 1
      if let failure {
        if state.failureCount == 0 { state.status = ExitStatus(Diagnosis.Code(of: failure)) }
        state.failureCount += 1
      }
      return state
    }
    if let failure, state.failureCount <= Self.reportedFailures {
      let (text, path) = ("\(failure)", item.input.path)
      // The text may begin with a line of the file, such as table.csv:3.
      Terminal.printMessage(text.hasPrefix(path + ":") ? text : "\(path): \(text)")
    }
    line.show("\(state.endedCount) of \(items.count) files ")
  }

  /// Reports the number of failures. Returns the status of the first one, or success.
  func reportFailureCount() -> ExitStatus {
    line.end(keepsText: false)
    let state = state.withLock { $0 }
    if state.failureCount > 0 {
      Terminal.printMessage("\(state.failureCount) of \(items.count) file\(items.count == 1 ? "" : "s") failed")
    }
    return state.status
  }
}
