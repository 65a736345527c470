internal import CIsolation
internal import Dispatch
internal import Glibc
internal import Synchronization
internal import TroupeFiles
package import TroupeSandbox

/// Keeps a worker process running: starts it at the first call, ends it if a call fails, and starts it again as its circuit allows.
///
/// ```swift
/// let worker = Worker { onEnd in
///   try WorkerProcess(executable: path, environment: [], output: WorkerOutput { print($0) }, shape: shape, onEnd: onEnd)
/// }
/// let sum = try worker.call(until: .after(.seconds(1))) { call, _ in
///   try call.exchange(kind: 1, request.span.bytes) { kind, reply in try decode(kind, reply) }
/// }
/// ```
///
/// All functions may be called on any thread, also on several at once.
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
  private let keepsStandby: Bool
  private let report: @Sendable (Event) -> Void
  private let state: Mutex<State>
  /// The number of forks of this process. A forked process has a copy of this object, and must not use the worker.
  private let forks = troupe_channel_forks()

  /// A process of the worker.
  private struct Run {
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

    var run: Run? { if case .running(let run) = self { run } else { nil } }

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
    /// The process that takes the place of the present one.
    var standby: Run?
    var isStartingStandby = false
    var circuit: Circuit
    /// The time from which a process may be started.
    var next = Deadline(nanoseconds: 0)
    var counts = Counts()
    var latencies = Latencies()
    /// The number of processes so far.
    var ids = 0
    var isEnded = false

    mutating func newID() -> Int {
      ids += 1
      return ids
    }
  }

  /// - Parameters:
  ///   - limits: When to start again.
  ///   - keepsStandby: Whether a second process waits.
  ///   - report: Receives the events, on any thread. It must not call the worker.
  ///   - prepare: Makes a new process ready.
  ///   - start: Starts a process.
  package init(
    limits: Circuit.Limits = Circuit.Limits(), keepsStandby: Bool = false,
    report: @escaping @Sendable (Event) -> Void = { _ in },
    prepare: @escaping Prepare = { _, _ in }, start: @escaping Start
  ) {
    (self.start, self.prepare, self.keepsStandby, self.report) = (start, prepare, keepsStandby, report)
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
      return [state.phase.process, state.standby?.process]
    }
    for process in processes { process?.terminate() }
  }

  /// Makes a call; see `Channel.call`. Starts the worker if none runs.
  ///
  /// - Parameters:
  ///   - start: The present time.
  ///   - deadline: The end of all waits of the call, that for the start included.
  ///   - isIdempotent: Whether the call may run twice. If the worker ends in the call, the call is then made once more.
  ///   - token: Cancels the call.
  ///   - body: Receives the call and the id of the process, which tells the processes of this worker apart.
  /// - Throws: A `WorkerError`, the error of starting or preparing the process, or that of the function.
  package func call<Result>(
    at start: Deadline = .now, until deadline: Deadline, isIdempotent: Bool = false, token: CallToken? = nil,
    _ body: (inout HostEndpoint, Int) throws -> Result
  ) throws -> Result {
    do {
      let run = try state.withLock { $0.phase.run } ?? running(until: deadline)
      return try call(run, at: start, until: deadline, token, body)
    } catch let failure as WrappedError {
      guard case .crashed(_, _, let progress, _)? = failure.error as? WorkerError, isIdempotent || progress != .unknown
      else {
        throw failure.error
      }
    }
    do { return try call(running(until: deadline), at: .now, until: deadline, token, body) } catch let failure as WrappedError {
      throw failure.error
    }
  }

  /// The failure of a call of this worker. The body of a call may throw the error of another worker.
  private struct WrappedError: Error { let error: any Error }

  /// Makes a call of one message whose answer has a known size.
  ///
  /// - Parameter reply: Receives the answer, all of its bytes.
  /// - Returns: The error of the plugin; then `reply` is unchanged.
  package func exchange(
    kind: MessageKind, _ bytes: UnsafeRawBufferPointer, into reply: UnsafeMutableRawBufferPointer, at start: Deadline,
    until deadline: Deadline, isIdempotent: Bool, token: CallToken?
  ) throws -> RemoteError? {
    try call(at: start, until: deadline, isIdempotent: isIdempotent, token: token) { call, _ in
      try call.exchange(kind: kind.rawValue, bytes.bytes) { kind, content in
        try content.withUnsafeBytes { content in
          if kind == MessageKind.flatDone.rawValue, content.count == reply.count {
            reply.copyMemory(from: content)
            return nil
          }
          guard kind == MessageKind.failed.rawValue,
            let error = try? RecordReader.value(RemoteError.self, [UInt8](content))
          else { throw ChannelError.malformed }
          return error
        }
      }
    }
  }

  /// Makes a call if a certain process still runs; else does nothing.
  package func callIfRunning(id: Int, until deadline: Deadline, _ body: (inout HostEndpoint) throws -> Void) {
    let run = state.withLock { state -> Run? in
      if case .running(let run) = state.phase, run.id == id { run } else { nil }
    }
    if let run { try? call(run, at: .now, until: deadline, nil) { call, _ in try body(&call) } }
  }

  private func call<Result>(
    _ run: Run, at start: Deadline, until deadline: Deadline, _ token: CallToken?,
    _ body: (inout HostEndpoint, Int) throws -> Result
  ) throws -> Result {
    defer { token?.finish() }
    var hasSent = false
    var end: Deadline?
    defer { if let end { recordSuccess(end.nanoseconds &- start.nanoseconds) } }
    do {
      return try run.process.call(at: start, until: deadline, isCancelled: token.map { token in { token.isCancelled } }) {
        call in
        // A call that waits for a slot has no process to end.
        try token?.begin(run.process)
        hasSent = true
        defer { end = call.lastEnd }
        return try body(&call, run.id)
      }
    } catch let error as ChannelError {
      end = nil
      throw WrappedError(error: failure(error, run.process, hasSent: hasSent, token))
    }
  }

  /// Records a call that the worker has answered, also one whose function failed.
  private func recordSuccess(_ duration: UInt64) {
    let isClosed = state.withLock { state in
      state.counts.calls += 1
      state.latencies.add(nanoseconds: duration)
      return state.circuit.recordSuccess()
    }
    if isClosed { report(.circuitClosed) }
  }

  /// Ends the process if it can no longer be used, and returns the error for the caller.
  private func failure(_ error: ChannelError, _ process: WorkerProcess, hasSent: Bool, _ token: CallToken?) -> any Error {
    // If another call ended the process, the end may still have to be recorded.
    let end = process.end ?? .killed(SIGKILL)
    if !hasSent, process.channel.reason != nil, token?.isCancelled != true {
      return WorkerError.crashed(process.cause.map { .host($0) } ?? .init(end), location: nil, .notStarted)
    }
    let isCancelled = token?.isCancelled == true || error == .interrupted
    if error == .interrupted, hasSent { process.terminate(.cancelled) }
    state.withLock {
      $0.counts.calls += 1
      $0.counts.failures += isCancelled ? 0 : 1
    }
    if isCancelled { return WorkerError.cancelled }
    if forks != troupe_channel_forks() { return WorkerError.forked }
    // The text that explains the error precedes it.
    process.readOutput()
    switch error {
    case .closed:
      if let cause = process.cause { return WorkerError.crashed(.host(cause), location: nil, .unknown) }
      if process.hadTooManyThreads { return WorkerError.policyViolation(systemCall: "clone") }
      guard end == .killed(SIGSYS) else {
        return WorkerError.crashed(.init(end), location: process.location, .unknown, output: process.lastWords)
      }
      // A process that blocks the signal ends without a report.
      return WorkerError.policyViolation(systemCall: process.channel.memory.refusedCall ?? "unknown")
    case .timedOut:
      // A call that waited for a slot leaves the worker alone.
      if hasSent { process.terminate(.timedOut) }
      return WorkerError.timedOut
    case .malformed:
      process.terminate(.badReply)
      return WorkerError.badReply
    case .tooLarge(let size, let capacity):
      if process.channel.reason != nil { process.terminate() }
      return WorkerError.tooLarge(size: size, limit: capacity)
    case .unavailable, .interrupted: return error
    }
  }
}

