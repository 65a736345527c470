internal import Glibc
internal import Synchronization
internal import TroupeHost

/// The command's report of a crash in plugin code: one line, and the calls with `--backtrace`.
///
/// A plugin that crashes or hangs while the process exits does not change the exit status.
enum CrashReports {
  private struct State {
    var reporter: CrashReporter?
    /// The plugin code that runs, such as `the function crc32 of org.example.checksum`.
    var activity: String?
  }

  private static let state = Mutex(State())

  /// Reports crashes from now on.
  static func start(_ host: PluginHost, showsBacktrace: Bool) {
    let reporter = CrashReporter.start(host) { crash, isExiting in
      var fault: PluginFault?
      do {
        if isExiting { fault = try host.quarantine(crash) }
      } catch {
        Terminal.complain("\(error)")
      }
      Terminal.complain(fault.map { "\($0)" } ?? line(crash, isExiting: isExiting))
      if showsBacktrace { for call in crash.backtrace { Terminal.complain("  at \(call)") } }
    }
    state.withLock { $0.reporter = reporter }
  }

  /// Runs a closure with plugin code on this thread. A crash is reported with the activity, such as `the function crc32 of
  /// org.example.checksum`.
  static func during<Result>(_ activity: String, _ body: () throws -> Result) rethrows -> Result {
    CrashReporter.prepareThread()
    state.withLock { $0.activity = activity }
    defer { state.withLock { $0.activity = nil } }
    return try body()
  }

  /// Ends the process with a status.
  static func exit(_ status: ExitStatus) -> Never {
    state.withLock { $0.reporter }?.beginExit(status.rawValue)
    Glibc.exit(status.rawValue)
  }

  private static func line(_ crash: PluginCrash, isExiting: Bool) -> String {
    let activity = isExiting ? "while the process exited" : state.withLock { $0.activity }.map { "in \($0)" }
    let plugin = crash.plugin?.manifest.map { "in the plugin \($0.id)" }
    return "\(crash.problem) \(activity ?? plugin ?? "outside of plugins")\(crash.locationPhrase)"
  }
}
