internal import Glibc
internal import Synchronization
public import Troupe

/// Finds plugins, loads those that can be trusted, and holds what they register.
///
/// ```swift
/// let host = PluginHost(directories: ["plugins"])
/// await host.start()
/// for plugin in host.plugins { print(plugin.path, plugin.state) }
/// let stages: [any Transform] = try host.container.resolve(tags: "text")
/// host.shutdown()
/// ```
///
/// A plugin that cannot be used is no error of the host: it is in the state `.rejected`, with the reason, and the others
/// work. Safe to use from any thread; the order in which plugins are found, loaded and resolved is that of the directories
/// and, within one, of the file names.
public final class PluginHost: Sendable {
  /// What a host is set up with.
  public struct Options: Sendable {
    /// The directories to look for plugins in, files whose names end in `.so` or, for a library that is adopted, in
    /// `.troupe.json`.
    public var directories: [String]
    /// Further plugin files.
    public var files: [String]
    /// The largest size of a plugin's file or an adopted library in bytes. The host rejects larger files without reading them.
    public var maximumFileSize = 1 << 30
    /// The largest size in bytes of a buffer that a C function gets or gives back as values. Typed calls have no limit.
    public var maximumBufferSize = PreparedCall.defaultMaximumBufferSize
    /// Contracts besides those that come with Troupe.
    public var contracts: [Contract]
    /// For each plugin, by its id, what its configuration says.
    public var configuration: [String: [String: String]]
    /// Services that plugins find under a string id.
    public var services: [HostService]
    /// Where the log goes.
    public var log: Log
    /// Whether images stay mapped when nobody holds anything of them any more: for a program that is about to end, where closing
    /// them gains nothing and a thread that a plugin left running would lose its code.
    public var keepsImages = false
    /// When the plugins' libraries are opened.
    public var loading = Loading.lazy
    /// Which plugins are loaded in a process of their own first, to see what happens.
    public var probing = Probing.newContent
    /// Whether the program calls `PluginHost.answerProbes` first of all, so that what it offers to plugins is there when they are
    /// probed. Otherwise it is its own probe without knowing, and plugins are probed without its services and contracts.
    public var answersProbes = false
    /// What a probe may take.
    public var probeLimits = ProbeLimits()
    /// Where what probes have shown is kept from one start to the next; nil to keep nothing. `$XDG_CACHE_HOME/troupe` by default.
    public var cacheDirectory = UserDirectories.cache
    /// Where the plugins are remembered that did harm; nil to forget them with the process. See ``Quarantine``.
    public var quarantineDirectory = Quarantine.standardDirectory
    /// Is told, on the thread that loads, how far the probing has come, which takes some milliseconds for each new plugin: each
    /// time a probe begins and each time one is done. It may ask the host anything, and must not have it load, retire or
    /// replace plugins: see `PluginHost.load`.
    public var progress: (@Sendable (ProbeProgress) -> Void)?
    /// The time to wait for a forked process that has a plugin's file open for writing; see `PluginFile.isBeingWritten`.
    var writerPatience = PluginFile.patience
    /// Called at each step of loading.
    var stepObserver: (@Sendable (ProbeStep) -> Void)?
    /// Whether a plugin is loaded from a copy of its file in memory, which takes about half a millisecond for each megabyte and
    /// the memory for as long as the plugin is loaded. Whoever writes over a plugin's file, as cp(1) does, would change the
    /// code under a host that has opened the file itself; a host whose plugins are replaced while it runs wants copies.
    ///
    /// A plugin that is loaded from a copy does not find files by where its own code lies. Libraries that it needs are found
    /// beside its file if they have a SONAME.
    public var opensCopies = false
    /// What plugins may contain, or nil if that is all the same. Every other plugin is rejected with the code `.unpinned`. With
    /// pins each plugin is loaded from a copy, which is hashed, so that nobody can swap the file between the one and the other.
    public var pins: Pins?

