internal import TroupeFiles
internal import TroupeSandbox

/// The transcript of a process that runs a check.
typealias CheckTranscript = ChildRun<CheckStep, CheckResult>
typealias CheckProcess = Child<CheckStep, CheckResult>

extension CheckTranscript {
  /// The result of the check.
  func result(_ request: CheckRequest, _ limits: ProbeLimits) -> CheckResult {
    let activity = step.map { " \($0.activity)" } ?? ""
    let debugging = "run troupe validate --in-process --only '^\(request.check)$' with the file in a debugger"
    func failed(_ problem: String, remedy: String) -> CheckResult { CheckResult(.failed, problem, remedy: remedy) }
    if let startFailure { return failed("could not be checked: \(SystemError(code: startFailure))", remedy: "try again") }
    if let deniedCall {
      return failed("could not be checked: the system call \(deniedCall) is refused", remedy: SystemError.sandboxRemedy)
    }
    if violation != nil {
      return failed("writes to descriptors that are not its own", remedy: "write to its own descriptors only")
    }
    if lostChannel { return failed("closes descriptors that are not its own", remedy: "close its own descriptors only") }
    if let refusedAction {
      return failed("\(refusedAction)\(activity)", remedy: "leave other processes and the rights of its own to the program")
    }
    if isDone, end == .exited(0), let report { return report }
    let location = location(request).map { ", at \($0)" } ?? ""
    switch reachedLimit {
    case .processorTime?:
      return failed("used more than \(limits.deadline.inSeconds) s of processor time\(activity)\(location)", remedy: debugging)
    case .waiting?: return failed("waited for more than \(limits.waiting.inSeconds) s\(activity)\(location)", remedy: debugging)
    case nil: break
    }
    let words = outputTail.map { ": \($0)" } ?? ""
    switch end ?? .unknown {
    case .exited(let status):
      return CheckResult(
        .crashed, "ended the process with status \(status)\(activity)\(words)", remedy: "return a failure instead of exiting")
    case .killed(let number):
      let name = SignalName.of(signal?.number ?? number)
      return CheckResult(.crashed, "crashed with \(name)\(activity)\(location)\(words)", remedy: debugging)
    case .unknown: return failed("could not be checked, since the status of the process was lost", remedy: "try again")
    }
  }

  /// The location of a crash: the innermost call in the plugin's file.
  private func location(_ request: CheckRequest) -> String? {
    guard let signal else { return nil }
    let library = Path.resolved(request.path) ?? request.path
    let frames = Backtrace(signal, maps: maps, library: library, host: OwnLibrary.path).frames
    return (frames.first { $0.path == library } ?? frames.first { $0.path != nil })?.description
  }
}

extension Duration {
  /// The seconds, such as `10` or `0.5`.
  fileprivate var inSeconds: String {
    let seconds = self / .seconds(1)
    return seconds == seconds.rounded() && seconds < 1e6 ? "\(Int(seconds))" : "\(seconds)"
  }
}
