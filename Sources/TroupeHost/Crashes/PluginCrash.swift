internal import CSandbox
internal import Glibc
internal import Synchronization
internal import TroupeFiles
internal import TroupeSandbox

/// A fatal signal in this process, or an exit that does not end, with the plugin whose code ran.
package struct PluginCrash: Sendable {
  /// The event.
  package enum Cause: Sendable, Hashable {
    /// A fatal signal.
    case signal(Int32)
    /// The exit of the process used more processor time, or took longer, than allowed.
    case unendingExit
  }

  package let cause: Cause
  /// The plugin with the innermost call; nil if no plugin has one.
  package let plugin: Plugin?
  /// The function and the offset in its file, of the plugin's innermost call or, without a plugin, of the innermost call; nil if unknown.
  package let location: String?
  /// The calls up to the host's, the innermost first.
  package let backtrace: [String]
  /// The files of the plugin.
  let files: [FileState]?

  /// The cause as the end of a sentence that begins with the program or the plugin.
  package var problem: String {
    switch cause {
    case .signal(let number): "crashed with \(SignalName.of(number))"
    case .unendingExit: "did not come to an end"
    }
  }

  /// The location as the end of a sentence, such as `, at f (x.so+0x10)`; empty if unknown.
  package var locationPhrase: String { location.map { ", at \($0)" } ?? "" }
}

extension PluginHost {
  /// The plugins; none if another thread holds the lock, which may be the thread that crashed.
  var recordsWithoutWaiting: [PluginRecord] { state.withLockIfAvailable { $0.plugins?.records ?? [] } ?? [] }

  /// Describes the signal that `troupe_crash_report` returns. Reads `/proc/self/maps` and the files of plugins.
  ///
  /// - Parameter isCalling: Whether the program is calling a plugin.
  func crash(_ cause: PluginCrash.Cause, isCalling: (_ id: String) -> Bool) -> PluginCrash {
    guard let crash = troupe_crash_report()?.pointee else {
      return PluginCrash(cause: cause, plugin: nil, location: nil, backtrace: [], files: nil)
    }
    let calls = withUnsafeBytes(of: crash.calls) { Array($0.bindMemory(to: UInt64.self).prefix(Int(crash.count))) }
    let signal = CrashReport(number: crash.signal, cause: 0, instruction: crash.instruction, frames: calls)
    var libraries: [String: [PluginRecord]] = [:]
    var copies: [String: String] = [:]
    for record in recordsWithoutWaiting {
      guard let library = record.files.last?.path else { continue }
      libraries[library, default: []].append(record)
      if let id = record.manifest?.id { copies[MemoryMap.pathOfMemoryFile(id)] = library }
    }
    let frames = Backtrace(
      signal, maps: Array(ProcessStatus.text("/proc/self/maps").utf8), host: OwnLibrary.path, copies: copies
    ).frames
    let loading = crashJournal?.latest?.files
    var own: Backtrace.Frame?
    var record: PluginRecord?
    for frame in frames where record == nil {
      record = frame.path.flatMap { libraries[$0] }.flatMap { records in
        Self.plugin(of: records) { $0.files == loading || $0.manifest.map { isCalling($0.id) } == true }
      }
      if record != nil { own = frame }
    }
    return PluginCrash(
      cause: cause, plugin: record?.plugin, location: (own ?? frames.first)?.description,
      backtrace: frames.map(\.description), files: record?.files)
  }

  /// Returns the plugin among those of a library whose code ran; nil if it is unknown.
  ///
  /// Several files may adopt a library, and the host and other plugins may use it too, as they use the C library.
  private static func plugin(of records: [PluginRecord], isRunning: (PluginRecord) -> Bool) -> PluginRecord? {
    if let running = records.first(where: isRunning) { return running }
    guard records.count == 1, let record = records.first else { return nil }
    return !record.isAdoption || record.isOpen || record.plugin.staysMapped ? record : nil
  }

  /// Quarantines the plugin of a crash during the exit of the process. Returns the fault, or nil if no plugin's code ran.
  ///
  /// - Throws: A `Diagnosis` if the quarantine cannot be written.
  package func quarantine(_ crash: PluginCrash) throws -> Diagnosis? {
    guard let plugin = crash.plugin, let id = plugin.manifest?.id else { return nil }
    let diagnosis = Diagnosis.harm(
      path: plugin.path, id: id, crash.cause == .unendingExit ? .timedOut : .crashed,
      "\(crash.problem) \(LoadingStep.exiting.place)\(crash.locationPhrase)", crash.backtrace)
    guard let record = recordsWithoutWaiting.first(where: { $0.path == plugin.path }), let content = record.content()
    else { return diagnosis }
    try addToQuarantine(record, content, id: id, diagnosis)
    return diagnosis
  }
}
