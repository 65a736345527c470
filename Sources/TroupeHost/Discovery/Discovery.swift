internal import Glibc
internal import TroupeFiles
internal import TroupeManifest
internal import TroupeSandbox

/// A plugin and the plugins that it needs, which come before it.
typealias PlannedPlugin = (record: PluginRecord, needs: [PluginRecord])

/// The discovered plugins and their order of loading.
struct DiscoveredPlugins: Sendable {
  /// All plugins, in the order of discovery.
  let records: [PluginRecord]
  /// The indexes of the plugins that may be loaded, each after the plugins that it needs.
  private let order: [Int]
  private let needs: [[Int]]

  init(records: [PluginRecord], order: [Int], needs: [[Int]]) {
    self.records = records
    self.order = order
    self.needs = needs
  }

  /// The plugins that require a plugin by its id.
  func dependents(of record: PluginRecord) -> [PluginRecord] {
    guard let id = record.manifest?.id else { return [] }
    return records.filter { ($0.manifest?.requires ?? []).contains { $0.pluginIdentifier == id } }
  }

  /// Returns a copy with one record replaced.
  func putting(_ record: PluginRecord, inPlaceOf other: PluginRecord) -> DiscoveredPlugins {
    DiscoveredPlugins(records: records.map { $0 === other ? record : $0 }, order: order, needs: needs)
  }

  /// Returns the wanted plugins and the plugins that they need, each with its needs, in the order of loading.
  func inOrder(where isWanted: (PluginRecord) -> Bool) -> [PlannedPlugin] {
    var waiting = records.indices.filter { isWanted(records[$0]) }
    var wanted = Set(waiting)
    while let index = waiting.popLast() {
      for need in needs[index] where wanted.insert(need).inserted { waiting.append(need) }
    }
    return order.filter { wanted.contains($0) }.map { index in (records[index], needs[index].map { records[$0] }) }
  }
}

/// The stages that run no code of a plugin: scan, admission and order.
struct Discovery {
  private let options: PluginHost.Options
  private let events: PluginEvents
  private let container: Container
  private let trust: TrustedPath

  init(_ options: PluginHost.Options, events: PluginEvents, container: Container) {
    (self.options, self.events, self.container) = (options, events, container)
    trust = TrustedPath(comparesPins: options.pins != nil)
  }

  /// Returns the plugins. A directory that cannot be read counts as a rejected plugin.
  func run() -> DiscoveredPlugins {
    let files = examined(scan())
    let dependencies = LoadOrder(
      files.map { LoadOrder.Node(path: $0.path, manifest: $0.outcome.manifest, diagnosis: $0.outcome.diagnosis) })
    let records = zip(files, dependencies.diagnoses).map(record)
    return DiscoveredPlugins(records: records, order: dependencies.order, needs: dependencies.prerequisites)
  }

  /// Scans again and compares the result with the previous plugins.
  ///
  /// - Parameters:
  ///   - path: The one plugin to compare; nil for all.
  ///   - failed: By path, the files that have failed to replace plugins.
  /// - Throws: A `Diagnosis` with the code `missingResource` if the system lacks a descriptor or memory to read a directory, so that its
  ///   plugins would count as missing.
  func run(
    after previous: DiscoveredPlugins, only path: String?, failed: [String: [FileState]] = [:]
  ) throws(Diagnosis) -> Rediscovery {
    let sources = scan()
    for case .unreadable(let directory, let error) in sources where [EMFILE, ENFILE, ENOMEM].contains(error.code) {
      throw Diagnosis(
        .missingResource, directory, problem: "cannot be read: \(error)",
        remedy: "raise the limit of open files, see ulimit -n, or free memory")
    }
    // A file that was removed during the scan counts as missing.
    let files = examined(sources).filter { !$0.hasVanished || options.files.contains($0.path) }
    return Rediscovery(files, previous: previous, only: path, failed: failed, makeRecord: record)
  }

  private func scan() -> [PluginSource] {
    PluginSource.scan(directories: options.directories, files: options.files, trust)
  }

  private func examined(_ sources: [PluginSource]) -> [PluginFile] {
    let quarantine = options.probing == .newContent ? options.quarantineDirectory.flatMap(QuarantineLookup.init) : nil
    return Admission.examine(sources, trust, options.admissionRules) { file in
      // Quarantine is about this process. A worker contains the harm, and a plugin may well be harmless there.
      guard let quarantine, options.isolation(of: file.outcome.manifest?.id ?? "") == .inProcess else { return nil }
      return quarantine.diagnosis(of: file.outcome.files(file.path), path: file.path)
    }
  }

  private func record(_ file: PluginFile, _ diagnosis: Diagnosis?) -> PluginRecord {
    PluginRecord(
      path: file.path, outcome: file.outcome, diagnosis: diagnosis, isProbed: options.probing == .newContent, events: events,
      container: container)
  }
}

extension PluginHost.Options {
  /// The settings that decide which files are admitted.
  var admissionRules: AdmissionRules {
    var rules = AdmissionRules()
    rules.pins = pins
    rules.configuration = configuration
    rules.opensAll = loading == .eager
    rules.maximumFileSize = maximumFileSize
    // A probe checks them otherwise.
    rules.checksRelocations = probing == .never
    return rules
  }
}

extension Requirement {
  /// The id of the required plugin; nil for a contract.
  var pluginIdentifier: String? {
    if case .plugin(let id, _) = self { id } else { nil }
  }
}
