internal import CSandbox
package import TroupeFiles

/// The messages, the output and the end of a watched process, such as a probe.
package struct ChildRun<Step: ReportedStep, Report: Recordable> {
  /// Whether it read the request.
  package internal(set) var isReady = false
  package internal(set) var step: Step?
  package internal(set) var report: Report?
  /// Whether it reached its regular end.
  package internal(set) var isDone = false
  /// The signal that it reported before its end.
  package internal(set) var signal: CrashReport?
  /// The content of `/proc/self/maps` at the signal.
  package internal(set) var maps: [UInt8] = []
  /// The limit that it reached, for which the host ended it; nil for none.
  package internal(set) var reachedLimit: ProcessClock.Limit?
  /// The violation of the protocol of the channel; nil for none.
  package private(set) var violation: ChildInbox.Violation?
  /// The errno of the failed fork for the plugin's process; nil if it was started.
  package private(set) var startFailure: Int32?
  /// The system call that failed, without which the plugin's process cannot be watched; nil for none.
  package private(set) var deniedCall: String?
  package internal(set) var end: ProcessEnd?
  /// The cause (probe.h) for which a system call of the plugin or of its processes was refused; 0 for none.
  private var refusal: Int32 = 0
  package internal(set) var lostChannel = false
  private(set) var output = OutputTail()

  private static var mapsLimit: Int { 4 << 20 }

  mutating func take(_ kind: Int, _ content: [UInt8]) {
    guard violation == nil else { return }
    do {
      switch kind {
      case TROUPE_PROBE_READY: isReady = true
      case TROUPE_PROBE_STEP: step = try RecordReader.value(Step.self, content)
      case TROUPE_PROBE_REPORT: report = try RecordReader.value(Report.self, content)
      case TROUPE_PROBE_DONE: isDone = true
      case TROUPE_PROBE_SIGNAL: signal = try RecordReader.value(CrashReport.self, content)
      case TROUPE_PROBE_MAPS: if maps.count < Self.mapsLimit { maps += content }
      case TROUPE_PROBE_END:
        let said = try RecordReader.value(ChildEnd.self, content)
        (end, refusal, lostChannel) = (ProcessEnd(status: said.status), said.refused, said.lostChannel)
      case TROUPE_PROBE_NOT_STARTED: startFailure = try RecordReader.value(Int32.self, content)
      case TROUPE_PROBE_NOT_WATCHED: deniedCall = try RecordReader.value(String.self, content)
      default: violation = .foreignBytes
      }
    } catch {
      violation = .foreignBytes
    }
  }

  mutating func end(with violation: ChildInbox.Violation) { self.violation = violation }

  mutating func add(output piece: ArraySlice<UInt8>) { output.add(piece) }

  /// The lines of the output in which a runtime reports why it aborts; nil without output.
  package var outputTail: String? { output.summary }

  /// The action of the plugin's process or of a process that it started, for which a system call was refused, as the end of a sentence; nil
  /// for none.
  package var refusedAction: String? { Self.refused(signal?.cause) ?? Self.refused(refusal) }

  /// Whether the signal reports the refused action, so that its calls are the location of the action.
  var isRefusalLocated: Bool { Self.refused(signal?.cause) != nil }

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
    case TROUPE_PROBE_SEPARATES: "gives the thread that loads it descriptors or directories of its own"
    default: nil
    }
  }
}

/// The end of the plugin's process, reported by the watching process: `troupe_probe_end` of `CSandbox`.
struct ChildEnd: Recordable, Hashable, Sendable {
  /// The status of waitpid(2).
  var status: Int32 = 0
  /// The cause (probe.h) for which a system call was refused; 0 for none.
  var refused: Int32 = 0
  var lostChannel = false

  func write(to writer: inout RecordWriter) {
    writer.write(status, refused)
    writer.write(number: lostChannel ? 1 : 0 as Int32)
  }

  init(status: Int32 = 0, refused: Int32 = 0, lostChannel: Bool = false) {
    (self.status, self.refused, self.lostChannel) = (status, refused, lostChannel)
  }

  init(from reader: inout RecordReader) throws(ReadError) {
    (status, refused) = try reader.values()
    lostChannel = try reader.number() as Int32 != 0
  }
}
