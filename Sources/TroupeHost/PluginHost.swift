internal import Synchronization
public import Troupe
public import TroupeFiles
internal import TroupeSandbox

/// Finds plugins, loads the trusted ones, and holds their registrations.
///
/// ```swift
/// let host = PluginHost(directories: ["plugins"])
/// await host.start()
/// for plugin in host.plugins { print(plugin.path, plugin.state) }
/// let stages: [any Transform] = try host.container.resolve(tags: "text")
/// host.shutdown()
/// ```
///
/// A plugin that cannot be loaded never fails the host: its state is `.rejected` with the reason, and the other plugins work. Safe to use
/// from any thread. Plugins are found, loaded and resolved in the order of the directories and, within one, of the file names.
public final class PluginHost: Sendable {
  /// The container with the registrations of the plugins. A program may register here, too.
  public var container: Container { factories.container }

  let options: Options
  /// The ids of the plugins that the options configure.
  package var configuredIDs: [String] { Array(options.configuration.keys) }
  /// The ids of the plugins for which the options say where they run.
  package var isolatedIDs: [String] { Array(options.isolations.keys) }
  /// Whether the code of a plugin runs in a worker.
  package func isIsolated(_ id: String) -> Bool { options.isolation(of: id) != .inProcess }
  let factories: PluginRegistry
  let changes: PluginEvents
  /// Runs the blocking parts of the async functions.
  let queue = HostQueue()
  let table: PluginStore
  /// Held while plugins are loaded, replaced or retired.
  let operations: TrackedLock
  /// Held by `start`, `reload` and `refresh` until they return, activations included. Comes before `operations`.
  let updates = TaskLock()
  /// Held during the first discovery and its events.
  private let discovery: TrackedLock
  /// The marks of the plugins that are being loaded; nil without probes or without a cache directory.
  let crashJournal: CrashJournal?
  let probeCache: Mutex<ProbeCache>
  let rejections: Mutex<ProbeCache>
  private let state = Mutex(State())
  /// Copies of libraries that were made in advance, by the paths of the plugins.
  let copies = Mutex<[String: ImageSource]>([:])
  /// The warnings about libraries that the log has.
  let linkWarnings = Mutex<Set<String>>([])
  let workerList = WorkerList()

  private struct State {
    /// Whether the events of the first discovery have been sent.
    var hasAnnounced = false
    var isStarted = false
    var shutdowns = 0
    /// The configured ids that no plugin has and that the log has reported.
    var unknownIDs: Set<String> = []
  }

  /// Creates a host. It reads and loads no files yet.
  public init(_ options: Options) {
    self.options = options
    changes = PluginEvents(log: options.stateLog ?? options.log)
    factories = PluginRegistry(
      contracts: [.transform] + options.contracts, maximumBufferSize: options.maximumBufferSize,
      isInterrupted: options.isInterrupted, log: options.log)
    table = PluginStore(events: changes, container: factories.container)
    let owner = Owner(name: "troupe")
    operations = TrackedLock(owner: owner, group: table.lockGroup)
    // In a group of its own: a receiver of the events may load plugins.
    discovery = TrackedLock(owner: owner, group: ObjectIdentifier(changes))
    crashJournal =
      options.probing == .newContent ? options.cacheDirectory.map { CrashJournal(directory: $0 + "/loading") } : nil
    probeCache = Mutex(ProbeCache(directory: options.cacheDirectory, host: HostVersions.key))
    rejections = Mutex(ProbeCache(directory: options.cacheDirectory, name: "rejections", host: HostVersions.key))
    // C does not say whose host a callback belonged to: the newest host reports.
    CallReports.send { [log = options.log] text in log.write(.warning, "troupe", text) }
    if options.reportsCrashes { CrashReporter.watch(self) }
  }

  /// Creates a host for the plugins in some directories.
  public convenience init(directories: [String]) {
    self.init(Options(directories: directories))
  }

  deinit { shutdown() }

  /// The plugins, in the order in which they were found; none before `discover` or `start`.
  public var plugins: [Plugin] { table.read { table in table.list?.files.map { Plugin(table[$0]) } ?? [] } }

