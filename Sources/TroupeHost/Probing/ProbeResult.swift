internal import CProbe
internal import Glibc

/// What is known of a probe: what it said, what it printed, how it ended.
struct ProbeResult {
  /// How a process ended.
  enum End: Equatable {
    /// With a status.
    case exited(Int32)
    /// By a signal.
    case killed(Int32)
    /// In a way that somebody else in this program was told.
    case unknown

    /// What a status says, as waitpid(2) gives it.
    init(status: Int32) {
      self = status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .killed(status & 0x7F)
    }
  }

  /// Whether it began to do what it was started for.
  var isReady = false
  /// The last step that it took.
  var step: ProbeStep?
  /// How the loading ended.
  var report: ProbeReport?
  /// Whether it came to its own end.
  var isDone = false
  /// The signal that it was about to be ended by.
  var signal: ProbeSignal?
  /// What was mapped at that moment, as `/proc/self/maps` has it.
  var maps: [UInt8] = []
  /// The limit that it reached, for which the host ended it; nil for none.
  var reachedLimit: ProbeClock.Limit?
  /// Whether somebody else wrote in between what it had to say.
  private(set) var isGarbled = false
  /// For a probe that could not start the process in which the plugin was to run, the errno.
  private(set) var startFailure: Int32?
  /// How it ended.
  var end: End?
  /// What was refused to a process that the plugin had started, or to the plugin: one of the causes in probe.h; 0 for nothing.
  private(set) var refusal: Int32 = 0
  /// Whether it had lost the channel.
  var isMute = false
  /// The last of what it printed.
  private(set) var output: [UInt8] = []

  private static let outputLimit = 4096
  private static let mapsLimit = 4 << 20

  /// Takes a message from the probe.
  mutating func take(_ kind: Int, _ content: [UInt8]) {
    guard !isGarbled else { return }
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
        (end, refusal, isMute) = (End(status: said.status), said.refused, said.isMute)
      case TROUPE_PROBE_NOT_STARTED: startFailure = try RecordReader.value(Int32.self, content)
      default: isGarbled = true
      }
    } catch {
      isGarbled = true
    }
  }

  /// Notes that what was received is no message of a probe.
  mutating func garble() { isGarbled = true }

  /// Keeps the last of what the probe prints.
  mutating func add(output piece: ArraySlice<UInt8>) {
    output += piece
    if output.count > 2 * Self.outputLimit { output.removeFirst(output.count - Self.outputLimit) }
  }

  /// The last two lines of what the probe printed, where a runtime says why it gives up, or nil.
  private var lastWords: String? {
    let lines = output.suffix(Self.outputLimit).split(separator: UInt8(ascii: "\n")).map {
      String(decoding: $0, as: UTF8.self).onOneLine.trimmed
    }
    let words = lines.filter { !$0.isEmpty }.suffix(2).joined(separator: " / ")
    return words.isEmpty ? nil : "\"" + (words.count > 300 ? words.prefix(300) + "…" : words) + "\""
  }
}

/// What a probe shows.
enum ProbeOutcome: Sendable, Hashable {
  /// The plugin can be loaded, and registers this.
  case registered(PluginSummary)
  /// It cannot be loaded, for a reason that lies in it or in what surrounds it.
  case rejected(PluginFault)
  /// Loading this content would do harm.
  case harmful(PluginFault)
  /// Nothing was learned about the plugin.
  case inconclusive(PluginFault)
}

extension ProbeResult {
  /// What this shows of the plugin that was asked about.
  func outcome(_ request: ProbeRequest, _ limits: ProbeLimits) -> ProbeOutcome {
    func harmful(_ code: PluginFault.Code, _ problem: String, _ backtrace: [String] = []) -> ProbeOutcome {
      .harmful(
        PluginFault(
          path: request.path, code: code, problem: problem,
          remedy: "fix it, or remove it; to probe it again unchanged, run troupe quarantine clear \(request.id)",
          backtrace: backtrace))
    }
    func inconclusive(_ problem: String, _ remedy: String = "try again") -> ProbeOutcome {
      .inconclusive(PluginFault(path: request.path, code: .notProbed, problem: problem, remedy: remedy))
    }
    func meddling(_ changes: [String], _ location: String = "", _ backtrace: [String] = []) -> ProbeOutcome {
      harmful(
        .meddled, "changes state of the whole process: it " + changes.joined(separator: ", it ") + location,
        backtrace)
    }
    if let startFailure {
      return inconclusive(
        "could not be probed: no process can be started (\(SystemError(code: startFailure)))",
        "end some processes, or raise the limit, and try again")
    }
    guard isReady else {
      return inconclusive(
        "cannot be probed, since this program does not answer as a probe: \(ending)",
        "link libTroupe.so, which answers before main runs")
    }
    if isGarbled { return meddling([ProcessState.writing]) }
    let refused = Self.refused(signal?.cause) ?? Self.refused(refusal)
    // What it said counts only if it came to its own end after that, and in the way in which it does.
    if isDone && end == .exited(0) && refused == nil {
      switch report {
      case .registered(let summary)?: return .registered(summary)
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
        $0, maps: maps, library: request.library, host: SwiftToolchain.ownPath,
        copies: [SealedCopy.mapping(request.id): request.library])
    }
    let frames = backtrace?.frames.map(\.description) ?? []
    // What a function of the system's library was called by says more than its name.
    let own = backtrace?.frames.first { $0.path == request.library } ?? backtrace?.frames.first
    let location = own.map { ", at \($0)" } ?? ""
    if let refused {
      // Of what was refused to a process that it has started the place is not known.
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
      // That of which it told, even if what it still had to tell took so long that it was ended by another one.
      let name = SignalName.of(signal?.number ?? number)
      return harmful(.crashed, "crashed with \(name) \(place)\(location)\(words)", frames)
    case .unknown:
      return signal.map { harmful(.crashed, "crashed with \(SignalName.of($0.number)) \(place)\(location)\(words)", frames) }
        ?? inconclusive("could not be probed: \(ending)")
    }
  }

  /// What a plugin does for which it was sent a signal, as the end of a sentence.
  private static func refused(_ cause: Int32?) -> String? {
    switch cause.map(Int.init) {
    case TROUPE_PROBE_SIGNALS_OTHERS: "sends a signal to a process that is not its own"
    case TROUPE_PROBE_ENDS_ITSELF: "sends its own process a signal that ends it"
    case TROUPE_PROBE_TRACES: "traces a process, or has itself traced,"
    case TROUPE_PROBE_CHANGES_OTHERS: "reads or changes a process that is not its own"
    case TROUPE_PROBE_FILTERS: "restricts what its process may ask of the kernel"
    case TROUPE_PROBE_ADOPTS: "changes which process gets the children of those that end"
    case TROUPE_PROBE_LOCKS_MEMORY: "locks all memory of the process"
    case TROUPE_PROBE_FOREIGN_CALL: "calls the kernel as a program for another machine does"
    case TROUPE_PROBE_ENDS_WITH_PARENT: ProcessState.endingWithParent
    default: nil
    }
  }

  /// Signals that somebody else sends: to end a session or the machine, or since there is no memory left.
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
  /// Such as `10` or `0.5`.
  fileprivate var inSeconds: String {
    let seconds = Double(components.seconds) + Double(components.attoseconds) / 1e18
    return seconds == seconds.rounded() ? String(Int(seconds)) : String(seconds)
  }
}
