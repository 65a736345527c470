internal import FoundationEssentials
internal import Glibc

/// What is known of plugins that have been probed, kept from one start to the next, one file for each directory of plugins.
///
/// It saves probes and nothing depends on it: a file that is damaged, of another version or somebody else's is as good as none, and
/// what could not be written is found out again. Two hosts at once each put a whole file into its place; what the one that is later
/// has not seen of the other's is found out again.
struct Registry {
  private let directory: String?
  private let makeHost: @Sendable () -> String
  /// Found out when it is needed, which takes a look into a file.
  private lazy var host = makeHost()
  private var files: [String: RegistryFile] = [:]
  private var changed: Set<String> = []
  /// What was known of files that have other contents by now, the latest last, for as long as the process: whoever goes back to
  /// a version does not have it run again.
  private var former: [RegistryFile.Entry] = []
  private static let maximumFormer = 64

  /// A registry whose files are in a directory; in no directory, it forgets everything with the process.
  init(directory: String?, host: @autoclosure @escaping @Sendable () -> String) {
    self.directory = directory
    makeHost = host
  }

  /// What is known of a plugin whose files are as they are now, under a configuration.
  ///
  /// - Parameter content: What the files contain; called only if they have changed in any way since.
  mutating func entry(
    of files: [RegistryFile.FileState], configuration: [String: String], content: () -> ContentHash?
  ) -> RegistryFile.Entry? {
    guard let path = files.first?.path else { return nil }
    let (folder, name) = (Path.directory(of: path), Path.lastComponent(of: path))
    let known = file(folder)
    let configured = Self.hash(configuration)
    if let entry = known.entries[name], entry.configuration == configured, entry.files == files { return entry }
    // A file that was copied, touched or renamed is not run again for that.
    guard !known.entries.isEmpty || !former.isEmpty, let content = content() else { return nil }
    func isWanted(_ entry: RegistryFile.Entry) -> Bool { entry.content == content && entry.configuration == configured }
    guard var entry = known.entries.values.first(where: isWanted) ?? former.last(where: isWanted) else { return nil }
    entry.files = files
    put(entry, name, folder)
    return entry
  }

  /// Remembers what a plugin registers.
  mutating func remember(
    _ summary: PluginSummary, of files: [RegistryFile.FileState], content: ContentHash, configuration: [String: String]
  ) {
    guard let path = files.first?.path else { return }
    let (folder, name) = (Path.directory(of: path), Path.lastComponent(of: path))
    let configured = Self.hash(configuration)
    put(RegistryFile.Entry(files: files, content: content, configuration: configured, summary: summary), name, folder)
  }

  private mutating func put(_ entry: RegistryFile.Entry, _ name: String, _ folder: String) {
    var known = file(folder)
    if let old = known.entries.updateValue(entry, forKey: name), old.content != entry.content {
      former.removeAll { $0.content == old.content && $0.configuration == old.configuration }
      former = former.suffix(Self.maximumFormer - 1) + [old]
    }
    files[folder] = known
    changed.insert(folder)
  }

  /// Writes what has changed. Throws a `SystemError` if that is not possible; everything that can be is written.
  mutating func save() throws(SystemError) {
    var failure: SystemError?
    for folder in changed {
      guard let directory, var file = files[folder] else { continue }
      // What another host has found out meanwhile, and what is not there any more.
      if let other = read(folder) { file.entries.merge(other.entries) { own, _ in own } }
      file.entries = file.entries.filter { access("\(folder)/\($0.key)", F_OK) == 0 }
      do {
        let path = path(of: folder, in: directory)
        try AtomicFile.write(file.bytes, to: path, ownsDirectory: true)
      } catch {
        failure = error
      }
    }
    changed = []
    if let failure { throw failure }
  }

  private mutating func file(_ folder: String) -> RegistryFile {
    if let known = files[folder] { return known }
    let file = read(folder) ?? RegistryFile(host: host, directory: folder)
    files[folder] = file
    return file
  }

  /// The file about a directory, if there is a sound one that this user has written.
  private mutating func read(_ folder: String) -> RegistryFile? {
    guard let path = directory.map({ path(of: folder, in: $0) }), let file = try? PluginFile(path: path),
      file.status.st_uid == geteuid(), file.status.st_mode & (S_IWGRP | S_IWOTH) == 0,
      file.status.st_size <= Self.maximumSize,
      let bytes = try? file.bytes.read(at: 0, count: Int(file.status.st_size)),
      let registry = try? RegistryFile(bytes: bytes), registry.host == host, registry.directory == folder
    else { return nil }
    return registry
  }

  private static let maximumSize: off_t = 1 << 28

  /// Hosts of other versions have files of their own.
  private mutating func path(of folder: String, in directory: String) -> String {
    "\(directory)/registry/\(ContentHash(of: Array("\(host)\n\(folder)".utf8)))"
  }

  private static func hash(_ configuration: [String: String]) -> ContentHash {
    ContentHash(of: RecordWriter.bytes(configuration))
  }
}
