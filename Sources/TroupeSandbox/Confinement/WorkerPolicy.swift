internal import CSandbox
public import TroupeFiles

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
  /// The limit of threads, besides one for each of ``concurrentCalls``. The kernel does not apply it to root, so the host ends a
  /// worker of root that exceeds it during a call.
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
  package var allThreads: Int { min(max(threads, 1), 1 << 20) + slots }
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

// MARK: Parsing and checking

extension WorkerPolicy {
  /// Reads a policy such as `read:/srv/models,memory:512M,require:files`: settings of the strict policy, separated by commas.
  ///
  /// | setting | member |
  /// |---|---|
  /// | `read:PATH`, `write:PATH` | ``readable``, ``writable``; may be repeated |
  /// | `require:LAYER` | ``required``; may be repeated |
  /// | `group:NAME` | ``group`` |
  /// | `memory:SIZE`, `file-size:SIZE`, `shared-memory:SIZE` | in bytes, or with `K`, `M` or `G` |
  /// | `cpu:SECONDS`, `deadline:SECONDS` | ``processorTime``, ``deadline`` |
  /// | `descriptors:COUNT`, `threads:COUNT`, `calls:COUNT` | ``descriptors``, ``threads``, ``concurrentCalls`` |
  /// | `syscalls:NAME` | ``systemCalls``; may be repeated |
  /// | `env:NAME` | ``environment``; may be repeated |
  /// | `standby` | ``keepsStandby`` |
  ///
  /// - Throws: A `Diagnosis` with the code `usage` that names the setting.
  public init(parsing text: String) throws(Diagnosis) {
    self.init()
    for setting in text.split(separator: ",", omittingEmptySubsequences: false).map(String.init) where !text.isEmpty {
      let parts = setting.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      try set(parts[0], parts.count == 2 ? parts[1] : "")
    }
    try check()
  }

  /// Throws a `Diagnosis` with the code `usage` if a path is relative, a limit is too low for a worker, or a name of ``systemCalls`` or
  /// ``environment`` is none that a worker can have.
  package func check() throws(Diagnosis) {
    for path in readable { _ = try Self.path(path, "read") }
    for path in writable { _ = try Self.path(path, "write") }
    guard descriptors >= Self.leastDescriptors else {
      throw Self.unexpected("\(descriptors)", "descriptors", "at least \(Self.leastDescriptors)")
    }
    guard sharedMemory >= Self.leastSharedMemory else {
      throw Self.unexpected("\(sharedMemory)", "shared-memory", "at least \(Self.leastSharedMemory >> 20)M")
    }
    for name in systemCalls where SystemCall.number(name) == nil {
      let nearest = nearestName(to: name, in: SystemCall.all.map(\.name))
      throw Diagnosis(
        .usage, problem: "no system call \"\(name.shortened())\"" + (nearest.map { "; did you mean \"\($0)\"?" } ?? ""),
        remedy: "write a name of syscalls(2), such as syscalls:get_mempolicy")
    }
    for name in environment where !Self.inherited.contains(name) {
      guard let first = name.utf8.first, !name.utf8.contains(where: { $0 == UInt8(ascii: "=") || $0 <= 32 || $0 >= 127 }),
        !(UInt8(ascii: "0")...UInt8(ascii: "9") ~= first)
      else { throw Self.unexpected(name, "env", "the name of a variable, such as OMP_NUM_THREADS") }
      if name.hasPrefix("LD_") || name.hasPrefix("TROUPE_") {
        throw Diagnosis(
          .usage, problem: "env:\(name.shortened()) would change the worker before its policy holds",
          remedy: "leave it out; a worker gets LD_LIBRARY_PATH, and no other variable of the loader or of Troupe")
      }
    }
  }

  /// The streams, the channel, and what the loader opens.
  private static let leastDescriptors = 8
  private static let leastSharedMemory = 1 << 20

  /// The variables that each worker gets, for the loader and the C library.
  package static let inherited = ["LD_LIBRARY_PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ"]

  /// The variables of the worker by their names, without those that the host does not have.
  package var variables: [String] {
    var names = Self.inherited
    for name in environment where !names.contains(name) { names.append(name) }
    return names
  }

