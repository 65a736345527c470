import CProbe
import Glibc
import Testing

@testable import TroupeHost

/// What is concluded from what a probe said and how it ended.
@Suite("What a probe shows")
struct ProbeResultTests {
  private static let summary = PluginSummary.sample

  /// What comes out for a probe that got as far as its messages say and ended in a way.
  private func outcome(
    _ end: ProbeResult.End?, _ messages: [(Int32, [UInt8])] = [], output: String = "",
    change: (inout ProbeResult) -> Void = { _ in }
  ) -> ProbeOutcome {
    var result = ProbeResult()
    for (kind, content) in messages { result.take(Int(kind), content) }
    result.add(output: Array(output.utf8)[...])
    result.end = end
    change(&result)
    return result.outcome(.sample, ProbeLimits())
  }

  private let ready = (Int32(TROUPE_PROBE_READY), [UInt8]())
  private let done = (Int32(TROUPE_PROBE_DONE), [UInt8]())

  private func step(_ step: LoadingStep, _ plugin: String = ProbeRequest.sample.id) -> (Int32, [UInt8]) {
    (Int32(TROUPE_PROBE_STEP), RecordWriter.bytes(ProbeStep(step, plugin)))
  }

  private func report(_ report: ProbeReport) -> (Int32, [UInt8]) {
    (Int32(TROUPE_PROBE_REPORT), RecordWriter.bytes(report))
  }

  private func signal(_ number: Int32, cause: Int = 0, _ frames: [UInt64] = []) -> (Int32, [UInt8]) {
    let signal = ProbeSignal(number: number, cause: Int32(cause), instruction: frames.first ?? 0, frames: frames)
    return (Int32(TROUPE_PROBE_SIGNAL), RecordWriter.bytes(signal))
  }

  /// Expects a fault of a kind and with a problem, and that loading the plugin would do harm.
  private func expectHarmful(
    _ outcome: ProbeOutcome, _ code: PluginFault.Code, _ problem: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    guard case .harmful(let fault) = outcome else {
      Issue.record("\(outcome)", sourceLocation: sourceLocation)
      return
    }
    #expect(fault.code == code && fault.problem == problem, "\(fault)", sourceLocation: sourceLocation)
    #expect(fault.path == "/a.so", sourceLocation: sourceLocation)
    #expect(fault.remedy.hasSuffix("troupe quarantine clear org.example.a"), sourceLocation: sourceLocation)
  }

  /// Expects that nothing was learned, for a reason.
  private func expectInconclusive(
    _ outcome: ProbeOutcome, _ problem: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    guard case .inconclusive(let fault) = outcome else {
      Issue.record("\(outcome)", sourceLocation: sourceLocation)
      return
    }
    #expect(fault.code == .notProbed && fault.problem == problem, "\(fault)", sourceLocation: sourceLocation)
  }

