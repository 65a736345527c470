internal import Glibc
internal import Synchronization

/// A call in flight, which has a mailbox of a process. It ends on the thread that began it, before the calls around it.
package struct WorkerCall: ~Copyable {
  package var endpoint: HostEndpoint
  let run: Worker.Run
  let start: Deadline
  let token: CallToken?
  let thread: ThreadCalls

  /// The id of the process, which tells the processes of the worker apart.
  package var process: Int { run.id }
}

/// The deadline of a call, and whether it may run twice.
package struct CallLimits {
  /// The start of this attempt, from which its latency counts.
  var start: Deadline
  /// The end of all waits.
  let deadline: Deadline
  /// How often the call may run again if the worker ends in it.
  var retries: Int
  let token: CallToken?
  /// The id of the only process in which the call makes sense; nil for any.
  let process: Int?

  init(start: Deadline, until deadline: Deadline, isIdempotent: Bool = false, token: CallToken? = nil, process: Int? = nil) {
    (self.start, self.deadline, self.token, self.process) = (start, deadline, token, process)
    retries = isIdempotent ? 1 : 0
  }
}

/// Cancels a call of a worker from another thread: ends the worker of a function, or cancels the task of a factory that the worker awaits.
package final class CallToken: Sendable {
  private let state = Mutex(State())

  private struct State {
    var isCancelled = false
    var target: Target?
  }

  private enum Target {
    case process(WorkerProcess)
    case factory(FactorySignal)

    func cancel() {
      switch self {
      case .process(let process): process.terminate(.cancelled)
      case .factory(let signal): signal.cancel()
      }
    }
  }

  package init() {}

  /// Cancels the call. The call of a function that has not begun is prevented; a factory that has not begun runs in a cancelled task.
  package func cancel() {
    state.withLock { state in
      state.isCancelled = true
      state.target?.cancel()
    }
  }

  package var isCancelled: Bool { state.withLock(\.isCancelled) }

  /// Sets the worker of the call, which is about to begin. Throws if the call has been cancelled.
  func begin(_ process: WorkerProcess) throws(WorkerError) {
    let isCancelled = state.withLock { state in
      if !state.isCancelled { state.target = .process(process) }
      return state.isCancelled
    }
    if isCancelled { throw .cancelled }
  }

  /// Sets the signal of the factory that the call awaits.
  package func begin(_ signal: FactorySignal) {
    state.withLock { state in
      state.target = .factory(signal)
      if state.isCancelled { signal.cancel() }
    }
  }

  /// Ends the call, which cannot be cancelled any more.
  package func finish() { state.withLock { $0.target = nil } }
}

/// The calls of workers that are in progress on a thread, the innermost last. A callback may call a worker again, and that callback too.
final class ThreadCalls {
  private var calls: [(worker: ObjectIdentifier, process: Int, deadline: Deadline)] = []

  static let maximumDepth = 16

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let status = pthread_key_create(&key) { pointer in
      if let pointer { Unmanaged<ThreadCalls>.fromOpaque(pointer).release() }
    }
    precondition(status == 0, "the process has no more thread-specific keys")
    return key
  }()

  /// Those of this thread. Allocated at the first use.
  static var current: ThreadCalls {
    if let pointer = pthread_getspecific(key) { return Unmanaged<ThreadCalls>.fromOpaque(pointer).takeUnretainedValue() }
    let new = ThreadCalls()
    pthread_setspecific(key, Unmanaged.passRetained(new).toOpaque())
    return new
  }

  var deadline: Deadline { calls.last?.deadline ?? .never }

  func count(of worker: Worker) -> Int { calls.count { $0.worker == ObjectIdentifier(worker) } }

  /// The calls of a worker in the process with an id. Others may be left of a process that has ended.
  func count(of worker: Worker, process: Int) -> Int {
    calls.count { $0.worker == ObjectIdentifier(worker) && $0.process == process }
  }

  func push(_ worker: Worker, process: Int, until deadline: Deadline) {
    calls.append((ObjectIdentifier(worker), process, deadline))
  }

  func pop() { calls.removeLast() }
}
