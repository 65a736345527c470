internal import CSandbox
internal import Dispatch
internal import Glibc
internal import Synchronization
internal import TroupeFiles

/// Keeps a worker process running: starts it at the first call, ends it if a call fails, and starts it again as its circuit allows.
///
/// A call takes a mailbox of the process, exchanges messages, and gives the mailbox back. Beginning and ending take the worker's lock once
/// each; the exchange takes none:
///
///     beginCall ──► HostEndpoint.exchange ──► endCall
///      lock: take a mailbox     │              lock: give it back, count the call
///                               └─► troupe_end_send, troupe_end_receive
///
/// ```swift
/// let worker = Worker(slots: 8) { onEnd in
///   try WorkerProcess(executable: path, environment: [], output: WorkerOutput { print($0) }, shape: shape, onEnd: onEnd)
/// }
/// let reply = try worker.call { endpoint, _ in try endpoint.exchange(kind: 1, request.span.bytes) }
/// ```
///
/// If all mailboxes are taken, threads wait in the line of `FreeMailboxes`.
///
/// All functions may be called on any thread.
package final class Worker: Sendable {
  /// Starts a process, which calls the closure when it ends.
  package typealias Start = @Sendable (_ onEnd: @escaping @Sendable (ProcessEnd) -> Void) throws -> WorkerProcess
  /// Makes a new process ready for calls.
  package typealias Prepare = @Sendable (WorkerProcess, Deadline) throws -> Void

  /// A start or an end of a process, or a change of the circuit.
  package enum Event: Sendable, Equatable {
    case started(Int32)
    case ended(Int32, ProcessEnd)
    case circuitOpened
    case circuitClosed
  }

  /// Counts since the start of the host.
  package struct Counts: Sendable, Equatable {
    package var calls = 0
    package var failures = 0
    package var starts = 0
  }

  private let start: Start
  private let prepare: Prepare
  private let slots: Int
  private let timeLimit: Duration
  private let keepsStandby: Bool
  private let report: @Sendable (Event) -> Void
  private let state: Mutex<State>
  /// The number of forks of this process. A forked process has a copy of this object, and must not use the worker.
  private let forks = troupe_channel_forks()

  struct Run {
    /// Counts the processes of the worker.
    let id: Int
    let process: WorkerProcess
  }

  private enum Phase {
    case idle
    /// A thread starts and prepares a process.
    case starting(id: Int, WorkerProcess?)
    case running(Run)

    var id: Int? {
      switch self {
      case .idle: nil
      case .starting(let id, _): id
      case .running(let run): run.id
      }
    }

    var process: WorkerProcess? {
      switch self {
      case .idle: nil
      case .starting(_, let process): process
      case .running(let run): run.process
      }
    }
  }

  private struct State {
    var phase = Phase.idle
    var mailboxes = FreeMailboxes()
    /// The process that takes the place of the present one.
    var standby = Phase.idle
    var circuit: Circuit
    /// The time from which a process may be started.
    var earliestStart = Deadline(nanoseconds: 0)
    var counts = Counts()
    var latencies = Latencies()
    var ids = 0
    var isEnded = false

    mutating func newID() -> Int {
      ids += 1
      return ids
    }

    mutating func use(_ run: Run) {
      phase = .running(run)
      mailboxes = FreeMailboxes(run.process.channel)
    }
  }

  /// - Parameters:
  ///   - slots: The number of mailboxes that its processes have.
  ///   - timeLimit: The longest duration of a call that has no other deadline.
  ///   - limits: When to start again.
  ///   - keepsStandby: Whether a second process waits.
  ///   - report: Receives the events, on any thread. It must not make a call: it may run on the queue that records the ends of all workers.
  ///   - prepare: Makes a new process ready.
  ///   - start: Starts a process.
  package init(
    slots: Int, timeLimit: Duration = .seconds(30), limits: Circuit.Limits = Circuit.Limits(), keepsStandby: Bool = false,
    report: @escaping @Sendable (Event) -> Void = { _ in },
    prepare: @escaping Prepare = { _, _ in }, start: @escaping Start
  ) {
    (self.slots, self.timeLimit, self.keepsStandby) = (slots, timeLimit, keepsStandby)
    (self.start, self.prepare, self.report) = (start, prepare, report)
    state = Mutex(State(circuit: Circuit(limits)))
  }

  deinit { end() }

  package var counts: Counts { state.withLock(\.counts) }
  package var circuit: Circuit.State { state.withLock(\.circuit.state) }
  /// The durations of the calls that succeeded.
  package var latencies: Latencies { state.withLock(\.latencies) }
  /// Nil if no process runs.
  package var processID: Int32? { state.withLock { $0.phase.process.flatMap { $0.end == nil ? $0.processID : nil } } }

  /// Reads what the process has printed, before the function returns.
  package func readOutput() { state.withLock(\.phase.process)?.readOutput() }

  /// Ends the process. Later calls throw `.crashed`.
  package func end() {
    let processes = state.withLock { state in
      state.isEnded = true
      return [state.phase.process, state.standby.process]
    }
    for process in processes { process?.terminate() }
  }
}

