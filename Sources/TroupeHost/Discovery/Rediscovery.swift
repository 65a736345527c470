/// What has changed since plugins were found: which came, which went, which are other files now.
///
/// A plugin that works is not given up for one that does not: if its file has become one that cannot be used, or that another
/// plugin which works could not do with, the plugin stays what it is.
struct Rediscovery {
  /// What there is now. Plugins that are the same as before are the same records.
  private(set) var plugins: DiscoveredPlugins
  /// The plugins that are new, or other files.
  private(set) var new: [PluginRecord] = []
  /// For each new plugin that takes the place of one that works, this one, by the new one's path.
  private(set) var replaced: [String: PluginRecord] = [:]
  /// The plugins that are not there any more, and that no other replaces.
  private(set) var gone: [PluginRecord] = []
  /// The plugins that stay since what would replace them cannot, and why it cannot.
  private(set) var refused: [Refusal] = []

  /// That a plugin stays.
  struct Refusal {
    let record: PluginRecord
    /// What is wrong with the file that would replace it.
    let fault: PluginFault
  }

  /// The files that somebody is still writing, or has written to since they were examined. They are looked at the next time.
  private(set) var unfinished: [String] = []

  /// Compares.
  ///
  /// - Parameters:
  ///   - findings: What is there, in order.
  ///   - previous: What was there.
  ///   - only: The path of the one plugin that is looked at; nil for all.
  ///   - failed: The files, by their paths, that have failed to replace plugins. They are not tried again where all are looked at.
  init(
    _ findings: [Discovery.Finding], previous: DiscoveredPlugins, only: String?, failed: [String: [RegistryFile.FileState]],
    makeRecord: (Discovery.Finding, PluginFault?) -> PluginRecord
  ) {
    plugins = previous
    let known = Dictionary(previous.records.map { ($0.path, $0) }) { first, _ in first }
    var candidates: [Candidate] = []
    if let only {
      let finding = findings.first { $0.path == only }
      candidates = previous.records.compactMap { record in
        guard record.path == only else { return Candidate(record) }
        guard let finding else {
          let fault = PluginFault(
            path: only, code: .unreadable, problem: "does not exist any more",
            remedy: "put it back, or retire the plugin")
          refused.append(Refusal(record: record, fault: fault))
          return Candidate(record)
        }
        if let fault = otherPlugin(finding, record) {
          refused.append(Refusal(record: record, fault: fault))
          return Candidate(record)
        }
        return candidate(finding, known: record)
      }
    } else {
      candidates = findings.compactMap { finding in
        if let files = failed[finding.path], files == finding.outcome.files(finding.path), finding.outcome.fault == nil,
          let record = known[finding.path], record.isInUse
        {
          return Candidate(record)
        }
        return candidate(finding, known: known[finding.path])
      }
    }
    // A plugin may have moved to another file, or have got one that counts before its own.
    let present = Set(candidates.filter { $0.outcome.fault == nil }.map(\.path))
    let working = Dictionary(
      previous.records.filter(\.isInUse).compactMap { record in record.manifest.map { ($0.id, record) } }
    ) { first, _ in first }
    for index in candidates.indices where candidates[index].kept == nil {
      if let id = candidates[index].outcome.manifest?.id, let old = working[id] {
        // Of several with its id the first takes its place, also from the file that it was.
        if candidates[index].outcome.fault?.code == .duplicateIdentifier { continue }
        if old.path == candidates[index].path || !present.contains(old.path) { candidates[index].old = old }
      } else if candidates[index].outcome.fault != nil, let old = known[candidates[index].path], old.isInUse {
        // What cannot even be read takes nobody's place.
        candidates[index].old = old
      }
    }
    settle(&candidates, makeRecord)
    gone = previous.records.filter { record in
      !plugins.records.contains { $0 === record } && !replaced.values.contains { $0 === record }
    }
  }

  /// What may take a place.
  private struct Candidate {
    let path: String
    var outcome: Admission.Outcome
    /// The record that stays, if it does.
    var kept: PluginRecord?
    /// The plugin that works and would be replaced.
    var old: PluginRecord?

    init(_ record: PluginRecord) {
      (path, outcome, kept) = (record.path, record.outcome, record)
    }

    init(_ finding: Discovery.Finding, known: PluginRecord?) {
      (path, outcome) = (finding.path, finding.outcome)
      if let known, known.outcome.fault == outcome.fault || known.isQuarantined(outcome), known.has(outcome.files(path)),
        known.plugin.state.fault?.code != .changed
      {
        kept = known
      }
    }
  }

