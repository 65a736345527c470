internal import CSandbox
internal import Glibc
package import TroupeFiles

extension Diagnosis {
  /// The fault of a plugin that is put into quarantine. A worker can still load it.
  package static func harm(path: String, id: String, _ code: Code, _ problem: String, _ backtrace: [String]) -> Diagnosis {
    // Without a directory the quarantine ends with the process.
    let release = UserDirectories.state == nil ? "" : "; to probe it again unchanged, run troupe quarantine clear \(id)"
    return Diagnosis(
      code, path, problem: problem,
      remedy: "run it in a worker with --isolate \(id), in programs with the option isolations, or fix it" + release,
      backtrace: backtrace)
  }
}

package enum ProbeOutcome: Sendable, Hashable {
  /// The plugin can be loaded and has these registrations. The text is the end of its output; nil without output, and if the plugin needs
  /// others.
  case registered(PluginSummary, printed: String? = nil)
  /// The plugin cannot be loaded, for a reason in the plugin or its environment.
  case rejected(Diagnosis)
  /// Loading this content harms the process.
  case harmful(Diagnosis)
  /// The probe failed and shows nothing about the plugin.
  case inconclusive(Diagnosis)
}

/// The transcript of a probe.
typealias ProbeRun = ChildRun<ProbeStep, ProbeReport>

extension ProbeRun {
  func outcome(
    _ request: ProbeRequest, _ limits: ProbeLimits, _ executable: ProbeExecutable = .own
  ) -> ProbeOutcome {
    func harmful(_ code: Diagnosis.Code, _ problem: String, _ backtrace: [String] = []) -> ProbeOutcome {
      .harmful(.harm(path: request.path, id: request.id, code, problem, backtrace))
    }
    func inconclusive(_ problem: String, _ remedy: String = "try again") -> ProbeOutcome {
      .inconclusive(Diagnosis(.notProbed, request.path, problem: problem, remedy: remedy))
    }
    func changing(_ changes: [String], _ location: String = "", _ backtrace: [String] = []) -> ProbeOutcome {
      harmful(
        .changedProcessState, "changes state of the whole process: it " + changes.joined(separator: ", it ") + location,
        backtrace)
    }
    if let startFailure {
      let (problem, remedy) = SystemError(code: startFailure).startFailure
      return inconclusive("could not be probed: \(problem)", remedy)
    }
    if let deniedCall {
      return inconclusive("could not be probed: the system call \(deniedCall) is refused", SystemError.sandboxRemedy)
    }
    guard isReady else { return .inconclusive(executable.diagnosis(withoutAnswer: ending).about(request.path)) }
    switch violation {
    case .foreignBytes?: return changing([ProcessState.writing])
    case .tooLong(let size)?:
      return .rejected(
        Diagnosis(
          .refused, request.path,
          problem: "registers factories with \(size) bytes of texts, and \(ChildInbox.messageLimit) are allowed",
          remedy: "register fewer factories, or shorter texts"))
    case nil: break
    }
    let refused = refusedAction
    // A report is valid only if the process then reached its regular end.
    if isDone && end == .exited(0) && refused == nil {
      switch report {
      // The plugins that it needs may have printed the text.
      case .registered(let summary)?: return .registered(summary, printed: request.needs.isEmpty ? outputTail : nil)
      case .rejected(let diagnosis)?: return .rejected(diagnosis)
      case .unusable(let diagnosis)?: return harmful(diagnosis.code, diagnosis.problem)
      case .changedProcessState?, .failed?, nil: break
      }
    }
    if case .failed(let why)? = report { return inconclusive("could not be probed: \(why)") }
    if let step, step.plugin != request.id {
      return inconclusive("could not be probed, since \(step.plugin), which it needs, did not survive: \(ending)")
    }
    if case .changedProcessState(let changes)? = report { return changing(changes + [refused].compactMap(\.self)) }
    if lostChannel { return changing([ProcessState.closing]) }
    let place = (step?.step ?? .opening).place
    let backtrace = signal.map {
      Backtrace(
        $0, maps: maps, library: request.library, host: OwnLibrary.path,
        copies: [MemoryMap.pathOfMemoryFile(request.id): request.library])
    }
    let frames = backtrace?.frames.map(\.description) ?? []
    // The plugin's frame is more useful than that of a system function above it.
    let own = backtrace?.frames.first { $0.path == request.library } ?? backtrace?.frames.first
    let location = own.map { ", at \($0)" } ?? ""
    if let refused {
      // The location in a process that the plugin started is unknown.
      return isRefusalLocated ? changing([refused], " \(place)\(location)", frames) : changing([refused])
    }
    switch reachedLimit {
    case .processorTime?:
      return harmful(
        .timedOut, "used more than \(limits.deadline.inSeconds) s of processor time \(place)\(location)", frames)
    case .waiting?:
      return harmful(.timedOut, "waited for more than \(limits.waiting.inSeconds) s \(place)\(location)", frames)
    case nil: break
    }
    let words = outputTail.map { ": \($0)" } ?? ""
    switch end ?? .unknown {
    case .exited(let status): return harmful(.exited, "ended the process with status \(status) \(place)\(words)")
    case .killed(let number) where signal == nil && Self.signalsOfOthers.contains(number):
      return inconclusive("could not be probed: \(ending)")
    case .killed(let number):
      // The reported signal, even if the host ended the process during the backtrace.
      let name = SignalName.of(signal?.number ?? number)
      return harmful(.crashed, "crashed with \(name) \(place)\(location)\(words)", frames)
    case .unknown:
      return signal.map { harmful(.crashed, "crashed with \(SignalName.of($0.number)) \(place)\(location)\(words)", frames) }
        ?? inconclusive("could not be probed: \(ending)")
    }
  }

  /// Signals from outside: the end of a session, a shutdown, the out-of-memory killer.
  private static var signalsOfOthers: [Int32] { [SIGTERM, SIGINT, SIGHUP, SIGKILL, SIGPWR] }

  private var ending: String { (end ?? .unknown).sentence(outputTail) }
}
