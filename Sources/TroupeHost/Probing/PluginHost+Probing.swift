internal import FoundationEssentials
internal import Glibc
internal import Synchronization
internal import TroupeFiles
internal import TroupeSandbox

extension PluginHost {
  /// Decides which plugins may be loaded: from the registry, else from a probe of each. Rejects or quarantines the others.
  ///
  /// - Parameter plugins: The plugins with the plugins that they need, which come before them.
  func probe(_ plugins: [PlannedPlugin]) {
    guard options.probing == .newContent else { return }
    ProbeAnswer.rejectHost()
    let candidates = candidates(plugins.map(\.file).filter { options.isolation(of: $0.manifest?.id ?? "") == .inProcess })
    defer { quarantineRepeatCrashes(candidates) }
    // A file that was open for writing during its probe, and is closed now, is probed again. A further fork may disturb that probe, too.
    for attempt in 1...Self.probeAttempts where probeOnce(plugins, candidates, isLast: attempt == Self.probeAttempts) {
      return saveProbeCache()
    }
  }

  private static let probeAttempts = 5

  /// - Parameter isLast: Whether to reject plugins that could not be probed because they were open for writing.
  /// - Returns: Whether no plugin has to be probed again.
  private func probeOnce(
    _ plugins: [PlannedPlugin], _ candidates: [Candidate], isLast: Bool
  ) -> Bool {
    var paths: [ObjectIdentifier: [String]] = [:]
    var jobs: [Prober.Job] = []
    var files: [PluginFile] = []
    var numbers: [ObjectIdentifier: Int] = [:]
    for (file, needs) in plugins {
      // Needed plugins come first.
      let needed = needs.flatMap { (paths[ObjectIdentifier($0)] ?? []) + [$0.path] }
      paths[ObjectIdentifier(file)] = needed.uniqued
      // A plugin that needs a faulty one is not probed: loading reports that.
      guard let id = table[file].unprobedID, needs.allSatisfy({ table[$0].diagnosis == nil }) else { continue }
      let configuration = options.probedConfiguration(of: id)
      // No code of the plugin may run outside the worker. The worker is started when the host loads the plugin, unless its registrations are
      // known.
      if options.isolation(of: id) != .inProcess {
        let known = probeCache.withLock { $0.entry(of: file.files, configuration: configuration, content: file.content) }
        table.apply(.pass(known?.summary, known?.content), to: file)
        continue
      }
      let isCandidate = candidates.contains { $0.file === file && $0.isUnprobed }
      if !isCandidate,
        let known = probeCache.withLock({ $0.entry(of: file.files, configuration: configuration, content: file.content) })
      {
        table.apply(.pass(known.summary, known.content), to: file)
        continue
      }
      numbers[ObjectIdentifier(file)] = jobs.count
      jobs.append(
        Prober.Job(
          request: request(file, id: id, needs: needed.uniqued),
          needs: needs.compactMap { numbers[ObjectIdentifier($0)] }))
      files.append(file)
    }
    guard !jobs.isEmpty else { return true }
    if let diagnosis = options.probeDiagnosis {
      for file in files { reject(file, diagnosis.about(file.path)) }
      return true
    }
    var isDisturbed = false
    var done = 0
    var running: [Int] = []
    func tell(_ job: Int) {
      options.progress?(
        ProbeProgress(
          done: done, count: jobs.count, plugin: jobs[job].request.id, running: running.map { jobs[$0].request.id },
          deadline: options.probeLimits.deadline))
    }
    func end(_ job: Int) {
      done += 1
      running.removeAll { $0 == job }
      tell(job)
    }
    let warn = { [log = options.log] in log.write(.warning, "troupe", $0) }
    Prober(options.probeLimits, options.executable, warn: warn).run(jobs) { job in
      running.append(job)
      tell(job)
    } tell: { job, outcome in
      end(job)
      if !isLast, case .rejected(let diagnosis) = outcome, diagnosis.code == .changed, files[job].isCurrent,
        !files[job].files.contains(where: { RegularFile.isBeingWritten($0.path) })
      {
        isDisturbed = true
      } else {
        take(outcome, of: files[job], jobs[job].request)
      }
    }
    if isDisturbed { return false }
    for (number, (job, file)) in zip(jobs, files).enumerated() where table[file].unprobedID != nil {
      end(number)
      // If a needed plugin was rejected, loading reports that.
      guard job.needs.allSatisfy({ table[files[$0]].diagnosis == nil }) else { continue }
      reject(
        file,
        Diagnosis(
          .notProbed, file.path,
          problem: "cannot be probed: a plugin that it needs fails without the services of this program",
          remedy: "call PluginHost.runAsProbeIfRequested in the program"))
    }
    return true
  }

