internal import Glibc
internal import Synchronization
internal import TroupeFiles
internal import TroupeHost
internal import TroupeSandbox

/// Loading the plugin.
extension Checks {
  static let load: [Check] = [
    Check(opening, level: 2, needs: admission, "The plugin loads, and its entry succeeds.") { subject in
      _ = try subject.load()
      return .passed
    },
    loading(activation, "The activation of a plugin in Swift succeeds.") { subject in
      _ = try subject.use()
      return .passed
    },
    loading("load-time", severity: .warning, "Loading takes less than 100 ms.") { subject in
      let time = try LoadingTime.measure { _ = try subject.load() }
      return .expect(
        time < .milliseconds(100), "takes \(Int(time / .milliseconds(1))) ms to load",
        remedy: "move work from constructors and the entry to the first use")
    },
    loading("load-output", "Loading prints nothing.") { subject in
      let text = try OutputCapture.text { _ = try subject.load() }
      return .expect(
        text.isEmpty, "prints \"\(text.shortened())\" while it is loaded",
        remedy: "write with troupe_host.log in C, or the log of the PluginContext in Swift")
    },
    loading("load-threads", severity: .warning, "Loading leaves no thread running.") { subject in
      let before = ProcessState.runningThreads
      _ = try subject.load()
      let count = ProcessState.threads(outliving: before).count
      return .expect(
        count == 0, "leaves \(count) thread\(count == 1 ? "" : "s") running after it was loaded",
        remedy: "start threads at the first use")
    },
    loading("load-processes", "Loading leaves no process behind.") { subject in
      _ = try subject.load()
      return .expect(
        !ProcessState.hasChildren, "leaves a process behind after it was loaded", remedy: "wait for each process that it starts"
      )
    },
    loading("load-open-descriptors", severity: .warning, "Loading leaves no descriptor open.") { subject in
      let before = try openDescriptors()
      _ = try subject.load()
      let count = try openDescriptors().subtracting(before).count
      return .expect(
        count == 0, "leaves \(count) descriptor\(count == 1 ? "" : "s") open after it was loaded",
        remedy: "open files at the first use, and close them")
    },
    loading("load-any-thread", "The plugin loads on any thread.") { subject in
      let failure = Mutex<(any Error)?>(nil)
      let shared = UncheckedSendable(subject)
      Threads.run(1) { _ in
        do {
          _ = try shared.value.load()
        } catch {
          failure.withLock { $0 = error }
        }
      }
      guard let error = failure.withLock({ $0 }) else { return .passed }
      return .problem(
        "loads on the first thread of the process, and on another one it \((error as? Diagnosis)?.problem ?? "\(error)")",
        remedy: "do not depend on the thread that runs the entry")
    },
  ]

  /// A check of a plugin that can be loaded.
  static func loading(
    _ name: String, severity: Check.Severity = .failure, needs: [String] = [], includesExit: Bool = false,
    _ summary: String, _ body: @escaping @Sendable (CheckedFile) throws -> CheckResult
  ) -> Check {
    Check(name, level: 2, severity: severity, needs: [opening] + needs, includesExit: includesExit, summary, body)
  }

  /// The numbers of the open descriptors, without the one that lists them.
  static func openDescriptors() throws -> Set<String> {
    let names = try Path.entries(in: "/proc/self/fd")
    return Set(names.filter { Int32($0).map { fcntl($0, F_GETFD) >= 0 } ?? false })
  }
}

// MARK: The state of the process

/// The state of the process, which loading must not change.
extension Checks {
  static let state: [Check] = [
    keeping(.signals, "load-signals", "Loading keeps the handlers and the mask of signals."),
    keeping(.environment, "load-environment", "Loading keeps the environment."),
    keeping(.locale, "load-locale", severity: .warning, "Loading keeps the locale."),
    keeping(.directories, "load-directory", "Loading keeps the working directory."),
    keeping(.fileMask, "load-file-mask", "Loading keeps the mask of permissions of new files."),
    keeping(.floats, "load-float-mode", severity: .warning, "Loading keeps rounding and exceptions of floating-point numbers."),
    keeping(.timers, "load-timers", "Loading starts no timer."),
    keeping(.limits, "load-limits", "Loading keeps the resource limits."),
    keeping(.scheduling, "load-scheduling", "Loading keeps priority, policy and processors."),
    keeping(.descriptors, "load-descriptors", "Loading keeps the descriptors of others."),
    keeping(.identity, "load-identity", "Loading keeps user, group, capabilities and other attributes of the process."),
  ]

  private static func keeping(
    _ part: ProcessState.Part, _ name: String, severity: Check.Severity = .failure, _ summary: String
  ) -> Check {
    loading(name, severity: severity, summary) { subject in
      var restored: [String] = []
      let changes = try stateChanges(subject) { restored = try subject.load().plugin.warnings }.filter { $0.part == part }
      let problems =
        (part == .floats ? restored.filter { !$0.hasPrefix(LinkCheck.warningPrefix) } : []) + changes.map(\.description)
      let remedy = "leave the state of the process to the program, or restore it before the entry returns"
      if problems.isEmpty { return .passed }
      let problem = problems.joined(separator: ", and ")
      return changes.allSatisfy(\.isHarmless) ? .warning(problem, remedy: remedy) : .problem(problem, remedy: remedy)
    }
  }

  /// Returns the changes of the process during a closure.
  static func stateChanges(_ subject: CheckedFile, during body: () throws -> Void) throws -> [ProcessState.Change] {
    // A low descriptor, as files of a program have.
    let sentinel = open("/dev/null", O_RDONLY | O_CLOEXEC)
    defer { close(sentinel) }
    let before = ProcessState(descriptors: subject.descriptors + [sentinel])
    try body()
    let after = ProcessState(descriptors: subject.descriptors + [sentinel])
    return before.changes(in: after)
  }
}

// MARK: Time

/// The time that the calling thread needs for a task, without the time that other threads of the machine took from it.
private enum LoadingTime {
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
