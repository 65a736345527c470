internal import Glibc
internal import Synchronization
internal import TroupeFiles
internal import TroupeHost
internal import TroupeSandbox

/// Loading the plugin.
extension Checks {
  static let load: [PluginCheck] = [
    Check(opening, level: 2, needs: admission, "The plugin loads, and its entry succeeds.") { subject in
      _ = try subject.load()
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
    _ name: String, severity: PluginCheck.Severity = .failure, needs: [String] = [], includesExit: Bool = false,
    _ summary: String, _ body: @escaping @Sendable (CheckedFile) throws -> Finding
  ) -> PluginCheck {
    Check(name, level: 2, severity: severity, needs: [opening] + needs, includesExit: includesExit, summary, body)
  }

  /// The numbers of the open descriptors, without the one that lists them.
  static func openDescriptors() throws -> Set<String> {
    let names = try Path.entries(in: "/proc/self/fd")
    return Set(names.filter { Int32($0).map { fcntl($0, F_GETFD) >= 0 } ?? false })
  }
}

/// The time that the calling thread needs for a task, without the time that other threads of the machine took from it.
private enum LoadingTime {
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
