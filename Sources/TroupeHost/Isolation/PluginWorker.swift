internal import Glibc
internal import Synchronization
internal import Troupe
internal import TroupeCall
internal import TroupeFiles
internal import TroupeSandbox

/// The worker of a plugin or a group: what its process is started with and loads, what it reports, and the objects in it.
final class PluginWorker: Sendable {
  /// The name of the group, or the id of the only plugin.
  let name: String
  let policy: WorkerPolicy
  /// The ids of its plugins, in the order of discovery.
  let ids: [String]
  /// The files of its plugins, by their ids.
  let files: [String: [FileState]]
  private let grants: WorkerGrants
  /// Makes the calls, for which it keeps a process running.
  let calls: Worker
  private let facts: Facts
  /// The objects whose release waits, with the ids of their processes.
  private let pendingReleases = Mutex<[(object: UInt32, process: Int, lock: CallLock?)]>([])
  /// Returns whether the program cancels the calls of the thread.
  let isInterrupted: (@Sendable () -> Bool)?
  /// The locks of its libraries that are not thread-safe, by their paths.
  private let locks = Mutex<[String: CallLock]>([:])

  private final class Facts: Sendable {
    /// The report of the first process, and the layers in force.
    let report = Mutex<WorkerReport?>(nil)
    let enforced = Mutex<UInt32>(0)
  }

  /// The least time to load plugins.
  private static let loadingTime = Duration.seconds(30)

  /// The sizes of the channel besides the number of slots and the heap.
  private static let capacity = 64 << 10

  /// - Parameter report: Receives the events of the worker. It must not call it.
  init(
    name: String, _ request: WorkerRequest, _ policy: WorkerPolicy, _ grants: WorkerGrants, executable: ProbeExecutable,
    log: Log, isInterrupted: (@Sendable () -> Bool)?, files: [String: [FileState]],
    report: @escaping @Sendable (WorkerEvent) -> Void
  ) {
    (self.name, self.policy, self.grants, self.isInterrupted) = (name, policy, grants, isInterrupted)
    (ids, self.files) = (request.ids, files)
    let facts = Facts()
    self.facts = facts
    let libraries = files.compactMap { id, files in files.last.map { (MemoryMap.pathOfMemoryFile(id), $0.path) } }
    let copies = Dictionary(libraries) { first, _ in first }
    let shape = ChannelMemory.Shape(
      slots: policy.slots, capacity: Self.capacity, heap: min(max(policy.sharedMemory, 1 << 20), 1 << 40) / 4096 * 4096)
    let environment = Self.environment(shape, policy)
    calls = Worker(slots: policy.slots, timeLimit: policy.deadline, keepsStandby: policy.keepsStandby) { event in
      report(WorkerEvent(worker: name, event))
    } prepare: { process, deadline in
      try Self.prepare(process, executable, request, grants, copies, facts, deadline)
    } start: { onEnd in
      let processID = ProcessID()
      let process = try WorkerProcess(
        executable: executable.path, environment: environment, output: Self.output(to: log, name, processID), shape: shape,
        threads: policy.allThreads, grants: grants, isInterrupted: isInterrupted, onEnd: onEnd)
      processID.value.withLock { $0 = process.processID }
      return process
    }
  }

  deinit {
    calls.readOutput()
    calls.end()
  }

