internal import CProbe
internal import Glibc
package import TroupeFiles

/// The messages, the output and the end of a probe.
struct ProbeResult {
  /// Whether it read the request.
  var isReady = false
  /// The last reported step.
  var step: ProbeStep?
  /// The result of loading.
  var report: ProbeReport?
  /// Whether it reached its regular end.
  var isDone = false
  /// The signal that it reported before its end.
  var signal: ProbeSignal?
  /// The content of `/proc/self/maps` at the signal.
  var maps: [UInt8] = []
  /// The limit that it reached, for which the host ended it; nil for none.
  var reachedLimit: ProcessClock.Limit?
  /// The fault of the channel; nil for none.
  private(set) var fault: ProbeInbox.Fault?
  /// The errno of the failed fork for the plugin's process; nil if it was started.
  private(set) var startFailure: Int32?
  /// The end of the plugin's process.
  var end: ProcessEnd?
  /// The cause (probe.h) for which a system call of the plugin or of its processes was refused; 0 for none.
  private(set) var refusal: Int32 = 0
  /// Whether it lost the channel.
  var isMute = false
  /// The end of its output.
  private(set) var output: [UInt8] = []

  private static let outputLimit = 4096
  private static let mapsLimit = 4 << 20

  /// Adds a message of the probe.
  mutating func take(_ kind: Int, _ content: [UInt8]) {
    guard fault == nil else { return }
    do {
      switch kind {
      case TROUPE_PROBE_READY: isReady = true
      case TROUPE_PROBE_STEP: step = try RecordReader.value(ProbeStep.self, content)
      case TROUPE_PROBE_REPORT: report = try RecordReader.value(ProbeReport.self, content)
      case TROUPE_PROBE_DONE: isDone = true
      case TROUPE_PROBE_SIGNAL: signal = try RecordReader.value(ProbeSignal.self, content)
      case TROUPE_PROBE_MAPS: if maps.count < Self.mapsLimit { maps += content }
      case TROUPE_PROBE_END:
        let said = try RecordReader.value(ProbeEnd.self, content)
        (end, refusal, isMute) = (ProcessEnd(status: said.status), said.refused, said.isMute)
      case TROUPE_PROBE_NOT_STARTED: startFailure = try RecordReader.value(Int32.self, content)
      default: fault = .foreignBytes
      }
    } catch {
      fault = .foreignBytes
    }
  }

  /// Records a fault of the channel.
  mutating func end(with fault: ProbeInbox.Fault) { self.fault = fault }

  /// Adds output and keeps its end.
  mutating func add(output piece: ArraySlice<UInt8>) {
    output += piece
    if output.count > 2 * Self.outputLimit { output.removeFirst(output.count - Self.outputLimit) }
  }

  /// The last two lines of the output, in which a runtime reports why it aborts; nil without output.
  private var lastWords: String? {
    let lines = output.suffix(Self.outputLimit).split(separator: UInt8(ascii: "\n")).map {
      String(decoding: $0, as: UTF8.self).onOneLine.trimmed
    }
    let words = lines.filter { !$0.isEmpty }.suffix(2).joined(separator: " / ")
    return words.isEmpty ? nil : "\"" + (words.count > 300 ? words.prefix(300) + "…" : words) + "\""
  }
}

extension Diagnosis {
  /// The fault of a plugin that is put into quarantine.
  package static func harm(path: String, id: String, _ code: Code, _ problem: String, _ backtrace: [String]) -> Diagnosis {
    Diagnosis(
      code, path, problem: problem,
      remedy: "fix it, or remove it; to probe it again unchanged, run troupe quarantine clear \(id)", backtrace: backtrace)
  }
}

/// The conclusion from a probe.
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

