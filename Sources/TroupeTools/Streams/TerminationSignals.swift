internal import Glibc
internal import Synchronization
package import TroupeHost

/// Runs an action at SIGINT, SIGTERM or SIGHUP, the termination signals. A signal that the process ignores, such as SIGHUP after
/// nohup(1), stays ignored.
///
/// The signal handler writes the number into a pipe, which is safe in a handler (signal-safety(7)), and a thread that reads the pipe runs
/// the action. A signal source of Dispatch would miss signals that are delivered to other threads, and would wait for a free thread.
package final class TerminationSignals {
  /// The byte that ends the thread; no signal has this number.
  private static let end: UInt8 = 0
  /// The end of the pipe that the handler writes to; -1 before the pipe exists. A program creates at most one instance.
  private static let writer = Atomic<Int32>(-1)
  private let numbers: [Int32]

  /// Runs an action with the number of each of these signals, on a thread of its own, during the lifetime of the instance. Throws a
  /// `Diagnosis` if the system has no descriptor or thread left.
  package init(_ action: @escaping @Sendable (_ number: Int32) -> Void) throws(Diagnosis) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      throw Diagnosis(.missingResource, problem: "cannot create a pipe: \(SystemError(code: errno))")
    }
    let (reader, writer) = (ends[0], ends[1])
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    // A handler does not wait: a full pipe already holds a signal.
    _ = fcntl(writer, F_SETFL, O_NONBLOCK)
    do throws(SystemError) {
      try DetachedThread.start { Self.run(action, reading: reader) }
    } catch {
      for end in ends { close(end) }
      throw Diagnosis(.missingResource, problem: "cannot start a thread: \(error)")
    }
    Self.writer.store(writer, ordering: .releasing)
    numbers = [SIGINT, SIGTERM, SIGHUP].filter { !Self.isIgnored($0) }
    for number in numbers {
      signal(number) { number in
        let code = errno
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(TerminationSignals.writer.load(ordering: .acquiring), &byte, 1)
        errno = code
      }
    }
  }

  private static func run(_ action: @Sendable (Int32) -> Void, reading reader: Int32) {
    var byte: UInt8 = 0
    while true {
      let count = read(reader, &byte, 1)
      if count < 0, errno == EINTR { continue }
      guard count == 1, byte != end else { return }
      action(Int32(byte))
    }
  }

  private static func isIgnored(_ number: Int32) -> Bool {
    var present = sigaction()
    return sigaction(number, nil, &present) == 0
      && unsafeBitCast(present.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  // The pipe stays open: a handler may be running.
  deinit {
    for number in numbers { signal(number, SIG_DFL) }
    var byte = Self.end
    _ = write(Self.writer.load(ordering: .acquiring), &byte, 1)
  }
}

/// Defers the termination signals while a function changes files.
package enum DeferredSignals {
  private static let held = Atomic<Int32>(0)

  /// Runs a closure. A signal that arrives meanwhile has its effect when the closure returns or throws.
  ///
  /// Sets the handlers of the process, since a signal mask would hold back the signals of one thread only. One call at a time.
  package static func during<Result, Failure>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    let numbers = [SIGINT, SIGTERM, SIGHUP]
    let handlers = numbers.map { signal($0) { DeferredSignals.held.store($0, ordering: .relaxed) } }
    defer {
      for (number, handler) in zip(numbers, handlers) { signal(number, handler) }
      let number = Self.held.exchange(0, ordering: .relaxed)
      // To the process, since threads of Dispatch block signals.
      if number != 0 { kill(getpid(), number) }
    }
    return try body()
  }
}
