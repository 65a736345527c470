internal import Glibc
internal import TroupeFiles
package import TroupeSandbox

/// Runs checks of plugin files, each in a child process, several at once.
///
///     files × checks → jobs → waiting ─┬─ a needed check failed ──────────► skipped
///                                      └─ CheckChild (or this process) ───► CheckResult
///
/// A job waits for the checks that it needs. Results are reported in the order of files and checks, whatever order they end in. The
/// message of a crash has the last activity that the child reported (`CheckedFile.begin`).
package struct Validator {
  /// A plugin file to check.
  package struct File: Sendable {
    package let path: String
    /// The id of the plugin; nil if its manifest cannot be read.
    let id: String?
    /// The files that it may require, in loading order.
    let required: [String]

    package init(path: String, id: String? = nil, required: [String] = []) {
      (self.path, self.id, self.required) = (path, id, required)
    }
  }

  /// The process, the limits and the arguments of the checks.
  package struct Settings: Sendable {
    /// The limits of each process; `processes` is the number of checks that run at once.
    package var limits = ProbeLimits(deadline: .seconds(10), waiting: .seconds(10))
    /// Runs the checks in this process, one after the other.
    package var runsInProcess = false
    package var seed: UInt64 = 0
    /// Makes only the call of `seed`, which crashed an earlier run, instead of many calls from a random seed.
    package var reproduces = false

    package init() {}
  }

  /// The state of all checks, reported about every 100 ms while some run.
  package struct Progress: Sendable {
    package let done, count: Int
    package let running: [String]
  }

  private struct Job {
    let file: Int
    let check: Check
    /// The indices of the jobs that have to end before it, and those of the jobs that must not fail.
    var precursors: [Int] = []
    var needs: [Int] = []
  }

  private let files: [File]
  private let settings: Settings
  private let jobs: [Job]
  private var outcomes: [Outcome?]
  private var results: ValidationResults

  /// A result with the time that the check took.
  private struct Outcome {
    let result: CheckResult
    var time = Duration.zero
    /// True if a check that it needs, directly or through others, has failed.
    var isBlocked = false
  }

  /// - Parameter checks: Some of `Checks.all` in its order. A needed check that is not among them does not count.
  package init(_ files: [File], _ checks: [Check], _ settings: Settings = Settings()) {
    self.files = files
    self.settings = settings
    var jobs = files.indices.flatMap { file in checks.map { Job(file: file, check: $0) } }
    for index in jobs.indices {
      jobs[index].needs = jobs.indices.filter {
        jobs[$0].file == jobs[index].file && jobs[index].check.needs.contains(jobs[$0].check.name)
      }
      jobs[index].precursors = jobs[index].needs
      // `request` passes it the files that have been opened.
      if jobs[index].check.name == Checks.openingWithOthers {
        jobs[index].precursors += jobs.indices.filter {
          jobs[$0].check.name == Checks.opening && jobs[$0].file != jobs[index].file
        }
      }
    }
    self.jobs = jobs
    outcomes = Array(repeating: nil, count: jobs.count)
    results = ValidationResults(files: files.map { FileReport(file: $0.path, plugin: $0.id) }, seed: settings.seed)
  }

  /// Runs all checks once.
  ///
  /// - Parameter report: Called after each check, in the order of files and checks and on the calling thread, with the report of its
  ///   file, whose last check it is.
  /// - Throws: A `Diagnosis` if the system cannot start a process, or the error of `report`. Running child processes then end.
  package mutating func run(
    progress: (Progress) -> Void = { _ in }, report: (FileReport) throws -> Void = { _ in }
  ) throws -> ValidationResults {
    var reported = 0
    var starts: [Int: ContinuousClock.Instant] = [:]
    try ChildScheduler.run(jobs.count, atOnce: settings.limits.processes) { job in
      if jobs[job].precursors.contains(where: { outcomes[$0] == nil }) { return .waits }
      guard let outcome = skipped(job) ?? (settings.runsInProcess ? runHere(job) : nil) else { return .ready }
      outcomes[job] = outcome
      try reportFinished(&reported, report)
      return .finished
    } start: { job throws(SystemError) in
      starts[job] = .now
      return try Child<CheckStep, CheckResult>(request(job), settings.limits, role: .check)
    } fail: { _, error in
      throw Diagnosis(.missingResource, problem: "no process can be started: \(error)", remedy: "raise the limits with ulimit")
    } report: { running in
      progress(
        Progress(done: outcomes.count { $0 != nil }, count: jobs.count, running: running.map { jobs[$0].check.name }))
    } finish: { job, run in
      let time = starts[job].map { .now - $0 } ?? Duration.zero
      outcomes[job] = Outcome(result: run.result(request(job), settings.limits), time: time)
      try reportFinished(&reported, report)
    }
    return results
  }

  /// Reports the results that are next in the order.
  private mutating func reportFinished(_ reported: inout Int, _ report: (FileReport) throws -> Void) throws {
    while reported < jobs.count, let outcome = outcomes[reported] {
      let file = jobs[reported].file
      results.files[file].add(CheckReport(jobs[reported].check, outcome.result, outcome.time))
      try report(results.files[file])
      reported += 1
    }
  }

  /// Returns the result of a check that is skipped because of the checks that it needs; nil if it has to run.
  private func skipped(_ job: Int) -> Outcome? {
    for need in jobs[job].needs {
      guard let outcome = outcomes[need] else { continue }
      if outcome.result.verdict.isFailure {
        let reason = "needs \(jobs[need].check.name), which \(outcome.result.verdict.rawValue)"
        return Outcome(result: CheckResult(.skipped, reason), isBlocked: true)
      }
      // The first check of a group decides whether the group applies.
      let decides = jobs[need].check.isFirstOfGroup && jobs[need].check.group == jobs[job].check.group
      if outcome.isBlocked || (outcome.result.verdict == .skipped && decides) {
        return Outcome(result: outcome.result, isBlocked: outcome.isBlocked)
      }
    }
    return nil
  }

  private func request(_ job: Int) -> CheckRequest {
    let file = jobs[job].file
    let others = files.indices.filter { other in
      guard other != file else { return false }
      let opened = jobs.indices.first { jobs[$0].file == other && jobs[$0].check.name == Checks.opening }
      return opened.map { outcomes[$0]?.result.verdict == .passed } ?? true
    }
    return CheckRequest(
      check: jobs[job].check.name, path: files[file].path, required: files[file].required,
      others: others.map { files[$0].path }, seed: settings.seed, reproduces: settings.reproduces,
      time: min(settings.limits.deadline, settings.limits.waiting) / 3)
  }

  private func runHere(_ job: Int) -> Outcome {
    let start = ContinuousClock.now
    let subject = CheckedFile(request(job))
    let result = jobs[job].check.run(subject)
    subject.shutdown()
    return Outcome(result: result, time: .now - start)
  }
}
