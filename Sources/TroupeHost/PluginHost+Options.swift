public import Troupe
public import TroupeFiles
public import TroupeSandbox

extension PluginHost {
  /// The options of a host.
  public struct Options: Sendable {
    /// The directories of plugins: files whose names end in `.so` or, for an adopted library, in `.troupe.json`.
    public var directories: [String]
    /// Further plugin files.
    public var files: [String]
    /// The largest size of a plugin's file or an adopted library in bytes. The host rejects larger files without reading them.
    public var maximumFileSize = 1 << 30
    /// The largest size in bytes of a buffer that a C function gets or returns as values. Typed calls have no limit.
    public var maximumBufferSize = PreparedCall.defaultMaximumBufferSize
    /// Contracts in addition to those of Troupe.
    public var contracts: [Contract]
    /// The configuration of each plugin, by its id. The log has a warning for an id that no plugin has.
    public var configuration: [String: [String: String]]
    /// The services for plugins.
    public var services: [HostService]
    /// The log.
    public var log: Log
    /// Whether the host unmaps the image of a retired plugin once its last instance is released. By default each image stays mapped until
    /// the process ends, since threads and thread keys of a plugin, or of a library that it needs, may still lead to its code.
    ///
    /// If it is set, the host unmaps an image only if neither it nor a library that it needs imports functions that start threads, make
    /// thread keys, install signal handlers or open libraries; an image with Swift never. See the guide on replacing plugins for what no
    /// import shows.
    public var unloadsImages = false
    /// The process in which plugins are opened.
    var process = LoadingProcess.program
    /// The time at which the plugins' libraries are opened.
    public var loading = Loading.lazy
    /// The plugins that are first loaded in a separate process, the probe, to detect faults.
    public var probing = Probing.newContent
    /// Whether the program calls `PluginHost.runAsProbeIfRequested` first, so that a probe has its services and contracts. Otherwise the host uses
    /// the executable for probes without running its main function, and a probe has neither.
    public var answersProbes = false
    /// The path of the executable that runs probes, the helper `troupe-probe`; nil for the program's own. Set it to
    /// `PluginHost.standardProbeExecutable` in a program that must not be started a second time, such as an interpreter that opens
    /// `libTroupe.so`. Only root and the user may be able to change the file.
    ///
    /// The host rejects each plugin that needs a probe with the code `.missingResource` if the helper is missing, does not start or
    /// belongs to another version of Troupe, and with `.notProbed` if `answersProbes` is set, too: the helper has no services and
    /// contracts of the program.
    public var probeExecutable: String?
    /// Has probes run by `standardProbeExecutable` if that is usable, else by the program's own executable: for the command, which has no
    /// code that a plugin could need besides `libTroupe.so`. The helper forks probes, which is faster.
    package var prefersProbeHelper = false
    /// False for a program that wants one function by its name, and reports the refusal of that one itself.
    package var logsRefusals = true
    /// The limits of a probe.
    public var probeLimits = ProbeLimits()
    /// Whether a fatal signal in the code of a plugin, such as a failed precondition, is reported before it ends the process: one line on
    /// standard error names the plugin and the location, and the next host puts the plugin into quarantine.
    ///
    /// The first host that sets it installs handlers of SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP and SIGSYS in this process, and a
    /// thread, for all hosts that set it. The handlers that the program had until then run afterwards, such as that of Swift's
    /// backtraces, and the process ends by the signal. A program that recovers from such a signal, as the runtimes of Java and Go do,
    /// must not set it. A crash in a function of the program's executable that a plugin calls is not reported. Needs `cacheDirectory` and `probing`
    /// for the quarantine.
    public var reportsCrashes = false
    /// The directory for probe results, which later starts use; nil to keep none. `$XDG_CACHE_HOME/troupe` by default.
    public var cacheDirectory = UserDirectories.cache
    /// The directory of the quarantine for harmful plugins; nil to quarantine them in this process only. See `Quarantine`.
    public var quarantineDirectory = Quarantine.standardDirectory
    /// Called with the progress of probing when a probe begins and when it ends, on the thread that loads. A probe takes some
    /// milliseconds for each new plugin. The closure may query the host, and must not load, retire or replace plugins: see
    /// `PluginHost.load`.
    public var progress: (@Sendable (ProbeProgress) -> Void)?
    /// The time to wait for a forked process that has a plugin's file open for writing; see `RegularFile.isBeingWritten`.
    var writerPatience = RegularFile.patience
    /// The log of the changes of plugins' states; nil for `log`.
    var stateLog: Log?
    /// Waits for the time after which the log names a plugin that is still being activated.
    var activationTimer: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    /// Called at each step of loading.
    var stepObserver: (@Sendable (ProbeStep) -> Void)?
    /// Whether the host loads a plugin from a copy of its file in memory. A copy takes about half a millisecond for each megabyte, and
    /// its memory for as long as the plugin is loaded. Set it if plugins are replaced while the host runs: a program that writes over a
    /// plugin's file, as cp(1) does, would change the code under a host that has opened the file itself.
    ///
    /// A plugin that is loaded from a copy cannot find files by the path of its own code. Libraries that it needs are found beside its
    /// file if they have a SONAME.
    public var opensCopies = false
    /// Where the code of plugins runs, unless ``isolations`` has the plugin.
    public var isolation = Isolation.inProcess
    /// Where the code of single plugins runs, by their ids.
    public var isolations: [String: Isolation] = [:]
    /// Called about every 50 ms on a thread that waits for a worker or calls a function over columns: whether to cancel the call.
    package var isInterrupted: (@Sendable () -> Bool)?
    var workerLayers = Set(WorkerPolicy.Layer.allCases)
    /// The allowed content hashes; nil disables pinning. The host rejects every other plugin with the code `.unpinned`. With pins it
    /// loads each plugin from a copy, which it hashes, so that the file cannot be replaced between the hash and the load.
    public var pins: Pins?

    func isolation(of id: String) -> Isolation { isolations[id] ?? isolation }

    /// Creates options; each member has a default.
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

  /// The time at which a plugin's library is opened.
  public enum Loading: Sendable, Hashable {
    /// At the first resolve of one of the plugin's factories. The plugin has pending registrations until then.
    case lazy
    /// When the host loads its plugins.
    case eager
  }

  /// The plugins that are first loaded in a separate process.
  public enum Probing: Sendable, Hashable {
    /// Plugins without a probe result: one process for each content of a file.
    case newContent
    /// None. A fault in the code of a plugin then affects the whole program.
    case never
  }
}

extension PluginHost.Options {
  /// The settings that decide which files are admitted.
  var admissionRules: AdmissionRules {
    var rules = AdmissionRules()
    rules.pins = pins
    rules.configuration = configuration
    rules.opensAll = loading == .eager
    rules.maximumFileSize = maximumFileSize
    // A probe checks them otherwise.
    rules.checksRelocations = probing == .never
    return rules
  }
}

/// An optional service that a program offers to the plugins of its host under a string id.
///
/// The pointer is to a struct whose layout the id identifies. It stays valid for as long as the process, and plugins use it from any
/// thread.
public struct HostService: @unchecked Sendable {
  // Sendable because the host passes the pointer on without reading its memory, which may be used from any thread.
  /// The id, such as `org.example.clock/1`.
  public let id: String
  /// The pointer for plugins.
  public let pointer: UnsafeRawPointer

  /// Offers `pointer` under `id`.
  public init(_ id: String, _ pointer: UnsafeRawPointer) {
    self.id = id
    self.pointer = pointer
  }
}
