internal import CSandbox
internal import Glibc
internal import TroupeFiles

/// A helper process that has libTroupe.so open and forks a child for each probe; `fork_server.h` has the picture and the protocol.
///
/// The start of a program takes 6 ms of processor time, most of it in the loader and the Swift runtime; a fork takes 0.3 ms. The children
/// of one server share the layout of their address spaces. They get the environment, the working directory and the limits that this process
/// has when it starts the server. A server therefore serves one batch of probes, that of a `Prober.run`.
///
/// Ownership: a `ChildProcess` retains the server that forked it, since only that server can reap it. Not thread-safe. `start` and `reap`
/// wait for the server, for 10 seconds at most.
final class ForkServer {
  private let processID: Int32
  /// A descriptor of the process, which means no other one after its end.
  private let process: FileDescriptor
  private let channel: FileDescriptor
  /// True once the server has not answered.
  private(set) var hasEnded = false

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - executable: The path of `troupe-probe`.
  init(executable: String) throws(SystemError) {
    try SystemError.checkCalls(for: .probe)
    let channels = try SocketPair()
    // The server prints nothing. Each request brings the output of its child.
    let null = FileDescriptor(owning: open("/dev/null", O_WRONLY | O_CLOEXEC))
    guard null.rawValue >= 0 else { throw SystemError(code: errno) }
    processID = try ChildProcess.spawn(
      executable, channel: channels.child.rawValue, output: null.rawValue,
      environment: ChildProcess.environment(role: .forkServer))
    channel = channels.own
    process = FileDescriptor(owning: troupe_probe_descriptor(processID))
    // Children are watched by such descriptors, too. Where a filter denies them, their ends would go unnoticed.
    if process.rawValue < 0 { throw SystemError(code: errno) }
    // The requests wait, and `SocketPair` has made this end non-blocking.
    _ = fcntl(channel.rawValue, F_SETFL, fcntl(channel.rawValue, F_GETFL) & ~O_NONBLOCK)
    let greeting = Array(TROUPE_FORK_SERVER_GREETING.utf8)
    // The first request reports a server that has ended.
    send(channel.rawValue, greeting, greeting.count, Int32(MSG_NOSIGNAL))
  }

  deinit {
    // The server ends by itself when the channel closes. A server that SIGSTOP has stopped would not.
    shutdown(channel.rawValue, Int32(SHUT_RDWR))
    _ = troupe_probe_signal(process.rawValue, SIGKILL)
    var status: Int32 = 0
    troupe_probe_wait(processID, &status, 0)
  }

  /// Forks a child. Returns its PID, which belongs to it until `reap(_:)`.
  ///
  /// - Throws: `EPIPE` if the server has ended or does not answer, `EBUSY` if it has several threads, or an error of fork(2).
  func start(channel: borrowing FileDescriptor, output: borrowing FileDescriptor) throws(SystemError) -> Int32 {
    var child: Int32 = 0
    let code = troupe_fork_server_start(self.channel.rawValue, channel.rawValue, output.rawValue, &child)
    if code == EPIPE { hasEnded = true }
    guard code == 0 else { throw SystemError(code: code) }
    return child
  }

  /// Kills the process group of a child, waits for the end of the child, and returns how it ended: `.unknown` if the server has ended or
  /// does not answer.
  func reap(_ child: Int32) -> ProcessEnd {
    var status: Int32 = 0
    let code = troupe_fork_server_reap(channel.rawValue, child, &status)
    if code == EPIPE { hasEnded = true }
    return code == 0 ? ProcessEnd(status: status) : .unknown
  }
}