// MARK: Calls

extension Worker {
  /// Returns limits for a call from now on. A call within a callback of another call ends with that call at the latest.
  ///
  /// - Parameters:
  ///   - deadline: The end of all waits, that for the start of a process included; nil for the time limit of the worker.
  ///   - isIdempotent: Whether the call may run twice. If the worker ends in the call, the call is then made once more.
  ///   - token: Cancels the call.
  package func limits(until deadline: Deadline? = nil, isIdempotent: Bool = false, token: CallToken? = nil) -> CallLimits {
    let start = Deadline.now
    return CallLimits(
      start: start, until: min(deadline ?? start.advanced(by: timeLimit), ThreadCalls.current.deadline),
      isIdempotent: isIdempotent, token: token)
  }

  /// Makes a call with a function that exchanges messages.
  ///
  /// - Parameters:
  ///   - limits: Nil for those of a call that may run once.
  ///   - body: Receives the endpoint and the id of the process, which tells the processes of this worker apart.
  /// - Throws: As `beginCall` does, and the error for what `body` throws; see `endCall(_:after:_:)`.
  package func call<Result>(
    _ limits: CallLimits? = nil, _ body: (inout HostEndpoint, Int) throws -> Result
  ) throws -> Result {
    var limits = limits ?? self.limits()
    while true {
      var call = try beginCall(limits)
      do {
        let result = try body(&call.endpoint, call.process)
        endCall(call)
        return result
      } catch {
        try endCall(call, after: error, &limits)
      }
    }
  }

  /// Makes a call if a certain process still runs; else does nothing. It may take the time limit of the worker.
  package func callIfRunning(id: Int, _ body: (inout HostEndpoint) throws -> Void) {
    let start = Deadline.now
    try? call(CallLimits(start: start, until: start.advanced(by: timeLimit), process: id)) { endpoint, _ in try body(&endpoint)
    }
  }

  /// True inside a call of this worker on this thread, such as in a callback. A further call takes another mailbox.
  package var isInCall: Bool { ThreadCalls.current.count(of: self) > 0 }

  /// Begins a call: takes a mailbox of the process, which it starts if none runs. The caller ends the call with `endCall`.
  ///
  /// - Throws: A `WorkerError`, an `IsolatedPluginError` if too many calls of the worker are within each other or would wait for each other,
  ///   or the error of starting or preparing the process.
  package func beginCall(_ limits: CallLimits) throws -> WorkerCall {
    let thread = ThreadCalls.current
    let depth = thread.count(of: self)
    guard depth < min(ThreadCalls.maximumDepth, slots) else {
      throw IsolatedPluginError(
        "calls of a worker are nested \(depth) deep, which is the limit; end the recursion of the callbacks, or raise concurrentCalls"
      )
    }
    let (run, slot) = try takeMailbox(limits, thread)
    do { try limits.token?.begin(run.process) } catch {
      state.withLock { if $0.phase.id == run.id { $0.mailboxes.giveBack(slot) } }
      throw error
    }
    if run.process.watch.recordCall() { run.process.watch.plan { [weak self] in self?.isBusy(run.id) ?? false } }
    thread.push(self, process: run.id, until: limits.deadline)
    let endpoint = HostEndpoint(run.process.channel, slot, at: limits.start, until: limits.deadline, isInterruptible: true)
    return WorkerCall(endpoint: endpoint, run: run, start: limits.start, token: limits.token, thread: thread)
  }

