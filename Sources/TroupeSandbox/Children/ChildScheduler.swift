internal import Glibc
package import TroupeFiles

/// Runs jobs in child processes, several at once, on the calling thread.
///
///     waiting ──start──► running ──its end──► finish
///        ├──── decided without a child ─────────▲
///        └──── no child can be started: fail, or wait until another one has ended
///
/// The owner has the jobs, which are numbers from 0. It says when each may start, and keeps the results.
package enum ChildScheduler {
  package enum Readiness {
    /// Another job has to finish first.
    case waits
    case finished
    case ready
  }

  /// Runs each job once, and returns when all are finished.
  ///
  /// - Precondition: No jobs wait for each other in a cycle.
  /// - Parameters:
  ///   - limit: The number of children that run at once.
  ///   - fail: Gets the error of a job whose child cannot be started while no other one runs.
  ///   - report: Gets the running jobs, after each event of a child and at least every 100 ms.
  /// - Throws: The error of a closure. Running children then end.
  package static func run<Step, Report, Failure: Error>(
    _ count: Int, atOnce limit: Int, readiness: (_ job: Int) throws(Failure) -> Readiness,
    start: (_ job: Int) throws(SystemError) -> Child<Step, Report>, fail: (_ job: Int, SystemError) throws(Failure) -> Void,
    report: (_ running: [Int]) -> Void = { _ in }, finish: (_ job: Int, ChildRun<Step, Report>) throws(Failure) -> Void
  ) throws(Failure) {
    var waiting = Array(0..<count)
    var running: [(job: Int, child: Child<Step, Report>)] = []
    while !waiting.isEmpty || !running.isEmpty {
      var rest: [Int] = []
      for (index, job) in waiting.enumerated() {
        if running.count >= limit {
          rest += waiting[index...]
          break
        }
        switch try readiness(job) {
        case .waits: rest.append(job)
        case .finished: break
        case .ready:
          let child: Child<Step, Report>
          do throws(SystemError) {
            child = try start(job)
          } catch {
            // The system may have room after another child has ended.
            if running.isEmpty { try fail(job, error) } else { rest.append(job) }
            continue
          }
          running.append((job, child))
        }
      }
      waiting = rest
      report(running.map(\.job))
      if running.isEmpty { continue }
      ProcessClock.wait(for: running.flatMap(\.child.events))
      for index in running.indices.reversed() {
        guard let run = running[index].child.advance() else { continue }
        try finish(running.remove(at: index).job, run)
      }
    }
  }
}
