internal import CSandbox
internal import Dispatch
internal import Glibc
internal import Synchronization
internal import TroupeFiles

/// A process that serves the calls of a channel. The channel closes when the process ends, and the process ends with this object.
///
/// All functions may be called on any thread.
package final class WorkerProcess: Sendable {
  package let channel: Channel
  /// The process leads a process group.
  package let processID: Int32
  /// Ends the process if it has too many threads.
  let watch: ThreadWatch
  private let ending: Ending
  private let output: WorkerOutput
  /// The number of forks of the process that started it.
  private let forks = troupe_channel_forks()
  /// The content of `/proc/self/maps` of the process, once it is known, and the files of its plugins.
  private let maps = Mutex<(content: [UInt8], plugins: Set<String>)>(([], []))

  /// Starts an executable. It finds the memory of the channel as the descriptor `ChildProcess.childDescriptor`, and has no other descriptors
  /// but the standard streams: standard input is empty.
  ///
  /// - Parameters:
  ///   - executable: The path of the executable; nil for that of this process.
  ///   - environment: The variables, such as `TERM=dumb`; the process inherits none.
  ///   - output: For its standard output and standard error, and for those of no other process.
  ///   - threads: The number of threads above which the process is ended while calls are made.
  ///   - isInterrupted: See `Channel`.
  ///   - onEnd: Called once, after the end of the process and before the calls in flight throw.
  ///   - grants: What the process gets besides, for its policy.
  /// - Throws: A `SystemError` if the system has no memory, descriptor or process left.
  package init(
    executable: String?, environment: [String], output: WorkerOutput, shape: ChannelMemory.Shape,
    threads: Int = .max, grants: WorkerGrants? = nil, isInterrupted: (@Sendable () -> Bool)? = nil,
    onEnd: @escaping @Sendable (ProcessEnd) -> Void = { _ in }
  ) throws {
    self.output = output
    do {
      channel = try Channel(
        shape, readOutput: { $0 ? output.readToEnd() : output.readAvailable() }, isInterrupted: isInterrupted)
    } catch ChannelError.unavailable(let code) {
      throw SystemError(code: code)
    }
    let memory = channel.memory
    processID = try SpawnThread.run {
      try ChildProcess.spawn(
        executable, channel: memory.descriptor, output: output.descriptor, further: grants?.descriptors ?? [],
        environment: environment)
    }
    let descriptor = troupe_probe_end_descriptor(processID)
    guard descriptor >= 0 else {
      let code = errno
      _ = ProcessEnd.reaping(processID)
      throw SystemError(code: code)
    }
    ending = Ending(processID)
    watch = ThreadWatch(processID, limit: threads) { [ending] in ending.kill() }
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: Self.queue)
    source.setEventHandler { [channel, ending] in
      onEnd(ending.reap())
      channel.close()
      source.cancel()
    }
    source.setCancelHandler { close(descriptor) }
    source.activate()
  }

  deinit {
    terminate()
    output.finish()
  }

  /// How the process ended; nil while it runs.
  package var end: ProcessEnd? { ending.end }

  /// The status with which the process exited, and a sentence with the end of its output; nil for another end.
  package var exit: (status: Int32, sentence: String)? {
    guard let end, case .exited(let status) = end else { return nil }
    readOutput()
    return (status, end.sentence(outputTail))
  }

  /// Sets what `location` needs: the content of `/proc/self/maps` of the process, and the files of its plugins.
  package func setMaps(_ bytes: [UInt8], plugins: Set<String>) { maps.withLock { $0 = (bytes, plugins) } }

  /// The function, the file and the offset at which a signal ended the process: in a plugin, if one is among the interrupted calls. Nil if it
  /// is not known. The process may forge it.
  var location: String? {
    let (maps, plugins) = maps.withLock(\.self)
    return channel.memory.crash.flatMap { Backtrace.location(of: $0, maps: maps, preferring: plugins) }
  }

  package func readOutput() { output.readToEnd() }

  /// The last lines that a plugin has printed; nil for none.
  var outputTail: String? { output.outputTail }

  /// The call for which the host has ended the process, or will end it, since its error has closed the channel; nil if it ends by itself.
  var cause: WorkerError.End.Cause? {
    if let cause = ending.cause { return cause }
    return switch channel.failure {
    case .timedOut?: .timedOut
    case .interrupted?: .cancelled
    case .malformed?: .badReply
    case .tooLarge?: .tooLarge
    default: nil
    }
  }

  /// Ends the process and all processes of its group. Calls in flight and later calls throw at once.
  ///
  /// - Parameter cause: The call for which it is ended; nil for none. After a cancellation the end does not delay the next start.
  func terminate(_ cause: WorkerError.End.Cause? = nil) {
    // A forked process has a copy of this object.
    guard forks == troupe_channel_forks() else { return }
    ending.set(cause)
    channel.close()
    ending.kill()
  }

  /// For the ends of all workers, which take little time each.
  private static let queue = DispatchQueue(label: "troupe.workers", qos: .userInitiated)

  /// The end of a process, whose PID belongs to it until it is reaped.
  private final class Ending: Sendable {
    private let processID: pid_t
    private let state = Mutex(State())

    private struct State {
      var end: ProcessEnd?
      var cause: WorkerError.End.Cause?
    }

    init(_ processID: pid_t) { self.processID = processID }

    var end: ProcessEnd? { state.withLock(\.end) }
    var cause: WorkerError.End.Cause? { state.withLock(\.cause) }

    /// Sets why the host ends the process; the first cause counts.
    func set(_ cause: WorkerError.End.Cause?) {
      state.withLock { if $0.end == nil, $0.cause == nil { $0.cause = cause } }
    }

    func kill() {
      state.withLock { state in
        guard state.end == nil else { return }
        // The process itself, too, which may have left the group.
        Glibc.kill(-processID, SIGKILL)
        Glibc.kill(processID, SIGKILL)
      }
    }

    /// Receives the status of the ended process, after it has ended the others of the group.
    func reap() -> ProcessEnd {
      state.withLock { state in
        let end = ProcessEnd.reaping(processID)
        state.end = end
        return end
      }
    }
  }
}