  private func request(_ file: PluginFile, id: String, needs: [String]) -> ProbeRequest {
    ProbeRequest(
      host: HostVersions.key, path: file.path, library: file.files.last?.path ?? file.path, id: id, needs: needs,
      configuration: options.configuration, memory: options.probeLimits.memory,
      descriptors: UInt64(options.probeLimits.descriptors), pins: options.pins?.entries,
      unloads: options.unloadsImages)
  }

  /// Probes the plugins without a result of an earlier probe, and applies the results. Runs no code of a plugin in this process.
  package func probeAll() {
    let plugins = discovered().inOrder { _ in true }
    try? exclusively(.busy("the plugins", "probed")) {
      probe(plugins)
      storeRejections(of: plugins.lazy.map(\.file))
    }
  }

  /// Applies the results of earlier probes of the same files to plugins that were not probed. Rejects those without a result whose libraries
  /// lack what they need.
  package func recallProbes() {
    for file in discovered().files {
      guard let id = table[file].unprobedID else { continue }
      let configuration = options.probedConfiguration(of: id)
      let known = probeCache.withLock { $0.entry(of: file.files, configuration: configuration) }
      if let known {
        table.apply(.pass(known.summary, known.content), to: file)
      } else if let diagnosis = linkDiagnosis(of: file) {
        reject(file, diagnosis)
      }
    }
  }

  /// Returns the diagnosis of a plugin that the loader would refuse. Nil also for a plugin for which only its own process can tell: one in a
  /// worker, one that needs others, which may open further libraries, and one with a sanitizer.
  private func linkDiagnosis(of file: PluginFile) -> Diagnosis? {
    guard file.isIndependent, options.isolation(of: file.id) == .inProcess, let library = file.outcome.library?.path else {
      return nil
    }
    do throws(Diagnosis) {
      _ = try LinkCheck(of: library, directory: Path.directory(of: library)).run()
      return nil
    } catch {
      guard Sanitizer.diagnosis(path: file.path, library: library) == nil else { return nil }
      return error.about(file.path, file.isAdoption ? PluginLoader.adoptedSubject : "")
    }
  }

  /// Logs a warning about a library that several plugins may need, once.
  func warnOnce(_ warning: String, of id: String) {
    guard linkWarnings.withLock({ $0.insert(warning).inserted }) else { return }
    options.log.write(.warning, id, warning)
  }

  /// Returns the paths of the plugins that provide a plain function with a UUID or a name, as far as adoption files and the results of
  /// earlier probes show it. Runs no code of a plugin.
  package func providers(ofFunction name: String) -> Set<String> {
    let uuid = UUID(parsing: name)
    func isNamed(_ registration: RegistrationDescription) -> Bool {
      registration.isFunction && (uuid == nil ? registration.name == name : registration.uuid == uuid)
    }
    recallProbes()
    return Set(discovered().files.lazy.filter { self.table[$0].knownRegistrations.contains(where: isNamed) }.map(\.path))
  }

