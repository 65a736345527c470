internal import Glibc
internal import TroupeFiles

/// Runs a batch of probes, several at once, each after the probes on which it depends.
///
///     .own, .answering     each probe starts this process's executable
///     .helper              one probe starts the helper; several are forked by it, as a `ForkServer`
///
/// A server that ends is replaced for the next probe. After three servers, or where no server can be used, each probe starts the helper.
package struct Prober {
  package struct Job {
    package let request: ProbeRequest
    /// The indices of the jobs that have to register before this one begins.
    package let needs: [Int]

    package init(request: ProbeRequest, needs: [Int]) { (self.request, self.needs) = (request, needs) }
  }

  private let limits: ProbeLimits
  private let executable: ProbeExecutable
  /// Gets a sentence for each server that has ended unexpectedly.
  private let warn: (String) -> Void

  package init(_ limits: ProbeLimits, _ executable: ProbeExecutable = .own, warn: @escaping (String) -> Void = { _ in }) {
    self.limits = limits
    self.executable = executable
    self.warn = warn
  }

  /// Runs each job after the jobs that it needs, and returns when all have ended. Skips a job, and calls neither closure for it, if one
  /// that it needs has another outcome than `.registered`.
  ///
  /// - Precondition: The needs contain no cycle. The jobs of a cycle would wait for each other forever.
  /// - Parameters:
  ///   - begin: Called on this thread when the process of a job has started.
  ///   - tell: Called on this thread with the outcome of a job, also if its process could not be started.
  package func run(_ jobs: [Job], begin: (_ job: Int) -> Void = { _ in }, tell: (_ job: Int, ProbeOutcome) -> Void) {
    // Whether each finished job has registered. A skipped job counts as one that has not.
    var hasPassed: [Int: Bool] = [:]
    var starter = Starter(executable: executable, count: jobs.count, warn: warn)
    ChildScheduler.run(jobs.count, atOnce: limits.processes) { job in
      let needs = jobs[job].needs.map { hasPassed[$0] }
      guard needs.contains(false) else { return needs.contains(nil) ? .waits : .ready }
      hasPassed[job] = false
      return .finished
    } start: { job throws(SystemError) in
      let child = try starter.start(jobs[job].request, limits)
      begin(job)
      return child
    } fail: { job, error in
      hasPassed[job] = false
      tell(job, .inconclusive(executable.diagnosis(starting: error).about(jobs[job].request.path)))
    } finish: { job, run in
      let outcome = run.outcome(jobs[job].request, limits, executable)
      if case .registered = outcome { hasPassed[job] = true } else { hasPassed[job] = false }
      tell(job, outcome)
    }
    starter.checkServer()
  }

  /// Starts the processes of one run: has a fork server fork them while there is one, and starts the executable otherwise.
  private struct Starter {
    private let executable: ProbeExecutable
    private let warn: (String) -> Void
    /// The number of servers that may still be started. 0 from the beginning for a batch without a server.
    private var remainingServers: Int
    private var server: ForkServer?

    init(executable: ProbeExecutable, count: Int, warn: @escaping (String) -> Void) {
      (self.executable, self.warn) = (executable, warn)
      // The limit is for plugins that end the server: each of their probes may do so.
      remainingServers = executable.path != nil && count > 1 ? 3 : 0
    }

    mutating func start(_ request: ProbeRequest, _ limits: ProbeLimits) throws(SystemError) -> Child<
      ProbeStep, ProbeReport
    > {
      while let server = current() {
        do throws(SystemError) { return try Child(request, limits, from: server) } catch {
          switch error.code {
          case EPIPE: checkServer()
          // The helper has several threads, or the system denies pidfd_open(2), which shows the end of a forked child.
          case EBUSY, EPERM, ENOSYS: remainingServers = 0
          default: throw error
          }
          self.server = nil
        }
      }
      return try Child(request, limits, executable: executable.path, role: executable.role)
    }

    /// Forgets a server that has ended, and warns of that.
    mutating func checkServer() {
      guard server?.hasEnded == true else { return }
      server = nil
      warn(
        "the process that forks probes has ended, and "
          + (remainingServers > 0 ? "is started again for the next one" : "each further probe is a program of its own"))
    }

    /// Returns the server, and starts one if there is none. Nil if no further one may be started, or if the start fails.
    private mutating func current() -> ForkServer? {
      checkServer()
      if server == nil, remainingServers > 0, let path = executable.path {
        remainingServers -= 1
        server = try? ForkServer(executable: path)
      }
      return server
    }
  }
}
