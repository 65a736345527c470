internal import CSandbox
public import FoundationEssentials
internal import Glibc
internal import TroupeFiles

/// The plugins that crashed, hung or did other harm, mostly in a probe. A host does not load them into its process, and still runs them in
/// workers, which contain such harm. A plugin is identified by its content alone: renaming or moving its file does not release it, and a
/// fixed plugin has another content.
///
/// ```swift
/// let quarantine = Quarantine(directory: "/var/lib/example/quarantine")
/// for entry in try quarantine.entries() { print(entry.time, entry.id, entry.problem) }
/// ```
///
/// Each content has one file in the directory. Files are written atomically, so several hosts can share a quarantine.
public struct Quarantine: Sendable {
  /// A quarantined content.
  public struct Entry: Sendable, Hashable, Codable {
    /// The id of the plugin; nil if the entry is damaged.
    public let id: String?
    /// The absolute path of the file when it was added; nil if the entry is damaged.
    public let path: String?
    /// The SHA-256 of the content.
    public let content: String
    /// The time at which the content was added.
    public let time: Date
    /// The kind of the fault: the raw value of a `Diagnosis.Code`.
    public let code: String
    /// The problem, as the end of a sentence that begins with the file.
    public let problem: String
    /// The remedy.
    public let remedy: String
    /// The backtrace of a crash; empty for other faults.
    public let backtrace: [String]
  }

  /// The directory of the entries.
  public let directory: String

  /// `$XDG_STATE_HOME/troupe/quarantine`, by default `~/.local/state/troupe/quarantine`; nil if the user has no home directory.
  public static var standardDirectory: String? { UserDirectories.state.map { $0 + "/quarantine" } }

  /// Creates a quarantine in a directory, which need not exist.
  public init(directory: String) {
    self.directory = directory
  }

  /// Returns the entries, the oldest first. The content of a damaged entry stays in quarantine; its entry has no id and no path, and
  /// the code `notProbed`.
  ///
  /// - Throws: A `Diagnosis` if the directory exists and cannot be read.
  public func entries() throws -> [Entry] {
    try contents().compactMap { entry(of: $0) }.sorted(by: Self.isOlder)
  }

  /// Removes the entries of a plugin id, or all entries, and returns them, the oldest first. Damaged entries have no id and are removed
  /// only with all entries. An entry that cannot be removed does not keep the others.
  ///
  /// - Throws: A `Diagnosis` if the directory cannot be read or an entry cannot be removed.
  @discardableResult
  public func clear(id: String? = nil) throws -> [Entry] {
    var failure: Diagnosis?
    let removed = try contents().compactMap { content -> Entry? in
      let entry = entry(of: content)
      if let id, entry?.id != id { return nil }
      if unlink(path(of: content)) == 0 || errno == ENOENT { return entry }
      failure = Self.failure(path(of: content), "removed", SystemError(code: errno))
      return nil
    }
    if let failure { throw failure }
    return removed.sorted(by: Self.isOlder)
  }

  private static func isOlder(_ one: Entry, _ other: Entry) -> Bool {
    (one.time, one.content) < (other.time, other.content)
  }

  func contents() throws -> [Content] {
    do throws(SystemError) {
      return try Path.entries(in: directory).compactMap(Content.init(fileName:))
    } catch {
      if error.code == ENOENT { return [] }
      throw Self.failure(directory, "read", error)
    }
  }

  func diagnosis(of content: Content, path: String) -> Diagnosis? {
    guard let entry = entry(of: content) else { return nil }
    return Diagnosis(
      Diagnosis.Code(rawValue: entry.code) ?? .crashed, path, problem: entry.problem, remedy: entry.remedy,
      backtrace: entry.backtrace)
  }

