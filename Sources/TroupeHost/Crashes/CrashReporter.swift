internal import CProbe
internal import Glibc
internal import Synchronization

/// Waits on a thread of its own for a fatal signal of the process, and after `beginExit` for the end of the process.
///
/// The interrupted thread waits in its signal handler, so that the report is made by ordinary code. It ends the process; if it hangs in
/// the broken process, the process ends after some seconds.
package final class CrashReporter: Sendable {
  private struct Exit {
    let thread: pthread_t
    let status: Int32
    var clock: ProbeClock
  }

  private let host: PluginHost
  private let descriptor: Int32
  private let exit = Mutex<Exit?>(nil)
  private let limits: ProbeLimits
  private let report: @Sendable (PluginCrash, _ status: Int32?) -> Void

  /// The time that the report may take, and the time to wait for the calls.
  private static let (reportTime, callsTime): (UInt32, Int32) = (10, 2000)

  /// Installs signal handlers and starts the thread. Returns nil, and changes nothing, in a process with a sanitizer, or if the system has
  /// no descriptors or threads left.
  ///
  /// - Parameters:
  ///   - limits: The time that the exit of the process may take.
  ///   - report: Reports a crash. Called with the exit status of the process if it is about to end, and nil before. Afterwards the process
  ///     ends with that status, or by the signal.
  package static func start(
    _ host: PluginHost, _ limits: ProbeLimits, report: @escaping @Sendable (PluginCrash, _ status: Int32?) -> Void
  ) -> CrashReporter? {
    // A sanitizer reports crashes itself.
    guard !Sanitizer.isLoaded else { return nil }
    let descriptor = troupe_crash_catch()
    guard descriptor >= 0 else { return nil }
    let reporter = Unmanaged.passRetained(CrashReporter(host, limits, descriptor, report))
    var thread = pthread_t()
    let code = pthread_create(
      &thread, nil,
      { argument in
        if let argument { Unmanaged<CrashReporter>.fromOpaque(argument).takeRetainedValue().run() }
        return nil
      }, reporter.toOpaque())
    guard code == 0 else {
      // Without the thread a crashed thread would wait for ever.
      troupe_crash_release()
      reporter.release()
      return nil
    }
    pthread_detach(thread)
    return reporter.takeUnretainedValue()
  }

  private init(
    _ host: PluginHost, _ limits: ProbeLimits, _ descriptor: Int32, _ report: @escaping @Sendable (PluginCrash, Int32?) -> Void
  ) {
    (self.host, self.limits, self.descriptor, self.report) = (host, limits, descriptor, report)
  }

  /// Prepares the calling thread for a report of an overflow of its stack.
  package static func prepareThread() { troupe_crash_prepare_thread() }

  /// Watches the exit of the process, which the calling thread is about to begin with a status.
  package func beginExit(_ status: Int32) {
    host.markers?.close()
    // Threads of Dispatch block the signal by which the calls of an exit that does not end are found.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGQUIT)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    exit.withLock {
      $0 = Exit(
        thread: pthread_self(), status: status,
        clock: ProbeClock(processorTime: limits.deadline, waiting: limits.waiting, after: Self.usage()))
    }
    troupe_crash_wake()
  }

  private func run() {
    while true {
      var events = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let isExiting = exit.withLock { $0 != nil }
      let count = poll(&events, 1, isExiting ? Int32(ProbeClock.interval / .milliseconds(1)) : -1)
      if count > 0, readByte() == Int32(TROUPE_CRASH_SIGNAL) { return end(nil) }
      let thread = exit.withLock { exit -> pthread_t? in
        guard exit?.clock.isDue(at: .now) == true, exit?.clock.reachedLimit(Self.usage(), at: .now) != nil else { return nil }
        return exit?.thread
      }
      guard let thread else { continue }
      troupe_crash_interrupt(thread)
      if readByte() == Int32(TROUPE_CRASH_SIGNAL) { return end(.unendingExit) }
    }
  }

  /// Reports and ends the process.
  private func end(_ cause: PluginCrash.Cause?) {
    let status = exit.withLock { $0?.status }
    let signal = troupe_crash_report().pointee.signal
    troupe_crash_end_within(Self.reportTime, status ?? 128 + signal)
    var events = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    poll(&events, 1, Self.callsTime)
    let crash = host.crash(cause ?? .signal(signal))
    host.markers?.note(crash.problem + (crash.location.map { ", at \($0)" } ?? ""))
    report(crash, status)
    if let status { _exit(status) }
    troupe_crash_end(signal)
  }

  private func readByte() -> Int32? {
    var byte: UInt8 = 0
    return read(descriptor, &byte, 1) == 1 ? Int32(byte) : nil
  }

  private static func usage() -> ProbeUsage {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return ProbeUsage(
      processorTime: .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec)), isRunning: false)
  }
}
