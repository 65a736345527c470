internal import Dispatch
internal import Glibc
internal import Synchronization
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
  ///
  /// - Parameter failed: The files, by their paths, that have failed to replace plugins.
  func run(
    after previous: DiscoveredPlugins, only path: String?, failed: [String: [RegistryFile.FileState]] = [:]
  ) -> Rediscovery {
    // What went while it was looked at is not there.
    let findings = allFindings().filter { !$0.hasVanished || options.files.contains($0.path) }
    return Rediscovery(findings, previous: previous, only: path, failed: failed, makeRecord: record)
  }

  /// What was found out about a file. A reference, since much is in it and it is handed on often.
  ///
  /// Sendable because one thread makes it, and only the one that collects all of them changes it afterwards.
  final class Finding: @unchecked Sendable {
    let path: String
    var outcome: Admission.Outcome

    init(_ path: String, _ outcome: Admission.Outcome) {
      self.path = path
      self.outcome = outcome
    }

    /// The plugin's file and, if that adopts a library, the library.
    var files: [String] { [path] + (outcome.adoptionFile == nil ? [] : outcome.library.map { [$0.path] } ?? []) }

    /// Whether the files are still those that were examined.
    var isCurrent: Bool { outcome.files(path).allSatisfy { PluginFile.Identity.of($0.path) == $0.identity } }

    /// Whether the file was not there any more when it was examined, and is not there now.
    var hasVanished: Bool {
      guard outcome.fault?.code == .unreadable, outcome.files(path).isEmpty else { return false }
      var status = stat()
      return lstat(path, &status) != 0 && errno == ENOENT
    }
  }

  private func allFindings() -> [Finding] {
    let findings = withoutQuarantined(withoutPartsOfPlugins(findings()))
    // Last, since a plugin that was rejected for another reason leaves its id to others.
    rejectDuplicates(findings)
    return findings
  }

  private func record(_ finding: Finding, _ fault: PluginFault?) -> PluginRecord {
    PluginRecord(
      path: finding.path, outcome: finding.outcome, fault: fault, isProbed: options.probing == .newContent, events: events)
  }

  /// Without the libraries that have no manifest and belong to a plugin beside them.
  private func withoutPartsOfPlugins(_ findings: [Finding]) -> [Finding] {
    guard findings.contains(where: { $0.outcome.isBareLibrary }) else { return findings }
    let parts = PluginParts(findings)
    return findings.filter { !$0.outcome.isBareLibrary || !parts.contain($0) }
  }

  /// With a fault for what is in quarantine. Files are read for that only if something of their size is.
  private func withoutQuarantined(_ findings: [Finding]) -> [Finding] {
    guard options.probing == .newContent, let quarantine = options.quarantineDirectory.map(Quarantine.init),
      let contents = try? quarantine.contents(), !contents.isEmpty
    else { return findings }
    let sizes = Set(contents.map(\.size))
    for finding in findings where finding.outcome.fault == nil {
      let files = finding.outcome.files(finding.path)
      guard sizes.contains(files.size), let hash = ContentHash(of: files),
        let fault = quarantine.fault(of: Quarantine.Content(hash: hash, size: files.size), path: finding.path)
      else { continue }
      (finding.outcome.fault, finding.outcome.isQuarantined) = (fault, true)
    }
    return findings
  }

  private func findings() -> [Finding] {
    var findings: [Finding] = []
    let trust = TrustedPath()
    var directories: Set<[UInt8]> = []
    for directory in options.directories {
      do {
        let folder = try Admission.Folder(directory, trust)
        if directories.insert(Path.key(folder.resolved)).inserted { findings += examine(in: folder, trust) }
      } catch {
        guard directories.insert(Path.key(directory)).inserted else { continue }
        let fault = PluginFault(
          path: directory, code: .unreadable, problem: "cannot be read as a directory: \(error)",
          remedy: "create it, or name another")
        findings.append(Finding(directory, Admission.Outcome(fault: fault)))
      }
    }
    var files: Set<[UInt8]> = []
    var admission = Admission(trust, options)
    for path in options.files where files.insert(Path.key(path)).inserted {
      findings.append(Finding(path, admission.examine(.path(path))))
    }
    return findings
  }

  /// How many files one thread examines before it looks for more.
  private static let pieceSize = 64
  /// Fewer files are not worth another thread's start.
  private static let leastForThreads = 256

  /// Examines the files in a folder, by several threads if there are many.
  private func examine(in folder: Admission.Folder, _ trust: TrustedPath) -> [Finding] {
    let count = folder.directory.count
    guard count >= Self.leastForThreads else { return examine(0..<count, in: folder, trust) }
    let pieceCount = (count + Self.pieceSize - 1) / Self.pieceSize
    let findings = Mutex<[[Finding]]>(Array(repeating: [], count: pieceCount))
    DispatchQueue.concurrentPerform(iterations: pieceCount) { piece in
      let start = piece * Self.pieceSize
      let found = examine(start..<min(start + Self.pieceSize, count), in: folder, trust)
      findings.withLock { $0[piece] = found }
    }
    return findings.withLock { $0.flatMap(\.self) }
  }

  private func examine(_ files: Range<Int>, in folder: Admission.Folder, _ trust: TrustedPath) -> [Finding] {
    var admission = Admission(trust, options)
    return files.map { index in
      let file = folder.directory[index]
      guard file.isReachable else {
        let fault = PluginFault(
          path: file.path, code: .unreadable, problem: "has a name that is not UTF-8", remedy: "give it another name")
        return Finding(file.path, Admission.Outcome(fault: fault))
      }
      return Finding(file.path, admission.examine(.entry(file, in: folder)))
    }
  }

  /// Of several files with one id the first counts, as with commands in PATH.
  private func rejectDuplicates(_ findings: [Finding]) {
    var holders: [String: String] = Dictionary(minimumCapacity: findings.count)
    for finding in findings {
      guard finding.outcome.fault == nil, let id = finding.outcome.manifest?.id else { continue }
      guard let holder = holders.updateValue(finding.path, forKey: id) else { continue }
      holders[id] = holder
      finding.outcome.fault = PluginFault(
        path: finding.path, code: .duplicateIdentifier,
        problem: "has the id \(id), as \(holder) has, which was found first", remedy: "remove one of the two")
    }
  }
}

extension Requirement {
  /// The plugin that is required; nil for a contract.
  var pluginIdentifier: String? {
    if case .plugin(let id, _) = self { id } else { nil }
  }
}
