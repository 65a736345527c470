internal import TroupeManifest

/// What was found.
struct DiscoveredPlugins: Sendable {
  /// All of them, in the order in which they were found.
  let records: [PluginRecord]
  /// Those that may be loaded, as indexes, each behind those that it needs.
  private let order: [Int]
  private let needs: [[Int]]

  init(records: [PluginRecord], order: [Int], needs: [[Int]]) {
    self.records = records
    self.order = order
    self.needs = needs
  }

  /// The plugins that cannot do without another one.
  func dependents(of record: PluginRecord) -> [PluginRecord] {
    guard let id = record.manifest?.id else { return [] }
    return records.filter { ($0.manifest?.requires ?? []).contains { $0.pluginIdentifier == id } }
  }

  /// The same, but for one.
  func putting(_ record: PluginRecord, inPlaceOf other: PluginRecord) -> DiscoveredPlugins {
    DiscoveredPlugins(records: records.map { $0 === other ? record : $0 }, order: order, needs: needs)
  }

  /// Those that are wanted and those that they need, each with what it needs, in the order in which they are loaded.
  func inOrder(where isWanted: (PluginRecord) -> Bool) -> [(record: PluginRecord, needs: [PluginRecord])] {
    var waiting = records.indices.filter { isWanted(records[$0]) }
    var wanted = Set(waiting)
    while let index = waiting.popLast() {
      for need in needs[index] where wanted.insert(need).inserted { waiting.append(need) }
    }
    return order.filter { wanted.contains($0) }.map { index in (records[index], needs[index].map { records[$0] }) }
  }
}

/// Goes through directories and files and decides about each plugin, without running any.
struct Discovery {
  private let options: PluginHost.Options
  private let events: PluginEvents

  init(_ options: PluginHost.Options, events: PluginEvents) {
    self.options = options
    self.events = events
  }

  /// The plugins. A directory that cannot be read is a rejected one.
  func run() -> DiscoveredPlugins {
    let findings = allFindings()
    let dependencies = Dependencies(
      findings.map { Dependencies.Node(path: $0.path, manifest: $0.outcome.manifest, fault: $0.outcome.fault) })
    let records = zip(findings, dependencies.faults).map(record)
    return DiscoveredPlugins(records: records, order: dependencies.order, needs: dependencies.needs)
  }

  /// Looks again, at all files or at one, and compares with what was there.
  func run(after previous: DiscoveredPlugins, only path: String?) -> Rediscovery {
    Rediscovery(allFindings(), previous: previous, only: path, makeRecord: record)
  }

  typealias Finding = (path: String, outcome: Admission.Outcome)

  private func allFindings() -> [Finding] { withoutQuarantined(withoutAdoptedLibraries(findings())) }

  private func record(_ finding: Finding, _ fault: PluginFault?) -> PluginRecord {
    PluginRecord(
      path: finding.path, outcome: finding.outcome, fault: fault, isProbed: options.probing == .newContent, events: events,
      log: options.log)
  }

  /// Without the libraries that are no plugins by themselves and that a file beside them adopts.
  private func withoutAdoptedLibraries(_ findings: [Finding]) -> [Finding] {
    let adopted = Set(
      findings.filter { AdoptionFile.isName($0.path) }.compactMap { $0.outcome.library.map { Path.key($0.path) } })
    return findings.filter { finding in
      guard finding.outcome.isBareLibrary, let library = finding.outcome.library else { return true }
      return !adopted.contains(Path.key(library.path))
    }
  }

  /// With a fault for what is in quarantine. Files are read for that only if something is.
  private func withoutQuarantined(_ findings: [Finding]) -> [Finding] {
    guard options.probing == .newContent, let quarantine = options.quarantineDirectory.map(Quarantine.init),
      let contents = try? quarantine.contents(), !contents.isEmpty
    else { return findings }
    return findings.map { path, outcome in
      var outcome = outcome
      if outcome.fault == nil, let content = ContentHash(of: outcome.files(path)),
        let fault = quarantine.fault(of: content, path: path)
      {
        (outcome.fault, outcome.isQuarantined) = (fault, true)
      }
      return (path, outcome)
    }
  }

  private func findings() -> [Finding] {
    var findings: [Finding] = []
    var admission = Admission(pins: options.pins)
    var directories: Set<[UInt8]> = []
    var holders: [String: String] = [:]

    func examine(_ path: String) {
      var outcome = admission.examine(path)
      // Of several files with one id the first counts, as with commands in PATH.
      if outcome.fault == nil, let id = outcome.manifest?.id {
        if let holder = holders[id] {
          outcome.fault = PluginFault(
            path: path, code: .duplicateIdentifier, problem: "has the id \(id), as \(holder) has, which was found first",
            remedy: "remove one of the two")
        } else {
          holders[id] = path
        }
      }
      findings.append((path, outcome))
    }

    for directory in options.directories {
      guard directories.insert(Path.key(Path.resolved(directory) ?? directory)).inserted else { continue }
      do {
        for file in try Directory.plugins(in: directory) {
          if file.isReachable {
            examine(file.path)
          } else {
            let fault = PluginFault(
              path: file.path, code: .unreadable, problem: "has a name that is not UTF-8", remedy: "give it another name")
            findings.append((file.path, Admission.Outcome(fault: fault)))
          }
        }
      } catch {
        let fault = PluginFault(
          path: directory, code: .unreadable, problem: "cannot be read as a directory: \(error)",
          remedy: "create it, or name another")
        findings.append((directory, Admission.Outcome(fault: fault)))
      }
    }
    var files: Set<[UInt8]> = []
    for path in options.files where files.insert(Path.key(path)).inserted { examine(path) }
    return findings
  }
}

extension Requirement {
  /// The plugin that is required; nil for a contract.
  var pluginIdentifier: String? {
    if case .plugin(let id, _) = self { id } else { nil }
  }
}
