internal import CSandbox
package import Glibc
package import TroupeFiles

/// A supervised child process: a probe, or a check of `troupe validate`. It gets one request, and answers with steps and one report.
///
/// The child is two processes. The one that this process starts, or a `ForkServer` forks, watches the other one, which loads the plugin:
///
///     Child ──request───────────────────────────────► plugin's process
///       ▲ ◄──READY, STEP …, REPORT, STEP exiting, DONE──┤
///       │ ◄──SIGNAL, MAPS───────── before it crashes ───┘
///       └────END── watching process: reports the end, and ends what is left
///
/// Messages arrive on one socket, the channel, and what the plugin prints on another. The supervisor ends a child that reaches a limit: it asks
/// for a backtrace (SIGQUIT), and then for the end of all processes (SIGTERM). Each phase has a limit of its own, so that `advance` returns a
/// run at last, whatever the plugin does. The watching process also ends the plugin's processes when this end of the channel closes.
///
/// Not thread-safe: poll `events` and call `advance` on one thread. `advance` waits only to reap a process that it has killed, for 10 seconds
/// at most if a `ForkServer` has to do that.
package final class Child<Step: ReportedStep, Report: Recordable> {
  private enum Phase {
    /// The plugin is loaded and closed.
    case loading
    /// The plugin's process exits.
    case exiting
    /// The plugin's process crashed or reached a limit, and sends its backtrace.
    case locating
    /// The watching process ends every process that the plugin left.
    case ending
  }

  private var phase = Phase.loading
  private var clock: ProcessClock
  private let limits: ProbeLimits
  private let process: ChildProcess
  private var inbox: ChildInbox
  private var result = ChildRun<Step, Report>()

  /// Starts a process. Throws a `SystemError` if the system has no process or descriptor left.
  ///
  /// - Parameters:
  ///   - executable: The path of the executable; nil for that of this process.
  package convenience init(
    _ request: some Recordable, _ limits: ProbeLimits, executable: String? = nil, role: ChildRole
  ) throws(SystemError) {
    try self.init(request, limits) { bytes throws(SystemError) in
      try ChildProcess(executable: executable, role: role, request: bytes)
    }
  }

  /// Has a server fork a process. Throws a `SystemError` as `ChildProcess.init(from:request:)` does.
  convenience init(_ request: some Recordable, _ limits: ProbeLimits, from server: ForkServer) throws(SystemError) {
    try self.init(request, limits) { bytes throws(SystemError) in try ChildProcess(from: server, request: bytes) }
  }

  private init(
    _ request: some Recordable, _ limits: ProbeLimits, start: ([UInt8]) throws(SystemError) -> ChildProcess
  ) throws(SystemError) {
    let keys = ChildInbox.Keys()
    process = try start(keys.greeting + RecordWriter.bytes(request))
    inbox = ChildInbox(keys)
    clock = ProcessClock(processorTime: limits.deadline, waiting: limits.waiting)
    self.limits = limits
  }

  package var events: [pollfd] { process.events }

  var hasPrinted: Bool { !result.output.isEmpty }

  /// Sends and receives without waiting, and compares the process with its limits. Returns the result after the process has ended.
  package func advance(at now: ContinuousClock.Instant = .now) -> ChildRun<Step, Report>? {
    process.sendRequest()
    receive()
    switch process.hasEnded() {
    case true?: return finish()
    case nil:
      // Its number may belong to another process by now.
      receiveAll()
      return result
    case false?: break
    }
    changePhase(now)
    guard clock.isDue(at: now) else { return nil }
    let usage = ProcessUsage.of(process.processID)
    guard let limit = clock.reachedLimit(usage, at: now) else { return nil }
    switch phase {
    case .loading, .exiting:
      result.reachedLimit = limit
      beginLocating(after: usage, now)
      process.send(signal: SIGQUIT)
    case .locating: askToEnd(now)
    case .ending: return finish()
    }
    return nil
  }

  /// Begins the phase that follows from the reports of the process.
  private func changePhase(_ now: ContinuousClock.Instant) {
    guard phase != .ending else { return }
    if result.end != nil {
      beginEnding(now)
    } else if result.violation != nil {
      askToEnd(now)
    } else if phase != .locating && result.signal != nil {
      beginLocating(after: ProcessUsage.of(process.processID), now)
    } else if phase == .loading && result.step?.isExit == true {
      phase = .exiting
      // After the last sample: another one for each probe would take longer than a fork.
      clock = ProcessClock(
        processorTime: limits.deadline, waiting: limits.waiting, after: clock.lastUsage, from: now)
    }
  }

  /// Limits the backtrace, which may not end in a process that crashed.
  private func beginLocating(after usage: ProcessUsage, _ now: ContinuousClock.Instant) {
    phase = .locating
    clock = ProcessClock(processorTime: .seconds(1), waiting: .seconds(1), after: usage, from: now)
  }

  /// Asks the watching process to end every process that the plugin started.
  private func askToEnd(_ now: ContinuousClock.Instant) {
    beginEnding(now)
    process.send(signal: SIGTERM)
  }

  private func beginEnding(_ now: ContinuousClock.Instant) {
    phase = .ending
    // If the kernel does not ask before a fork, a plugin may start processes faster than the watching process ends them.
    clock = ProcessClock(processorTime: .seconds(20), waiting: .seconds(20), after: clock.lastUsage, from: now)
  }

  private func finish() -> ChildRun<Step, Report> {
    let end = process.reap()
    receiveAll()
    // The watching process ends after it has reported the end of the plugin's process, or if it cannot report it.
    if result.end == nil {
      result.lostChannel = end == .exited(Int32(TROUPE_PROBE_LOST_CHANNEL))
      result.end = end
    }
    return result
  }

  /// Receives the available data. Returns whether the channel was read to its end.
  @discardableResult
  private func receive() -> Bool {
    let isClosed = process.receive(channel: { inbox.add($0) }, output: { result.add(output: $0) })
    while let message = inbox.next() { result.take(message.kind, message.content) }
    if let violation = inbox.violation { result.end(with: violation) }
    return isClosed
  }

  /// Receives the rest of an ended process. Does not wait for descendants that still hold an end.
  private func receiveAll() {
    for _ in 0..<Self.mostPieces {
      if receive() || result.end != nil { return }
    }
  }

  /// A number of pieces that exceeds the capacity of the sockets.
  private static var mostPieces: Int { 16 }
}
