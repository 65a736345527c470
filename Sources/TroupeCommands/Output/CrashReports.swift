internal import Glibc
internal import Synchronization
internal import TroupeHost

/// The command's report of a crash in plugin code: one line, and the calls with `--backtrace`.
///
/// A plugin that crashes or hangs while the process exits does not change the exit status.
enum CrashReports {
  private struct State {
    var reporter: CrashReporter?
    /// The called function, such as `the function "crc32" of org.example.checksum`.
    var activity: String?
  }

  private static let state = Mutex(State())

  /// Reports crashes from now on.
  static func start(_ host: PluginHost, _ limits: ProbeLimits, showsBacktrace: Bool) {
    let reporter = CrashReporter.start(host, limits) { crash, status in
      Terminal.complain(line(crash, host, isExiting: status != nil))
      if showsBacktrace { for call in crash.backtrace { Terminal.complain("  at \(call)") } }
    }
    state.withLock { $0.reporter = reporter }
  }

  /// Names the plugin code that the calling thread begins to run, for the report of a crash.
  static func begin(_ activity: String) {
    CrashReporter.prepareThread()
    state.withLock { $0.activity = activity }
  }

  /// Ends the process with a status.
  static func exit(_ status: ExitStatus) -> Never {
    state.withLock { $0.reporter }?.beginExit(status.rawValue)
    Glibc.exit(status.rawValue)
  }

  private static func line(_ crash: PluginCrash, _ host: PluginHost, isExiting: Bool) -> String {
    do {
      if isExiting, let fault = try host.quarantine(crash) { return "\(fault)" }
    } catch {
      Terminal.complain("\(error)")
    }
    let location = crash.location.map { ", at \($0)" } ?? ""
    let activity = isExiting ? "while the process exited" : state.withLock { $0.activity }.map { "in \($0)" }
    let plugin = crash.plugin?.manifest.map { "in the plugin \($0.id)" }
    return "\(crash.problem) \(activity ?? plugin ?? "outside of plugins")\(location)"
  }
}
