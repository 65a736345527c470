internal import CProbe
package import Glibc
package import TroupeFiles

/// A child process that runs this process's executable, with a channel and an output, both sockets.
///
/// It is the leader of a process group and has no descriptors of this process besides the two. `events` contains a descriptor that
/// becomes readable when it ends. Not thread-safe: its owner polls and calls it on one thread.
package final class ChildProcess {
  /// The process number.
  package let number: Int32
  private let end: Descriptor
  private let channel: Descriptor
  private let output: Descriptor
  private var outbox: ArraySlice<UInt8>
  /// Whether the channel and the output have been read to their ends. A child that closes foreign descriptors closes them early.
  private var isChannelClosed = false
  private var isOutputClosed = false

  /// A descriptor that is closed with its owner.
  private final class Descriptor {
    let number: Int32
    init(_ number: Int32) { self.number = number }
    deinit { close(number) }
  }

  /// Starts a process. Throws a `SystemError` if the system has no process or descriptor left.
  ///
  /// - Parameters:
  ///   - variable: The environment variable by which the child recognizes its role; its value is the number of the channel.
  ///   - request: The bytes to send over the channel, which is then closed for writing.
  package init(variable: String, request: [UInt8]) throws(SystemError) {
    let (own, other) = try Self.socketPair()
    let (reading, writing) = try Self.socketPair()
    number = try Self.spawn(channel: other.number, output: writing.number, variable: variable)
    channel = own
    output = reading
    end = Descriptor(troupe_probe_descriptor(number))
    outbox = request[...]
    if end.number < 0 {
      // This process would not notice the end of the child without the descriptor.
      let code = errno
      _ = reap()
      throw SystemError(code: code)
    }
  }

  /// The events to wait for: the end of the process, data to read, room to write.
  package var events: [pollfd] {
    [
      pollfd(fd: end.number, events: Int16(POLLIN), revents: 0),
      pollfd(
        fd: isChannelClosed ? -1 : channel.number, events: Int16(outbox.isEmpty ? POLLIN : POLLIN | POLLOUT), revents: 0),
      pollfd(fd: isOutputClosed ? -1 : output.number, events: Int16(POLLIN), revents: 0),
    ]
  }

  /// Whether the process has ended and its status is available; nil if another part of this program has reaped it, so that its number
  /// may belong to another process.
  package func hasEnded() -> Bool? {
    var information = siginfo_t()
    guard waitid(P_PID, id_t(number), &information, WEXITED | WNOHANG | WNOWAIT) == 0 else { return nil }
    return information._sifields._sigchld.si_pid == number
  }

  /// Ends every process of the group, waits for the end of the child, and returns how it ended.
  package func reap() -> ProcessEnd {
    // Before waitpid, so that the number still belongs to this process group.
    kill(-number, SIGKILL)
    var status: Int32 = 0
    while waitpid(number, &status, 0) < 0 {
      // Another part of this program waits for all children.
      guard errno == EINTR else { return .unknown }
    }
    return ProcessEnd(status: status)
  }

  /// Sends a signal to the child.
  package func send(signal: Int32) { kill(number, signal) }

  /// Sends as much of the request as fits without waiting.
  package func sendRequest() {
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

  /// Reads the available data without waiting, limited so that an endless writer does not delay others.
  ///
  /// - Returns: Whether the channel was read to its end.
  package func receive(channel take: (ArraySlice<UInt8>) -> Void, output print: (ArraySlice<UInt8>) -> Void) -> Bool {
    isChannelClosed = Self.read(channel, take)
    isOutputClosed = Self.read(output, print)
    return isChannelClosed
  }

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

extension ChildProcess {
  /// The descriptor of the channel in the child, see `troupe_probe_start`.
  private static let childDescriptor = 3

  /// Starts this process's executable in a new process group, without descriptors of this process.
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
