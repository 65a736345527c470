internal import TroupeFiles

/// The differences between a scan and the plugins of the table: the new, the missing and the changed plugins.
///
/// A plugin in use stays if the file that would replace it cannot be loaded, or if another plugin in use requires another version. Such a
/// decision changes the load order, so decisions are made again until none follows.
struct DiscoveryDiff {
  /// Unchanged plugins keep their `PluginFile`.
  private(set) var plugins: DiscoveredPlugins
  /// The new and the changed plugins.
  private(set) var new: [FoundPlugin] = []
  /// The replaced plugins in use, by the paths of their replacements.
  private(set) var replaced: [String: PluginFile] = [:]
  /// The plugins whose files are missing and that no other plugin replaces.
  private(set) var gone: [PluginFile] = []
  private(set) var unreplaced: [UnreplacedPlugin] = []
  /// The files that a process is writing, or has changed since they were examined. The next scan examines them again.
  private(set) var unfinished: [String] = []
  /// Plugins whose files have another state and the same content.
  private(set) var recognized: [(file: PluginFile, states: [FileState])] = []

  /// A plugin that stays, with the fault of the file that would replace it.
  struct UnreplacedPlugin {
    let file: PluginFile
    let diagnosis: Diagnosis
    /// True if the log has the diagnosis, with the rejection of the new file.
    var isLogged = false
  }

  /// - Parameters:
  ///   - findings: The present files in the order of discovery.
  ///   - table: The plugins before.
  ///   - only: The path of the one plugin to compare; nil for all.
  init(_ findings: [PluginFile], _ table: PluginTable, only: String?) {
    let previous = table.listed
    plugins = DiscoveredPlugins([], LoadOrder([]))
    let known = Dictionary(previous.map { ($0.file.path, $0) }) { first, _ in first }
    var candidates: [Candidate] = []
    if let only {
      let finding = findings.first { $0.path == only }
      candidates = previous.compactMap { element in
        guard element.file.path == only else { return Candidate(kept: element.file) }
        guard let finding else {
          let diagnosis = Diagnosis(
            .unreadable, only, problem: "does not exist any more",
            remedy: "put it back, or retire the plugin")
          unreplaced.append(UnreplacedPlugin(file: element.file, diagnosis: diagnosis))
          return Candidate(kept: element.file)
        }
        if let diagnosis = Self.otherPlugin(finding, element.file) {
          unreplaced.append(UnreplacedPlugin(file: element.file, diagnosis: diagnosis))
          return Candidate(kept: element.file)
        }
        return candidate(finding, known: element)
      }
    } else {
      candidates = findings.compactMap { finding in
        if let element = known[finding.path], element.isInUse, finding.outcome.diagnosis == nil,
          element.failedReplacement.files == finding.files
        {
          return Candidate(kept: element.file)
        }
        return candidate(finding, known: known[finding.path])
      }
    }
    // A plugin may have moved to another file, or another file with its id may now come first.
    let present = Set(candidates.filter { $0.file.outcome.diagnosis == nil }.map(\.file.path))
    let working = Dictionary(
      previous.compactMap(table.pluginInUse).compactMap { file in file.manifest.map { ($0.id, file) } }
    ) { first, _ in first }
    for index in candidates.indices where candidates[index].kept == nil {
      let file = candidates[index].file
      if let id = file.manifest?.id, let old = working[id] {
        // Of several files with the id, the first replaces the plugin, also if the plugin had another file.
        if file.outcome.diagnosis?.code == .duplicateIdentifier { continue }
        if old.path == file.path || !present.contains(old.path) { candidates[index].old = old }
      } else if file.outcome.diagnosis != nil, let old = known[file.path], old.isInUse {
        // A faulty file counts as the replacement of the plugin at its path, which then stays.
        candidates[index].old = old.file
      }
    }
    resolveConflicts(&candidates, table)
    let kept = Set((plugins.files + replaced.values).map(ObjectIdentifier.init))
    gone = previous.map(\.file).filter { !kept.contains(ObjectIdentifier($0)) }
  }

  /// A file of the scan, and what it means for the plugins of the table:
  ///
  ///     kept   old
  ///     nil    nil    a new plugin, or one in place of a plugin that is not in use
  ///     nil    P      would replace P, which is in use
  ///     P      nil    P stays; `file` is P, or the same content in another state of the file
  private struct Candidate {
    let file: PluginFile
    let kept: PluginFile?
    var old: PluginFile?

    init(kept: PluginFile) { (file, self.kept) = (kept, kept) }
    init(_ finding: PluginFile, kept: PluginFile? = nil) { (file, self.kept) = (finding, kept) }
  }