  /// Ends a call that has no error, or one that does not concern the worker, such as that of its function. Records it if the worker has
  /// answered.
  package func endCall(_ call: consuming WorkerCall) {
    call.thread.pop()
    // A cancellation after this call would end the process under the next one.
    call.token?.finish()
    let (id, slot) = (call.run.id, call.endpoint.slot)
    let duration = call.endpoint.lastEnd.map { $0.nanoseconds &- call.start.nanoseconds }
    let isClosed = state.withLock { state in
      if state.phase.id == id { state.mailboxes.giveBack(slot) }
      guard let duration else { return false }
      state.counts.calls += 1
      state.latencies.add(nanoseconds: duration)
      return state.circuit.recordSuccess()
    }
    if isClosed { report(.circuitClosed) }
  }

  /// Ends a call after an error, and ends the process if it can no longer be used. Returns if the call may be made again.
  ///
  /// - Throws: For a `ChannelError` the `WorkerError` that explains it, or the error itself.
  package func endCall(_ call: consuming WorkerCall, after error: any Error, _ limits: inout CallLimits) throws {
    guard let error = error as? ChannelError else {
      endCall(call)
      throw error
    }
    call.thread.pop()
    let (run, slot) = (call.run, call.endpoint.slot)
    let failure = failure(error, run.process, hasSent: true, call.token)
    call.token?.finish()
    // The mailbox is free only now. It may be out of step, and a call that took it earlier would get the answer of this one.
    state.withLock { if $0.phase.id == run.id { $0.mailboxes.giveBack(slot) } }
    guard case WorkerError.crashed = failure, limits.retries > 0 else { throw failure }
    limits.retries -= 1
    limits.start = .now
  }

  private func isBusy(_ id: Int) -> Bool { state.withLock { $0.phase.id == id && $0.mailboxes.count < slots } }

  /// Ends the process if it can no longer be used, and returns the error for the caller.
  ///
  /// - Parameter hasSent: False for a call that waited for a mailbox.
  private func failure(_ error: ChannelError, _ process: WorkerProcess, hasSent: Bool, _ token: CallToken?) -> any Error {
    let isCancelled = token?.isCancelled == true || error == .interrupted
    if forks != troupe_channel_forks() { return WorkerError.forked }
    if error == .interrupted, hasSent { process.terminate(.cancelled) }
    state.withLock {
      $0.counts.calls += 1
      $0.counts.failures += isCancelled ? 0 : 1
    }
    if isCancelled { return WorkerError.cancelled }
    // The text that explains the error precedes it.
    process.readOutput()
    switch error {
    case .closed:
      // Another call closes the channel first, and gives the process its cause later.
      if let cause = process.cause {
        return WorkerError.crashed(.host(cause), location: nil, .unknown)
      }
      if process.watch.hasEndedWorker { return WorkerError.policyViolation(systemCall: "clone") }
      // If another call ended the process, the end may still have to be recorded.
      let end = process.end ?? .killed(SIGKILL)
      guard end == .killed(SIGSYS) else {
        return WorkerError.crashed(.init(end), location: process.location, .unknown, output: process.outputTail)
      }
      // A process that blocks the signal ends without a report.
      return WorkerError.policyViolation(systemCall: process.channel.memory.crash?.refusedCall ?? "unknown")
    case .timedOut:
      if hasSent { process.terminate(.timedOut) }
      return WorkerError.timedOut
    case .malformed:
      process.terminate(.badReply)
      return WorkerError.badReply
    case .tooLarge(let size, let capacity):
      if process.channel.isClosed { process.terminate(.tooLarge) }
      return WorkerError.tooLarge(size: size, limit: capacity)
    case .unavailable, .interrupted: return error
    }
  }
}

