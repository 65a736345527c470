internal import Glibc
internal import Synchronization

/// Holds back SIGINT, SIGTERM and SIGHUP while a function changes files.
enum DeferredSignals {
  private static let held = Atomic<Int32>(0)

  /// Runs a closure. A signal that arrives meanwhile has its effect when the closure returns or throws.
  ///
  /// Sets the handlers of the process, since a signal mask would hold back the signals of one thread only. One call at a time.
  static func during<Result, Failure>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
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
