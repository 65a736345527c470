internal import TroupeFiles

/// The differences between two scans: the new, the missing and the changed plugins.
///
/// A plugin in use stays if the file that would replace it cannot be loaded, or if another plugin in use requires another version.
struct Rediscovery {
  /// The current plugins. Unchanged plugins keep their records.
  private(set) var plugins: DiscoveredPlugins
  /// The new and the changed plugins.
  private(set) var new: [PluginRecord] = []
  /// The replaced plugins in use, by the paths of their replacements.
  private(set) var replaced: [String: PluginRecord] = [:]
  /// The plugins whose files are missing and that no other plugin replaces.
  private(set) var gone: [PluginRecord] = []
  /// The plugins that stay because their replacements were rejected, with the reasons.
  private(set) var refused: [UnreplacedPlugin] = []

  /// A plugin that stays, with the reason.
  struct UnreplacedPlugin {
    let record: PluginRecord
    /// The fault of the file that would replace it.
    let diagnosis: Diagnosis
  }

  /// The files that a process is writing, or has changed since they were examined. The next scan examines them again.
  private(set) var unfinished: [String] = []

  /// Compares the findings with the previous plugins.
  ///
  /// - Parameters:
  ///   - findings: The present files in the order of discovery.
  ///   - previous: The previous plugins.
  ///   - only: The path of the one plugin to compare; nil for all.
  ///   - failed: By path, the files that failed to replace plugins. A comparison of all plugins does not try them again.
  init(
    _ findings: [PluginFile], previous: DiscoveredPlugins, only: String?, failed: [String: [FileState]],
    makeRecord: (PluginFile, Diagnosis?) -> PluginRecord
  ) {
    plugins = previous
    let known = Dictionary(previous.records.map { ($0.path, $0) }) { first, _ in first }
    var candidates: [Candidate] = []
    if let only {
      let finding = findings.first { $0.path == only }
      candidates = previous.records.compactMap { record in
        guard record.path == only else { return Candidate(record) }
        guard let finding else {
          let diagnosis = Diagnosis(
            .unreadable, only, problem: "does not exist any more",
            remedy: "put it back, or retire the plugin")
          refused.append(UnreplacedPlugin(record: record, diagnosis: diagnosis))
          return Candidate(record)
        }
        if let diagnosis = otherPlugin(finding, record) {
          refused.append(UnreplacedPlugin(record: record, diagnosis: diagnosis))
          return Candidate(record)
        }
        return candidate(finding, known: record)
      }
    } else {
      candidates = findings.compactMap { finding in
        if let files = failed[finding.path], files == finding.outcome.files(finding.path), finding.outcome.diagnosis == nil,
          let record = known[finding.path], record.isInUse
        {
          return Candidate(record)
        }
        return candidate(finding, known: known[finding.path])
      }
    }
    // A plugin may have moved to another file, or another file with its id may now come first.
    let present = Set(candidates.filter { $0.outcome.diagnosis == nil }.map(\.path))
    let working = Dictionary(
      previous.records.filter(\.isInUse).compactMap { record in record.manifest.map { ($0.id, record) } }
    ) { first, _ in first }
    for index in candidates.indices where candidates[index].kept == nil {
      if let id = candidates[index].outcome.manifest?.id, let old = working[id] {
        // Of several files with the id, the first replaces the plugin, also if the plugin had another file.
        if candidates[index].outcome.diagnosis?.code == .duplicateIdentifier { continue }
        if old.path == candidates[index].path || !present.contains(old.path) { candidates[index].old = old }
      } else if candidates[index].outcome.diagnosis != nil, let old = known[candidates[index].path], old.isInUse {
        // A faulty file counts as the replacement of the plugin at its path, which then stays.
        candidates[index].old = old
      }
    }
    settle(&candidates, makeRecord)
    gone = previous.records.filter { record in
      !plugins.records.contains { $0 === record } && !replaced.values.contains { $0 === record }
    }
  }

  /// A file or record that is considered for the current plugins.
  private struct Candidate {
    let path: String
    var outcome: Admission.Outcome
    /// The previous record, if it stays.
    var kept: PluginRecord?
    /// The plugin in use that would be replaced.
    var old: PluginRecord?

    init(_ record: PluginRecord) {
      (path, outcome, kept) = (record.path, record.outcome, record)
    }

    init(_ finding: PluginFile, known: PluginRecord?) {
      (path, outcome) = (finding.path, finding.outcome)
      if let known, known.outcome.diagnosis == outcome.diagnosis || known.isQuarantined(outcome),
        known.has(outcome.files(path)),
        known.plugin.state.diagnosis?.code != .changed
      {
        kept = known
      }
    }
  }

