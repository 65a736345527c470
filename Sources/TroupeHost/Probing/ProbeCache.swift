internal import Glibc
internal import TroupeFiles
internal import TroupeSandbox

/// The results of probes, kept from one start to the next, one file for each directory of plugins. A content is found in the files of
/// all directories.
///
/// It only saves probes: a file that is damaged, of another version or of another user counts as missing, and the next host repeats
/// probes whose results could not be written. Two hosts at the same time each replace a whole file; the next host repeats the probes
/// whose results the later of the two did not read.
struct ProbeCache {
  /// The directory of the files; nil to keep nothing.
  private let directory: String?
  private let makeHost: @Sendable () -> String
  /// Computed at the first use, since that reads a file.
  private lazy var host = makeHost()
  private var files: [String: ProbeCacheFile] = [:]
  private var changed: Set<String> = []
  /// The entries that were removed since the last save, by directory.
  private var removed: [String: Set<String>] = [:]
  /// The entries of replaced contents, the latest last, for as long as the process lives: a version that returns needs no other
  /// probe.
  private var former: [ProbeCacheFile.Entry] = []
  private static let maximumFormer = 64

  /// The entries of other directories, as their files had them when a content was first looked up.
  private lazy var elsewhere = readAll()

  /// Creates a registry with its files in a subdirectory. Without a directory it lasts as long as the process.
  init(directory: String?, name: String = "registry", host: @autoclosure @escaping @Sendable () -> String) {
    self.directory = directory.map { "\($0)/\(name)" }
    makeHost = host
  }

  /// Whether there is nothing to look up. Cost: a system call for an empty registry.
  var isEmpty: Bool { files.isEmpty && directory.map { access($0, F_OK) != 0 } ?? true }

  /// Returns the entry of a plugin with these files under a configuration, or nil if there is none, or a library that the plugin needs
  /// has changed since.
  ///
  /// - Parameter content: Returns the hash of the files; called only if the files differ from those of the entry. Without it, only an
  ///   entry of the same files counts.
  mutating func entry(
    of files: [FileState], configuration: [String: String], content: (() -> ContentHash?)? = nil
  ) -> ProbeCacheFile.Entry? {
    guard let path = files.first?.path, let library = files.last?.path else { return nil }
    let (pluginDirectory, name) = (Path.directory(of: path), Path.lastComponent(of: path))
    let known = file(pluginDirectory)
    let configured = Self.hash(configuration)
    if let entry = known.entries[name], entry.configuration == configured, entry.files == files, entry.isCurrent {
      return entry
    }
    // A file that was copied, touched or renamed needs no other probe while it needs the same libraries.
    guard let content, !known.entries.isEmpty || !former.isEmpty || self.files.count > 1 || !elsewhere.isEmpty,
      let content = content()
    else { return nil }
    // The same content needs other libraries at another path, such as those of a copy of a whole installation.
    lazy var link = LinkCheck(of: library, directory: Path.directory(of: library))
    lazy var needed = link.files
    func isWanted(_ entry: ProbeCacheFile.Entry) -> Bool {
      entry.content == content && entry.configuration == configured && entry.isCurrent && link.findsAll
        && needed.allSatisfy { file in entry.summary.libraries.contains { $0.stamp == file.stamp } }
    }
    func find(in file: ProbeCacheFile) -> ProbeCacheFile.Entry? { file.entries.values.first(where: isWanted) }
    let found = find(in: known) ?? former.last(where: isWanted) ?? self.files.values.lazy.compactMap(find).first
    guard let other = found ?? elsewhere[content]?.first(where: isWanted) else { return nil }
    var summary = other.summary
    summary.libraries = summary.libraries.filter { file in !needed.contains { $0.stamp == file.stamp } } + needed
    let entry = ProbeCacheFile.Entry(
      files: files, content: content, configuration: configured, summary: summary, diagnosis: other.diagnosis)
    put(entry, name, pluginDirectory)
    return entry
  }

  mutating func store(
    _ summary: PluginSummary, of files: [FileState], content: ContentHash, configuration: [String: String]
  ) {
    guard let path = files.first?.path else { return }
    let (pluginDirectory, name) = (Path.directory(of: path), Path.lastComponent(of: path))
    let configured = Self.hash(configuration)
    put(
      ProbeCacheFile.Entry(files: files, content: content, configuration: configured, summary: summary), name, pluginDirectory)
  }

