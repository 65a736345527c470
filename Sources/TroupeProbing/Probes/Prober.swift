internal import Glibc
internal import TroupeFiles

/// Runs several probes at once.
///
/// A helper that runs more than one of them is started once, as a `ForkServer`, and forks a process for each. If the server ends, it is started
/// again for the next probe; without one, each probe is a program of its own, as those of this process's executable are.
package struct Prober {
  /// A probe to run.
  package struct Job {
    package let request: ProbeRequest
    /// The numbers of the jobs that have to succeed before this one.
    package let needs: [Int]

    package init(request: ProbeRequest, needs: [Int]) { (self.request, self.needs) = (request, needs) }
  }

  private let limits: ProbeLimits
  private let executable: ProbeExecutable
  /// Gets each unexpected end of a server, as a sentence.
  private let warn: (String) -> Void

  package init(_ limits: ProbeLimits, _ executable: ProbeExecutable = .own, warn: @escaping (String) -> Void = { _ in }) {
    self.limits = limits
    self.executable = executable
    self.warn = warn
  }

  /// Runs each job after the jobs that it needs, if these succeed. Calls both closures for each job on the calling thread.
  ///
  /// The needs must not contain a cycle.
  package func run(_ jobs: [Job], begin: (_ job: Int) -> Void = { _ in }, tell: (_ job: Int, ProbeOutcome) -> Void) {
    var waiting = Array(jobs.indices)
    var running: [(job: Int, process: ProbeProcess<ProbeStep, ProbeReport>)] = []
    var isGood: [Int: Bool] = [:]
    var servers = Servers(executable: executable, count: jobs.count, warn: warn)
    while !waiting.isEmpty || !running.isEmpty {
      var rest: [Int] = []
      for job in waiting {
        let needs = jobs[job].needs.map { isGood[$0] }
        if needs.contains(false) {
          isGood[job] = false
        } else if needs.contains(nil) || running.count >= limits.processes {
          rest.append(job)
        } else {
          do {
            running.append((job, try servers.start(jobs[job].request, limits)))
            begin(job)
          } catch  where !running.isEmpty {
            // The system may have room after another probe has ended.
            rest.append(job)
          } catch {
            isGood[job] = false
            tell(job, .inconclusive(executable.diagnosis(starting: error).about(jobs[job].request.path)))
          }
        }
      }
      waiting = rest
      if running.isEmpty { continue }
      ProcessClock.wait(for: running.flatMap(\.process.events))
      running.removeAll { job, process in
        guard let result = process.advance() else { return false }
        let outcome = result.outcome(jobs[job].request, limits, executable)
        if case .registered = outcome { isGood[job] = true } else { isGood[job] = false }
        tell(job, outcome)
        return true
      }
    }
  }

  /// The processes that start the probes of one run.
  private struct Servers {
    private let executable: ProbeExecutable
    private let warn: (String) -> Void
    /// The number of servers that may still be started.
    private var spare: Int
    private var server: ForkServer?

    init(executable: ProbeExecutable, count: Int, warn: @escaping (String) -> Void) {
      (self.executable, self.warn) = (executable, warn)
      // A plugin that ends its server may do so in each of its probes.
      spare = executable.path != nil && count > 1 ? 3 : 0
    }

    mutating func start(_ request: ProbeRequest, _ limits: ProbeLimits) throws(SystemError) -> ProbeProcess<
      ProbeStep, ProbeReport
    > {
      while let server = current() {
        do throws(SystemError) { return try ProbeProcess(request, limits, from: server) } catch {
          switch error.code {
          case EPIPE: warn("the process that forks probes has ended, and is started again")
          case EBUSY, EPERM, ENOSYS: spare = 0
          default: throw error
          }
          self.server = nil
        }
      }
      return try ProbeProcess(request, limits, executable: executable.path, variable: executable.variable)
    }

    private mutating func current() -> ForkServer? {
      if server == nil, spare > 0, let path = executable.path {
        spare -= 1
        server = try? ForkServer(executable: path, variable: executable.variable)
      }
      return server
    }
  }
}