  /// Returns the registrations that adoption files and the results of earlier probes show, by the paths of the plugins. Runs no code of a
  /// plugin.
  package func knownRegistrations() -> [(path: String, registrations: [RegistrationDescription])] {
    recallProbes()
    return discovered().files.map { ($0.path, table[$0].knownRegistrations.map(factories.described)) }
  }

  /// Forgets the probe of a plugin that registers other factories than in its probe, so that the next host probes it again.
  func check(_ file: PluginFile, against summary: PluginSummary) {
    let registrations = container.entries(owner: table[file].owner).compactMap(\.registration)
    // A shutdown on another thread removes them.
    guard !isShutDown else { return }
    guard Set(PluginSummary(registrations, refusals: []).registrations) != Set(summary.registrations) else { return }
    probeCache.withLock { $0.evict(file.files) }
    saveProbeCache()
    options.log.write(
      .warning, file.id,
      "registers other factories than in its probe; the next start probes it again")
  }

  /// Saves the registry. After a failed write the next host probes again.
  func saveProbeCache() {
    do {
      try probeCache.withLock { registry throws(SystemError) in try registry.save() }
    } catch {
      options.log.write(.debug, "troupe", "the registry cannot be written: \(error)")
    }
  }

  private func take(_ outcome: ProbeOutcome, of file: PluginFile, _ request: ProbeRequest) {
    let configuration = options.probedConfiguration(of: request.id)
    switch outcome {
    case .registered, .harmful:
      // The probed file has to be the examined one.
      guard let content = file.content(), file.isCurrent else { return reject(file, file.changedDiagnosis) }
      switch outcome {
      case .registered(let summary, let printed):
        if let printed {
          options.log.write(.warning, request.id, "prints when it is loaded: \(printed); write to the log instead")
        }
        for warning in summary.warnings {
          if warning.hasPrefix(LinkCheck.warningPrefix) {
            warnOnce(warning, of: request.id)
          } else {
            options.log.write(.warning, request.id, "\(warning), when it is loaded")
          }
        }
        probeCache.withLock {
          $0.store(summary, of: file.files, content: content, configuration: configuration)
        }
        table.apply(.pass(summary, content), to: file)
      case .harmful(let diagnosis): quarantine(file, content, id: request.id, diagnosis)
      case .rejected, .inconclusive: break
      }
    case .rejected(let diagnosis):
      // The fault may lie in a file that was written since.
      guard file.isCurrent else { return reject(file, file.changedDiagnosis) }
      // A probe lacks the services of the program, with which the plugin may work.
      if diagnosis.code == .refused && !options.services.isEmpty && !options.answersProbes {
        table.apply(.pass(nil, nil), to: file)
      } else {
        reject(file, diagnosis)
      }
    case .inconclusive(let diagnosis): reject(file, diagnosis)
    }
  }

  private func quarantine(_ file: PluginFile, _ content: ContentHash, id: String, _ diagnosis: Diagnosis) {
    table.apply(.quarantine(diagnosis), to: file)
    do {
      try addToQuarantine(file, content, id: id, diagnosis)
    } catch {
      options.log.write(.warning, id, "\(error)")
    }
  }

  /// Adds the content of a plugin to the quarantine on disk, if the host has one.
  func addToQuarantine(
    _ file: PluginFile, _ content: ContentHash, id: String, _ diagnosis: Diagnosis
  ) throws(Diagnosis) {
    guard let directory = options.quarantineDirectory else { return }
    try Quarantine(directory: directory).add(Quarantine.Content(hash: content, size: file.files.size), id: id, diagnosis)
  }
}

// MARK: Plugins during whose loading a process ended

extension PluginHost {
  /// A plugin during whose loading processes ended.
  private struct Candidate {
    let file: PluginFile
    let marks: [CrashJournal.Mark]
    let isUnprobed: Bool
  }