extension ProbeResult {
  /// The conclusion for the requested plugin.
  func outcome(_ request: ProbeRequest, _ limits: ProbeLimits) -> ProbeOutcome {
    func harmful(_ code: Diagnosis.Code, _ problem: String, _ backtrace: [String] = []) -> ProbeOutcome {
      .harmful(.harm(path: request.path, id: request.id, code, problem, backtrace))
    }
    func inconclusive(_ problem: String, _ remedy: String = "try again") -> ProbeOutcome {
      .inconclusive(Diagnosis(.notProbed, request.path, problem: problem, remedy: remedy))
    }
    func meddling(_ changes: [String], _ location: String = "", _ backtrace: [String] = []) -> ProbeOutcome {
      harmful(
        .meddled, "changes state of the whole process: it " + changes.joined(separator: ", it ") + location,
        backtrace)
    }
    if let startFailure {
      let (problem, remedy) = SystemError(code: startFailure).startFailure
      return inconclusive("could not be probed: \(problem)", remedy)
    }
    guard isReady else {
      return inconclusive(
        "cannot be probed, since this program does not answer as a probe: \(ending)",
        "link libTroupe.so, which answers before main runs")
    }
    switch fault {
    case .foreignBytes?: return meddling([ProcessState.writing])
    case .tooLong(let size)?:
      return .rejected(
        Diagnosis(
          .refused, request.path,
          problem: "registers factories with \(size) bytes of texts, and \(ProbeInbox.messageLimit) are allowed",
          remedy: "register fewer factories, or shorter texts"))
    case nil: break
    }
    let refused = Self.refused(signal?.cause) ?? Self.refused(refusal)
    // A report is valid only if the process then reached its regular end.
    if isDone && end == .exited(0) && refused == nil {
      switch report {
      // The plugins that it needs may have printed the text.
      case .registered(let summary)?: return .registered(summary, printed: request.needs.isEmpty ? lastWords : nil)
      case .rejected(let fault)?: return .rejected(fault)
      case .unusable(let fault)?: return harmful(fault.code, fault.problem)
      case .meddled?, .failed?, nil: break
      }
    }
    if case .failed(let why)? = report { return inconclusive("could not be probed: \(why)") }
    if let step, step.plugin != request.id {
      return inconclusive("could not be probed, since \(step.plugin), which it needs, did not survive: \(ending)")
    }
    if case .meddled(let changes)? = report { return meddling(changes + [refused].compactMap(\.self)) }
    if isMute { return meddling([ProcessState.closing]) }
    let place = (step?.step ?? .opening).place
    let backtrace = signal.map {
      Backtrace(
        $0, maps: maps, library: request.library, host: OwnLibrary.path,
        copies: [LoadedFile.pathOfMemoryFile(request.id): request.library])
    }
    let frames = backtrace?.frames.map(\.description) ?? []
    // The plugin's frame is more useful than that of a system function above it.
    let own = backtrace?.frames.first { $0.path == request.library } ?? backtrace?.frames.first
    let location = own.map { ", at \($0)" } ?? ""
    if let refused {
      // The location in a process that the plugin started is unknown.
      return Self.refused(signal?.cause) == nil ? meddling([refused]) : meddling([refused], " \(place)\(location)", frames)
    }
    switch reachedLimit {
    case .processorTime?:
      return harmful(
        .timedOut, "used more than \(limits.deadline.inSeconds) s of processor time \(place)\(location)", frames)
    case .waiting?:
      return harmful(.timedOut, "waited for more than \(limits.waiting.inSeconds) s \(place)\(location)", frames)
    case nil: break
    }
    let words = lastWords.map { ": \($0)" } ?? ""
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

  /// The refused action of a plugin, as the end of a sentence.
  private static func refused(_ cause: Int32?) -> String? {
    switch cause.map(Int.init) {
    case TROUPE_PROBE_SIGNALS_OTHERS: "sends a signal to a process that is not its own"
    case TROUPE_PROBE_ENDS_ITSELF: "sends its own process a signal that ends it"
    case TROUPE_PROBE_TRACES: "traces a process, or has itself traced,"
    case TROUPE_PROBE_CHANGES_OTHERS: "reads or changes a process that is not its own"
    case TROUPE_PROBE_FILTERS: "restricts what its process may ask of the kernel"
    case TROUPE_PROBE_ADOPTS: "changes which process adopts orphans"
    case TROUPE_PROBE_LOCKS_MEMORY: "locks all memory of the process"
    case TROUPE_PROBE_FOREIGN_CALL: "calls the kernel as a program for another machine does"
    case TROUPE_PROBE_ENDS_WITH_PARENT: ProcessState.endingWithParent
    default: nil
    }
  }

  /// Signals from outside: the end of a session, a shutdown, the out-of-memory killer.
  private static let signalsOfOthers = [SIGTERM, SIGINT, SIGHUP, SIGKILL, SIGPWR]

  private var ending: String {
    let words = lastWords.map { ", and said \($0)" } ?? ""
    return switch end ?? .unknown {
    case .exited(let status): "it ended with status \(status)\(words)"
    case .killed(let number): "it was ended by \(SignalName.of(number))\(words)"
    case .unknown: "another part of this program received its exit status"
    }
  }
}

extension String {
  /// The text without white space at its ends.
  fileprivate var trimmed: String {
    String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
  }
}

extension Duration {
  /// The seconds, such as `10` or `0.5`.
  fileprivate var inSeconds: String {
    let seconds = Double(components.seconds) + Double(components.attoseconds) / 1e18
    return seconds == seconds.rounded() ? String(Int(seconds)) : String(seconds)
  }
}