  /// The output of a process, which goes to the log.
  ///
  /// - Throws: A `SystemError` if there is no descriptor left.
  private static func output(to log: Log, _ name: String, _ processID: ProcessID) throws(SystemError) -> WorkerOutput {
    try WorkerOutput { line in
      // The text may have anything, such as sequences for a terminal.
      if let logged = WorkerLogLine(line) {
        let text = logged.text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).onOneLine }
        log.write(
          LogLevel(rawValue: logged.level) ?? .error, logged.plugin.onOneLine, text.joined(separator: "\n"),
          worker: processID.value.withLock(\.self))
      } else {
        log.write(.info, name, line.onOneLine, worker: processID.value.withLock(\.self))
      }
    }
  }

  /// The ID of a process, which is known once the process has started.
  private final class ProcessID: Sendable {
    let value = Mutex<Int32?>(nil)
  }

  /// The environment of the worker: how to start, what the loader and the C library need, and what the policy names.
  private static func environment(_ shape: ChannelMemory.Shape, _ policy: WorkerPolicy) -> [String] {
    let start = WorkerStart(shape: shape, parent: getpid())
    let kept = policy.variables.compactMap { name in Environment.value(name).map { "\(name)=\($0)" } }
    // The library of Fortran buffers output itself, which would be lost with the process.
    let unbuffered = "GFORTRAN_UNBUFFERED_PRECONNECTED=y"
    return kept
      + [unbuffered, ChildRole.worker(start.text).assignment]
  }

  /// Restricts a new process and loads the plugins in it. Throws a `Diagnosis` if that fails or its registrations differ from those of the
  /// first process.
  private static func prepare(
    _ process: WorkerProcess, _ executable: ProbeExecutable, _ request: WorkerRequest, _ grants: WorkerGrants,
    _ copies: [String: String], _ facts: Facts, _ deadline: Deadline
  ) throws {
    var endpoint = process.channel.endpoint(until: deadline)
    let enforced: UInt32
    do { enforced = try endpoint.answer(.restrict, RecordWriter.bytes(request), as: UInt32.self) } catch ChannelError.closed {
      // It has run no code of a plugin.
      guard let exit = process.exit, exit.status != WorkerMain.Exit.unavailable else { throw ChannelError.closed }
      throw executable.diagnosis(withoutAnswer: exit.sentence, isWorker: true)
    }
    facts.enforced.withLock { $0 = enforced }
    let report = try endpoint.answer(.load, [], as: WorkerReport.self)
    guard report.plugins.map(\.id) == request.ids else { throw ChannelError.malformed }
    let files = Set(request.paths + grants.paths)
    // Not the libraries that they need, such as Swift's runtime, in which a precondition fails.
    process.setMaps(Self.known(report.maps, files, copies), plugins: Set(request.paths + copies.values))
    let isSame = facts.report.withLock { first in
      let known = first ?? report
      first = known
      // A plugin that could not be loaded at first has no registrations in the host.
      return zip(known.plugins, report.plugins).allSatisfy {
        $0.summary == nil || $0.summary?.registrations == $1.summary?.registrations
      }
    }
    guard isSame else {
      if let path = grants.replacedFile {
        throw Diagnosis(
          .changed, path, problem: "has been replaced since the worker first started, which may read only the older file",
          remedy: "reload the plugin, or restart the program")
      }
      throw Diagnosis(.changed, problem: "registers other factories than before", remedy: "reload the plugin")
    }
  }

  /// The lines of `/proc/self/maps` about files that the worker may have opened, since the host looks for functions in these files. Those
  /// of a copy in memory get the path of its file.
  private static func known(_ maps: [UInt8], _ files: Set<String>, _ copies: [String: String]) -> [UInt8] {
    let files = Set(files.map { Array($0.utf8) })
    let lines = maps.split(separator: UInt8(ascii: "\n")).compactMap { line -> ArraySlice<UInt8>? in
      guard let slash = line.firstIndex(of: UInt8(ascii: "/")) else { return nil }
      let path = String(decoding: line[slash...], as: UTF8.self)
      if let original = copies[path] { return line[..<slash] + original.utf8 }
      let isOfSystem = ["/usr/lib/", "/lib/", "/lib64/"].contains { path.hasPrefix($0) } && !path.contains("/../")
      return isOfSystem || files.contains(Array(line[slash...])) ? line : nil
    }
    return Array(lines.joined(separator: [UInt8(ascii: "\n")]))
  }

  // MARK: Calls

  /// Returns the lock of the library of a plugin, which several plugins of the worker may adopt.
  func lock(ofLibraryOf id: String) -> CallLock {
    let path = files[id]?.last?.path ?? id
    return locks.withLock { locks in
      let lock = locks[path] ?? CallLock(library: path)
      locks[path] = lock
      return lock
    }
  }

  /// Starts the worker if it does not run, and returns its report.
  func load() throws -> WorkerReport {
    try ping(until: .after(max(policy.deadline, Self.loadingTime)))
    guard let report = facts.report.withLock(\.self) else { throw ChannelError.malformed }
    return report
  }

  /// The reason why the loader in the worker did not find a library, as the fault of the plugin; nil if the host knows none.
  func cause(of diagnosis: Diagnosis) -> Diagnosis? {
    grants.refusals.first { diagnosis.problem.contains(Path.lastComponent(of: $0.subject)) }.map { refusal in
      Diagnosis(
        diagnosis.code, problem: "cannot be loaded: its worker may not read \(refusal.subject), which \(refusal.problem)",
        remedy: refusal.remedy)
    }
  }

  /// Whether a plugin could not be loaded in the first process.
  func hasDiagnosis(of id: String) -> Bool {
    facts.report.withLock { $0?.plugins.contains { $0.id == id && $0.summary == nil } ?? false }
  }

  func ping(until deadline: Deadline? = nil) throws {
    // No object has the number 0.
    try calls.call(calls.limits(until: deadline)) { endpoint, _ in
      _ = try endpoint.answer(.release, RecordWriter.bytes(UInt32(0)))
    }
  }

  /// Releases an object of a process of the worker, if that still runs.
  ///
  /// A release within a call of the worker on this thread waits until the call has ended, which has one of the slots.
  ///
  /// - Parameter lock: The lock of the library that releases it; nil if several threads may run its functions at once.
  func release(_ object: UInt32, process: Int, _ lock: CallLock? = nil) {
    guard !calls.isInCall else { return pendingReleases.withLock { $0.append((object, process, lock)) } }
    sendRelease(object, process: process, lock)
    let pending = pendingReleases.withLock { pending in
      defer { pending = [] }
      return pending
    }
    for (object, process, lock) in pending { sendRelease(object, process: process, lock) }
  }

  private func sendRelease(_ object: UInt32, process: Int, _ lock: CallLock?) {
    lock?.lock()
    defer { lock?.unlock() }
    calls.callIfRunning(id: process) { endpoint in _ = try endpoint.answer(.release, RecordWriter.bytes(object)) }
  }

  var status: WorkerStatus {
    let (counts, latencies, processID) = (calls.counts, calls.latencies, calls.processID)
    let circuit: WorkerStatus.Circuit =
      switch calls.circuit {
      case .closed: .closed
      case .open: .open
      case .halfOpen: .halfOpen
      }
    return WorkerStatus(
      name: name, plugins: ids, process: processID, calls: counts.calls, failures: counts.failures,
      restarts: max(0, counts.starts - 1), median: latencies.quantile(0.5), percentile99: latencies.quantile(0.99),
      memory: processID.flatMap(Self.memory), circuit: circuit,
      enforced: WorkerPolicy.Layer.layers(facts.enforced.withLock(\.self)))
  }

  /// The memory of a process in bytes that is in the machine's memory.
  private static func memory(_ process: Int32) -> Int? {
    guard let file = try? FileDescriptor(opening: "/proc/\(process)/statm", O_RDONLY), let bytes = try? file.readPiece() else {
      return nil
    }
    let fields = String(decoding: bytes, as: UTF8.self).split(separator: " ")
    return fields.count > 1 ? Int(fields[1]).map { $0 * Int(getpagesize()) } : nil
  }
}