    /// Makes options; each member has a sensible default.
    public init(
      directories: [String] = [], files: [String] = [], contracts: [Contract] = [],
      configuration: [String: [String: String]] = [:], services: [HostService] = [], log: Log = .standardError()
    ) {
      self.directories = directories
      self.files = files
      self.contracts = contracts
      self.configuration = configuration
      self.services = services
      self.log = log
    }
  }

  /// When a plugin's library is opened.
  public enum Loading: Sendable, Hashable {
    /// When something that it registers is resolved for the first time. Its places in the container are held until then.
    case lazy
    /// When the host loads its plugins.
    case eager
  }

  /// Which plugins are loaded in a process of their own before they are in this one.
  public enum Probing: Sendable, Hashable {
    /// Those of which nobody knows yet what happens: one process for each content of a file.
    case newContent
    /// None. Whatever is wrong with the code of a plugin, the whole program suffers.
    case never
  }

  /// What the plugins registered. A program may register here too.
  public var container: Container { factories.container }

  let options: Options
  let factories: FactoryCatalog
  let changes: PluginEvents
  /// Held while plugins are loaded, replaced or retired.
  let loading = LoadingLock()
  /// Which plugins have been opened whose places were held before.
  let opened = Container()
  /// The marks of the plugins that are being loaded; nil without probes or without a cache directory.
  let markers: LoadingMarkers?
  let registry: Mutex<Registry>
  let rejections: Mutex<Registry>
  let found = Mutex<DiscoveredPlugins?>(nil)
  /// Why files do not replace the plugins that they were, by their paths, as the log has it.
  let refused = Mutex<[String: PluginFault]>([:])
  /// The files that failed when they were to replace a plugin, by their paths: until they are others, nobody tries again by
  /// himself.
  let failed = Mutex<[String: [RegistryFile.FileState]]>([:])
  /// Held while plugins are found for the first time, and while that is told; and whether both is over.
  private let discovering = LoadingLock()
  private let isDiscovered = Atomic(false)
  /// Whether plugins are activated as soon as they are loaded.
  private let started = Atomic(false)
  private let unknownTypes = Atomic(false)
  /// Whether `shutdown` has been called.
  private let isShutDown = Atomic(false)

  /// Makes a host. Nothing is read or loaded yet.
  public init(_ options: Options) {
    self.options = options
    changes = PluginEvents(log: options.log)
    factories = FactoryCatalog(
      contracts: [.transform] + options.contracts, maximumBufferSize: options.maximumBufferSize, log: options.log)
    markers =
      options.probing == .newContent ? options.cacheDirectory.map { LoadingMarkers(directory: $0 + "/loading") } : nil
    registry = Mutex(Registry(directory: options.cacheDirectory, host: HostVersions.key))
    rejections = Mutex(Registry(directory: options.cacheDirectory, folder: "rejections", host: HostVersions.key))
  }

  /// Makes a host for the plugins in some directories.
  public convenience init(directories: [String]) {
    self.init(Options(directories: directories))
  }

  deinit { shutdown() }

  /// The plugins, in the order in which they were found; none before `discover` or `start`.
  public var plugins: [Plugin] {
    found.withLock { $0?.records ?? [] }.map(\.plugin)
  }

  /// The transitions of the plugins' states from now on, those of one plugin in their order. Each call returns a sequence of its own,
  /// which buffers unread events. Its reader may use the host in every way, such as to retire the plugin.
  ///
  /// `shutdown` ends the sequence, as does the release of the host. A plugin whose instances live on is then `.draining`; the log
  /// reports at the level `.debug` that it is retired, when the last of them is released. A sequence that begins after `shutdown` is
  /// empty, unless the host has loaded or refreshed its plugins since.
  ///
  /// ```swift
  /// for await event in host.events { print(event) }
  /// ```
  public var events: AsyncStream<PluginEvent> { changes.stream() }

  /// What the loaded plugins registered, in the order in which they did.
  public var registrations: [Registration] { factories.all }

  /// Finds the plugins and decides which may be loaded, from the files alone: none of their code runs. What was found the
  /// first time stays.
  @discardableResult
  public func discover() -> [Plugin] {
    discovered().records.map(\.plugin)
  }

