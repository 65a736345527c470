public import FoundationEssentials
internal import Glibc

/// The plugins that did harm when they were probed. What is in here is not loaded, wherever it lies and whatever it is called, for its
/// content is what counts; a plugin that is mended is another content.
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
    /// The id of the plugin.
    public let id: String
    /// The file, as it was found when it was probed.
    public let path: String
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

  /// What is in it, the oldest first. An entry that cannot be read is left out.
  ///
  /// - Throws: A text for a person if the directory is there and cannot be read.
  public func entries() throws -> [Entry] {
    try contents().compactMap { entry(of: $0) }.sorted { ($0.time, $0.content) < ($1.time, $1.content) }
  }

  /// Takes out what an id is of, or everything, and gives what was taken out.
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
    }
  }

  /// What is in it, by content.
  func contents() throws -> [ContentHash] {
    guard let stream = opendir(directory) else {
      if errno == ENOENT { return [] }
      throw QuarantineError(path: directory, action: "read", cause: SystemError(code: errno))
    }
    defer { closedir(stream) }
    var contents: [ContentHash] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: $0.pointee)) { String(cString: $0) }
      }
      if name.hasSuffix(Self.suffix), let content = ContentHash(String(name.dropLast(Self.suffix.count))) {
        contents.append(content)
      }
    }
    return contents
  }

  /// Why a content is in it. One whose entry is damaged still is: it says so itself.
  func fault(of content: ContentHash, path: String) -> PluginFault? {
    guard access(self.path(of: content), F_OK) == 0 else { return nil }
    guard let entry = entry(of: content) else {
      return PluginFault(
        path: path, code: .notProbed, problem: "is in quarantine, for a reason that cannot be read",
        remedy: "remove \(self.path(of: content)) to have it tried again")
    }
    return PluginFault(
      path: path, code: PluginFault.Code(rawValue: entry.code) ?? .crashed, problem: entry.problem, remedy: entry.remedy,
      backtrace: entry.backtrace)
  }

  /// Puts a content into it. Throws a `SystemError`.
  func add(_ content: ContentHash, id: String, _ fault: PluginFault) throws(SystemError) {
    let entry = Entry(
      id: id, path: fault.path, content: "\(content)", time: Date(), code: fault.code.rawValue, problem: fault.problem,
      remedy: fault.remedy, backtrace: fault.backtrace)
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    // It consists of texts, which can always be written.
    let text = (try? encoder.encode(entry)).map(Array.init) ?? []
    try AtomicFile.write(text + [UInt8(ascii: "\n")], to: path(of: content), ownsDirectory: true)
  }

  private static let suffix = ".json"
  private static let maximumSize: off_t = 1 << 20

  private func path(of content: ContentHash) -> String { "\(directory)/\(content)\(Self.suffix)" }

  private func entry(of content: ContentHash) -> Entry? {
    guard let file = try? PluginFile(path: path(of: content)), file.status.st_size <= Self.maximumSize,
      let bytes = try? file.bytes.read(at: 0, count: Int(file.status.st_size))
    else { return nil }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return try? decoder.decode(Entry.self, from: Data(bytes))
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