  /// Returns the fault of a file that now contains another plugin, or nil.
  private func otherPlugin(_ finding: PluginFile, _ record: PluginRecord) -> Diagnosis? {
    guard let id = finding.outcome.manifest?.id, let known = record.manifest?.id, id != known else { return nil }
    return Diagnosis(
      .unknown, finding.path, problem: "is not \(known) any more, but \(id)",
      remedy: "put the other plugin into a file of its own")
  }

  /// Returns the candidate for a file. If a process is writing the file, or has changed a faulty one since it was examined, returns the
  /// previous record instead, or nil if there is none.
  private mutating func candidate(_ finding: PluginFile, known: PluginRecord?) -> Candidate? {
    let candidate = Candidate(finding, known: known)
    guard candidate.kept == nil else { return candidate }
    // In this order, since the writer may finish in between.
    let isUnfinished =
      finding.paths.contains { RegularFile.isBeingWritten($0) } || finding.outcome.diagnosis != nil && !finding.isCurrent
    guard isUnfinished else { return candidate }
    unfinished.append(finding.path)
    return known.map { Candidate($0) }
  }

  private mutating func settle(_ candidates: inout [Candidate], _ makeRecord: (PluginFile, Diagnosis?) -> PluginRecord) {
    while true {
      let dependencies = LoadOrder(
        candidates.map { LoadOrder.Node(path: $0.path, manifest: $0.outcome.manifest, diagnosis: $0.outcome.diagnosis) })
      if keepWorking(&candidates, dependencies) { continue }
      var records: [PluginRecord] = []
      for (index, candidate) in candidates.enumerated() {
        let diagnosis = dependencies.diagnoses[index]
        if let kept = candidate.kept, kept.isStillRight(diagnosis) {
          records.append(kept)
          continue
        }
        let record = makeRecord(PluginFile(candidate.path, candidate.outcome), diagnosis)
        records.append(record)
        new.append(record)
        let old = candidate.old ?? candidate.kept.flatMap { $0.isInUse ? $0 : nil }
        if let old, diagnosis == nil { replaced[record.path] = old }
      }
      plugins = DiscoveredPlugins(records: records, order: dependencies.order, needs: dependencies.prerequisites)
      return
    }
  }

  /// Keeps plugins in use whose replacements have a fault or break other plugins in use. Returns whether a candidate has changed.
  private mutating func keepWorking(_ candidates: inout [Candidate], _ dependencies: LoadOrder) -> Bool {
    var isChanged = false
    func keep(_ index: Int, _ diagnosis: Diagnosis) {
      guard let old = candidates[index].old else { return }
      refused.append(UnreplacedPlugin(record: old, diagnosis: diagnosis))
      candidates[index] = Candidate(old)
      isChanged = true
    }
    for index in candidates.indices {
      guard let diagnosis = dependencies.diagnoses[index] else { continue }
      if candidates[index].old != nil {
        keep(index, diagnosis)
      } else if let kept = candidates[index].kept, kept.isInUse {
        let needed = (kept.manifest?.requires ?? []).compactMap(\.pluginIdentifier)
        for other in candidates.indices where candidates[other].old != nil {
          guard let id = candidates[other].outcome.manifest?.id, needed.contains(where: { $0 == id }) else { continue }
          keep(
            other,
            Diagnosis(
              .unmetRequirement, candidates[other].path,
              problem: "cannot replace \(id), since \(kept.manifest?.id ?? kept.path) \(diagnosis.problem)",
              remedy: "replace both, or bring the version back that was there"))
        }
      }
    }
    return isChanged
  }
}

extension PluginRecord {
  /// Whether the record is in quarantine for the fault of the new examination, so that it need not be replaced.
  fileprivate func isQuarantined(_ outcome: Admission.Outcome) -> Bool {
    guard outcome.isQuarantined, let diagnosis = outcome.diagnosis else { return false }
    return plugin.state == .quarantined(diagnosis)
  }

  /// Whether the record of an unchanged file is still valid, although other plugins have changed.
  ///
  /// - Parameter diagnosis: The present reason why it cannot be loaded, or nil.
  fileprivate func isStillRight(_ diagnosis: Diagnosis?) -> Bool {
    if let diagnosis { return diagnosis == self.diagnosis || plugin.state == .quarantined(diagnosis) }
    guard self.diagnosis == nil else { return false }
    // A plugin whose requirement was missing may be loaded now.
    return plugin.state.diagnosis?.code != .unmetRequirement
  }
}