  /// The transitions of the plugins' states from now on, those of one plugin in their order; two that different threads cause at the same
  /// time may come in either order. Each call returns a sequence of its own, which buffers unread events. The reader may call all functions
  /// of the host, such as `retire`.
  ///
  /// `shutdown` ends the sequence, as does the release of the host. A plugin whose instances live on is then `.draining`; the log
  /// reports at the level `.debug` that it is retired, when the last of them is released. A sequence that begins after `shutdown` is
  /// empty, unless the host has loaded or refreshed its plugins since.
  ///
  /// ```swift
  /// for await event in host.events { print(event) }
  /// ```
  public var events: AsyncStream<PluginEvent> { changes.stream() }

  /// The registrations of the loaded plugins, in the order of registration.
  public var registrations: [RegistrationDescription] { factories.all }

  /// Returns the addresses that an open plugin in C gives for a factory: that of the factory first, then those of its destroy function and of
  /// its vectorized body, where it has them. Empty for a plugin that is not open.
  package func addresses(of registration: RegistrationDescription) -> [UInt] {
    let elements = table.read { $0.listed }
    let loaded = elements.lazy.filter { $0.file.manifest?.id == registration.plugin }.compactMap(\.loaded).first
    return registration.uuid.flatMap { loaded?.registrations.addresses(of: $0) } ?? []
  }

  /// Finds the plugins and decides which may be loaded, from the files alone: none of their code runs. Later calls do not search again.
  @discardableResult
  public func discover() -> [Plugin] {
    _ = discovered()
    return plugins
  }

  /// The plugins, found at the first call. Other threads wait until the `found` events have been sent, so that these precede all other
  /// events of the plugins. A receiver of these events does not wait, nor does code that runs while the host loads.
  func discovered() -> DiscoveredPlugins {
    if let list = table.read({ $0.list }),
      state.withLock({ $0.hasAnnounced }) || discovery.isHeldByCaller || isLoadingInCaller
    {
      return list
    }
    // A wait that would never end is one for a receiver of the events, so the plugins are known.
    try? discovery.withLock {
      if table.read({ $0.list != nil }) { return }
      let (list, found) = Discovery(options).run()
      self.list(list, adding: found)
      recallRejections()
      for file in list.files { table.apply(.announce, to: file) }
      state.withLock { $0.hasAnnounced = true }
    }
    return table.read { $0.list } ?? DiscoveredPlugins([], LoadOrder([]))
  }

  func list(_ list: DiscoveredPlugins, adding found: [FoundPlugin], replacing replaced: [String: PluginFile] = [:]) {
    table.update { $0.list(list, adding: found, replacing: replaced, isProbed: options.probing == .newContent) }
  }

  /// Finds the plugins at the first call, and registers them. Probes new plugins first. Then makes pending registrations, or opens the
  /// images if the host loads eagerly, the plugin requests it, or pending registrations are impossible.
  ///
  /// Registers each plugin after the plugins that it needs, and otherwise in the order of discovery. A second call at the same time waits
  /// for the first, which keeps this order. Code that runs within the call, such as an entry, a service that an entry calls, the log or
  /// `Options.progress`, gets an error from this function and from `retire`, and must not block on `start`, `reload` or `refresh`, which
  /// would wait for the call.
  ///
  /// A plugin that `shutdown` has retired stays so, and the log reports that as an error. Create another host to load it again.
  ///
  /// - Parameter isWanted: Selects the plugins; all by default. The plugins that they need are loaded as well.
  /// - Throws: A `Diagnosis` with the code `.busy` if the call would have to wait for its caller.
  public func load(where isWanted: (Plugin) -> Bool = { _ in true }) throws {
    try load(discovered().inOrder { isWanted(Plugin(table[$0])) })
  }

  /// Logs each id of an option that no plugin has, once. With a mistyped id in `isolations`, a plugin would silently run in this process.
  private func logUnknownIDs() {
    let ids = Set(options.configuration.keys).union(options.isolations.keys)
    guard !ids.isEmpty else { return }
    let known = discovered().files.compactMap { $0.manifest?.id }
    let unknown = ids.subtracting(known)
    let new = state.withLock { state in
      defer { state.unknownIDs.formUnion(unknown) }
      return unknown.subtracting(state.unknownIDs)
    }
    for id in new.sorted() {
      let option = options.isolations[id] == nil ? "configuration" : "isolations"
      let nearest = nearestName(to: id, in: known).map { "; did you mean \($0)?" } ?? ""
      options.log.write(
        .warning, "troupe", "no plugin has the id \(id.onOneLine.shortened()), which the option \(option) names\(nearest)")
    }
  }

