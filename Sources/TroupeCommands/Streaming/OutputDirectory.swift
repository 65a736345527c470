internal import Glibc
internal import Synchronization
internal import TroupeHost

/// The directory of `--output-directory`, which has an output for each input file, under the path of the input.
struct OutputDirectory: Sendable {
  static let option = Option(
    "output-directory", value: "DIR",
    "Write the output of each FILE to the file DIR/FILE, which appears when it is complete. A failing FILE does not end the command."
  )
  static let resume = Option(
    "resume", "Skip each FILE whose output in DIR is complete and not older than FILE.")

  /// An input and the path of its output.
  struct Task: Sendable {
    let input: InputFile
    let output: String
  }

  /// The tasks, in the order of the files.
  let tasks: [Task]
  private let skipsComplete: Bool

  /// The temporary files of the outputs that are being written.
  private static let partialPaths = Mutex<Set<String>>([])

  /// Reads the options for files, and creates the directories of the outputs. Returns nil without `--output-directory`. Throws a
  /// `Diagnosis`.
  init?(_ files: [InputFile], _ arguments: ParsedArguments) throws(Diagnosis) {
    guard let path = arguments.one(Self.option) else {
      if arguments.has(Self.resume) {
        throw Diagnosis(
          .usage, "--resume", problem: "needs --output-directory DIR", remedy: "name the directory of the outputs")
      }
      return nil
    }
    let directory = try Self.absolute(path)
    tasks = try files.map { file throws(Diagnosis) in
      Task(input: file, output: try "\(directory)/\(Self.relativePath(of: file))")
    }
    skipsComplete = arguments.has(Self.resume)
    try Self.checkDistinct(tasks)
    try Self.prepareDirectories(tasks)
  }

  /// Whether to skip a task, since its output exists and is not older than the input.
  func skips(_ task: Task) -> Bool {
    var output = stat()
    guard skipsComplete, stat(task.output, &output) == 0, output.st_mode & S_IFMT == S_IFREG,
      let input = task.input.modificationTime
    else { return false }
    return (output.st_mtim.tv_sec, output.st_mtim.tv_nsec) >= (input.tv_sec, input.tv_nsec)
  }

  /// Writes the output of a task. The closure gets a temporary file, which then replaces the former output. Throws the error of the closure
  /// or a `Diagnosis`.
  static func write(_ task: Task, _ body: (ByteStream) throws -> Void) throws {
    let path = task.output
    guard !task.input.isSameFile(as: path) else {
      throw Diagnosis(.usage, task.input.path, problem: "is its own output", remedy: "name another output directory")
    }
    do {
      var partial = try PartialFile(for: path, mode: 0o666)
      let temporary = partial.temporaryPath
      partialPaths.withLock { _ = $0.insert(temporary) }
      defer { partialPaths.withLock { _ = $0.remove(temporary) } }
      try body(ByteStream(descriptor: partial.file.number, name: path))
      try partial.complete()
    } catch let error as SystemError {
      throw Diagnosis(.inputOutput, path, problem: "cannot be written: \(error)", remedy: "name another directory")
    }
  }

  /// Removes the temporary files when a signal ends the process, for as long as the returned value lives. Throws a `Diagnosis`.
  static func removingPartialFilesAtSignals() throws -> EndingSignals {
    try EndingSignals { number in
      partialPaths.withLock { for path in $0 { unlink(path) } }
      signal(number, SIG_DFL)
      kill(getpid(), number)
    }
  }

  // MARK: Paths

  private static func absolute(_ path: String) throws(Diagnosis) -> String {
    do throws(SystemError) {
      return try Path.absolute(path)
    } catch {
      throw Diagnosis(.inputOutput, path, problem: "cannot be written: \(error)", remedy: "name an absolute path")
    }
  }

  /// The path of the input below the output directory: without empty components, `.` and the leading slash.
  private static func relativePath(of file: InputFile) throws(Diagnosis) -> String {
    guard file.path != InputFile.standardInput.path else {
      throw Diagnosis(
        .usage, OutputDirectory.option.word, problem: "standard input has no name for its output", remedy: "name files")
    }
    let parts = file.path.utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
    guard !parts.contains("..") else {
      throw Diagnosis(
        .usage, file.path, problem: "has no place in the output directory, since it contains ..",
        remedy: "name it by a path without ..")
    }
    return parts.filter { $0 != "." }.joined(separator: "/")
  }

  /// Throws if two inputs have the same output.
  private static func checkDistinct(_ tasks: [Task]) throws(Diagnosis) {
    var inputs: [String: InputFile] = [:]
    for task in tasks {
      if let other = inputs.updateValue(task.input, forKey: task.output) {
        throw Diagnosis(
          .usage, task.output, problem: "is the output of \(other.path) and of \(task.input.path)",
          remedy: "name each file once")
      }
    }
  }

  /// Creates the directories, and removes the stale temporary files of the outputs.
  private static func prepareDirectories(_ tasks: [Task]) throws(Diagnosis) {
    for (directory, tasks) in Dictionary(grouping: tasks, by: { Path.directory(of: $0.output) }) {
      do throws(SystemError) {
        try AtomicFile.makeDirectory(directory, 0o777)
      } catch {
        throw Diagnosis(
          .inputOutput, directory, problem: "cannot be created: \(error)", remedy: "name another output directory")
      }
      PartialFile.removeStale(in: directory, of: Set(tasks.map { Path.lastComponent(of: $0.output) }))
    }
  }
}
