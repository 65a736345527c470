internal import Glibc
internal import Synchronization

extension PluginHost {
  /// Finds out of some plugins what happens when they are loaded, without loading them into this process: from the registry,
  /// and else from a probe for each. Those that must not be loaded are in another state afterwards.
  ///
  /// - Parameter plugins: The plugins with those that they need, each behind these.
  func probe(_ plugins: [(record: PluginRecord, needs: [PluginRecord])]) {
    guard options.probing == .newContent else { return }
    ProbeAnswer.stop()
    var paths: [ObjectIdentifier: [String]] = [:]
    var jobs: [Prober.Job] = []
    var records: [PluginRecord] = []
    var numbers: [ObjectIdentifier: Int] = [:]
    for (record, needs) in plugins {
      // What they need comes before them.
      let needed = needs.flatMap { (paths[ObjectIdentifier($0)] ?? []) + [$0.path] }
      paths[ObjectIdentifier(record)] = needed.uniqued
      guard let id = record.unprobedIdentifier else { continue }
      let configuration = options.configuration[id] ?? [:]
      let known = registry.withLock { $0.entry(of: record.files, configuration: configuration, content: record.content) }
      if let known {
        record.pass(known.summary, content: known.content)
        continue
      }
      numbers[ObjectIdentifier(record)] = jobs.count
      jobs.append(
        Prober.Job(
          request: ProbeRequest(
            path: record.path, library: record.files.last?.path ?? record.path, id: id, needs: needed.uniqued,
            configuration: options.configuration,
            memory: options.probeLimits.memory, descriptors: UInt64(options.probeLimits.descriptors),
            pins: options.pins?.entries),
          needs: needs.compactMap { numbers[ObjectIdentifier($0)] }))
      records.append(record)
    }
    guard !jobs.isEmpty else { return saveRegistry() }
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
    Prober(options.probeLimits, answersItself: options.answersProbes).run(jobs) { job in
      running.append(job)
      tell(job)
    } tell: { job, outcome in
      end(job)
      take(outcome, of: records[job], jobs[job].request)
    }
    for (number, (job, record)) in zip(jobs, records).enumerated() where record.unprobedIdentifier != nil {
      end(number)
      // One that it needs may do without a probe. Where another one failed, loading says so.
      guard job.needs.allSatisfy({ records[$0].plugin.state.fault == nil }) else { continue }
      record.reject(
        PluginFault(
          path: record.path, code: .notProbed,
          problem: "cannot be probed: a plugin that it needs fails without the services of this program",
          remedy: "call PluginHost.answerProbes in the program"))
    }
    saveRegistry()
  }

  /// Writes down what has been found out. What cannot be written is found out again.
  private func saveRegistry() {
    do {
      try registry.withLock { registry throws(SystemError) in try registry.save() }
    } catch {
      options.log.write(.debug, "troupe", "the registry cannot be written: \(error)")
    }
  }

  private func take(_ outcome: ProbeOutcome, of record: PluginRecord, _ request: ProbeRequest) {
    let configuration = options.configuration[request.id] ?? [:]
    switch outcome {
    case .registered, .harmful:
      // What was probed has to be what was examined.
      guard let content = record.content(), record.isUnchanged else { return record.reject(record.changedFault) }
      switch outcome {
      case .registered(let summary):
        registry.withLock {
          $0.remember(summary, of: record.files, content: content, configuration: configuration)
        }
        record.pass(summary, content: content)
      case .harmful(let fault):
        record.quarantine(fault)
        guard let directory = options.quarantineDirectory else { return }
        do {
          try Quarantine(directory: directory).add(
            Quarantine.Content(hash: content, size: record.files.size), id: request.id, fault)
        } catch {
          options.log.write(.warning, request.id, "cannot be remembered in the quarantine \(directory): \(error)")
        }
      case .rejected, .inconclusive: break
      }
    case .rejected(let fault):
      // What is wrong may be wrong with what somebody has written there since.
      guard record.isUnchanged else { return record.reject(record.changedFault) }
      // A probe has no services of the program's; a plugin that gives up without one may still work here.
      if fault.code == .refused && !options.services.isEmpty && !options.answersProbes {
        record.pass(nil, content: nil)
      } else {
        record.reject(fault)
      }
    case .inconclusive(let fault): record.reject(fault)
    }
  }
}

/// How far the probing of plugins has come. It is told each time a probe begins or is done.
public struct ProbeProgress: Sendable, Hashable {
  /// How many are done.
  public let done: Int
  /// How many there are.
  public let count: Int
  /// The id of the plugin whose probe has just begun, in which case it is one of `running`, or is done.
  public let plugin: String
  /// The ids of the plugins whose probes run now, the one that began first in front.
  public let running: [String]
  /// How long each of them may take.
  public let deadline: Duration
}

extension [String] {
  /// The elements without those that came before.
  fileprivate var uniqued: [String] {
    var seen: Set<String> = []
    return filter { seen.insert($0).inserted }
  }
}