  /// The plugins, which are found if that has not been done. Others wait until it is told what there is, so that nothing that
  /// becomes of a plugin is told before; but not who is told, or is waited for meanwhile.
  func discovered() -> DiscoveredPlugins {
    if let plugins = found.withLock({ $0 }),
      isDiscovered.load(ordering: .acquiring) || discovering.isHeldByThisThread || loading.isHeldByThisThread
    {
      return plugins
    }
    return discovering.alone {
      if let plugins = found.withLock({ $0 }) { return plugins }
      let plugins = Discovery(options, events: changes).run()
      recallRejections(of: plugins.records)
      found.withLock { $0 = plugins }
      for record in plugins.records { record.tellFound() }
      isDiscovered.store(true, ordering: .releasing)
      return plugins
    }
  }

  /// Finds the plugins, if that has not been done, and makes what they register known. Those of which nobody knows yet what
  /// happens are probed; then their places in the container are held, or, if the host loads eagerly, or they want it or cannot
  /// do otherwise, their images are opened and register.
  ///
  /// That is done in the order in which they were found, but for those that need others, which come behind these. A second call
  /// at the same time waits for the first, so that the order of registration is that of the plugins. What runs within it, such
  /// as an entry, a service that an entry calls, the log or `Options.progress`, must not load, start or refresh the same host,
  /// which would wait for itself: the process ends with a message if it does. `retire` and `reload` throw an error there.
  ///
  /// A plugin that `shutdown` has retired stays so, and the log reports that as an error. Create another host to load it again.
  ///
  /// - Parameter isWanted: Which ones; all of them by default. Those that they need are loaded as well.
  public func load(where isWanted: (Plugin) -> Bool = { _ in true }) {
    let wanted = discovered().inOrder { isWanted($0.plugin) }
    changes.resume()
    loading.alone {
      probe(wanted)
      place(wanted)
      rememberRejections(of: wanted.lazy.map(\.record))
    }
    let retired = wanted.count { [.draining, .retired].contains($0.record.plugin.state) }
    guard retired > 0, isShutDown.load(ordering: .acquiring) else { return }
    options.log.write(
      .error, "troupe", "the host was shut down, which retired \(retired) of these plugins; create another PluginHost")
  }

  /// Finds the plugins, if that has not been done, loads them, and then activates those whose images are open. The others are
  /// activated when they are opened: what a resolve opens, right behind it. After `shutdown` it registers no more than `load` does.
  ///
  /// - Parameter isWanted: Which ones; all of them by default. Those that they need are loaded and activated as well, before them.
  public func start(where isWanted: (Plugin) -> Bool = { _ in true }) async {
    load(where: isWanted)
    let wanted = discovered().inOrder { isWanted($0.plugin) }
    for (record, needs) in wanted { await record.activate(self, needs: needs) }
    rememberRejections(of: wanted.lazy.map(\.record))
    started.store(true, ordering: .releasing)
  }

  /// Whether plugins are activated as soon as they are loaded.
  var isStarted: Bool { started.load(ordering: .acquiring) }

  /// Whether there are places of types that nobody knew when they were held.
  var hasUnknownTypes: Bool { unknownTypes.load(ordering: .relaxed) }
  func noteUnknownTypes() { unknownTypes.store(true, ordering: .relaxed) }

  /// Unregisters the factories of all plugins, those of the last plugin first, and ends the sequences of `events`. An image in C is
  /// closed after the release of its last instance. An image with Swift stays mapped, since the Swift runtime cannot unload it.
  ///
  /// The plugins stay retired: neither `load` nor `start` registers them again. Create another host for that.
  public func shutdown() {
    isShutDown.store(true, ordering: .releasing)
    let plugins = found.withLock { $0?.inOrder(where: { _ in true }) } ?? []
    for plugin in plugins.reversed() { plugin.record.retire(factories) }
    changes.end()
    markers?.close()
  }
}