  private func load(_ wanted: [PlannedPlugin]) throws {
    changes.resume()
    try exclusively(.busy("the plugins", "loaded")) {
      logUnknownIDs()
      probe(wanted)
      register(wanted)
      storeRejections(of: wanted.lazy.map(\.file))
    }
    // `start` activates what it has loaded, before the host is started.
    if isStarted { activateSoon(wanted.filter { table[$0.file].awaitsActivation }) }
    let retired = wanted.count { [.draining, .retired].contains(table[$0.file].state.view) }
    guard retired > 0, isShutDown else { return }
    options.log.write(
      .error, "troupe", "the host was shut down, which retired \(retired) of these plugins; create another PluginHost")
  }

  /// Finds the plugins at the first call, loads them, and then activates those whose images are open. A plugin that a resolve opens later
  /// is activated right after that. The restriction of `load` after `shutdown` applies. Suspends the caller while a thread of the host
  /// scans, probes and loads.
  ///
  /// - Parameter isWanted: Selects the plugins; all by default. The plugins that they need are loaded and activated as well, before them.
  public func start(where isWanted: (Plugin) -> Bool = { _ in true }) async {
    let busy = Diagnosis.busy("the plugins", "started")
    if isActivatingInCaller { return options.log.write(.error, "troupe", "\(busy)", busy) }
    await updates.withLock {
      let wanted = await queue.run { self.discovered() }.inOrder { isWanted(Plugin(table[$0])) }
      // The thread of the queue runs no code that a load could wait for.
      await queue.run { try? self.load(wanted) }
      for (file, needs) in wanted { await activate(file, needs: needs) }
      state.withLock { $0.isStarted = true }
      // A resolve may have opened a plugin that the loop had passed. Before `isStarted` it leaves the activation to this function.
      for (file, needs) in wanted { await activate(file, needs: needs) }
      await queue.run { self.storeRejections(of: wanted.lazy.map(\.file)) }
    }
  }

  var isStarted: Bool { state.withLock { $0.isStarted } }
  var isShutDown: Bool { state.withLock { $0.shutdowns > 0 } }

  /// Unregisters the factories of all plugins, those of the last plugin first, and ends the sequences of `events`. Instances work until
  /// they are released. The images stay mapped; see `Options.unloadsImages`.
  ///
  /// The plugins stay retired: neither `load` nor `start` registers them again. Create another host for that.
  public func shutdown() {
    state.withLock { $0.shutdowns += 1 }
    retireAll()
    changes.end()
    workerList.end()
    crashJournal?.close()
  }

  /// Runs the body of an operation. A shutdown in between has retired only the plugins that were registered by then.
  func retiringAllAfterShutdown<Result>(_ body: () throws -> Result) rethrows -> Result {
    let shutdowns = state.withLock { $0.shutdowns }
    defer { if state.withLock({ $0.shutdowns }) != shutdowns { retireAll() } }
    return try body()
  }

  private func retireAll() {
    let list = table.read { table in table.hasPluginsInUse ? table.list : nil }
    for (file, _) in list?.inOrder(where: { _ in true }).reversed() ?? [] { table.apply(.retire, to: file) }
  }
}

extension PluginHost: CustomStringConvertible {
  /// One line with the number of plugins in each state, the number of registrations, and the directories or files.
  public var description: String {
    var counts: [(state: String, count: Int)] = []
    let plugins = plugins
    for name in plugins.map(\.state.name) {
      let index = counts.firstIndex { $0.state == name } ?? counts.count
      if index == counts.count { counts.append((name, 0)) }
      counts[index].count += 1
    }
    let states = counts.map { "\($0.count) \($0.state)" }.joined(separator: ", ")
    let sources = (options.directories + options.files).joined(separator: ", ").onOneLine
    return "PluginHost: \(counted(plugins.count, "plugin"))\(states.isEmpty ? "" : " (\(states))"), "
      + "\(counted(registrations.count, "registration")) from \(sources.isEmpty ? "no directory" : sources)"
  }
}
