internal import TroupeFiles
internal import TroupeHost

/// The plugin file that a check examines, in the process of the check.
///
/// A check reads the file (`admission`, `library`) or loads the plugin into a new host (`load`), as often as it wants. Before each call
/// into plugin code it reports the activity (`begin`), which the message about a crash names.
package final class CheckedFile {
  let request: CheckRequest
  /// The descriptors of this process that the plugin must not change.
  let descriptors: [Int32]
  /// The time for repeated work in the current part of the plugin, such as a function.
  private(set) var share: Duration
  private let report: (String) -> Void
  /// Kept, since the end of a host retires its plugins.
  private var hosts: [PluginHost] = []

  /// - Parameter report: Receives each activity of the plugin before it begins, as the end of a sentence such as `when it was
  ///   loaded`.
  init(
    _ request: CheckRequest, descriptors: [Int32] = [], report: @escaping (_ activity: String) -> Void = { _ in }
  ) {
    (self.request, self.descriptors, self.report) = (request, descriptors, report)
    share = request.time
  }

  /// Reports the activity of the plugin that begins, for the message about a crash in it.
  func begin(_ activity: String) { report(activity) }

  func divideTime(among parts: Int) { share = request.time / max(parts, 1) }

  // MARK: The file

  var path: String { request.path }

  /// The result of the examination by which a host admits the file.
  private(set) lazy var admission: Admission.Outcome = {
    var rules = AdmissionRules()
    rules.maximumFileSize = .max
    rules.checksRelocations = true
    rules.opensAll = true
    return Admission.examine([.file(path)], TrustedPath(), rules)[0].outcome
  }()

  var manifest: Manifest? { admission.manifest }
  var isAdoption: Bool { PluginFileName.isAdoption(path) }
  /// The path of the library that the host opens: an adopted one, or the file itself.
  var libraryPath: String { admission.library?.path ?? path }

  /// Reads the plugin's own library. Throws `NotApplicable` for a file that adopts one.
  func library() throws -> ELFFile {
    if isAdoption { throw NotApplicable("it adopts a library, which has another author") }
    return try ELFFile(path: path)
  }

  // MARK: The plugin

  /// Loads the plugin into a new host.
  ///
  /// - Parameters:
  ///   - before: Other plugins, which are loaded before it.
  ///   - after: Other plugins, which are loaded after it.
  ///   - unloads: Lets `shutdown` unmap the library, as hosts do on request.
  /// - Throws: The `Diagnosis` for which it cannot be loaded.
  func load(before: [String] = [], after: [String] = [], unloads: Bool = false) throws -> HostedPlugin {
    let host = makeHost(before + request.required + [path] + after, unloads: unloads)
    begin("when it was loaded")
    for file in before { try host.load { $0.path == file } }
    try host.load { $0.path == self.path }
    if let diagnosis = host.plugins.first(where: { $0.path == path })?.state.diagnosis { throw diagnosis }
    for file in after { try host.load { $0.path == file } }
    begin("after it was loaded")
    return HostedPlugin(host: host, subject: self)
  }

  /// Loads and activates the plugin in a new host, as a program does before it uses instances and functions.
  ///
  /// - Throws: The `Diagnosis` for which it cannot be loaded or activated.
  func use() throws -> HostedPlugin {
    let loaded = try load()
    begin("when it was activated")
    try loaded.host.activateBlocking()
    if let diagnosis = loaded.host.plugins.first(where: { $0.path == path })?.state.diagnosis { throw diagnosis }
    begin("after it was activated")
    return loaded
  }

  /// Makes a host that loads plugins in this process, and uses neither results of probes nor the quarantine.
  func makeHost(_ files: [String], unloads: Bool = false) -> PluginHost {
    var options = PluginHost.Options(files: files, log: Log(from: .error) { _ in })
    (options.loading, options.probing) = (.eager, .never)
    (options.cacheDirectory, options.quarantineDirectory) = (nil, nil)
    options.maximumFileSize = .max
    options.unloadsImages = unloads
    let host = PluginHost(options)
    hosts.append(host)
    return host
  }

  func shutdown() {
    begin("when its library was closed")
    for host in hosts { host.shutdown() }
    hosts = []
    begin("after its library was closed")
  }
}