// MARK: Mailboxes

extension Worker {
  private enum Step {
    case use(Run, Channel.Slot)
    /// With the number of mailboxes of the process that the thread holds.
    case waitInLine(Run, DispatchSemaphore, holding: Int)
    /// The process that waited takes over.
    case takenOver(Run)
    case start(id: Int)
    case wait(until: Deadline)
  }

  /// Takes a mailbox of the running process. Starts a process if none runs, after the delay of the circuit.
  private func takeMailbox(_ limits: CallLimits, _ thread: ThreadCalls) throws -> (Run, Channel.Slot) {
    // Before the lock, which another thread may have held during the fork.
    if forks != troupe_channel_forks() { throw WorkerError.forked }
    while true {
      switch try state.withLock({ state throws in try next(&state, limits.process, thread) }) {
      case .use(let run, let slot): return (run, slot)
      case .waitInLine(let run, let promises, let held):
        if let slot = try waitInLine(run, promises, holding: held, limits) { return (run, slot) }
      case .takenOver(let run): report(.started(run.process.processID))
      case .start(let id): try startProcess(id, until: limits.deadline)
      case .wait(let time):
        if limits.token?.isCancelled == true { throw WorkerError.cancelled }
        guard Deadline.now < limits.deadline else { throw WorkerError.timedOut }
        Deadline.sleep(until: min(time, limits.deadline, .after(.milliseconds(20))))
      }
    }
  }

  private func next(_ state: inout State, _ process: Int?, _ thread: ThreadCalls) throws -> Step {
    if state.isEnded { throw WorkerError.crashed(.unknown, location: nil, .notStarted) }
    if let process, state.phase.id != process { throw WorkerError.instanceLost }
    switch state.phase {
    case .starting: return .wait(until: Deadline.after(.microseconds(200)))
    case .running(let run):
      if !run.process.channel.isClosed {
        if let slot = state.mailboxes.take() { return .use(run, slot) }
        let held = thread.count(of: self, process: run.id)
        return .waitInLine(run, try state.mailboxes.joinLine(holding: held), holding: held)
      }
      // Its end is still to be recorded.
      run.process.terminate()
      return .wait(until: Deadline.after(.microseconds(100)))
    case .idle:
      let now = Deadline.now
      if let end = state.circuit.recordStart(at: now) { throw WorkerError.circuitOpen(for: end.duration(since: now)) }
      if now < state.earliestStart { return .wait(until: state.earliestStart) }
      if case .running(let run) = state.standby, run.process.end == nil {
        state.counts.starts += 1
        state.standby = .idle
        state.use(run)
        startStandby(&state)
        return .takenOver(run)
      }
      let id = state.newID()
      state.phase = .starting(id: id, nil)
      return .start(id: id)
    }
  }

  /// Waits for a mailbox. Looks now and then whether the call is cancelled. Returns nil if the process ends meanwhile.
  private func waitInLine(
    _ run: Run, _ promises: DispatchSemaphore, holding held: Int, _ limits: CallLimits
  ) throws -> Channel.Slot? {
    while promises.wait(timeout: min(limits.deadline, .after(.milliseconds(20))).dispatchTime) != .success {
      let isInterrupted = run.process.channel.isInterrupted?() == true
      guard isInterrupted || limits.token?.isCancelled == true || Deadline.now >= limits.deadline else { continue }
      state.withLock { if $0.phase.id == run.id { $0.mailboxes.leaveLine(holding: held) } }
      throw failure(isInterrupted ? .interrupted : .timedOut, run.process, hasSent: false, limits.token)
    }
    return state.withLock { state in
      guard state.phase.id == run.id else { return nil }
      let slot = state.mailboxes.takePromised(holding: held)
      guard run.process.channel.isClosed else { return slot }
      state.mailboxes.giveBack(slot)
      return nil
    }
  }
}

