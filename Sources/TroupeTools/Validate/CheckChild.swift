internal import Glibc
internal import TroupeFiles
internal import TroupeSandbox

/// Runs a check in the calling process and ends the process. Called by the launcher of the command.
@c(troupe_check_main)
public func troupeCheckMain(_ descriptor: Int32) {
  CheckChild(session: ChildSession(descriptor)).run()
}

/// The child process of one check: request in, steps and one result out, over the channel of a probe.
///
///     Validator ── CheckRequest ──► CheckChild
///               ◄── ready, CheckStep …, CheckResult, done ──
///
/// The parent learns of a crash from the end of the process, and names the last step. The result is sent before the exit handlers of
/// the plugin run.
struct CheckChild {
  let session: ChildSession

  /// The limits of the process. A thousand instances may each have a descriptor.
  private static let (memory, descriptors): (UInt64, UInt64) = (4 << 30, 2048)
  /// The exit status of a process that cannot read its request.
  private static let invalidRequest: Int32 = 70

  func run() -> Never {
    guard let request = session.request(CheckRequest.self), let check = Checks.named(request.check) else {
      _exit(Self.invalidRequest)
    }
    session.begin(memory: Self.memory, descriptors: Self.descriptors)
    let process = getpid()
    let subject = CheckedFile(request, descriptors: [session.descriptor]) { [session] activity in
      session.send(step: CheckStep(activity))
    }
    let result = check.run(subject)
    // A process that the plugin forked returns here, too.
    guard getpid() == process else { _exit(0) }
    session.send(report: result)
    if check.includesExit && !Sanitizer.isLoaded { session.exit(CheckStep("when the process exited", isExit: true)) }
    // The hosts live on, so that no further code of the plugin runs.
    withExtendedLifetime(subject) { session.end() }
  }
}

// MARK: The conclusion of the parent

extension ChildRun<CheckStep, CheckResult> {
  func result(_ request: CheckRequest, _ limits: ProbeLimits) -> CheckResult {
    let activity = step.map { " \($0.activity)" } ?? ""
    let debugging = "run lldb -- troupe validate --in-process --only '^\(request.check)$' \(request.path.shellWord)"
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

// MARK: Messages

/// Asks a child process to run one check of a file.
struct CheckRequest: Sendable, Hashable {
  let check: String
  let path: String
  /// The files that the plugin may require, in loading order.
  var required: [String] = []
  /// Other plugins, which a program may load before or after it.
  var others: [String] = []
  var seed: UInt64 = 0
  /// Repeats only the call with the seed.
  var reproduces = false
  /// The time for repeated work. The process has more, since loading and each single call take time, too.
  let time: Duration
}

extension CheckRequest: Recordable {
  func write(to writer: inout RecordWriter) {
    writer.write(check, path, required, others, seed, reproduces)
    writer.write(Int64(time / .microseconds(1)))
  }

  init(from reader: inout RecordReader) throws(ReadError) {
    (check, path, required, others, seed, reproduces) = try reader.values()
    time = .microseconds(try Int64(from: &reader))
  }
}

/// An activity of the plugin, reported by the process of a check before it begins.
struct CheckStep: ReportedStep, Hashable {
  /// The end of a sentence, such as `when it was loaded`.
  let activity: String
  let isExit: Bool

  init(_ activity: String, isExit: Bool = false) { (self.activity, self.isExit) = (activity, isExit) }

  func write(to writer: inout RecordWriter) { writer.write(activity, isExit) }

  init(from reader: inout RecordReader) throws(ReadError) { (activity, isExit) = try reader.values() }
}
