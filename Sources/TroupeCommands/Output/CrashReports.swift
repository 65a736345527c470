internal import CLinux
internal import Glibc
internal import Synchronization
internal import TroupeHost
internal import TroupeTools

/// Reports a crash in plugin code: one line that says what ran, and the stack with `--backtrace`.
///
/// ```swift
/// CrashReports.start(host, showsBacktrace: false)
/// try PluginActivity(function: "crc32", of: "org.example.checksum").during { … }
/// CrashReports.exit(.success)
/// ```
///
/// The line names the `PluginActivity` that was running. A plugin that crashes or hangs while the process exits does not change the exit
/// status. A plugin that calls `exit` does: the status is that of a failed plugin, and a message says that the output may be incomplete.
/// `_exit` cannot be noticed.
enum CrashReports {
  private struct State {
    var reporter: CrashReporter?
    /// True once the command itself ends the process.
    var isExiting = false
  }

  private static let state = Mutex(State())

  static func start(_ host: PluginHost, showsBacktrace: Bool) {
    let reporter = CrashReporter.start(host) { id in
      PluginActivity.running.contains { $0.plugins.contains(id) }
    } report: { crash, isExiting in
      var diagnosis: Diagnosis?
      do {
        if isExiting { diagnosis = try host.quarantine(crash) }
      } catch {
        Terminal.printMessage("\(error)")
      }
      Terminal.printMessage(diagnosis.map { "\($0)" } ?? line(crash, isExiting: isExiting))
      if showsBacktrace { for call in crash.backtrace { Terminal.printMessage("  at \(call)") } }
    }
    state.withLock { $0.reporter = reporter }
  }

  static func exit(_ status: ExitStatus) -> Never {
    StandardOutput.endForkedProcess()
    let reporter = state.withLock { state in
      state.isExiting = true
      return state.reporter
    }
    reporter?.beginExit(status.rawValue)
    Glibc.exit(status.rawValue)
  }

  /// Reports plugin code that calls `exit` or `quick_exit`.
  static func watchExit() {
    atexit { CrashReports.endAfterForeignExit() }
    at_quick_exit { CrashReports.endAfterForeignExit() }
  }

  private static func endAfterForeignExit() {
    let state = state.withLock { $0 }
    // A process that a plugin forked may exit.
    guard !state.isExiting, StandardOutput.isOwnProcess else { return }
    let code = state.reporter?.loading.map { "\($0.id) \($0.place)" } ?? PluginActivity.running.first?.text ?? "a plugin"
    Terminal.printMessage("\(code) ended the process; its output may be incomplete")
    state.reporter?.noteExit()
    linux_flush_stdout()
    _exit(ExitStatus.unavailable.rawValue)
  }

  private static func line(_ crash: PluginCrash, isExiting: Bool) -> String {
    let plugin = crash.plugin?.manifest?.id
    let loading = state.withLock { $0.reporter }?.loading
    let activities = PluginActivity.running.filter { activity in plugin.map { activity.plugins.contains($0) } ?? true }
    let place =
      if isExiting {
        "while the process exited"
      } else if let plugin, activities.isEmpty, plugin != loading?.id {
        "in the plugin \(plugin)"
      } else if let loading {
        "in the plugin \(loading.id) \(loading.place)"
      } else {
        activities.first.map { "in \($0.text)" } ?? "outside of plugins"
      }
    return "\(crash.problem) \(place)\(crash.locationPhrase)"
  }
}