// MARK: Starting

extension Worker {
  private enum Step {
    case running(Run)
    /// The process that waited takes over.
    case takenOver(Run)
    case start(id: Int)
    case wait(until: Deadline)
  }

  /// Returns the running process. Starts one if none runs, after the delay of the circuit.
  private func running(until deadline: Deadline) throws -> Run {
    while true {
      switch try state.withLock({ state throws in try next(&state) }) {
      case .running(let run): return run
      case .takenOver(let run):
        report(.started(run.process.processID))
        return run
      case .start(let id): return try startProcess(id, until: deadline)
      case .wait(let time):
        guard Deadline.now < deadline else { throw WorkerError.timedOut }
        Deadline.sleep(until: min(time, deadline))
      }
    }
  }

  private func next(_ state: inout State) throws -> Step {
    if forks != troupe_channel_forks() { throw WorkerError.forked }
    if state.isEnded { throw WorkerError.crashed(.unknown, location: nil, .notStarted) }
    let now = Deadline.now
    switch state.phase {
    case .starting: return .wait(until: now.advanced(by: .microseconds(200)))
    case .running(let run):
      if run.process.channel.reason == nil, run.process.end == nil { return .running(run) }
      // Its end is still to be recorded.
      run.process.terminate()
      return .wait(until: now.advanced(by: .microseconds(100)))
    case .idle:
      if let end = state.circuit.recordStart(at: now) { throw WorkerError.circuitOpen(for: end.duration(since: now)) }
      if now < state.next { return .wait(until: state.next) }
      if let run = state.standby, run.process.end == nil {
        state.counts.starts += 1
        (state.phase, state.standby) = (.running(run), nil)
        startStandby(&state)
        return .takenOver(run)
      }
      let id = state.newID()
      state.phase = .starting(id: id, nil)
      return .start(id: id)
    }
  }