  /// Returns the fault of a file that now contains another plugin, or nil.
  private static func otherPlugin(_ finding: PluginFile, _ file: PluginFile) -> Diagnosis? {
    guard let id = finding.manifest?.id, let known = file.manifest?.id, id != known else { return nil }
    return Diagnosis(
      .unknown, finding.path, problem: "is not \(known) any more, but \(id)",
      remedy: "put the other plugin into a file of its own")
  }

  /// Returns the candidate for a file. If a process is writing the file, or has changed a faulty one since it was examined, returns the
  /// plugin before instead, or nil if there is none.
  private mutating func candidate(_ finding: PluginFile, known: PluginTable.Element?) -> Candidate? {
    if let known, isUnchanged(known, finding) { return Candidate(finding, kept: known.file) }
    // In this order, since the writer may finish in between.
    let isUnfinished =
      finding.paths.contains { RegularFile.isBeingWritten($0) } || finding.outcome.diagnosis != nil && !finding.isCurrent
    guard isUnfinished else { return Candidate(finding) }
    unfinished.append(finding.path)
    return known.map { Candidate(kept: $0.file) }
  }

  private mutating func isUnchanged(_ known: PluginTable.Element, _ finding: PluginFile) -> Bool {
    guard known.diagnosis?.code != .changed,
      known.file.outcome.diagnosis == finding.outcome.diagnosis || known.isQuarantined(for: finding.outcome)
    else {
      return false
    }
    let states = finding.files
    guard known.has(states) else { return false }
    if states != known.file.files, states != known.sameFiles { recognized.append((known.file, states)) }
    return true
  }

  private mutating func resolveConflicts(_ candidates: inout [Candidate], _ table: PluginTable) {
    while true {
      let order = LoadOrder(candidates.map { LoadOrder.Node($0.file) })
      if keepWorking(&candidates, order, table) { continue }
      var files: [PluginFile] = []
      for (candidate, diagnosis) in zip(candidates, order.diagnoses) {
        if let kept = candidate.kept, table[kept].isStillRight(diagnosis) {
          files.append(kept)
          continue
        }
        // A plugin whose requirements have changed is another plugin with the same facts.
        let isSame = candidate.file === candidate.kept
        let file = isSame ? PluginFile(candidate.file.path, candidate.file.outcome) : candidate.file
        files.append(file)
        new.append(FoundPlugin(file: file, diagnosis: diagnosis))
        let old = candidate.old ?? candidate.kept.flatMap { table.pluginInUse(table[$0]) }
        if let old, diagnosis == nil { replaced[file.path] = old }
      }
      plugins = DiscoveredPlugins(files, order)
      return
    }
  }

  /// Keeps plugins in use whose replacements have a fault or break other plugins in use. Returns whether a candidate has changed.
  private mutating func keepWorking(_ candidates: inout [Candidate], _ order: LoadOrder, _ table: PluginTable) -> Bool {
    var isChanged = false
    func keep(_ index: Int, _ diagnosis: Diagnosis) {
      guard let old = candidates[index].old else { return }
      unreplaced.append(UnreplacedPlugin(file: old, diagnosis: diagnosis))
      candidates[index] = Candidate(kept: old)
      isChanged = true
    }
    for index in candidates.indices {
      guard let diagnosis = order.diagnoses[index] else { continue }
      let file = candidates[index].file
      if candidates[index].old != nil {
        keep(index, diagnosis)
      } else if let kept = candidates[index].kept, table[kept].isInUse {
        let needed = (file.manifest?.requires ?? []).compactMap(\.pluginIdentifier)
        for other in candidates.indices where candidates[other].old != nil {
          guard let id = candidates[other].file.manifest?.id, needed.contains(id) else { continue }
          keep(
            other,
            Diagnosis(
              .unmetRequirement, candidates[other].file.path,
              problem: "cannot replace \(id), since \(file.id) \(diagnosis.problem)",
              remedy: "replace both, or bring the version back that was there"))
        }
      }
    }
    return isChanged
  }
}

extension PluginTable.Element {
  /// The plugin is in quarantine for the fault of the new examination, so it need not be replaced.
  fileprivate func isQuarantined(for outcome: Admission.Outcome) -> Bool {
    guard outcome.isQuarantined, let diagnosis = outcome.diagnosis else { return false }
    return state.view == .quarantined(diagnosis)
  }

  /// Returns true if the state of an unchanged file is still valid, although other plugins have changed.
  ///
  /// - Parameter diagnosis: The present reason why it cannot be loaded, or nil.
  fileprivate func isStillRight(_ diagnosis: Diagnosis?) -> Bool {
    if let diagnosis { return diagnosis == foundDiagnosis || state.view == .quarantined(diagnosis) }
    guard foundDiagnosis == nil else { return false }
    // A plugin whose requirement was missing may be loaded now.
    return self.diagnosis?.code != .unmetRequirement
  }
}
