internal import CSandbox
internal import Glibc
internal import TroupeFiles
internal import TroupeSandbox

/// A fatal signal in this process, or an exit that does not end, with the plugin whose code ran.
package struct PluginCrash: Sendable {
  package enum Cause: Sendable, Hashable {
    case signal(Int32)
    /// The exit of the process used more processor time, or took longer, than allowed.
    case unendingExit
  }

  package let cause: Cause
  /// The plugin with the innermost call; nil if no plugin has one.
  package let plugin: Plugin?
  /// The function and the offset in its file, of the plugin's innermost call or, without a plugin, of the innermost call, with the memory of an
  /// argument behind which it went; nil if unknown.
  package let location: String?
  /// The calls up to the host's, the innermost first.
  package let backtrace: [String]
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

  /// Prints the diagnosis of a plugin on standard error, without the log: its receiver may wait for the interrupted thread.
  func printDiagnosis() {
    guard let plugin, let id = plugin.manifest?.id else { return }
    let diagnosis = Diagnosis.harm(path: plugin.path, id: id, .crashed, problem + locationPhrase, backtrace)
    Array("troupe: \(diagnosis)\n".utf8).withUnsafeBytes { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}

extension PluginHost {
  /// The plugins; none if another thread holds the lock, which may be the thread that crashed.
  var elementsWithoutWaiting: [PluginTable.Element] { table.readWithoutWaiting { $0.listed } ?? [] }

  /// Describes the signal that `troupe_crash_report` returns. Reads `/proc/self/maps` and the files of plugins.
  ///
  /// - Parameter isCalling: Whether the program is calling a plugin.
  func crash(_ cause: PluginCrash.Cause, isCalling: (_ id: String) -> Bool) -> PluginCrash {
    guard let crash = troupe_crash_report()?.pointee else {
      return PluginCrash(cause: cause, plugin: nil, location: nil, backtrace: [], files: nil)
    }
    var libraries: [String: [PluginTable.Element]] = [:]
    var copies: [String: String] = [:]
    for element in elementsWithoutWaiting {
      guard let library = element.file.files.last?.path else { continue }
      libraries[library, default: []].append(element)
      if let id = element.file.manifest?.id { copies[MemoryMap.pathOfMemoryFile(id)] = library }
    }
    let trace = Backtrace(
      CrashReport(crash), maps: Array(ProcessStatus.text("/proc/self/maps").utf8), host: OwnLibrary.path, copies: copies)
    let frames = trace.frames
    let loading = crashJournal?.latest?.files
    // A call back into the program, which crashed there, is not the plugin's fault.
    let program = Path.resolved("/proc/self/exe")
    var own: Backtrace.Frame?
    var plugin: PluginTable.Element?
    for frame in frames.prefix(while: { $0.path == nil || $0.path != program }) where plugin == nil {
      plugin = frame.path.flatMap { libraries[$0] }.flatMap { elements in
        Self.plugin(of: elements) { $0.files == loading || $0.manifest.map { isCalling($0.id) } == true }
      }
      if plugin != nil { own = frame }
    }
    return PluginCrash(
      cause: cause, plugin: plugin.map(Plugin.init),
      location: (own ?? frames.first).map { $0.description + trace.overrunPhrase },
      backtrace: frames.map(\.description), files: plugin?.file.files)
  }

  /// Returns the plugin among those of a library whose code ran; nil if it is unknown.
  ///
  /// Several files may adopt a library, and the host and other plugins may use it too, as they use the C library.
  private static func plugin(
    of elements: [PluginTable.Element], isRunning: (PluginFile) -> Bool
  ) -> PluginTable.Element? {
    if let running = elements.first(where: { isRunning($0.file) }) { return running }
    guard elements.count == 1, let element = elements.first else { return nil }
    return !element.file.isAdoption || element.loaded != nil || element.isMapped ? element : nil
  }

  /// Quarantines the plugin of a crash during the exit of the process. Returns the fault, or nil if no plugin's code ran.
  ///
  /// - Throws: A `Diagnosis` if the quarantine cannot be written.
  package func quarantine(_ crash: PluginCrash) throws -> Diagnosis? {
    guard let plugin = crash.plugin, let id = plugin.manifest?.id else { return nil }
    let diagnosis = Diagnosis.harm(
      path: plugin.path, id: id, crash.cause == .unendingExit ? .timedOut : .crashed,
      "\(crash.problem) \(LoadingStep.exiting.place)\(crash.locationPhrase)", crash.backtrace)
    let file = elementsWithoutWaiting.first { $0.file.path == plugin.path }?.file
    guard let file, let content = file.content() else { return diagnosis }
    try addToQuarantine(file, content, id: id, diagnosis)
    return diagnosis
  }
}
