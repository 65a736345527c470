internal import Dispatch
internal import Glibc
internal import Synchronization
internal import TroupeHost

/// Runs an action at SIGINT, SIGTERM or SIGHUP. A signal that the process ignores, as nohup(1) makes it ignore SIGHUP, stays ignored.
///
/// The signal handler writes a byte into a pipe, which is safe in a handler (signal-safety(7)), and a reader of the pipe runs the
/// action. A signal source of Dispatch would miss signals that are delivered to other threads.
final class EndingSignals {
  /// The end of the pipe that the handler writes to; -1 before the pipe exists. A program creates at most one instance.
  private static let writer = Atomic<Int32>(-1)
  private let source: any DispatchSourceRead
  private let numbers: [Int32]

  /// Runs an action with the number of each of these signals, on any thread, during the lifetime of the instance. Throws a
  /// `Diagnosis` if the system has no descriptor left.
  init(_ action: @escaping @Sendable (_ number: Int32) -> Void) throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      throw Diagnosis(.unavailable, problem: "cannot create a pipe: \(SystemError(code: errno))")
    }
    let reader = ends[0]
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK)
    }
    source = DispatchSource.makeReadSource(fileDescriptor: reader)
    source.setEventHandler {
      var byte: UInt8 = 0
      while read(reader, &byte, 1) == 1 { action(Int32(byte)) }
    }
    source.setCancelHandler { close(reader) }
    source.activate()
    Self.writer.store(ends[1], ordering: .releasing)
    numbers = [SIGINT, SIGTERM, SIGHUP].filter { !Self.isIgnored($0) }
    for number in numbers {
      signal(number) { number in
        let code = errno
        var byte = UInt8(truncatingIfNeeded: number)
        // A full pipe already holds a signal.
        _ = write(EndingSignals.writer.load(ordering: .acquiring), &byte, 1)
        errno = code
      }
    }
  }

  private static func isIgnored(_ number: Int32) -> Bool {
    var present = sigaction()
    return sigaction(number, nil, &present) == 0
      && unsafeBitCast(present.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  // The writing end stays open: a handler may be running.
  deinit {
    for number in numbers { signal(number, SIG_DFL) }
    source.cancel()
  }
}
