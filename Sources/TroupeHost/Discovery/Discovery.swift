internal import Glibc
internal import TroupeFiles
internal import TroupeManifest
internal import TroupeSandbox

/// A plugin and the plugins that it needs, which come before it.
typealias PlannedPlugin = (file: PluginFile, needs: [PluginFile])

/// A file of a scan that is not in the table, with the fault of its own or of its requirements for which it cannot be loaded.
struct FoundPlugin {
  let file: PluginFile
  let diagnosis: Diagnosis?
}

/// The plugins of a scan and their order of loading.
struct DiscoveredPlugins: Sendable {
  /// In the order of discovery.
  let files: [PluginFile]
  /// For each file the position in the order of loading, behind the plugins that it needs; nil if it cannot be loaded.
  private let ranks: [Int?]
  private let needs: [[Int]]

  init(_ files: [PluginFile], _ order: LoadOrder) {
    var ranks = [Int?](repeating: nil, count: files.count)
    for (rank, index) in order.order.enumerated() { ranks[index] = rank }
    self.init(files, ranks, order.prerequisites)
  }

  private init(_ files: [PluginFile], _ ranks: [Int?], _ needs: [[Int]]) {
    (self.files, self.ranks, self.needs) = (files, ranks, needs)
  }

  func dependents(of file: PluginFile) -> [PluginFile] {
    guard let id = file.manifest?.id else { return [] }
    return files.filter { ($0.manifest?.requires ?? []).contains { $0.pluginIdentifier == id } }
  }

  func replacing(_ file: PluginFile, with other: PluginFile) -> DiscoveredPlugins {
    DiscoveredPlugins(files.map { $0 === file ? other : $0 }, ranks, needs)
  }

  /// Returns the wanted plugins and the plugins that they need, each with its needs, in the order of loading.
  func inOrder(where isWanted: (PluginFile) -> Bool) -> [PlannedPlugin] {
    inOrder(files.indices.filter { isWanted(files[$0]) })
  }

  /// Returns a plugin behind the plugins that it needs.
  func inOrder(_ file: PluginFile) -> [PlannedPlugin] {
    inOrder(files.firstIndex { $0 === file }.map { [$0] } ?? [])
  }

  private func inOrder(_ indexes: [Int]) -> [PlannedPlugin] {
    var waiting = indexes
    var wanted = Set(waiting)
    while let index = waiting.popLast() {
      for need in needs[index] where wanted.insert(need).inserted { waiting.append(need) }
    }
    let ranked = wanted.compactMap { index in ranks[index].map { (rank: $0, index: index) } }
    return ranked.sorted { $0.rank < $1.rank }.map { _, index in (files[index], needs[index].map { files[$0] }) }
  }
}

/// The stages that run no code of a plugin: scan, admission and order.
struct Discovery {
  private let options: PluginHost.Options
  private let trust: TrustedPath

  init(_ options: PluginHost.Options) {
    self.options = options
    trust = TrustedPath(comparesPins: options.pins != nil)
  }

  /// Returns the plugins. A directory that cannot be read counts as a rejected plugin.
  func run() -> (plugins: DiscoveredPlugins, found: [FoundPlugin]) {
    let files = examined(scan())
    let order = LoadOrder(files.map(LoadOrder.Node.init))
    return (DiscoveredPlugins(files, order), zip(files, order.diagnoses).map(FoundPlugin.init))
  }

  /// Scans again and compares the result with the plugins of the table.
  ///
  /// - Parameter path: The one plugin to compare; nil for all.
  /// - Throws: A `Diagnosis` with the code `missingResource` if the system lacks a descriptor or memory to read a directory, so that its
  ///   plugins would count as missing.
  func run(after table: PluginTable, only path: String?) throws(Diagnosis) -> DiscoveryDiff {
    let sources = scan()
    for case .unreadable(let directory, let error) in sources where [EMFILE, ENFILE, ENOMEM].contains(error.code) {
      throw Diagnosis(
        .missingResource, directory, problem: "cannot be read: \(error)",
        remedy: "raise the limit of open files, see ulimit -n, or free memory")
    }
    // A file that was removed during the scan counts as missing.
    let files = examined(sources).filter { !$0.hasVanished || options.files.contains($0.path) }
    return DiscoveryDiff(files, table, only: path)
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
}

extension LoadOrder.Node {
  init(_ file: PluginFile) {
    self.init(path: file.path, manifest: file.outcome.manifest, diagnosis: file.outcome.diagnosis)
  }
}

extension Requirement {
  var pluginIdentifier: String? {
    if case .plugin(let id, _) = self { id } else { nil }
  }
}

extension PluginFile {
  var manifest: Manifest? { outcome.manifest }
  /// The ID of the plugin, else the path: the subject of a line in the log.
  var id: String { manifest?.id ?? path }
  var isAdoption: Bool { PluginFileName.isAdoption(path) }
  /// The plugin's file and, for an adopting file, the library, as they were examined.
  var files: [FileState] { outcome.files(path) }
  /// Nil if the files cannot be read any more.
  func content() -> ContentHash? { ContentHash(of: files) }
  /// The plugin requires no others, so its image can be opened before others have registered.
  var isIndependent: Bool { manifest?.requires.isEmpty ?? false }

  func diagnosis(_ code: Diagnosis.Code, _ problem: String, _ remedy: String) -> Diagnosis {
    Diagnosis(code, path, problem: problem, remedy: remedy)
  }

  var changedDiagnosis: Diagnosis {
    diagnosis(
      .changed, "\(isAdoption ? "adopts a library that has" : "has") changed since it was examined",
      "retry after the change")
  }

  /// Returns the diagnosis of a plugin with a registration that cannot be published.
  func refusal(_ diagnosis: Diagnosis) -> Diagnosis {
    self.diagnosis(.refused, "was refused: \(diagnosis.statement)", diagnosis.remedy)
  }
}
