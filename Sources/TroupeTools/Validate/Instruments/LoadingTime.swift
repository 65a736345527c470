internal import Glibc
internal import TroupeFiles

/// The time that the calling thread needs for a task, without the time that other threads of the machine took from it.
enum LoadingTime {
  /// Measures a closure.
  static func measure(_ body: () throws -> Void) rethrows -> Duration {
    let (start, waited) = (ContinuousClock.now, queueTime)
    try body()
    return (ContinuousClock.now - start) - (queueTime - waited)
  }

  /// The time for which the thread was ready and no processor was free; zero if the kernel does not count it. See
  /// proc_pid_schedstat(5).
  private static var queueTime: Duration {
    let fields = ProcessStatus.text("/proc/thread-self/schedstat").split(whereSeparator: \.isWhitespace)
    return .nanoseconds(fields.count > 1 ? Int64(fields[1]) ?? 0 : 0)
  }
}