  @Test("What is done registers, as far as its process came to its regular end")
  func registered() {
    let messages = [ready, step(.opening), step(.entering), report(.registered(Self.summary)), step(.closing), done]
    #expect(outcome(.exited(0), messages) == .registered(Self.summary))
    #expect(
      outcome(.exited(0), messages) { $0.reachedLimit = .waiting } == .registered(Self.summary),
      "the end and the limit came together")
    expectHarmful(outcome(.exited(3), messages), .exited, "ended the process with status 3 when its library was closed")
    expectHarmful(outcome(.killed(SIGSEGV), messages), .crashed, "crashed with SIGSEGV when its library was closed")
    expectInconclusive(outcome(.killed(SIGKILL), messages), "could not be probed: it was ended by SIGKILL")
    for end in [.unknown, nil] as [ProbeResult.End?] {
      expectInconclusive(
        outcome(end, messages), "could not be probed: another part of this program received its exit status")
    }
    for said in [.rejected(.sample), .unusable(.sample)] as [ProbeReport] {
      expectHarmful(
        outcome(.killed(SIGSEGV), [ready, step(.entering), report(said), done]), .crashed,
        "crashed with SIGSEGV in its entry")
    }
  }

  @Test("What can be told of the plugin is told as it is")
  func rejected() {
    #expect(outcome(.exited(0), [ready, step(.entering), report(.rejected(.sample)), done]) == .rejected(.sample))
    expectHarmful(outcome(.exited(0), [ready, step(.entering), report(.unusable(.sample)), done]), .crashed, "crashed")
  }

  @Test("A process that is none of ours is told apart, with its last words")
  func notReady() {
    expectInconclusive(
      outcome(.exited(64), output: "usage: program\n\n  \n"),
      "cannot be probed, since this program does not answer as a probe: it ended with status 64, and said \"usage: program\"")
    expectInconclusive(
      outcome(nil),
      "cannot be probed, since this program does not answer as a probe: another part of this program received its exit status")
  }

  @Test("A process that could not be started says why")
  func notStarted() {
    expectInconclusive(
      outcome(.exited(0), [(Int32(TROUPE_PROBE_NOT_STARTED), RecordWriter.bytes(Int32(EAGAIN)))]),
      "could not be probed: no process can be started (resource temporarily unavailable)")
  }

  @Test("A crash is told with its signal, the step, the place and the last words")
  func crash() {
    let maps = "00500000-00510000 r-xp 00000000 08:01 12  /lib/a.so.1\n00600000-00610000 r-xp 00000000 08:01 12  /lib/c.so\n"
    for end in [.killed(SIGSEGV), .unknown, nil] as [ProbeResult.End?] {
      let outcome = outcome(
        end,
        [
          ready, step(.opening), step(.entering), signal(SIGSEGV, [0x600010, 0x500020]),
          (Int32(TROUPE_PROBE_MAPS), Array(maps.utf8)),
        ], output: "one\ntwo\nthree\n")
      expectHarmful(
        outcome, .crashed, "crashed with SIGSEGV in its entry, at a.so.1+0x20: \"two / three\"")
      if case .harmful(let fault) = outcome { #expect(fault.backtrace == ["c.so+0x10", "a.so.1+0x20"]) }
    }
    // What its frames are it did not come to tell.
    let first = [ready, step(.entering), signal(SIGSEGV, [0x600010]), (Int32(TROUPE_PROBE_MAPS), Array(maps.utf8))]
    expectHarmful(outcome(.killed(SIGALRM), first), .crashed, "crashed with SIGSEGV in its entry, at c.so+0x10")
    expectHarmful(outcome(.killed(SIGABRT), [ready]), .crashed, "crashed with SIGABRT when its library was opened")
    expectHarmful(
      outcome(.killed(SIGBUS), [ready, step(.entering), report(.registered(Self.summary)), step(.closing)]), .crashed,
      "crashed with SIGBUS when its library was closed")
  }

  @Test(
    "An exit is told with its status and the step, also if everything seemed well before", arguments: [0, 3, 255] as [Int32])
  func exit(_ status: Int32) {
    expectHarmful(
      outcome(.exited(status), [ready, step(.entering)]), .exited, "ended the process with status \(status) in its entry")
    expectHarmful(
      outcome(.exited(status), [ready, step(.entering), report(.registered(Self.summary)), step(.closing)]), .exited,
      "ended the process with status \(status) when its library was closed")
  }

  @Test("A signal that anybody may have sent is nobody's fault", arguments: [SIGTERM, SIGINT, SIGHUP, SIGKILL, SIGPWR])
  func signalOfOthers(_ number: Int32) {
    expectInconclusive(
      outcome(.killed(number), [ready, step(.entering)]),
      "could not be probed: it was ended by \(SignalName.of(number))")
    expectInconclusive(outcome(.unknown, [ready]), "could not be probed: another part of this program received its exit status")
  }

  @Test("What a probe refused to do is told as what it would have done")
  func refused() {
    for (cause, text) in [
      (TROUPE_PROBE_SIGNALS_OTHERS, "sends a signal to a process that is not its own"),
      (TROUPE_PROBE_ENDS_ITSELF, "sends its own process a signal that ends it"),
      (TROUPE_PROBE_TRACES, "traces a process, or has itself traced,"),
      (TROUPE_PROBE_CHANGES_OTHERS, "reads or changes a process that is not its own"),
      (TROUPE_PROBE_FILTERS, "restricts what its process may ask of the kernel"),
      (TROUPE_PROBE_ADOPTS, "changes which process gets the children of those that end"),
      (TROUPE_PROBE_LOCKS_MEMORY, "locks all memory of the process"),
      (TROUPE_PROBE_FOREIGN_CALL, "calls the kernel as a program for another machine does"),
      (TROUPE_PROBE_ENDS_WITH_PARENT, "changes which signal the process gets when its parent ends"),
    ] {
      expectHarmful(
        outcome(.killed(SIGSYS), [ready, step(.entering), signal(SIGSYS, cause: Int(cause), [8])]), .meddled,
        "changes state of the whole process: it \(text) in its entry, at 0x8")
    }
  }

  @Test("What was refused to a process that it has started is its fault, however well all went besides")
  func refusedToChild() {
    let end = (Int32(TROUPE_PROBE_END), RecordWriter.bytes(ProbeEnd(refused: Int32(TROUPE_PROBE_SIGNALS_OTHERS))))
    let action = "it sends a signal to a process that is not its own"
    expectHarmful(
      outcome(nil, [ready, step(.entering), report(.registered(Self.summary)), step(.closing), done]) {
        $0.take(Int(end.0), end.1)
      }, .meddled, "changes state of the whole process: " + action)
    expectHarmful(
      outcome(nil, [ready, step(.entering), report(.meddled(["changes a"]))]) { $0.take(Int(end.0), end.1) }, .meddled,
      "changes state of the whole process: it changes a, " + action)
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

  @Test("What it did to the process is told whole, even if it crashed behind that")
  func meddled() {
    for end in [.exited(0), .killed(SIGSEGV)] as [ProbeResult.End] {
      expectHarmful(
        outcome(end, [ready, step(.entering), report(.meddled(["changes a", "changes b"]))]), .meddled,
        "changes state of the whole process: it changes a, it changes b")
    }
  }

  @Test("What was said before the end is taken back by what is said later")
  func takenBack() {
    #expect(
      outcome(
        .exited(0),
        [ready, report(.registered(Self.summary)), report(.meddled(["a"])), report(.registered(Self.summary)), done])
        == .registered(Self.summary))
  }

  @Test("One that has lost the channel is told so, and none that ends with the same status")
  func mute() {
    let status = Int32(TROUPE_PROBE_MUTE)
    let problem = "changes state of the whole process: it closes descriptors that are not its own"
    expectHarmful(outcome(.exited(status), [ready, step(.entering)]) { $0.isMute = true }, .meddled, problem)
    expectHarmful(
      outcome(nil, [ready, step(.entering)]) {
        $0.take(TROUPE_PROBE_END, RecordWriter.bytes(ProbeEnd(status: status << 8, isMute: true)))
      }, .meddled, problem)
    expectHarmful(
      outcome(.exited(status), [ready, step(.entering)]), .exited, "ended the process with status 71 in its entry")
  }

  @Test("One that wrote into the channel is told so, whatever it wrote and whatever follows")
  func garbled() {
    let garbage: [(Int32, [UInt8])] = [
      (99, []), (Int32(TROUPE_PROBE_REPORT), [1, 2]), (Int32(TROUPE_PROBE_STEP), []), (Int32(TROUPE_PROBE_SIGNAL), [0]),
      (Int32(TROUPE_PROBE_END), [0]),
    ]
    for message in garbage {
      expectHarmful(
        outcome(.exited(0), [ready, message, report(.registered(Self.summary)), done]), .meddled,
        "changes state of the whole process: it writes to descriptors that are not its own")
    }
  }

  @Test("What went wrong with another plugin that it needs is not its fault")
  func needs() {
    expectInconclusive(
      outcome(.killed(SIGSEGV), [ready, step(.entering, "org.example.b")]),
      "could not be probed, since org.example.b, which it needs, did not survive: it was ended by SIGSEGV")
    expectInconclusive(
      outcome(.exited(0), [ready, report(.failed("the file does not exist any more")), done]),
      "could not be probed: the file does not exist any more")
  }

  @Test("The end that the watching process tells counts")
  func end() {
    let crash = (Int32(TROUPE_PROBE_END), RecordWriter.bytes(ProbeEnd(status: SIGSEGV)))
    expectHarmful(
      outcome(nil, [ready, step(.entering)]) { $0.take(Int(crash.0), crash.1) }, .crashed,
      "crashed with SIGSEGV in its entry")
    #expect(ProbeResult.End(status: 3 << 8) == .exited(3))
    #expect(ProbeResult.End(status: SIGABRT | 0x80) == .killed(SIGABRT))
  }

  @Test("Of what it prints the last two lines are kept, on one line and not too long")
  func lastWords() {
    var result = ProbeResult()
    for _ in 0..<1000 { result.add(output: Array(repeating: UInt8(ascii: "x"), count: 1000)[...]) }
    #expect(result.output.count <= 8192)
    expectHarmful(
      outcome(.exited(1), [ready], output: String(repeating: "x", count: 5000)), .exited,
      "ended the process with status 1 when its library was opened: \"\(String(repeating: "x", count: 300))…\"")
    expectHarmful(
      outcome(.exited(1), [ready], output: "a\u{1B}[31mb\n"), .exited,
      "ended the process with status 1 when its library was opened: \"a [31mb\"")
  }
}
