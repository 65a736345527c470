internal import CProbe
internal import Glibc

/// A running probe: a child process of this process's executable that loads one plugin.
///
/// It reports over a socket, the channel, and prints to another one. It forks (`watch.c`): the plugin is loaded in the new process, and
/// the first one watches it, reports its end, and ends every process that it left. The watching process does so, too, when this end of
/// the channel is closed.
final class ProbeProcess {
  /// A phase of the probe.
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
  private var clock: ProbeClock
  private let limits: ProbeLimits
  private let process: pid_t
  private let end: Descriptor
  private let channel: Descriptor
  private let output: Descriptor
  private var outbox: ArraySlice<UInt8>
  private var inbox: ProbeInbox
  /// Whether the channel and the output have been read to their ends. A plugin that closes foreign descriptors closes them early.
  private var isChannelClosed = false
  private var isOutputClosed = false
  private var result = ProbeResult()

  /// A descriptor that is closed with its owner.
  private final class Descriptor {
    let number: Int32
    init(_ number: Int32) { self.number = number }
    deinit { close(number) }
  }

  /// Starts a probe. Throws a `SystemError` if the system has no process or descriptor left.
  init(_ request: ProbeRequest, _ limits: ProbeLimits, answersItself: Bool = false) throws(SystemError) {
    let (own, other) = try Self.socketPair()
    let (reading, writing) = try Self.socketPair()
    process = try Self.spawn(
      channel: other.number, output: writing.number,
      variable: answersItself ? ProbeAnswer.variable : TROUPE_PROBE_VARIABLE)
    channel = own
    output = reading
    end = Descriptor(troupe_probe_descriptor(process))
    let keys = ProbeInbox.Keys()
    inbox = ProbeInbox(keys)
    outbox = (keys.greeting + RecordWriter.bytes(request))[...]
    clock = ProbeClock(processorTime: limits.deadline, waiting: limits.waiting)
    self.limits = limits
    if end.number < 0 {
      // The host would not notice the end of a process without this descriptor.
      let code = errno
      _ = reap()
      throw SystemError(code: code)
    }
  }

  /// The events to wait for: the end of the process, data to read, room to write.
  var events: [pollfd] {
    [
      pollfd(fd: end.number, events: Int16(POLLIN), revents: 0),
      pollfd(
        fd: isChannelClosed ? -1 : channel.number, events: Int16(outbox.isEmpty ? POLLIN : POLLIN | POLLOUT), revents: 0),
      pollfd(fd: isOutputClosed ? -1 : output.number, events: Int16(POLLIN), revents: 0),
    ]
  }

  /// Whether the plugin has printed something.
  var hasPrinted: Bool { !result.output.isEmpty }

  /// Sends and receives without waiting, and compares the process with its limits. Returns the result after the process has ended.
  func advance(at now: ContinuousClock.Instant = .now) -> ProbeResult? {
    send()
    receive()
    switch hasEnded() {
    case true?: return finish()
    case nil:
      // Its number may belong to another process by now.
      receiveAll()
      return result
    case false?: break
    }
    changePhase(now)
    guard clock.isDue(at: now) else { return nil }
    let usage = ProbeUsage.of(process)
    guard let limit = clock.reachedLimit(usage, at: now) else { return nil }
    switch phase {
    case .loading, .exiting:
      result.reachedLimit = limit
      beginLocating(after: usage, now)
      kill(process, SIGQUIT)
    case .locating: askToEnd(now)
    case .ending: return finish()
    }
    return nil
  }

  /// Follows what the process reported.
  private func changePhase(_ now: ContinuousClock.Instant) {
    guard phase != .ending else { return }
    if result.end != nil {
      beginEnding(now)
    } else if result.isGarbled {
      askToEnd(now)
    } else if phase != .locating && result.signal != nil {
      beginLocating(after: ProbeUsage.of(process), now)
    } else if phase == .loading && result.step?.step == .exiting {
      phase = .exiting
      clock = ProbeClock(
        processorTime: limits.deadline, waiting: limits.waiting, after: ProbeUsage.of(process), from: now)
    }
  }

  /// Limits the backtrace, which may not end in a process that crashed.
  private func beginLocating(after usage: ProbeUsage, _ now: ContinuousClock.Instant) {
    phase = .locating
    clock = ProbeClock(processorTime: .seconds(1), waiting: .seconds(1), after: usage, from: now)
  }

  /// Asks the watching process to end every process that the plugin started.
  private func askToEnd(_ now: ContinuousClock.Instant) {
    beginEnding(now)
    kill(process, SIGTERM)
  }

  private func beginEnding(_ now: ContinuousClock.Instant) {
    phase = .ending
    // Where the kernel does not ask before a fork, a plugin may start processes faster than the watching process ends them.
    clock = ProbeClock(processorTime: .seconds(20), waiting: .seconds(20), after: clock.lastUsage, from: now)
  }