extension HostEndpoint {
  /// Sends a message whose answer ends the call, and returns the answer. Throws the error of the plugin, or `malformed`.
  mutating func answer(_ kind: MessageKind, _ bytes: [UInt8]) throws -> [UInt8] {
    let (kind, content) = try exchange(kind: kind.rawValue, bytes.span.bytes)
    switch MessageKind(rawValue: kind) {
    case .done: return content
    case .failed: throw try RemoteError.error(content, memory: heap.size)
    default: throw ChannelError.malformed
    }
  }

  /// Sends such a message, and reads the answer, whose values have at most the size of the shared memory.
  mutating func answer<Answer: Recordable>(_ kind: MessageKind, _ bytes: [UInt8], as type: Answer.Type) throws -> Answer {
    let content = try answer(kind, bytes)
    do { return try RecordReader.value(type, content, memory: heap.size) } catch {
      throw ChannelError(error, limit: heap.size)
    }
  }

  /// Sends the first bytes of `buffer` as such a message. The answer, of a known size, is then in `buffer`.
  mutating func answerFlat(_ kind: MessageKind, count: Int, answerSize: Int) throws {
    let answer = try exchangeBuffer(kind: kind, count: count)
    if answer.kind == .flatDone, answer.count == answerSize { return }
    guard answer.kind == .failed else { throw ChannelError.malformed }
    throw try RemoteError.error([UInt8](buffer.prefix(answer.count)), memory: heap.size)
  }
}

extension RemoteError {
  /// Reads the error of a plugin.
  ///
  /// - Parameter memory: The memory in bytes that its texts may have.
  static func error(_ bytes: [UInt8], memory: Int) throws(ChannelError) -> any Error {
    do { return try RecordReader.value(RemoteError.self, bytes, memory: memory).error } catch {
      throw ChannelError(error, limit: memory)
    }
  }

  /// The error of the plugin, as the process of the host would throw it.
  var error: any Error {
    switch self {
    case .call(let error): error
    case .factory(let plugin, let name, let reason): ForeignFactoryError(plugin: plugin, factory: name, reason: reason)
    case .transform(let text, let status): status.map { TransformError(status: $0) } ?? TransformError(text)
    case .diagnosis(let diagnosis): diagnosis
    case .cancelled: CancellationError()
    case .other(let text): IsolatedPluginError(text)
    }
  }
}