  /// Why a file is not a new version of what it was, or nil.
  private func otherPlugin(_ finding: Discovery.Finding, _ record: PluginRecord) -> PluginFault? {
    guard let id = finding.outcome.manifest?.id, let known = record.manifest?.id, id != known else { return nil }
    return PluginFault(
      path: finding.path, code: .unknown, problem: "is not \(known) any more, but \(id)",
      remedy: "put the other plugin into a file of its own")
  }

  /// What may take the place of a file; what was there, or nothing, if somebody is still writing it, or has been since it was
  /// found to be no good.
  private mutating func candidate(_ finding: Discovery.Finding, known: PluginRecord?) -> Candidate? {
    let candidate = Candidate(finding, known: known)
    guard candidate.kept == nil else { return candidate }
    // In this order, since it may be finished meanwhile.
    let isUnfinished =
      finding.files.contains { PluginFile.isBeingWritten($0) } || finding.outcome.fault != nil && !finding.isCurrent
    guard isUnfinished else { return candidate }
    unfinished.append(finding.path)
    return known.map { Candidate($0) }
  }

  private mutating func settle(_ candidates: inout [Candidate], _ makeRecord: (Discovery.Finding, PluginFault?) -> PluginRecord)
  {
    while true {
      let dependencies = Dependencies(
        candidates.map { Dependencies.Node(path: $0.path, manifest: $0.outcome.manifest, fault: $0.outcome.fault) })
      if keepWorking(&candidates, dependencies) { continue }
      var records: [PluginRecord] = []
      for (index, candidate) in candidates.enumerated() {
        let fault = dependencies.faults[index]
        if let kept = candidate.kept, kept.isStillRight(fault) {
          records.append(kept)
          continue
        }
        let record = makeRecord(Discovery.Finding(candidate.path, candidate.outcome), fault)
        records.append(record)
        new.append(record)
        let old = candidate.old ?? candidate.kept.flatMap { $0.isInUse ? $0 : nil }
        if let old, fault == nil { replaced[record.path] = old }
      }
      plugins = DiscoveredPlugins(records: records, order: dependencies.order, needs: dependencies.needs)
      return
    }
  }

  /// Has what works stay where what would replace it does not, or does harm to others that work. Gives whether something is
  /// different for that.
  private mutating func keepWorking(_ candidates: inout [Candidate], _ dependencies: Dependencies) -> Bool {
    var isChanged = false
    func keep(_ index: Int, _ fault: PluginFault) {
      guard let old = candidates[index].old else { return }
      refused.append(Refusal(record: old, fault: fault))
      candidates[index] = Candidate(old)
      isChanged = true
    }
    for index in candidates.indices {
      guard let fault = dependencies.faults[index] else { continue }
      if candidates[index].old != nil {
        keep(index, fault)
      } else if let kept = candidates[index].kept, kept.isInUse {
        let needed = (kept.manifest?.requires ?? []).compactMap(\.pluginIdentifier)
        for other in candidates.indices where candidates[other].old != nil {
          guard let id = candidates[other].outcome.manifest?.id, needed.contains(where: { $0 == id }) else { continue }
          keep(
            other,
            PluginFault(
              path: candidates[other].path, code: .unmetRequirement,
              problem: "cannot replace \(id), since \(kept.manifest?.id ?? kept.path) \(fault.problem)",
              remedy: "replace both, or bring the version back that was there"))
        }
      }
    }
    return isChanged
  }
}

extension PluginRecord {
  /// Whether it has come into quarantine since it was examined, and that is all that there is to say about its file now.
  fileprivate func isQuarantined(_ outcome: Admission.Outcome) -> Bool {
    guard outcome.isQuarantined, let fault = outcome.fault else { return false }
    return plugin.state == .quarantined(fault)
  }

  /// Whether nothing is different about a plugin whose file has not changed, though others have.
  ///
  /// - Parameter fault: Why it cannot be loaded now, or nil.
  fileprivate func isStillRight(_ fault: PluginFault?) -> Bool {
    if let fault { return fault == self.fault || plugin.state == .quarantined(fault) }
    guard self.fault == nil else { return false }
    // What it needed may be there now.
    return plugin.state.fault?.code != .unmetRequirement
  }
}
