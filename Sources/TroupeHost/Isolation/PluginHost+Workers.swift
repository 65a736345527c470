internal import FoundationEssentials
internal import Glibc
internal import Synchronization
internal import TroupeFiles
internal import TroupeSandbox

/// The workers of a host, and the sequences of their events.
final class WorkerList: Sendable {
  private struct Reference {
    weak let worker: PluginWorker?
  }

  private struct State {
    var workers: [Reference] = []
    var receivers: [UUID: AsyncStream<WorkerEvent>.Continuation] = [:]
    var hasEnded = false
  }

  private let state = Mutex(State())

  /// The workers that are in use.
  var all: [PluginWorker] {
    state.withLock { state in
      state.workers.removeAll { $0.worker == nil }
      return state.workers.compactMap(\.worker)
    }
  }

  func add(_ worker: PluginWorker) { state.withLock { $0.workers.append(Reference(worker: worker)) } }

  func send(_ event: WorkerEvent) {
    let receivers = state.withLock { Array($0.receivers.values) }
    for receiver in receivers { receiver.yield(event) }
  }

  func stream() -> AsyncStream<WorkerEvent> {
    let (stream, continuation) = AsyncStream.makeStream(of: WorkerEvent.self)
    let number = UUID()
    let hasEnded = state.withLock { state in
      if !state.hasEnded { state.receivers[number] = continuation }
      return state.hasEnded
    }
    if hasEnded { continuation.finish() }
    continuation.onTermination = { [weak self] _ in self?.state.withLock { $0.receivers[number] = nil } }
    return stream
  }

  func end() {
    let receivers = state.withLock { state in
      defer { (state.receivers, state.hasEnded) = ([:], true) }
      return Array(state.receivers.values)
    }
    for receiver in receivers { receiver.finish() }
  }
}

extension PluginHost {
  /// The workers of the loaded plugins. A worker starts when its first plugin is loaded.
  public var workers: [WorkerStatus] { workerList.all.map(\.status) }

  /// Makes empty calls of each worker, to measure them.
  package func callWorkers(times: Int) throws {
    for worker in workerList.all {
      for _ in 0..<times { try worker.ping() }
    }
  }

  /// The events of the workers from now on. Each call returns a sequence of its own, which ends as `events` does.
  public var workerEvents: AsyncStream<WorkerEvent> { workerList.stream() }

  /// Returns the worker of a plugin, which has loaded it, with its report about the plugin and the ID of the plugin's first registration.
  ///
  /// - Throws: The `Diagnosis` for which the plugin cannot be loaded.
  func worker(
    of file: PluginFile, id: String, _ policy: WorkerPolicy
  ) throws -> (worker: PluginWorker, report: WorkerReport.Plugin, firstRegistrationID: Int) {
    do {
      let worker = try sharedWorker(of: id, policy) ?? newWorker(of: file, id: id, policy)
      let report = try worker.load()
      guard let index = report.plugins.firstIndex(where: { $0.id == id }) else {
        throw file.diagnosis(.changed, "is not among the plugins of its worker", "reload it")
      }
      if let diagnosis = report.plugins[index].diagnosis { throw (worker.cause(of: diagnosis) ?? diagnosis).about(file.path) }
      let first = report.plugins[..<index].reduce(0) { $0 + ($1.summary?.registrations.count ?? 0) }
      return (worker, report.plugins[index], first)
    } catch let diagnosis as Diagnosis where diagnosis.subject.isEmpty {
      // The worker does not know the file for which it is started.
      throw diagnosis.about(file.path)
    } catch WorkerError.crashed(.status(71), _, .loading, _) {
      // WorkerMain.Exit.unavailable
      throw file.diagnosis(
        .missingResource, "cannot be loaded: its worker has too little memory, or too few threads or descriptors",
        "raise memory, threads and descriptors of the policy")
    } catch let error as WorkerError {
      throw file.diagnosis(error.diagnosisCode, "cannot be loaded: \(error.problem)", error.remedy)
    } catch let error as SystemError {
      throw file.diagnosis(
        .missingResource, "cannot be loaded in a worker: \(error)",
        error.refusedCall == nil ? error.startFailure.remedy : SystemError.sandboxRemedy)
    }
  }

  /// Returns the worker of a group that has loaded a plugin; nil if there is none.
  private func sharedWorker(of id: String, _ policy: WorkerPolicy) -> PluginWorker? {
    guard let group = policy.group else { return nil }
    return workerList.all.first {
      $0.name == group && $0.ids.contains(id) && !$0.hasDiagnosis(of: id) && !isReplaced(id, in: $0)
    }
  }