/// Enforces the thread limit of a worker by polling /proc, since RLIMIT_NPROC does not apply to root. Polls only while calls are made, so that
/// an idle worker takes no time.
final class ThreadWatch: Sendable {
  private let limit: Int
  private let process: Int32
  private let terminate: @Sendable () -> Void
  private let isExceeded = Atomic(false)
  /// The calls since the last poll, and whether another one is planned.
  private let calls = Atomic(0)
  private let isPlanned = Atomic(false)

  private static let queue = DispatchQueue(label: "troupe.thread-watch", qos: .utility)
  /// A process makes some 50 threads in a millisecond. A poll takes 15 µs.
  private static let interval = DispatchTimeInterval.milliseconds(10)

  fileprivate init(_ process: Int32, limit: Int, terminate: @escaping @Sendable () -> Void) {
    (self.process, self.limit, self.terminate) = (process, limit, terminate)
  }

  var hasEndedWorker: Bool { isExceeded.load(ordering: .acquiring) }

  /// Records the begin of a call. Returns true if the caller must plan the next poll.
  func recordCall() -> Bool {
    // Sequentially consistent, as in `poll`: either this thread sees that no poll is planned, or the last poll sees the call.
    calls.store(1, ordering: .sequentiallyConsistent)
    return !isPlanned.load(ordering: .sequentiallyConsistent)
      && !isPlanned.exchange(true, ordering: .sequentiallyConsistent)
  }

  /// Plans the next poll. Polls again for as long as calls are in flight.
  func plan(while isBusy: @escaping @Sendable () -> Bool) {
    Self.queue.asyncAfter(deadline: .now() + Self.interval) { [weak self] in self?.poll(isBusy) }
  }

  private func poll(_ isBusy: @escaping @Sendable () -> Bool) {
    if troupe_probe_threads(process) > limit {
      isExceeded.store(true, ordering: .releasing)
      return terminate()
    }
    if calls.exchange(0, ordering: .sequentiallyConsistent) > 0 || isBusy() { return plan(while: isBusy) }
    isPlanned.store(false, ordering: .sequentiallyConsistent)
    // A call may have begun since, and have relied on this poll.
    if calls.load(ordering: .sequentiallyConsistent) > 0, !isPlanned.exchange(true, ordering: .sequentiallyConsistent) {
      plan(while: isBusy)
    }
  }
}