  /// Starts and prepares a process, for which the other callers wait.
  private func startProcess(_ id: Int, until deadline: Deadline) throws -> Run {
    var started: WorkerProcess?
    do {
      let process = try start { [weak self] end in self?.recordEnd(id, end) }
      started = process
      state.withLock { state in
        state.counts.starts += 1
        if state.phase.id == id { state.phase = .starting(id: id, process) }
      }
      report(.started(process.processID))
      try prepareProcess(process, until: deadline)
      let run = Run(id: id, process: process)
      let isRunning = state.withLock { state in
        guard state.phase.id == id else { return false }
        state.phase = .running(run)
        startStandby(&state)
        return !state.isEnded
      }
      guard isRunning else { throw WorkerError.crashed(.init(process.end ?? .unknown), location: nil, .notStarted) }
      return run
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
    guard keepsStandby, !state.isStartingStandby, state.standby == nil else { return }
    state.isStartingStandby = true
    let id = state.newID()
    // The first calls of the present process have the processors to themselves.
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .milliseconds(20)) { [weak self] in
      guard let self else { return }
      let process = try? start { [weak self] end in self?.recordEnd(id, end) }
      let isReady = process.map { (try? self.prepare($0, .after(.seconds(30)))) != nil } ?? false
      self.state.withLock { state in
        state.isStartingStandby = false
        guard isReady, let process, process.end == nil, !state.isEnded else { return }
        state.standby = Run(id: id, process: process)
      }
    }
  }

  private func recordEnd(_ id: Int, _ end: ProcessEnd) {
    let events = state.withLock { state -> [Event] in
      if state.standby?.id == id { state.standby = nil }
      guard state.phase.id == id else { return [] }
      let run = state.phase.process
      let processID = run?.processID
      state.phase = .idle
      // A worker that was ended on purpose does not count.
      guard !state.isEnded, run?.cause != .cancelled else { return processID.map { [.ended($0, end)] } ?? [] }
      state.next = state.circuit.recordEnd(at: .now, jitter: .random(in: 0...1))
      let event = processID.map { [Event.ended($0, end)] } ?? []
      if case .open = state.circuit.state { return event + [.circuitOpened] }
      return event
    }
    events.forEach(report)
  }
}
