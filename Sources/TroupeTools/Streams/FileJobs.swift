internal import Glibc
internal import Synchronization
internal import TroupeHost

/// Processes files for an output directory on `--jobs` threads.
///
/// Each job runs on a thread of its own, since it waits for files and plugin code. Jobs take files from one queue. A failing file is
/// reported and does not end the others; the exit status is that of the first failure.
struct FileJobs {
  static let option = Option("jobs", value: "N", "Process N FILEs at a time. Default: 1.", details: "Needs --output-directory.")

  private let directory: OutputDirectory
  private let jobs: Int

  init(_ directory: OutputDirectory, jobs: Int) { (self.directory, self.jobs) = (directory, jobs) }

  static func count(_ arguments: ParsedArguments) throws(Diagnosis) -> Int {
    try arguments.number(option, in: 1...1024) ?? 1
  }

  /// Calls a closure for each file. Throws a `Diagnosis` before it processes any file.
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

private final class FileQueue: Sendable {
  private struct State {
    var startedCount = 0
    var endedCount = 0
    var failureCount = 0
    var status = ExitStatus.success
  }

  private let items: [OutputDirectory.Item]
  private let state = Mutex(State())
  private let line = ProgressLine()

  private static let reportedFailures = 10

  init(_ items: [OutputDirectory.Item]) { self.items = items }

  func next() -> OutputDirectory.Item? {
    state.withLock { state in
      guard state.startedCount < items.count else { return nil }
      state.startedCount += 1
      return items[state.startedCount - 1]
    }
  }

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