  /// Adds a content. Throws a `Diagnosis` if the entry cannot be written.
  func add(_ content: Content, id: String, _ diagnosis: Diagnosis) throws(Diagnosis) {
    let entry = Entry(
      id: id, path: Self.absolute(diagnosis.subject), content: "\(content.hash)", time: Date(), code: diagnosis.code.rawValue,
      problem: diagnosis.problem, remedy: diagnosis.remedy, backtrace: diagnosis.backtrace)
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    // Encoding cannot fail: the entry consists of strings and a date.
    let text = (try? encoder.encode(entry)).map(Array.init) ?? []
    do throws(SystemError) {
      try AtomicFile.write(text + [UInt8(ascii: "\n")], to: path(of: content), ownsDirectory: true)
    } catch {
      throw Self.failure(directory, "written", error)
    }
  }

  /// Returns the path of a file from any directory. A link stays one.
  private static func absolute(_ path: String) -> String {
    guard path.utf8.first != UInt8(ascii: "/"), let directory = Path.resolved(Path.directory(of: path)) else { return path }
    return (directory == "/" ? "" : directory) + "/" + Path.lastComponent(of: path)
  }

  private static func failure(_ path: String, _ action: String, _ cause: SystemError) -> Diagnosis {
    let remedy =
      switch cause.code {
      case EISDIR: "remove this directory"
      case EACCES, EPERM, EROFS: "name a directory that you may write, for the command with XDG_STATE_HOME"
      default: "check the file system"
      }
    return Diagnosis(.inputOutput, path, problem: "cannot be \(action): \(cause)", remedy: remedy)
  }

  private static let maximumSize: off_t = 1 << 20

  private func path(of content: Content) -> String { "\(directory)/\(content.fileName)" }

  private func entry(of content: Content) -> Entry? { readEntry(of: content) ?? damagedEntry(of: content) }

  private func readEntry(of content: Content) -> Entry? {
    guard let file = try? RegularFile(path: path(of: content)), file.status.st_size <= Self.maximumSize,
      let bytes = try? file.bytes.read(at: 0, count: Int(file.status.st_size))
    else { return nil }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    guard let entry = try? decoder.decode(Entry.self, from: Data(bytes)), entry.id != nil, entry.path != nil else { return nil }
    return entry
  }

  /// Returns the entry of a content whose file is damaged, or nil if there is no file.
  private func damagedEntry(of content: Content) -> Entry? {
    guard let status = try? Path.status(path(of: content)) else { return nil }
    return Entry(
      id: nil, path: nil, content: "\(content.hash)", time: Date(timeIntervalSince1970: Double(status.st_mtim.tv_sec)),
      code: Diagnosis.Code.notProbed.rawValue, problem: "is in quarantine, for a reason that cannot be read",
      remedy: "remove \(path(of: content)) to probe it again", backtrace: [])
  }
}

extension Quarantine {
  /// The content of a plugin's file and, if the file adopts a library, of the library.
  struct Content: Hashable {
    let hash: ContentHash
    /// The total number of bytes. Only plugins of this size need to be read for a comparison.
    let size: Int64
  }
}

extension Quarantine.Content {
  /// Parses the file name of an entry. Returns nil for another name.
  init?(fileName name: String) {
    guard name.hasSuffix(Self.suffix) else { return nil }
    let parts = name.dropLast(Self.suffix.count).split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let hash = ContentHash(String(parts[0])), let size = Int64(parts[1]), size >= 0 else {
      return nil
    }
    self.init(hash: hash, size: size)
  }

  var fileName: String { "\(hash)-\(size)\(Self.suffix)" }

  private static let suffix = ".json"
}

/// The sizes of the quarantined contents, by which most files are excluded without reading them.
struct QuarantineLookup {
  private let quarantine: Quarantine
  private let sizes: Set<Int64>

  /// Lists a quarantine; nil if it is empty or cannot be read.
  init?(_ directory: String) {
    quarantine = Quarantine(directory: directory)
    sizes = Set(((try? quarantine.contents()) ?? []).map(\.size))
    if sizes.isEmpty { return nil }
  }

  /// Returns the fault of files whose content is in quarantine, or nil. Reads the files if a quarantined content has their size.
  func diagnosis(of files: [FileState], path: String) -> Diagnosis? {
    guard sizes.contains(files.size), let hash = ContentHash(of: files) else { return nil }
    return quarantine.diagnosis(of: Quarantine.Content(hash: hash, size: files.size), path: path)
  }
}
