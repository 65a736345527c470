internal import Dispatch
internal import Glibc
internal import Synchronization

/// Tells when somebody wants the program to end, by SIGINT, SIGTERM or SIGHUP.
///
/// The handler of the signals writes a byte into a pipe, which is about all that a handler may do (signal-safety(7)), and
/// whoever reads the pipe acts. So it is all the same which thread gets a signal and what that is about, which it is not for a
/// Dispatch source of signals.
final class EndingSignals {
  /// Where the handler writes; -1 until there is somewhere. A program has one of these at most.
  private static let writer = Atomic<Int32>(-1)
  private let source: any DispatchSourceRead

  /// Has something done at each of these signals, on some thread, for as long as this is there. Throws a `CommandFailure` if there
  /// is no room for a pipe.
  init(_ action: @escaping @Sendable () -> Void) throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      throw CommandFailure(.unavailable, "no pipe can be made: \(String(cString: strerror(errno)))")
    }
    let reader = ends[0]
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK)
    }
    source = DispatchSource.makeReadSource(fileDescriptor: reader)
    source.setEventHandler {
      var byte: UInt8 = 0
      while read(reader, &byte, 1) == 1 { action() }
    }
    source.setCancelHandler { close(reader) }
    source.activate()
    Self.writer.store(ends[1], ordering: .releasing)
    for number in [SIGINT, SIGTERM, SIGHUP] {
      signal(number) { _ in
        let code = errno
        var byte: UInt8 = 0
        // A pipe that is full says already what there is to say.
        _ = write(EndingSignals.writer.load(ordering: .acquiring), &byte, 1)
        errno = code
      }
    }
  }

  // The other end stays open: a handler may be about to write to it.
  deinit { source.cancel() }
}
