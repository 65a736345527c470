internal import CSandbox
internal import Glibc
internal import TroupeFiles

/// A child process that runs this process's executable or a helper, with a channel and an output, both sockets.
///
/// It is the leader of a process group and has no descriptors of this process besides the two. `events` contains a descriptor that
/// becomes readable when it ends. It is either started by this process, or forked by a `ForkServer`, which then is its parent.
///
/// Not thread-safe: its owner polls and calls it on one thread.
final class ChildProcess {
  let processID: Int32
  private let end: FileDescriptor
  private let channel: FileDescriptor
  private let output: FileDescriptor
  private var outbox: ArraySlice<UInt8>
  /// Whether the channel and the output have been read to their ends. A child that closes foreign descriptors closes them early.
  private var isChannelClosed = false
  private var isOutputClosed = false

  /// The parent of the process, if it is not this process.
  private let server: ForkServer?
  /// True once the child is reaped, and the PID may be reused.
  private var isReaped = false

  /// Ends and reaps a child whose owner has given it up.
  deinit { if !isReaped { _ = reap() } }

  /// Starts a process. Throws a `SystemError` if the system has no process or descriptor left.
  ///
  /// - Parameters:
  ///   - executable: The path of the executable; nil for that of this process.
  ///   - request: The bytes to send over the channel, which is then closed for writing.
  init(executable: String?, role: ChildRole, request: [UInt8]) throws(SystemError) {
    try SystemError.checkCalls(for: .probe)
    let channels = try SocketPair()
    let outputs = try SocketPair()
    processID = try Self.spawn(
      executable, channel: channels.child.rawValue, output: outputs.child.rawValue,
      environment: Self.environment(role: role))
    server = nil
    channel = channels.own
    output = outputs.own
    end = FileDescriptor(owning: troupe_probe_end_descriptor(processID))
    outbox = request[...]
    // This process would not notice the end of the child without the descriptor.
    if end.rawValue < 0 { throw endingAfterError() }
  }

  /// Has a server fork a process. Throws a `SystemError` in the same cases, and those of `ForkServer.start`.
  init(from server: ForkServer, request: [UInt8]) throws(SystemError) {
    let channels = try SocketPair()
    let outputs = try SocketPair()
    processID = try server.start(channel: channels.child, output: outputs.child)
    self.server = server
    channel = channels.own
    output = outputs.own
    end = FileDescriptor(owning: troupe_probe_descriptor(processID))
    outbox = request[...]
    if end.rawValue < 0 { throw endingAfterError() }
  }

  private func endingAfterError() -> SystemError {
    let code = errno
    _ = reap()
    return SystemError(code: code)
  }

  /// The events to wait for: the end of the process, data to read, room to write.
  var events: [pollfd] {
    [
      pollfd(fd: end.rawValue, events: Int16(POLLIN), revents: 0),
      pollfd(
        fd: isChannelClosed ? -1 : channel.rawValue, events: Int16(outbox.isEmpty ? POLLIN : POLLIN | POLLOUT), revents: 0),
      pollfd(fd: isOutputClosed ? -1 : output.rawValue, events: Int16(POLLIN), revents: 0),
    ]
  }

  /// Whether the process has ended and its status is available; nil if another part of this program has reaped it, so that its PID
  /// may belong to another process.
  func hasEnded() -> Bool? {
    if server != nil { return troupe_probe_has_ended(end.rawValue) != 0 }
    var information = siginfo_t()
    guard waitid(P_PID, id_t(processID), &information, WEXITED | WNOHANG | WNOWAIT) == 0 else {
      // A filter around the program may deny the call.
      guard errno == ECHILD else { return troupe_probe_has_ended(end.rawValue) != 0 }
      isReaped = true
      return nil
    }
    return information._sifields._sigchld.si_pid == processID
  }

  /// Ends every process of the group, waits for the end of the child, and returns how it ended.
  func reap() -> ProcessEnd {
    isReaped = true
    if let server {
      let status = server.reap(processID)
      // Without its server the process still runs, perhaps.
      if status == .unknown { _ = troupe_probe_signal(end.rawValue, SIGKILL) }
      return status
    }
    return ProcessEnd.reaping(processID)
  }

  func send(signal: Int32) {
    // A filter may deny the one and allow the other. The PID belongs to the child until it is reaped, unless the server has ended.
    if let server, troupe_probe_signal(end.rawValue, signal) == 0 || server.hasEnded { return }
    kill(processID, signal)
  }