  var callNumbers: [Int32] { systemCalls.compactMap(SystemCall.number).filter { $0 >= 0 } }

  private mutating func set(_ name: String, _ value: String) throws(Diagnosis) {
    switch name {
    case "read": readable.append(try Self.path(value, name))
    case "write": writable.append(try Self.path(value, name))
    case "require":
      guard let layer = Layer(rawValue: value) else {
        throw Self.unexpected(value, name, "one of \(Layer.allCases.map(\.rawValue).joined(separator: ", "))")
      }
      required.insert(layer)
    case "group":
      guard !value.isEmpty else { throw Self.unexpected(value, name, "a name") }
      group = value
    case "memory": memory = try Self.size(value, name)
    case "file-size": fileSize = try Self.size(value, name)
    case "shared-memory": sharedMemory = try Self.size(value, name)
    case "cpu": processorTime = .seconds(try Self.count(value, 1...86_400, name))
    case "deadline": deadline = try Self.seconds(value, name)
    case "descriptors": descriptors = try Self.count(value, Self.leastDescriptors...1 << 20, name)
    case "threads": threads = try Self.count(value, 4...1 << 20, name)
    case "calls": concurrentCalls = try Self.count(value, 1...64, name)
    case "syscalls": systemCalls.append(value)
    case "env": environment.append(value)
    case "standby":
      guard value.isEmpty else { throw Self.unexpected(value, name, "no value") }
      keepsStandby = true
    default:
      let names = Self.settings.map { String($0.prefix { $0 != ":" }) }
      let nearest = nearestName(to: name, in: names).map { "; did you mean \($0)?" } ?? ""
      throw Diagnosis(
        .usage, problem: "a policy has no setting \"\(name.shortened())\"\(nearest)",
        remedy: "write \(Self.settings.dropLast().joined(separator: ", ")) or \(Self.settings.last ?? "")")
    }
  }

  private static let settings = [
    "read:PATH", "write:PATH", "require:LAYER", "group:NAME", "memory:SIZE", "file-size:SIZE", "shared-memory:SIZE",
    "cpu:SECONDS",
    "deadline:SECONDS", "descriptors:COUNT", "threads:COUNT", "calls:COUNT", "syscalls:NAME", "env:NAME", "standby",
  ]

  private static func path(_ text: String, _ setting: String) throws(Diagnosis) -> String {
    guard text.utf8.first == UInt8(ascii: "/") else { throw unexpected(text, setting, "an absolute path") }
    return text
  }

  private static func size(_ text: String, _ setting: String) throws(Diagnosis) -> Int {
    let shifts: [Character: Int] = ["K": 10, "M": 20, "G": 30]
    let shift = text.last.flatMap { shifts[$0] } ?? 0
    guard let number = Int(shift > 0 ? String(text.dropLast()) : text), number > 0, number <= Int.max >> shift else {
      throw unexpected(text, setting, "a size in bytes, or with K, M or G, such as 512M")
    }
    return number << shift
  }

  private static func seconds(_ text: String, _ setting: String) throws(Diagnosis) -> Duration {
    guard let seconds = Double(text), 0.001...86_400 ~= seconds else {
      throw unexpected(text, setting, "seconds from 0.001 to 86400")
    }
    return .seconds(seconds)
  }

  private static func count(_ text: String, _ range: ClosedRange<Int>, _ setting: String) throws(Diagnosis) -> Int {
    guard let number = Int(text), range ~= number else {
      throw unexpected(text, setting, "a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  private static func unexpected(_ value: String, _ setting: String, _ expectation: String) -> Diagnosis {
    Diagnosis(.usage, problem: "\(setting): expected \(expectation), got \"\(value.shortened())\"")
  }
}

/// The system calls that CSandbox knows.
private enum SystemCall {
  /// Each name with its number, which is -1 for one that this machine lacks.
  static let all: [(name: String, number: Int32)] = {
    var calls: [(String, Int32)] = []
    while let call = Optional(troupe_system_call_at(calls.count)), let name = call.name {
      calls.append((String(cString: name), call.number))
    }
    return calls
  }()

  static func number(_ name: String) -> Int32? { all.first { $0.name == name }?.number }
}
