internal import Glibc
internal import TroupeFiles

/// Runs several probes at once.
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

  package init(_ limits: ProbeLimits, _ executable: ProbeExecutable = .own) {
    self.limits = limits
    self.executable = executable
  }

  /// Runs each job after the jobs that it needs, if these succeed. Calls both closures for each job on the calling thread.
  ///
  /// The needs must not contain a cycle.
  package func run(_ jobs: [Job], begin: (_ job: Int) -> Void = { _ in }, tell: (_ job: Int, ProbeOutcome) -> Void) {
    var waiting = Array(jobs.indices)
    var running: [(job: Int, process: ProbeProcess<ProbeStep, ProbeReport>)] = []
    var isGood: [Int: Bool] = [:]
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
            running.append((job, try start(jobs[job].request)))
            begin(job)
          } catch  where !running.isEmpty {
            // The system may have room after another probe has ended.
            rest.append(job)
          } catch {
            isGood[job] = false
            tell(job, .inconclusive(executable.fault(starting: error).about(jobs[job].request.path)))
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

  private func start(_ request: ProbeRequest) throws(SystemError) -> ProbeProcess<ProbeStep, ProbeReport> {
    try ProbeProcess(request, limits, executable: executable.path, variable: executable.variable)
  }
}