  /// Sends as much of the request as fits without waiting.
  func sendRequest() {
    while !outbox.isEmpty {
      let count = outbox.withUnsafeBytes {
        Glibc.send(channel.rawValue, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
      }
      if count < 0 && errno == EINTR { continue }
      if count < 0 && errno == EAGAIN { return }
      // A process that closed its end is about to end.
      outbox = count < 0 ? [] : outbox.dropFirst(count)
      if outbox.isEmpty { shutdown(channel.rawValue, Int32(SHUT_WR)) }
    }
  }

  /// Reads the available data without waiting, limited so that an endless writer does not delay others.
  ///
  /// - Returns: Whether the channel was read to its end.
  func receive(channel take: (ArraySlice<UInt8>) -> Void, output print: (ArraySlice<UInt8>) -> Void) -> Bool {
    isChannelClosed = Self.read(channel, take)
    isOutputClosed = Self.read(output, print)
    return isChannelClosed
  }

  private static func read(_ descriptor: borrowing FileDescriptor, _ take: (ArraySlice<UInt8>) -> Void) -> Bool {
    for _ in 0..<64 {
      do throws(SystemError) {
        let piece = try descriptor.readPiece()
        if piece.isEmpty { return true }
        take(piece[...])
      } catch {
        return error.code != EAGAIN
      }
    }
    return false
  }
}

/// What a child process does for its host; see `TROUPE_PROBE_VARIABLE` in probe.h.
package enum ChildRole: Hashable, Sendable {
  case probe, forkServer, answer, check
  /// With the text of a `WorkerStart`.
  case worker(String)

  /// The name of the environment variable that all roles share.
  package static let variable = TROUPE_PROBE_VARIABLE

  package var assignment: String {
    let channel = ChildProcess.childDescriptor
    let value =
      switch self {
      case .probe: "\(channel)"
      case .forkServer: "fork:\(channel)"
      case .answer: "answer:\(channel)"
      case .check: "check:\(channel)"
      case .worker(let start): "worker:\(channel):\(start)"
      }
    return "\(Self.variable)=\(value)"
  }

  /// Ends a process that cannot play its role, with a line on standard error, which the host quotes.
  package static func fail(_ complaint: String) -> Never {
    _ = Array("\(complaint)\n".utf8).withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    _exit(70)
  }
}

/// Two connected sockets, neither with the number of a standard stream. Only the own end is non-blocking.
struct SocketPair: ~Copyable {
  let own: FileDescriptor
  let child: FileDescriptor

  /// Throws a `SystemError` if there is no descriptor left.
  init() throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw SystemError(code: errno)
    }
    let first = FileDescriptor(owning: ends[0])
    let second = FileDescriptor(owning: ends[1])
    let own = try Self.moved(first)
    child = try Self.moved(second)
    self.own = own
    _ = fcntl(self.own.rawValue, F_SETFL, fcntl(self.own.rawValue, F_GETFL) | O_NONBLOCK)
  }

  /// Moves a descriptor away from the number of a closed standard stream, to which other code may print.
  private static func moved(_ descriptor: consuming FileDescriptor) throws(SystemError) -> FileDescriptor {
    guard descriptor.rawValue <= STDERR_FILENO else { return descriptor }
    let moved = fcntl(descriptor.rawValue, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
    guard moved >= 0 else { throw SystemError(code: errno) }
    return FileDescriptor(owning: moved)
  }
}

// MARK: Starting

extension ChildProcess {
  /// The descriptor of the channel in the child, see `troupe_probe_start`.
  static let childDescriptor = 3
  /// The number of the first further descriptor in the child.
  static let firstFurtherDescriptor: Int32 = 4

  /// Starts an executable in a new process group, without descriptors of this process but the given ones. Throws a `SystemError`.
  ///
  /// - Parameters:
  ///   - executable: The path of the executable; nil for that of this process.
  ///   - further: Descriptors that get consecutive numbers from `firstFurtherDescriptor` on. They ascend and have no lower numbers.
  ///   - environment: The variables, such as `TERM=dumb`.
  static func spawn(
    _ executable: String?, channel: Int32, output: Int32, further: [Int32] = [], environment: [String]
  ) throws(SystemError) -> Int32 {
    try SystemError.checkProc()
    // The same arguments, so that a program that opens the host's library later opens it here, too.
    let arguments = CStrings(executable.map { [$0] } ?? CommandLine.arguments)
    // The report of the Swift runtime needs seconds and more memory than the limit.
    let environment = CStrings(environment + ["SWIFT_BACKTRACE=enable=no"])
    var process: pid_t = 0
    let code = withExtendedLifetime((arguments, environment)) {
      troupe_probe_start(
        executable, channel, output, further, further.count, arguments.pointers, environment.pointers, &process)
    }
    guard code == 0 else { throw SystemError(code: code) }
    return process
  }

  /// The variables of this process, and the one that gives the child its role.
  static func environment(role: ChildRole) -> [String] {
    var variables: [String] = []
    var next = troupe_probe_environment()
    while let variable = next?.pointee {
      variables.append(String(cString: variable))
      next = next.map { $0 + 1 }
    }
    // The first variable of a name counts.
    return variables.filter { variable in
      !["SWIFT_BACKTRACE", ChildRole.variable].contains { variable.hasPrefix($0 + "=") }
    } + [role.assignment]
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

// MARK: The end

package enum ProcessEnd: Equatable, Sendable {
  case exited(Int32)
  case killed(Int32)
  /// Another part of this program received its exit status.
  case unknown

  /// Decodes a status of waitpid(2).
  package init(status: Int32) {
    self = status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .killed(status & 0x7F)
  }

  /// Kills the process group of a child of this process, waits for the end of the child, and returns how it ended.
  static func reaping(_ child: pid_t) -> ProcessEnd {
    // Before the wait, so that the PID still belongs to this process group.
    kill(-child, SIGKILL)
    var status: Int32 = 0
    // Another part of this program may wait for all children.
    return troupe_probe_wait(child, &status, 0) < 0 ? .unknown : ProcessEnd(status: status)
  }

  /// The end with the last lines of the output, such as `it ended with status 1, and said "no memory"`.
  func sentence(_ outputTail: String?) -> String {
    let words = outputTail.map { ", and said \($0)" } ?? ""
    return switch self {
    case .exited(let status): "it ended with status \(status)\(words)"
    case .killed(let number): "it was ended by \(SignalName.of(number))\(words)"
    case .unknown: "another part of this program received its exit status"
    }
  }
}
