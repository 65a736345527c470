internal import Glibc
internal import Synchronization
package import TroupeProbing

/// Keeps a worker process running: starts it at the first call, ends it if a call fails, and starts it again as its circuit allows.
///
/// ```swift
/// let worker = Worker { onEnd in
///   try WorkerProcess(executable: path, environment: [], output: output, shape: shape, onEnd: onEnd)
/// }
/// let sum = try worker.call(until: .after(.seconds(1))) { call in
///   try call.exchange(kind: 1, request.span.bytes) { kind, reply in try decode(kind, reply) }
/// }
/// ```
///
/// All functions may be called on any thread, also on several at once.
package final class Worker: Sendable {
  /// Starts a process, which calls the closure when it ends.
  package typealias Start = @Sendable (_ onEnd: @escaping @Sendable (ProcessEnd) -> Void) throws -> WorkerProcess

  /// What happens to a worker.
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
  private let report: @Sendable (Event) -> Void
  private let state: Mutex<State>

  private struct State {
    var process: WorkerProcess?
    var circuit: Circuit
    /// The time from which a process may be started.
    var next = Deadline(nanoseconds: 0)
    var counts = Counts()
  }

  /// - Parameters:
  ///   - limits: When to start again.
  ///   - report: Receives the events, on any thread. It must not call the worker.
  ///   - start: Starts a process.
  package init(
    limits: Circuit.Limits = Circuit.Limits(), report: @escaping @Sendable (Event) -> Void = { _ in }, start: @escaping Start
  ) {
    (self.start, self.report) = (start, report)
    state = Mutex(State(circuit: Circuit(limits)))
  }

  package var counts: Counts { state.withLock(\.counts) }
  package var circuit: Circuit.State { state.withLock(\.circuit.state) }
  /// The number of the process; nil if none runs.
  package var number: Int32? { state.withLock { $0.process.flatMap { $0.end == nil ? $0.number : nil } } }

  /// Makes a call; see `Channel.call`. Starts the worker if none runs.
  ///
  /// - Parameters:
  ///   - deadline: The end of all waits of the call, that for the start included.
  ///   - isIdempotent: Whether the call may run twice. If the worker ends in the call, the call is then made once more.
  /// - Throws: A `WorkerError`, the error of starting the process, or that of the function.
  package func call<Result>(
    until deadline: Deadline, isIdempotent: Bool = false, _ body: (inout ChannelCall) throws -> Result
  ) throws -> Result {
    do {
      return try callOnce(until: deadline, body)
    } catch WorkerError.crashed(_, let progress) where isIdempotent || progress == .notStarted {
      return try callOnce(until: deadline, body)
    }
  }

  private func callOnce<Result>(until deadline: Deadline, _ body: (inout ChannelCall) throws -> Result) throws -> Result {
    let process = try running(until: deadline)
    var hasSent = false
    do {
      let result = try process.channel.call(until: deadline) { call in
        hasSent = true
        return try body(&call)
      }
      recordSuccess()
      return result
    } catch let error as ChannelError {
      throw failure(error, process, hasSent: hasSent)
    }
  }

  private func recordSuccess() {
    let isClosed = state.withLock { state in
      state.counts.calls += 1
      return state.circuit.recordSuccess()
    }
    if isClosed { report(.circuitClosed) }
  }

  /// Ends the process if it can no longer be used, and returns the error for the caller.
  private func failure(_ error: ChannelError, _ process: WorkerProcess, hasSent: Bool) -> any Error {
    state.withLock {
      $0.counts.calls += 1
      $0.counts.failures += 1
    }
    // If another call ended the process, the end may still have to be recorded.
    let end = process.end ?? .killed(SIGKILL)
    if !hasSent, process.channel.reason != nil { return WorkerError.crashed(end, .notStarted) }
    switch error {
    case .closed:
      guard end == .killed(SIGSYS), let call = process.channel.memory.refusedCall else {
        return WorkerError.crashed(end, .unknown)
      }
      return WorkerError.policyViolation(systemCall: call)
    case .timedOut:
      // A call that waited for a slot leaves the worker alone.
      if hasSent { process.terminate() }
      return WorkerError.timedOut
    case .malformed:
      process.terminate()
      return WorkerError.badReply
    case .tooLarge, .unavailable: return error
    }
  }

  /// Returns the running process. Starts one if none runs, after the delay of the circuit.
  private func running(until deadline: Deadline) throws -> WorkerProcess {
    while true {
      let step = try state.withLock { state throws in try next(&state) }
      switch step {
      case .running(let process): return process
      case .started(let process):
        report(.started(process.number))
        return process
      case .wait(let time):
        guard Deadline.now < deadline else { throw WorkerError.timedOut }
        Deadline.sleep(until: min(time, deadline))
      }
    }
  }

  private enum Step {
    case running(WorkerProcess)
    case started(WorkerProcess)
    case wait(until: Deadline)
  }

  private func next(_ state: inout State) throws -> Step {
    if let process = state.process {
      if process.channel.reason == nil, process.end == nil { return .running(process) }
      // Its end is still to be recorded.
      process.terminate()
      return .wait(until: .after(.microseconds(100)))
    }
    let now = Deadline.now
    if let end = state.circuit.recordStart(at: now) { throw WorkerError.circuitOpen(until: end) }
    if now < state.next { return .wait(until: state.next) }
    let process = try start { [weak self] end in self?.recordEnd(end) }
    state.process = process
    state.counts.starts += 1
    return .started(process)
  }

  private func recordEnd(_ end: ProcessEnd) {
    let events = state.withLock { state -> [Event] in
      guard let process = state.process else { return [] }
      state.process = nil
      state.next = state.circuit.recordEnd(at: .now, jitter: .random(in: 0...1))
      let event = Event.ended(process.number, end)
      if case .open = state.circuit.state { return [event, .circuitOpened] }
      return [event]
    }
    events.forEach(report)
  }
}
