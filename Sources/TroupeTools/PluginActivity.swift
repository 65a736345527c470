internal import Synchronization
internal import TroupeHost

/// Plugin code that a tool runs on a thread, so that the report of a crash can say what ran.
///
/// ```swift
/// try PluginActivity("the function crc32 of org.example.checksum", of: ["org.example.checksum"]).during {
///   try function.call(arguments)
/// }
/// ```
///
/// A crash stops at an address, which seldom tells a user which of the calls of a command failed. Tools name the plugin code that they
/// run, and whoever reports a crash reads `running`.
package struct PluginActivity: Equatable, Sendable {
  package let text: String
  /// The ids of the plugins whose code runs.
  package let plugins: [String]

  package init(_ text: String, of plugins: [String]) { (self.text, self.plugins) = (text, plugins) }

  package init(function name: String, of plugin: String) { self.init("the function \(name) of \(plugin)", of: [plugin]) }

  private static let activities = Mutex<[PluginActivity]>([])

  /// The activities of all threads, the earliest first.
  package static var running: [PluginActivity] { activities.withLock { $0 } }

  /// Runs a closure with code of the plugins on this thread.
  package func during<Result>(_ body: () throws -> Result) rethrows -> Result {
    CrashReporter.prepareThread()
    Self.activities.withLock { $0.append(self) }
    defer {
      Self.activities.withLock { activities in
        if let index = activities.firstIndex(of: self) { activities.remove(at: index) }
      }
    }
    return try body()
  }
}