  private func candidates(_ files: [PluginFile]) -> [Candidate] {
    guard let staleEntries = crashJournal?.scan(), !staleEntries.isEmpty else { return [] }
    return files.compactMap { file in
      let own = staleEntries.compactMap { entry in entry.mark(of: file.files).map { (mark: $0, isProbed: entry.isProbed) } }
      guard !own.isEmpty else { return nil }
      return Candidate(file: file, marks: own.map(\.mark), isUnprobed: own.contains { !$0.isProbed })
    }
  }

  /// Quarantines candidates that pass their probe and have ended several processes, or one with a known crash. A single end of unknown cause
  /// may have come from outside.
  private func quarantineRepeatCrashes(_ candidates: [Candidate]) {
    for candidate in candidates {
      let file = candidate.file
      guard let id = file.manifest?.id, table[file].diagnosis == nil, let content = file.content(),
        file.isCurrent
      else {
        crashJournal?.removeStaleEntries(of: file.files)
        continue
      }
      guard
        let mark = candidate.marks.first(where: { $0.problem != nil }) ?? (candidate.marks.count > 1 ? candidate.marks[0] : nil)
      else {
        crashJournal?.setProbed(file.files)
        continue
      }
      let problem = mark.problem.map { "passed its probe and then \($0)" }
      let several = "passed its probe, and \(candidate.marks.count) processes ended \(mark.step.place)"
      quarantine(file, content, id: id, .harm(path: file.path, id: id, .crashed, problem ?? several, []))
      crashJournal?.removeStaleEntries(of: file.files)
    }
  }
}

// MARK: The executable of probes

extension PluginHost {
  /// The path of the helper `troupe-probe` that belongs to the `libTroupe.so` in this process, for `Options.probeExecutable`; nil if there
  /// is none, or if the program links Troupe statically. It is in the directory of the library or in `../libexec/troupe` from there. Safe to
  /// use from any thread. Cost: looks for two files.
  public static var standardProbeExecutable: String? {
    guard let library = OwnLibrary.path, Path.lastComponent(of: library) == HostTypeSymbols.library else { return nil }
    return probeExecutable(beside: library)
  }

  /// Returns the path of the helper that belongs to a library, or nil if there is none.
  static func probeExecutable(beside library: String) -> String? {
    let directory = Path.directory(of: library)
    let candidates = [directory, Path.directory(of: directory) + "/libexec/troupe"].map { $0 + "/troupe-probe" }
    return candidates.first { access($0, F_OK) == 0 }
  }
}

extension PluginHost.Options {
  var executable: ProbeExecutable {
    if let probeExecutable { return .helper(probeExecutable) }
    if prefersProbeHelper, let helper = PluginHost.standardProbeExecutable.map(ProbeExecutable.helper), helper.diagnosis == nil
    {
      return helper
    }
    return answersProbes ? .answering : .own
  }

  /// The fault of every plugin that needs a probe if these options allow none; nil if probes can be started. Has no subject.
  var probeDiagnosis: Diagnosis? {
    guard answersProbes, let probeExecutable else { return executable.diagnosis }
    return Diagnosis(
      .notProbed,
      problem:
        "cannot be probed: its probe runs \(probeExecutable), which does not call PluginHost.runAsProbeIfRequested for this program",
      remedy: "set only one of the options probeExecutable and answersProbes")
  }
}

// MARK: Progress

/// The progress of probing, reported when a probe begins or ends.
public struct ProbeProgress: Sendable, Hashable {
  /// The number of finished probes.
  public let done: Int
  /// The number of all probes.
  public let count: Int
  /// The id of the plugin whose probe has just begun or ended. It is in `running` if it has begun.
  public let plugin: String
  /// The ids of the plugins whose probes run, in the order in which they began.
  public let running: [String]
  /// The processor time that each probe may use, see `ProbeLimits.deadline`.
  public let deadline: Duration
}

extension [String] {
  fileprivate var uniqued: [String] {
    var seen: Set<String> = []
    return filter { seen.insert($0).inserted }
  }
}
