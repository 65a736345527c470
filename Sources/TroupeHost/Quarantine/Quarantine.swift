public import FoundationEssentials
internal import Glibc

/// The plugins that did harm when they were probed. What is in here is not loaded, wherever it lies and whatever it is called,
/// for its content is what counts; a plugin that is mended is another content.
///
/// ```swift
/// let quarantine = Quarantine(directory: "/var/lib/example/quarantine")
/// for entry in try quarantine.entries() { print(entry.time, entry.id, entry.problem) }
/// ```
///
/// One file in a directory for each content, which is written whole or not at all, so that any number of hosts may use it at once.
public struct Quarantine: Sendable {
  /// One content.
  public struct Entry: Sendable, Hashable, Codable {
    /// The id of the plugin; nil if the entry is damaged.
    public let id: String?
    /// The file, as it was found when it was probed; nil if the entry is damaged.
    public let path: String?
    /// What it contains, as SHA-256.
    public let content: String
    /// When that was.
    public let time: Date
    /// What kind of fault it was: the raw value of a `PluginFault.Code`.
    public let code: String
    /// What happened, as the end of a sentence that begins with the file.
    public let problem: String
    /// What to do about it.
    public let remedy: String
    /// Where it happened, if it was a crash.
    public let backtrace: [String]
  }

  /// The directory that holds it.
  public let directory: String

  /// `$XDG_STATE_HOME/troupe/quarantine`, by default `~/.local/state/troupe/quarantine`; nil for somebody without a home.
  public static var standardDirectory: String? { UserDirectories.state.map { $0 + "/quarantine" } }

  /// The quarantine in a directory, which need not be there yet.
  public init(directory: String) {
    self.directory = directory
  }

  /// What is in it, the oldest first. An entry that is damaged keeps its content in it all the same, and has neither an id nor
  /// a path, but the code `notProbed`.
  ///
  /// - Throws: A text for a person if the directory is there and cannot be read.
  public func entries() throws -> [Entry] {
    try contents().compactMap { entry(of: $0) }.sorted(by: Self.isOlder)
  }

  /// Takes out what an id is of, or everything, and gives what was taken out, the oldest first. Damaged entries, which have no
  /// id, go with everything.
  ///
  /// - Throws: A text for a person if something is in the way.
  @discardableResult
  public func clear(id: String? = nil) throws -> [Entry] {
    try contents().compactMap { content in
      let entry = entry(of: content)
      if let id, entry?.id != id { return nil }
      guard unlink(path(of: content)) == 0 || errno == ENOENT else {
        throw QuarantineError(path: path(of: content), action: "removed", cause: SystemError(code: errno))
      }
      return entry
    }.sorted(by: Self.isOlder)
  }

  private static func isOlder(_ one: Entry, _ other: Entry) -> Bool {
    (one.time, one.content) < (other.time, other.content)
  }

  /// What is in it, by content.
  func contents() throws -> [Content] {
    do throws(SystemError) {
      return try Directory.names(in: directory).compactMap(Content.init(fileName:))
    } catch {
      if error.code == ENOENT { return [] }
      throw QuarantineError(path: directory, action: "read", cause: error)
    }
  }

  /// Why a content is in it, or nil if it is not.
  func fault(of content: Content, path: String) -> PluginFault? {
    guard let entry = entry(of: content) else { return nil }
    return PluginFault(
      path: path, code: PluginFault.Code(rawValue: entry.code) ?? .crashed, problem: entry.problem, remedy: entry.remedy,
      backtrace: entry.backtrace)
  }

  /// Puts a content into it. Throws a `SystemError`.
  func add(_ content: Content, id: String, _ fault: PluginFault) throws(SystemError) {
    let entry = Entry(
      id: id, path: fault.path, content: "\(content.hash)", time: Date(), code: fault.code.rawValue, problem: fault.problem,
      remedy: fault.remedy, backtrace: fault.backtrace)
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    // It consists of texts, which can always be written.
    let text = (try? encoder.encode(entry)).map(Array.init) ?? []
    try AtomicFile.write(text + [UInt8(ascii: "\n")], to: path(of: content), ownsDirectory: true)
  }

  private static let maximumSize: off_t = 1 << 20

  private func path(of content: Content) -> String { "\(directory)/\(content.fileName)" }

  /// The entry of a content, or nil if there is none.
  private func entry(of content: Content) -> Entry? { readEntry(of: content) ?? damagedEntry(of: content) }

  private func readEntry(of content: Content) -> Entry? {
    guard let file = try? PluginFile(path: path(of: content)), file.status.st_size <= Self.maximumSize,
      let bytes = try? file.bytes.read(at: 0, count: Int(file.status.st_size))
    else { return nil }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    guard let entry = try? decoder.decode(Entry.self, from: Data(bytes)), entry.id != nil, entry.path != nil else { return nil }
    return entry
  }

  /// What is known of a content whose entry cannot be read, or nil if there is no entry.
  private func damagedEntry(of content: Content) -> Entry? {
    var status = stat()
    guard stat(path(of: content), &status) == 0 else { return nil }
    return Entry(
      id: nil, path: nil, content: "\(content.hash)", time: Date(timeIntervalSince1970: Double(status.st_mtim.tv_sec)),
      code: PluginFault.Code.notProbed.rawValue, problem: "is in quarantine, for a reason that cannot be read",
      remedy: "remove \(path(of: content)) to probe it again", backtrace: [])
  }
}

extension Quarantine {
  /// What is in it: the content of a plugin's file and, if that adopts a library, of the library.
  struct Content: Hashable {
    let hash: ContentHash
    /// The number of bytes in all. Only a plugin of that size has to be read to tell whether it is this content.
    let size: Int64

    /// The content with a hash of so many bytes.
    init(hash: ContentHash, size: Int64) {
      (self.hash, self.size) = (hash, size)
    }

    /// The content that an entry's name tells, or nil if it is no entry's name.
    init?(fileName name: String) {
      guard name.hasSuffix(Self.suffix) else { return nil }
      let parts = name.dropLast(Self.suffix.count).split(separator: "-", omittingEmptySubsequences: false)
      guard parts.count == 2, let hash = ContentHash(String(parts[0])), let size = Int64(parts[1]), size >= 0 else {
        return nil
      }
      self.init(hash: hash, size: size)
    }

    /// The name of its entry.
    var fileName: String { "\(hash)-\(size)\(Self.suffix)" }

    private static let suffix = ".json"
  }
}

/// The quarantine cannot be read or changed.
public struct QuarantineError: Error, CustomStringConvertible {
  let path: String
  let action: String
  let cause: SystemError

  /// One line for a person.
  public var description: String { "\(path.onOneLine): cannot be \(action): \(cause); check its permissions" }
}
