internal import TroupeHost
internal import TroupeTools

/// The options of commands that write an output for each file, and the reports of their jobs.
extension FileJobs {
  private static let reportedFailures = 10

  /// The number of `--jobs`.
  static func count(_ arguments: ParsedArguments) throws(Diagnosis) -> Int { try arguments.number(.jobs, in: 1...1024) ?? 1 }

  /// Processes the files. Prints the first failures, their number, and the progress. Returns the status of the first failure.
  func runWithProgress(
    _ process: @escaping @Sendable (OutputDirectory.Item) async throws -> Void
  ) async throws -> ExitStatus {
    let line = ProgressLine()
    let end = try await run(
      report: { progress in
        if let failure = progress.failure, progress.failureCount <= Self.reportedFailures { Terminal.printMessage(failure) }
        line.show("\(progress.endedCount) of \(progress.fileCount) files ")
      }, process)
    line.end(keepsText: false)
    guard let code = end.firstFailure else { return .success }
    Terminal.printMessage("\(end.failureCount) of \(end.fileCount) file\(end.fileCount == 1 ? "" : "s") failed")
    return ExitStatus(code)
  }
}

extension OutputDirectory {
  /// Returns nil without `--output-directory`.
  init?(_ files: [InputFile], _ arguments: ParsedArguments) throws(Diagnosis) {
    guard let path = arguments.one(.outputDirectory) else {
      if arguments.has(.resume) {
        throw Diagnosis(
          .usage, "--resume", problem: "needs --output-directory DIR", remedy: "name the directory of the outputs")
      }
      return nil
    }
    try self.init(path, for: files, resumes: arguments.has(.resume))
  }
}
