internal import CSandbox
internal import Glibc
internal import Synchronization
internal import TroupeFiles
internal import TroupeSandbox

/// Reports a fatal signal from a thread of its own, and after `beginExit` an exit that does not end.
///
/// The interrupted thread waits in the signal handler, so the report can allocate and lock. If the report hangs, an alarm ends the process.
///
///     interrupted thread     signal ─► describe ─► find calls ─► wait ······················─► the program's own handler, or the end
///     reporter's thread      poll ········ read ─────────────────► name the plugin ─► mark ─► report
///
/// The command ends by the signal after the report. A program with `PluginHost.Options.reportsCrashes` keeps the handlers that it had, such
/// as that of Swift's backtraces: they run afterwards.
package final class CrashReporter: Sendable {
  private struct Exit {
    let thread: pthread_t
    let status: Int32
    var clock: ProcessClock
  }

  private let hosts: @Sendable () -> [PluginHost]
  private let passesOn: Bool
  private let descriptor: Int32
  private let exit = Mutex<Exit?>(nil)
  private let isCalling: @Sendable (_ id: String) -> Bool
  private let report: @Sendable (PluginCrash, _ isExiting: Bool) -> Void

  /// The seconds that the report may take, and the milliseconds to wait for the calls.
  private static let (reportTime, callsTime): (UInt32, Int32) = (10, 2000)

  /// Installs signal handlers and starts the thread. Returns nil in a process with a sanitizer, or if the system has no descriptors or
  /// threads left; crashes are then not reported.
  ///
  /// - Parameters:
  ///   - isCalling: Whether the program is calling a plugin. The next host quarantines other plugins that crash.
  ///   - report: Reports a crash before the process ends by the signal or, if it is exiting, with its status.
  package static func start(
    _ host: PluginHost, isCalling: @escaping @Sendable (_ id: String) -> Bool,
    report: @escaping @Sendable (PluginCrash, _ isExiting: Bool) -> Void
  ) -> CrashReporter? {
    start({ [host] }, passesOn: false, isCalling, report)
  }

  private static func start(
    _ hosts: @escaping @Sendable () -> [PluginHost], passesOn: Bool, _ isCalling: @escaping @Sendable (String) -> Bool,
    _ report: @escaping @Sendable (PluginCrash, Bool) -> Void
  ) -> CrashReporter? {
    // A sanitizer reports crashes itself.
    guard !Sanitizer.isLoaded else { return nil }
    prepareThread()
    let descriptor = troupe_crash_catch(passesOn ? 1 : 0)
    guard descriptor >= 0 else { return nil }
    let reporter = CrashReporter(hosts, passesOn: passesOn, descriptor, isCalling, report)
    do throws(SystemError) {
      try DetachedThread.start { reporter.run() }
    } catch {
      // Without the reporter, a crashed thread would wait forever.
      troupe_crash_release(descriptor)
      return nil
    }
    return reporter
  }

  private init(
    _ hosts: @escaping @Sendable () -> [PluginHost], passesOn: Bool, _ descriptor: Int32,
    _ isCalling: @escaping @Sendable (String) -> Bool, _ report: @escaping @Sendable (PluginCrash, Bool) -> Void
  ) {
    (self.hosts, self.passesOn, self.descriptor) = (hosts, passesOn, descriptor)
    (self.isCalling, self.report) = (isCalling, report)
  }

  // MARK: The hosts of a program

  private struct WeakHost: Sendable {
    weak let host: PluginHost?
  }

  /// The hosts whose options ask for reports, and the one reporter for them.
  private static let watched = Mutex<(hosts: [WeakHost], reporter: CrashReporter?)>(([], nil))

  /// Reports crashes in the plugins of a host on standard error, as long as it lives.
  static func watch(_ host: PluginHost) {
    let isStarted = watched.withLock { watched in
      watched.hosts.removeAll { $0.host == nil }
      watched.hosts.append(WeakHost(host: host))
      if watched.reporter == nil {
        watched.reporter = start(
          { Self.watched.withLockIfAvailable { $0.hosts.compactMap(\.host) } ?? [] }, passesOn: true, { _ in false },
          { crash, _ in crash.printDiagnosis() })
      }
      return watched.reporter != nil
    }
    prepareThread()
    guard !isStarted, !Sanitizer.isLoaded else { return }
    host.options.log.write(
      .warning, "troupe",
      "crashes in plugins are not reported: the system has no thread or no descriptor left; raise ulimit -n and -u")
  }

  /// Prepares the calling thread, so that an overflow of its stack can be reported.
  package static func prepareThread() { troupe_crash_prepare_thread() }

  /// Watches the exit of the process, which the calling thread begins next with a status.
  package func beginExit(_ status: Int32) {
    guard let host = hosts().first else { return }
    Self.prepareThread()
    host.crashJournal?.close()
    // Dispatch blocks SIGQUIT on its threads, and the reporter interrupts a hanging exit with it.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGQUIT)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    exit.withLock {
      $0 = Exit(
        thread: pthread_self(), status: status,
        clock: ProcessClock(
          processorTime: host.options.probeLimits.deadline, waiting: host.options.probeLimits.waiting, after: Self.usage()))
    }
    troupe_crash_begin_exit(status)
  }

  /// The plugin whose library is being opened, or whose entry or activation runs, and the end of a sentence for the step, such as `in
  /// its entry`.
  package var loading: (id: String, place: String)? {
    guard let host = hosts().first, let mark = host.crashJournal?.latest else { return nil }
    let id = host.elementsWithoutWaiting.first { $0.file.files == mark.files }?.file.manifest?.id
    return id.map { ($0, mark.step.place) }
  }

  /// Records in the marks that plugin code ends the process with `exit`.
  package func noteExit() { hosts().first?.crashJournal?.addProblem("ended the process", at: "", of: nil) }

  private func run() {
    // False after foreign code has closed the descriptor.
    var isOpen = true
    while true {
      var events = pollfd(fd: isOpen ? descriptor : -1, events: Int16(POLLIN), revents: 0)
      let isExiting = exit.withLock { $0 != nil }
      var count = poll(&events, 1, isOpen && !isExiting ? -1 : Int32(ProcessClock.interval / .milliseconds(1)))
      if count < 0, errno != EINTR {
        // A filter around the program may deny the call. The read then waits for the signal.
        if isOpen && !isExiting { (count, events.revents) = (1, Int16(POLLIN)) } else { ProcessClock.sleep() }
      }
      if count > 0, events.revents & Int16(POLLIN) == 0 || troupe_crash_is_own(descriptor) == 0 {
        isOpen = false
      } else if count > 0, readByte() == Int32(TROUPE_CRASH_SIGNAL) {
        endProcess(nil)
      }
      let unending = exit.withLock { exit -> Exit? in
        guard exit?.clock.isDue(at: .now) == true, exit?.clock.reachedLimit(Self.usage(), at: .now) != nil else { return nil }
        return exit
      }
      guard let unending else { continue }
      if !isOpen { endExit(unending.status) }
      // The thread may have blocked the signal.
      troupe_crash_end_within(Self.reportTime, unending.status)
      troupe_crash_interrupt(unending.thread)
      if poll(&events, 1, Self.callsTime) > 0, readByte() == Int32(TROUPE_CRASH_SIGNAL) { endProcess(.unendingExit) }
      endExit(unending.status)
    }
  }

  /// Ends the process in its exit, whose calls are unknown.
  private func endExit(_ status: Int32) -> Never {
    report(PluginCrash(cause: .unendingExit, plugin: nil, location: nil, backtrace: [], files: nil), true)
    _exit(status)
  }

  private func endProcess(_ cause: PluginCrash.Cause?) -> Never {
    let status = exit.withLock { $0?.status }
    let signal = troupe_crash_report().pointee.signal
    troupe_crash_end_within(Self.reportTime, status ?? 128 + signal)
    var events = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    poll(&events, 1, Self.callsTime)
    let crashes = hosts().map { ($0, $0.crash(cause ?? .signal(signal), isCalling: isCalling)) }
    if let (host, crash) = crashes.first(where: { $0.1.plugin != nil }) ?? crashes.first {
      let isCalled = crash.plugin?.manifest.map { isCalling($0.id) } ?? true
      let moment = isCalled ? nil : passesOn ? "while the program used it" : "outside of a call"
      // A program may crash on another thread while a plugin is being loaded.
      if crash.plugin != nil || !passesOn {
        host.crashJournal?.addProblem(crash.problem, at: crash.locationPhrase, of: crash.files, moment: moment)
      }
      report(crash, status != nil)
    }
    if let status { _exit(status) }
    guard passesOn else { troupe_crash_end(signal) }
    troupe_crash_pass_on()
    while true { pause() }
  }

  private func readByte() -> Int32? {
    var byte: UInt8 = 0
    return read(descriptor, &byte, 1) == 1 ? Int32(byte) : nil
  }

  /// The processor time of this process. All time counts as waiting.
  private static func usage() -> ProcessUsage {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return ProcessUsage(
      processorTime: .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec)), isRunning: false)
  }
}