  /// Whether the process has ended and its status is available; nil if another part of this program has reaped it.
  private func hasEnded() -> Bool? {
    var information = siginfo_t()
    guard waitid(P_PID, id_t(process), &information, WEXITED | WNOHANG | WNOWAIT) == 0 else { return nil }
    return information._sifields._sigchld.si_pid == process
  }

  /// Ends the process, if it has not ended.
  private func finish() -> ProbeResult {
    let end = reap()
    receiveAll()
    // The watching process ends after it has reported the end of the plugin's process, or if it cannot report it.
    if result.end == nil {
      result.isMute = end == .exited(Int32(TROUPE_PROBE_MUTE))
      result.end = end
    }
    return result
  }

  private func reap() -> ProbeResult.End {
    // Before waitpid, so that the number still belongs to this process group.
    kill(-process, SIGKILL)
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 {
      // Another part of this program waits for all children.
      guard errno == EINTR else { return .unknown }
    }
    return ProbeResult.End(status: status)
  }

  private func send() {
    while !outbox.isEmpty {
      let count = outbox.withUnsafeBytes {
        Glibc.send(channel.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
      }
      if count < 0 && errno == EINTR { continue }
      if count < 0 && errno == EAGAIN { return }
      // A process that closed its end is about to end.
      outbox = count < 0 ? [] : outbox.dropFirst(count)
      if outbox.isEmpty { shutdown(channel.number, Int32(SHUT_WR)) }
    }
  }

  private func receive() {
    isChannelClosed = Self.read(channel) { inbox.add($0) }
    while let message = inbox.next() { result.take(message.kind, message.content) }
    if inbox.isGarbled { result.garble() }
    isOutputClosed = Self.read(output) { result.add(output: $0) }
  }

  /// Receives the rest of an ended process. Does not wait for descendants that still hold an end.
  private func receiveAll() {
    for _ in 0..<Self.mostPieces {
      receive()
      if isChannelClosed || result.end != nil { return }
    }
  }

  /// More pieces than the sockets can hold.
  private static let mostPieces = 16

  /// Reads the available data, limited so that an endless writer does not delay other probes. Returns whether the end was reached.
  private static func read(_ descriptor: Descriptor, _ take: (ArraySlice<UInt8>) -> Void) -> Bool {
    var piece = [UInt8](repeating: 0, count: 1 << 14)
    for _ in 0..<64 {
      let count = Glibc.read(descriptor.number, &piece, piece.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return count == 0 || errno != EAGAIN }
      take(piece[..<count])
    }
    return false
  }

  private static func socketPair() throws(SystemError) -> (Descriptor, Descriptor) {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw SystemError(code: errno)
    }
    // Not the numbers of closed standard streams, to which other code may print.
    for index in ends.indices where ends[index] <= STDERR_FILENO {
      let moved = fcntl(ends[index], F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
      guard moved >= 0 else {
        let code = errno
        ends.forEach { close($0) }
        throw SystemError(code: code)
      }
      close(ends[index])
      ends[index] = moved
    }
    // Only this end: the child blocks.
    _ = fcntl(ends[0], F_SETFL, fcntl(ends[0], F_GETFL) | O_NONBLOCK)
    return (Descriptor(ends[0]), Descriptor(ends[1]))
  }
}

// MARK: Starting

extension ProbeProcess {
  /// The descriptor of the channel in the child, see `troupe_probe_start`.
  private static let childDescriptor = 3

  /// Starts this process's executable as a probe in a new process group, without descriptors of this process.
  private static func spawn(channel: Int32, output: Int32, variable: String) throws(SystemError) -> pid_t {
    // The same arguments, so that a program that opens the host's library later opens it here, too.
    let arguments = CStrings(CommandLine.arguments)
    let environment = CStrings(
      Self.environment.filter { !$0.hasPrefix("SWIFT_BACKTRACE=") } + [
        "\(variable)=\(childDescriptor)",
        // The report of the Swift runtime needs seconds and more memory than the limit.
        "SWIFT_BACKTRACE=enable=no",
      ])
    var process: pid_t = 0
    let code = troupe_probe_start(channel, output, arguments.pointers, environment.pointers, &process)
    guard code == 0 else { throw SystemError(code: code) }
    return process
  }

  private static var environment: [String] {
    var variables: [String] = []
    var next = troupe_probe_environment()
    while let variable = next?.pointee {
      variables.append(String(cString: variable))
      next = next.map { $0 + 1 }
    }
    return variables
  }

  /// An array of C strings that ends with NULL.
  private final class CStrings {
    let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private let count: Int

    init(_ texts: [String]) {
      count = texts.count
      pointers = .allocate(capacity: count + 1)
      for (index, text) in texts.enumerated() { (pointers + index).initialize(to: strdup(text)) }
      (pointers + count).initialize(to: nil)
    }

    deinit {
      for index in 0..<count { free(pointers[index]) }
      pointers.deallocate()
    }
  }
}
