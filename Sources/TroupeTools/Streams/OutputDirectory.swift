internal import Glibc
internal import Synchronization
package import TroupeHost

/// The directory of `--output-directory`, with one output for each input.
///
///     texts/a.txt  →  DIR/texts/a.txt        written as DIR/texts/.a.txt.… and renamed when it is complete
///
/// An output appears complete or not at all, also if the process is killed: several processes can share the inputs, and a resumed run
/// skips complete outputs. Temporary files are removed at termination signals and, if a process was killed, by the next run.
package struct OutputDirectory: Sendable {
  package struct Item: Sendable {
    package let input: InputFile
    package let output: String
  }

  let items: [Item]
  private let skipsComplete: Bool
  private let inputs: Set<FileIdentity>

  /// The temporary files of the outputs that are being written.
  private static let partialPaths = Mutex<Set<String>>([])

  /// - Parameters:
  ///   - path: The directory, which need not exist.
  ///   - resumes: True to skip the inputs with a complete output.
  package init(_ path: String, for files: [InputFile], resumes: Bool) throws(Diagnosis) {
    let directory = try Self.absolute(path)
    items = try files.map { file throws(Diagnosis) in
      Item(input: file, output: try "\(directory)/\(Self.relativePath(of: file))")
    }
    skipsComplete = resumes
    inputs = Set(files.compactMap(\.identity))
    try checkDistinct()
  }

  /// Returns false in a resumed run if the output exists and is not older than the input. Throws a `Diagnosis` if the output would replace
  /// an input.
  func needsProcessing(_ item: Item) throws(Diagnosis) -> Bool {
    var output = stat()
    guard stat(item.output, &output) == 0 else { return true }
    guard !inputs.contains(FileIdentity(output)) else {
      throw Diagnosis(.usage, item.output, problem: "is an input, too", remedy: "name another output directory")
    }
    guard skipsComplete, output.st_mode & S_IFMT == S_IFREG, let input = item.input.modificationTime else { return true }
    return (output.st_mtim.tv_sec, output.st_mtim.tv_nsec) < (input.tv_sec, input.tv_nsec)
  }

  /// Writes an output. The closure gets a temporary file, which then replaces the former output. Throws the error of the closure or a
  /// `Diagnosis`; the former output is unchanged then.
  package static func write(_ path: String, _ body: (ByteStream) throws -> Void) throws {
    do {
      // No file is created after a signal has removed the others.
      let partial = try partialPaths.withLock { paths in
        let partial = try PartialFile(for: path, mode: 0o666)
        paths.insert(partial.temporaryPath)
        return partial
      }
      let temporary = partial.temporaryPath
      defer { partialPaths.withLock { _ = $0.remove(temporary) } }
      try body(ByteStream(descriptor: partial.file.rawValue, name: path))
      try partial.complete()
    } catch let error as SystemError {
      throw failure(path, "written", error)
    }
  }

  /// Removes the temporary files when a signal ends the process, for as long as the returned value lives. Throws a `Diagnosis`.
  static func removingPartialFilesAtSignals() throws -> TerminationSignals {
    try TerminationSignals { number in
      partialPaths.withLock { paths in
        for path in paths { unlink(path) }
        signal(number, SIG_DFL)
        kill(getpid(), number)
        // The process ends with the lock, so that no job creates another file.
        while true { pause() }
      }
    }
  }

  private static func failure(_ path: String, _ verb: String, _ error: SystemError) -> Diagnosis {
    Diagnosis(
      error.fileCode(else: .inputOutput), path, problem: "cannot be \(verb): \(error)",
      remedy: error.fileRemedy ?? "name another output directory")
  }

  /// Creates the directories of the outputs, and removes the temporary files that ended commands left there. Throws a `Diagnosis`, also if
  /// two inputs have the same output since a link in the directory leads to another part of it.
  func prepare() throws(Diagnosis) {
    var outputs: [FileIdentity: Set<[UInt8]>] = [:]
    for items in Dictionary(grouping: items, by: { Path.key(Path.directory(of: $0.output)) }).values {
      let directory = Path.directory(of: items[0].output)
      do throws(SystemError) {
        try AtomicFile.makeDirectory(directory, 0o777)
      } catch {
        throw Self.failure(directory, "created", error)
      }
      let names = items.map { Path.lastComponent(of: $0.output) }
      if let identity = FileIdentity(of: directory) {
        for name in names where !outputs[identity, default: []].insert(Path.key(name)).inserted {
          throw Diagnosis(
            .usage, "\(directory)/\(name)", problem: "is the output of two files",
            remedy: "remove the link in the output directory")
        }
      }
      PartialFile.removeStale(in: directory, of: names)
    }
  }

  // MARK: Paths

  private static func absolute(_ path: String) throws(Diagnosis) -> String {
    do throws(SystemError) {
      return try Path.absolute(path)
    } catch {
      throw failure(path, "written", error)
    }
  }

  /// The path of the input below the output directory: without empty components, `.` and the leading slash.
  private static func relativePath(of file: InputFile) throws(Diagnosis) -> String {
    guard file.path != InputFile.standardInput.path else {
      throw Diagnosis(
        .usage, "--output-directory", problem: "standard input has no name for its output", remedy: "name files")
    }
    let parts = file.path.utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
    guard !parts.contains("..") else {
      throw Diagnosis(
        .usage, file.path, problem: "has no place in the output directory, since it contains ..",
        remedy: "name it by a path without ..")
    }
    return parts.filter { $0 != "." }.joined(separator: "/")
  }

  private func checkDistinct() throws(Diagnosis) {
    var inputs: [[UInt8]: InputFile] = [:]
    for item in items {
      if let other = inputs.updateValue(item.input, forKey: Path.key(item.output)) {
        throw Diagnosis(
          .usage, item.output, problem: "is the output of \(other.path) and of \(item.input.path)",
          remedy: "name each file once")
      }
    }
  }
}