  /// Stores the fault for which a plugin was rejected, for every configuration.
  ///
  /// - Parameter libraries: The libraries that the plugin needs. The fault may lie in them.
  mutating func store(
    _ diagnosis: Diagnosis, of files: [FileState], libraries: [FileState], content: () -> ContentHash?
  ) {
    guard let path = files.first?.path else { return }
    let (pluginDirectory, name) = (Path.directory(of: path), Path.lastComponent(of: path))
    let known = file(pluginDirectory).entries[name]
    guard known?.files != files || known?.diagnosis != diagnosis || known?.summary.libraries != libraries,
      let content = content()
    else { return }
    put(
      ProbeCacheFile.Entry(
        files: files, content: content, configuration: Self.hash([:]),
        summary: PluginSummary(registrations: [], isComplete: false, libraries: libraries),
        diagnosis: diagnosis), name, pluginDirectory)
  }

  mutating func evict(_ files: [FileState]) {
    guard let path = files.first?.path else { return }
    let (pluginDirectory, name) = (Path.directory(of: path), Path.lastComponent(of: path))
    guard file(pluginDirectory).entries[name] != nil else { return }
    self.files[pluginDirectory]?.entries[name] = nil
    removed[pluginDirectory, default: []].insert(name)
    changed.insert(pluginDirectory)
  }

  private mutating func put(_ entry: ProbeCacheFile.Entry, _ name: String, _ pluginDirectory: String) {
    _ = file(pluginDirectory)
    // In place: a copy of the file would copy its entries.
    if let old = files[pluginDirectory]?.entries.updateValue(entry, forKey: name), old.content != entry.content {
      former.removeAll { $0.content == old.content && $0.configuration == old.configuration }
      former = former.suffix(Self.maximumFormer - 1) + [old]
    }
    removed[pluginDirectory]?.remove(name)
    changed.insert(pluginDirectory)
  }

  /// Writes the changed files. Throws a `SystemError` if a file cannot be written; the other files are written nevertheless.
  mutating func save() throws(SystemError) {
    var failure: SystemError?
    for pluginDirectory in changed {
      guard let directory, var file = files[pluginDirectory] else { continue }
      // Keeps entries that another host has added meanwhile, and drops those of missing files.
      if let other = read(pluginDirectory) {
        let removed = removed[pluginDirectory] ?? []
        file.entries.merge(other.entries.filter { !removed.contains($0.key) }) { own, _ in own }
      }
      file.entries = file.entries.filter { access("\(pluginDirectory)/\($0.key)", F_OK) == 0 }
      do {
        let path = path(of: pluginDirectory, in: directory)
        try AtomicFile.write(file.bytes, to: path, ownsDirectory: true)
      } catch {
        failure = error
      }
    }
    (changed, removed) = ([], [:])
    if let failure { throw failure }
  }

  private mutating func file(_ pluginDirectory: String) -> ProbeCacheFile {
    if let known = files[pluginDirectory] { return known }
    let file = read(pluginDirectory) ?? ProbeCacheFile(host: host, directory: pluginDirectory)
    files[pluginDirectory] = file
    return file
  }

  /// Reads the file of a directory. Returns nil if it is missing, damaged or not written by this user.
  private mutating func read(_ pluginDirectory: String) -> ProbeCacheFile? {
    guard let path = directory.map({ path(of: pluginDirectory, in: $0) }), let registry = readFile(path),
      registry.directory == pluginDirectory
    else { return nil }
    return registry
  }

  /// The entries of all undamaged files that this user has written, by content.
  private mutating func readAll() -> [ContentHash: [ProbeCacheFile.Entry]] {
    guard let directory, let names = try? Path.entries(in: directory) else { return [:] }
    // The names of files that are being written begin with a dot.
    let known = names.filter { $0.utf8.first != UInt8(ascii: ".") }.compactMap { readFile("\(directory)/\($0)") }
    return Dictionary(grouping: known.flatMap(\.entries.values), by: \.content)
  }

  private mutating func readFile(_ path: String) -> ProbeCacheFile? {
    guard let bytes = RegularFile.own(path, maximumSize: Self.maximumSize), let registry = try? ProbeCacheFile(bytes: bytes),
      registry.host == host
    else { return nil }
    return registry
  }

  private static let maximumSize = 1 << 28

  /// Hosts of other versions have files of their own.
  private mutating func path(of pluginDirectory: String, in directory: String) -> String {
    "\(directory)/\(ContentHash(of: Array("\(host)\n\(pluginDirectory)".utf8)))"
  }

  private static func hash(_ configuration: [String: String]) -> ContentHash {
    ContentHash(of: RecordWriter.bytes(configuration))
  }
}

extension ProbeCacheFile.Entry {
  /// Whether the libraries that the plugin needs are as they were in its probe.
  fileprivate var isCurrent: Bool { summary.libraries.allSatisfy(\.isUnchanged) }
}