// MARK: Processes

extension Worker {
  /// Starts and prepares a process, for which the other callers wait.
  private func startProcess(_ id: Int, until deadline: Deadline) throws {
    var started: WorkerProcess?
    do {
      let process = try start { [weak self] end in self?.recordEnd(id, end) }
      started = process
      let (isCurrent, isEnded) = state.withLock { state in
        state.counts.starts += 1
        if state.phase.id == id { state.phase = .starting(id: id, process) }
        return (state.phase.id == id, state.isEnded)
      }
      report(.started(process.processID))
      // `recordEnd` came first, and did not know the process.
      if !isCurrent, let end = process.end { report(.ended(process.processID, end)) }
      // `Worker.end` came first, and had no process to end.
      if isEnded { throw WorkerError.crashed(.unknown, location: nil, .notStarted) }
      try prepareProcess(process, until: deadline)
      let isRunning = state.withLock { state in
        guard state.phase.id == id else { return false }
        state.use(Run(id: id, process: process))
        startStandby(&state)
        return !state.isEnded
      }
      guard isRunning else { throw WorkerError.crashed(.init(process.end ?? .unknown), location: nil, .notStarted) }
    } catch {
      started?.terminate()
      // Without a process no end will be recorded.
      if started == nil { state.withLock { if $0.phase.id == id { $0.phase = .idle } } }
      throw error
    }
  }

  private func prepareProcess(_ process: WorkerProcess, until deadline: Deadline) throws {
    do { try prepare(process, deadline) } catch let error as ChannelError {
      let failure = failure(error, process, hasSent: true, nil)
      // The caller's function has not been called.
      if case .crashed(let end, let location, _, let output)? = failure as? WorkerError {
        throw WorkerError.crashed(end, location: location, .loading, output: output)
      }
      throw failure
    }
  }

  /// Begins to start the process that waits, if there is none yet.
  private func startStandby(_ state: inout State) {
    guard keepsStandby, case .idle = state.standby else { return }
    let id = state.newID()
    state.standby = .starting(id: id, nil)
    // The first calls of the present process have the processors to themselves.
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .milliseconds(20)) { [weak self] in
      guard let self, !self.state.withLock(\.isEnded) else { return }
      let process = try? start { [weak self] end in self?.recordEnd(id, end) }
      let isCurrent = self.state.withLock { state in
        // `Worker.end` or `recordEnd` may have come first, and did not know the process.
        guard !state.isEnded, state.standby.id == id else { return false }
        state.standby = .starting(id: id, process)
        return true
      }
      guard isCurrent else { return }
      let isReady = process.map { (try? self.prepare($0, .after(.seconds(30)))) != nil } ?? false
      self.state.withLock { state in
        guard state.standby.id == id else { return }
        state.standby = .idle
        guard isReady, let process, process.end == nil, !state.isEnded else { return }
        state.standby = .running(Run(id: id, process: process))
      }
    }
  }

  private func recordEnd(_ id: Int, _ end: ProcessEnd) {
    let events = state.withLock { state -> [Event] in
      if state.standby.id == id { state.standby = .idle }
      guard state.phase.id == id else { return [] }
      let run = state.phase.process
      let processID = run?.processID
      state.phase = .idle
      state.mailboxes.end()
      state.mailboxes = FreeMailboxes()
      // A worker that was ended on purpose does not count.
      guard !state.isEnded, run?.cause != .cancelled else { return processID.map { [.ended($0, end)] } ?? [] }
      state.earliestStart = state.circuit.recordEnd(at: .now, jitter: .random(in: 0...1))
      let event = processID.map { [Event.ended($0, end)] } ?? []
      if case .open = state.circuit.state { return event + [.circuitOpened] }
      return event
    }
    events.forEach(report)
  }
}
