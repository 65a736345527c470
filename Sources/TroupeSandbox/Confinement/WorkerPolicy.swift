internal import CSandbox

/// The rights and limits of the plugins in a worker. The default policy lets them compute and read their own libraries.
///
/// ```swift
/// var policy = WorkerPolicy()
/// policy.readable = ["/srv/models"]
/// policy.required = [.files, .calls]
/// options.isolations["org.example.ocr"] = .worker(policy)
/// ```
public struct WorkerPolicy: Sendable, Hashable {
  /// A layer of the protection. Each holds without the others, if the kernel has it.
  public enum Layer: String, Sendable, Hashable, CaseIterable {
    /// The worker of root has no capabilities but those for the files of other users, and no program that a worker could start has more
    /// rights than it (`PR_SET_NO_NEW_PRIVS`).
    case privileges
    /// A filter of system calls: no network, no program, no other process (seccomp). Forbidden calls fail; see ``systemCalls``.
    case calls
    /// No files but the granted ones (Landlock).
    case files
    /// A network of its own, without an interface (network namespace).
    case network
    /// The limits of memory, processor time, descriptors, threads and the size of files.
    case limits

    /// The bit of the layer in policy.h.
    package var bit: UInt32 {
      switch self {
      case .privileges: UInt32(TROUPE_LAYER_PRIVILEGES)
      case .calls: UInt32(TROUPE_LAYER_CALLS)
      case .files: UInt32(TROUPE_LAYER_FILES)
      case .network: UInt32(TROUPE_LAYER_NETWORK)
      case .limits: UInt32(TROUPE_LAYER_LIMITS)
      }
    }

    /// The layers whose bits are set.
    package static func layers(_ bits: UInt32) -> Set<Layer> { Set(allCases.filter { bits & $0.bit != 0 }) }
  }

  /// The name of the group. All plugins of a host with the same name have one worker; without a name each plugin has its own. The policy
  /// of the plugin that is opened first counts for the group.
  public var group: String?
  /// Files and directories that the plugins may read, by absolute paths. The host opens them when it first loads a
  /// plugin of the worker: a path that does not exist then grants nothing, and one that is replaced later stays the granted one.
  public var readable: [String] = []
  /// Files and directories that they may also write.
  public var writable: [String] = []
  /// The limit of the address space in bytes besides ``sharedMemory``, with about 500 MB for the worker itself.
  public var memory = 4 << 30
  /// The processor time after which the kernel ends the worker, in whole seconds; nil for no limit.
  public var processorTime: Duration?
  /// The limit of open files.
  public var descriptors = 256
  /// The limit of threads, besides one for each of ``concurrentCalls``. The kernel does not apply it to root.
  public var threads = 256
  /// The largest size of a written file in bytes.
  public var fileSize = 1 << 30
  /// The layers without which no plugin is loaded. A missing layer that is not among them is reported, see `PluginHost.workers`.
  public var required: Set<Layer> = []
  /// The time after which a call that has no result ends with ``WorkerError/timedOut``, with the start of the worker and the time in
  /// callbacks. The worker is then ended.
  public var deadline = Duration.seconds(30)
  /// The number of calls that may be in flight at once, from 1 to 64. Others wait.
  public var concurrentCalls = 8
  /// The memory in bytes through which large arguments and results pass. A call that needs more fails.
  public var sharedMemory = 256 << 20
  /// Names of system calls that the worker may make besides those of the strict policy, such as `get_mempolicy`. Each gives up the protection
  /// that the filter has against this call. A name that the machine's architecture lacks allows nothing.
  public var systemCalls: [String] = []
  /// Names of environment variables that the worker gets with the values that they have in the host when the worker is made, such as
  /// `OMP_NUM_THREADS`. Those of the loader (`LD_…`) and of the host (`TROUPE_…`) are not passed.
  public var environment: [String] = []
  /// Whether a second worker is started in advance, so that a crash is followed by a restart within a millisecond. It needs as much memory
  /// as the first.
  public var keepsStandby = false

  /// Creates the strict policy.
  public init() {}

  /// The number of calls that may be in flight at once.
  package var slots: Int { min(max(concurrentCalls, 1), 64) }
  /// The limit of all threads of the process, of which one serves each slot.
  package var allThreads: Int { max(threads, 1) + slots }
}

/// Where the code of a plugin runs.
public enum Isolation: Sendable, Hashable {
  /// In the process of the host, with all its rights.
  case inProcess
  /// In a process of its own, which may do what the policy says.
  case worker(WorkerPolicy)

  /// The policy of a worker; nil for a plugin in the process of the host.
  package var policy: WorkerPolicy? { if case .worker(let policy) = self { policy } else { nil } }
}
