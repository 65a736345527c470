import CSandbox
import Glibc
import Testing

@testable import TroupeFiles
@testable import TroupeSandbox

/// Derives the outcome of a probe from its messages and its end.
@Suite("Outcomes of probes")
struct ProbeOutcomeTests {
  private static let summary = PluginSummary.sample

  /// Returns the outcome for these messages and this end.
  private func outcome(
    _ end: ProcessEnd?, _ messages: [(Int32, [UInt8])] = [], output: String = "",
    change: (inout ProbeRun) -> Void = { _ in }
  ) -> ProbeOutcome {
    var result = ProbeRun()
    for (kind, content) in messages { result.take(Int(kind), content) }
    result.add(output: Array(output.utf8)[...])
    result.end = end
    change(&result)
    return result.outcome(.sample, ProbeLimits())
  }

  private let statusLost = "could not be probed: another part of this program received its exit status"
  private let ready = (Int32(TROUPE_PROBE_READY), [UInt8]())
  private let done = (Int32(TROUPE_PROBE_DONE), [UInt8]())

  private func step(_ step: LoadingStep, _ plugin: String = ProbeRequest.sample.id) -> (Int32, [UInt8]) {
    (Int32(TROUPE_PROBE_STEP), RecordWriter.bytes(ProbeStep(step, plugin)))
  }

  private func report(_ report: ProbeReport) -> (Int32, [UInt8]) {
    (Int32(TROUPE_PROBE_REPORT), RecordWriter.bytes(report))
  }

  private func signal(_ number: Int32, cause: Int = 0, _ frames: [UInt64] = []) -> (Int32, [UInt8]) {
    let signal = CrashReport(number: number, cause: Int32(cause), instruction: frames.first ?? 0, frames: frames)
    return (Int32(TROUPE_PROBE_SIGNAL), RecordWriter.bytes(signal))
  }

  /// Expects the outcome `harmful` with this code and problem.
  private func expectHarmful(
    _ outcome: ProbeOutcome, _ code: Diagnosis.Code, _ problem: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    guard case .harmful(let diagnosis) = outcome else {
      Issue.record("\(outcome)", sourceLocation: sourceLocation)
      return
    }
    #expect(diagnosis.code == code && diagnosis.problem == problem, "\(diagnosis)", sourceLocation: sourceLocation)
    #expect(diagnosis.subject == "/a.so", sourceLocation: sourceLocation)
    #expect(diagnosis.remedy.hasSuffix("troupe quarantine clear org.example.a"), sourceLocation: sourceLocation)
  }

  /// Expects the outcome `harmful` for a change of the state of the process.
  private func expectMeddled(_ outcome: ProbeOutcome, _ action: String, sourceLocation: SourceLocation = #_sourceLocation) {
    expectHarmful(
      outcome, .changedProcessState, "changes state of the whole process: it " + action, sourceLocation: sourceLocation)
  }

  /// Expects the outcome `inconclusive` with this problem.
  private func expectInconclusive(
    _ outcome: ProbeOutcome, _ problem: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    guard case .inconclusive(let diagnosis) = outcome else {
      Issue.record("\(outcome)", sourceLocation: sourceLocation)
      return
    }
    #expect(diagnosis.code == .notProbed && diagnosis.problem == problem, "\(diagnosis)", sourceLocation: sourceLocation)
  }