  private func isReplaced(_ id: String, in worker: PluginWorker) -> Bool {
    let file = discovered().files.first { $0.manifest?.id == id }
    return file?.files != worker.files[id]
  }

  private func newWorker(of file: PluginFile, id: String, _ policy: WorkerPolicy) throws -> PluginWorker {
    if let diagnosis = options.workerExecutable.diagnosis { throw diagnosis.about(file.path) }
    try SystemError.checkCalls(for: .worker)
    do throws(Diagnosis) { try policy.check() } catch { throw error.about(file.path) }
    let all = discovered()
    let members =
      policy.group.map { group in
        all.files.filter { file in
          options.isolation(of: file.manifest?.id ?? "").policy?.group == group && table[file].foundDiagnosis == nil
        }
      } ?? [file]
    let plan = all.inOrder { candidate in members.contains { $0 === candidate } }.map(\.file)
    let ids = members.compactMap { $0.manifest?.id }
    let known = Set(plan.compactMap { $0.manifest?.id })
    for path in policy.readable + policy.writable where access(path, F_OK) != 0 {
      options.log.write(.warning, policy.group ?? id, "the policy grants \(path.onOneLine), which does not exist")
    }
    let grants = try grants(policy, plan)
    let request = WorkerRequest(
      host: HostVersions.key, paths: plan.map(\.path), ids: ids,
      configuration: options.configuration.filter { known.contains($0.key) }, pins: options.pins?.entries,
      opensCopies: options.opensCopies,
      maximumBufferSize: UInt64(options.maximumBufferSize), policy: policy, grants: grants,
      layers: options.workerLayers.reduce(0) { $0 | $1.bit }, logLevel: options.log.lowest.rawValue)
    let worker = PluginWorker(
      name: policy.group ?? id, request, policy, grants, executable: options.workerExecutable, log: options.log,
      isInterrupted: options.isInterrupted,
      files: Dictionary(members.map { ($0.manifest?.id ?? "", $0.files) }) { first, _ in first }
    ) { [workerList, log = options.log] event in
      workerList.send(event)
      log.write(.debug, "troupe", "\(event)")
    }
    workerList.add(worker)
    return worker
  }

  /// Opens what a policy grants to plugins: its paths, and what the loader reads for them.
  private func grants(_ policy: WorkerPolicy, _ plan: [PluginFile]) throws(SystemError) -> WorkerGrants {
    var libraries = NeededLibraries(systemDirectories: WorkerGrants.systemDirectories)
    for file in plan {
      if let library = file.outcome.library { try libraries.add(library.path) }
    }
    return try WorkerGrants(policy, plugins: plan.flatMap(\.files), libraries)
  }
}

extension PluginHost.Options {
  /// The executable of workers: that of probes, or the helper that belongs to the library.
  fileprivate var workerExecutable: ProbeExecutable {
    (probeExecutable ?? PluginHost.standardProbeExecutable).map { .helper($0) } ?? .own
  }
}

extension PluginHost {
  /// Remembers the registrations of a plugin in a worker, so that later starts make pending registrations.
  func store(_ summary: PluginSummary, of file: PluginFile, id: String) {
    guard options.probing == .newContent, let content = file.content(), file.isCurrent else { return }
    probeCache.withLock {
      $0.store(summary, of: file.files, content: content, configuration: options.probedConfiguration(of: id))
    }
    saveProbeCache()
  }
}

extension PluginHost.Options {
  /// The configuration under which the result of a probe, or of a worker, is kept. A worker gives no result for a host that loads the plugin,
  /// and a probe that keeps the image none for a host that unmaps it.
  func probedConfiguration(of id: String) -> [String: String] {
    let own = configuration[id] ?? [:]
    guard isolation(of: id) != .inProcess else {
      return unloadsImages ? own.merging(["troupe.unloads": "true"]) { own, _ in own } : own
    }
    return own.merging(["troupe.isolation": "worker"]) { own, _ in own }
  }
}

extension WorkerError {
  var diagnosisCode: Diagnosis.Code {
    switch self {
    case .crashed(.status, _, _, _): .exited
    case .crashed(.host, _, _, _): .unavailable
    case .crashed, .badReply, .instanceLost: .crashed
    case .timedOut, .cancelled: .timedOut
    case .policyViolation: .notPermitted
    case .circuitOpen, .forked: .unavailable
    case .tooLarge: .tooLarge
    }
  }
}