  @Test("Registrations count only if the process ends regularly")
  func registered() {
    let messages = [ready, step(.opening), step(.entering), report(.registered(Self.summary)), step(.closing), done]
    #expect(outcome(.exited(0), messages) == .registered(Self.summary))
    #expect(
      outcome(.exited(0), messages) { $0.reachedLimit = .waiting } == .registered(Self.summary),
      "the end and the limit came together")
    expectHarmful(outcome(.exited(3), messages), .exited, "ended the process with status 3 when its library was closed")
    expectHarmful(outcome(.killed(SIGSEGV), messages), .crashed, "crashed with SIGSEGV when its library was closed")
    expectInconclusive(outcome(.killed(SIGKILL), messages), "could not be probed: it was ended by SIGKILL")
    for end in [.unknown, nil] as [ProcessEnd?] {
      expectInconclusive(outcome(end, messages), statusLost)
    }
    for content in [.rejected(.sample), .unusable(.sample)] as [ProbeReport] {
      expectHarmful(
        outcome(.killed(SIGSEGV), [ready, step(.entering), report(content), done]), .crashed,
        "crashed with SIGSEGV in its entry")
    }
  }

  @Test("A rejection is reported unchanged, and an unusable plugin is harmful")
  func rejected() {
    #expect(outcome(.exited(0), [ready, step(.entering), report(.rejected(.sample)), done]) == .rejected(.sample))
    expectHarmful(outcome(.exited(0), [ready, step(.entering), report(.unusable(.sample)), done]), .crashed, "crashed")
  }

  @Test("A process that does not answer as a probe is inconclusive, with its last output")
  func notReady() {
    expectInconclusive(
      outcome(.exited(64), output: "usage: program\n\n  \n"),
      "cannot be probed, since this program does not answer as a probe: it ended with status 64, and said \"usage: program\"")
    expectInconclusive(
      outcome(nil),
      "cannot be probed, since this program does not answer as a probe: another part of this program received its exit status")
  }

  @Test("A process that could not be started is inconclusive, with the system's reason")
  func notStarted() {
    expectInconclusive(
      outcome(.exited(0), [(Int32(TROUPE_PROBE_NOT_STARTED), RecordWriter.bytes(Int32(EAGAIN)))]),
      "could not be probed: no process can be started (resource temporarily unavailable)")
  }

  @Test("A crash is reported with its signal, step, location and last output")
  func crash() {
    let maps = "00500000-00510000 r-xp 00000000 08:01 12  /lib/a.so.1\n00600000-00610000 r-xp 00000000 08:01 12  /lib/c.so\n"
    for end in [.killed(SIGSEGV), .unknown, nil] as [ProcessEnd?] {
      let outcome = outcome(
        end,
        [
          ready, step(.opening), step(.entering), signal(SIGSEGV, [0x600010, 0x500020]),
          (Int32(TROUPE_PROBE_MAPS), Array(maps.utf8)),
        ], output: "one\ntwo\nthree\n")
      expectHarmful(
        outcome, .crashed, "crashed with SIGSEGV in its entry, at a.so.1+0x20: \"two / three\"")
      if case .harmful(let diagnosis) = outcome { #expect(diagnosis.backtrace == ["c.so+0x10", "a.so.1+0x20"]) }
    }
    // The probe ended before it sent the other frames.
    let first = [ready, step(.entering), signal(SIGSEGV, [0x600010]), (Int32(TROUPE_PROBE_MAPS), Array(maps.utf8))]
    expectHarmful(outcome(.killed(SIGALRM), first), .crashed, "crashed with SIGSEGV in its entry, at c.so+0x10")
    expectHarmful(outcome(.killed(SIGABRT), [ready]), .crashed, "crashed with SIGABRT when its library was opened")
    expectHarmful(
      outcome(.killed(SIGBUS), [ready, step(.entering), report(.registered(Self.summary)), step(.closing)]), .crashed,
      "crashed with SIGBUS when its library was closed")
  }

  @Test(
    "An exit is reported with its status and step, also after a complete report", arguments: [0, 3, 255] as [Int32])
  func exit(_ status: Int32) {
    expectHarmful(
      outcome(.exited(status), [ready, step(.entering)]), .exited, "ended the process with status \(status) in its entry")
    expectHarmful(
      outcome(.exited(status), [ready, step(.entering), report(.registered(Self.summary)), step(.closing)]), .exited,
      "ended the process with status \(status) when its library was closed")
  }

  @Test("A signal that any process may have sent is inconclusive", arguments: [SIGTERM, SIGINT, SIGHUP, SIGKILL, SIGPWR])
  func signalOfOthers(_ number: Int32) {
    expectInconclusive(
      outcome(.killed(number), [ready, step(.entering)]),
      "could not be probed: it was ended by \(SignalName.of(number))")
    expectInconclusive(outcome(.unknown, [ready]), statusLost)
  }

  @Test("A refused system call is reported as the action that it would have done")
  func refused() {
    for (cause, text) in [
      (TROUPE_PROBE_SIGNALS_OTHERS, "sends a signal to a process that is not its own"),
      (TROUPE_PROBE_ENDS_ITSELF, "sends its own process a signal that ends it"),
      (TROUPE_PROBE_TRACES, "traces a process, or has itself traced,"),
      (TROUPE_PROBE_CHANGES_OTHERS, "reads or changes a process that is not its own"),
      (TROUPE_PROBE_FILTERS, "restricts what its process may ask of the kernel"),
      (TROUPE_PROBE_ADOPTS, "changes which process adopts orphans"),
      (TROUPE_PROBE_LOCKS_MEMORY, "locks all memory of the process"),
      (TROUPE_PROBE_FOREIGN_CALL, "calls the kernel as a program for another machine does"),
      (TROUPE_PROBE_ENDS_WITH_PARENT, "changes which signal the process gets when its parent ends"),
      (TROUPE_PROBE_SEPARATES, "gives the thread that loads it descriptors or directories of its own"),
    ] {
      expectMeddled(
        outcome(.killed(SIGSYS), [ready, step(.entering), signal(SIGSYS, cause: Int(cause), [8])]),
        "\(text) in its entry, at 0x8")
    }
  }

  @Test("An action that was refused to a child process is the plugin's fault, also after a complete report")
  func refusedToChild() {
    let end = (Int32(TROUPE_PROBE_END), RecordWriter.bytes(ChildEnd(refused: Int32(TROUPE_PROBE_SIGNALS_OTHERS))))
    let action = "sends a signal to a process that is not its own"
    expectMeddled(
      outcome(nil, [ready, step(.entering), report(.registered(Self.summary)), step(.closing), done]) {
        $0.take(Int(end.0), end.1)
      }, action)
    expectMeddled(
      outcome(nil, [ready, step(.entering), report(.changedProcessState(["changes a"]))]) { $0.take(Int(end.0), end.1) },
      "changes a, it " + action)
  }

  @Test("A probe that reached a limit is reported with the limit, the step and the location")
  func reachedLimit() {
    expectHarmful(
      outcome(.killed(SIGQUIT), [ready, step(.entering), signal(SIGQUIT, [16])]) { $0.reachedLimit = .processorTime },
      .timedOut, "used more than 10 s of processor time in its entry, at 0x10")
    expectHarmful(
      outcome(.killed(SIGKILL), [ready, step(.opening)]) { $0.reachedLimit = .waiting }, .timedOut,
      "waited for more than 30 s when its library was opened")
  }

  @Test("All changes to the process are reported, also if it crashed afterwards")
  func changedProcessState() {
    for end in [.exited(0), .killed(SIGSEGV)] as [ProcessEnd] {
      expectMeddled(
        outcome(end, [ready, step(.entering), report(.changedProcessState(["changes a", "changes b"]))]),
        "changes a, it changes b")
    }
  }

  @Test("A later report replaces an earlier one")
  func replaced() {
    #expect(
      outcome(
        .exited(0),
        [
          ready, report(.registered(Self.summary)), report(.changedProcessState(["a"])), report(.registered(Self.summary)),
          done,
        ])
        == .registered(Self.summary))
  }

  @Test("A probe that lost its channel is reported, unlike one that exits with the same status")
  func lostChannel() {
    let status = Int32(TROUPE_PROBE_LOST_CHANNEL)
    let closing = "closes descriptors that are not its own"
    expectMeddled(outcome(.exited(status), [ready, step(.entering)]) { $0.lostChannel = true }, closing)
    expectMeddled(
      outcome(nil, [ready, step(.entering)]) {
        $0.take(TROUPE_PROBE_END, RecordWriter.bytes(ChildEnd(status: status << 8, lostChannel: true)))
      }, closing)
    expectHarmful(
      outcome(.exited(status), [ready, step(.entering)]), .exited, "ended the process with status 71 in its entry")
  }

  @Test("A probe that wrote into the channel is reported, for any bytes and any later messages")
  func garbled() {
    let garbage: [(Int32, [UInt8])] = [
      (99, []), (Int32(TROUPE_PROBE_REPORT), [1, 2]), (Int32(TROUPE_PROBE_STEP), []), (Int32(TROUPE_PROBE_SIGNAL), [0]),
      (Int32(TROUPE_PROBE_END), [0]),
    ]
    for message in garbage {
      expectMeddled(
        outcome(.exited(0), [ready, message, report(.registered(Self.summary)), done]),
        "writes to descriptors that are not its own")
    }
  }

  @Test("A fault in a required plugin is inconclusive")
  func needs() {
    expectInconclusive(
      outcome(.killed(SIGSEGV), [ready, step(.entering, "org.example.b")]),
      "could not be probed, since org.example.b, which it needs, did not survive: it was ended by SIGSEGV")
    expectInconclusive(
      outcome(.exited(0), [ready, report(.failed("the file does not exist any more")), done]),
      "could not be probed: the file does not exist any more")
  }

  @Test("The exit status from the watching process counts")
  func end() {
    let crash = (Int32(TROUPE_PROBE_END), RecordWriter.bytes(ChildEnd(status: SIGSEGV)))
    expectHarmful(
      outcome(nil, [ready, step(.entering)]) { $0.take(Int(crash.0), crash.1) }, .crashed,
      "crashed with SIGSEGV in its entry")
    #expect(ProcessEnd(status: 3 << 8) == .exited(3))
    #expect(ProcessEnd(status: SIGABRT | 0x80) == .killed(SIGABRT))
  }

  @Test("The last two lines of output are joined to one line and limited in length")
  func outputTail() {
    expectHarmful(
      outcome(.exited(1), [ready], output: String(repeating: "x", count: 5000)), .exited,
      "ended the process with status 1 when its library was opened: \"\(String(repeating: "x", count: 300))…\"")
    expectHarmful(
      outcome(.exited(1), [ready], output: "a\u{1B}[31mb\n"), .exited,
      "ended the process with status 1 when its library was opened: \"a [31mb\"")
  }
}
