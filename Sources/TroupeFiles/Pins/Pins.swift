internal import TroupeManifest

/// The allowed contents of plugins: for each plugin id, the hashes of the plugin's files. A host with pins rejects all other plugins.
///
/// ```swift
/// var options = PluginHost.Options(directories: ["plugins"])
/// options.pins = try Pins(contentsOf: "/etc/troupe/pins")
/// let host = PluginHost(options)
/// ```
///
/// The text form has one line for each file of a plugin: its hash as `sha256sum` prints it, and the plugin's id:
///
/// ```
/// # Blank lines and lines that begin with # are ignored.
/// ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad org.example.grep
/// ```
///
/// Several lines with the same id allow several contents. A plugin that adopts a library has two files, the `.troupe.json` file and the
/// library, and both must be pinned. The libraries that a library links are not pinned.
public struct Pins: Sendable, Hashable, CustomStringConvertible {
  /// An allowed content of a plugin's file.
  public struct Entry: Sendable, Hashable, CustomStringConvertible {
    /// The SHA-256 of the file.
    public let hash: ContentHash
    /// The plugin's id.
    public let plugin: String

    /// Creates an entry. Returns nil if the id is malformed.
    public init?(_ hash: ContentHash, plugin: String) {
      guard PluginIdentifier.fault(in: plugin) == nil else { return nil }
      self.hash = hash
      self.plugin = plugin
    }

    /// The entry as a line without a line break.
    public var description: String { "\(hash) \(plugin)" }
  }

  /// The entries in their order, without duplicates.
  public let entries: [Entry]
  private let hashes: [String: [ContentHash]]

  /// Creates pins from entries. Ignores duplicates. Without entries, the host rejects every plugin.
  public init(_ entries: some Sequence<Entry>) {
    var known: Set<Entry> = []
    self.entries = entries.filter { known.insert($0).inserted }
    hashes = Dictionary(grouping: self.entries, by: \.plugin).mapValues { $0.map(\.hash) }
  }

  /// Reads pins from a file that only root and the user can change. Throws a `PinsError`.
  public init(contentsOf path: String) throws(PinsError) {
    self.init(try PinsFile(path).entries)
  }

  /// The allowed hashes of a plugin's files; empty if the plugin is not pinned.
  public func hashes(of plugin: String) -> [ContentHash] { hashes[plugin] ?? [] }

  /// The text of a file with these pins.
  public var description: String { entries.map { "\($0)\n" }.joined() }

  /// Returns the problem and the remedy for a plugin's file with a hash, or nil if the hash is pinned. The problem is the end of a
  /// sentence that begins with the file.
  package func fault(_ hash: ContentHash, of plugin: String) -> (problem: String, remedy: String)? {
    let allowed = hashes(of: plugin)
    if allowed.contains(hash) { return nil }
    guard !allowed.isEmpty else {
      return ("is not pinned; its SHA-256 is \(hash)", "if you trust it, pin it with troupe pin \(plugin)")
    }
    let beginnings = allowed.map(\.beginning).joined(separator: ", ")
    return (
      "does not have the content that is pinned for \(plugin): its SHA-256 begins with \(hash.beginning), and pinned is \(beginnings)",
      "restore the file or, if you know why it changed and trust it, pin it anew with troupe pin \(plugin)"
    )
  }
}

/// A fault in a file of pins: the file, the line, the problem and the remedy.
public struct PinsError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of a fault.
  public enum Code: Sendable, Hashable {
    /// The file does not exist or cannot be read.
    case unreadable
    /// The file cannot be written.
    case unwritable
    /// Another user can change the file.
    case untrusted
    /// A line is malformed.
    case malformed
  }

  /// The file.
  public let path: String
  /// The line number, from one; nil for a fault of the whole file.
  public let line: Int?
  /// The kind of the fault.
  public let code: Code
  /// The problem, as the end of a sentence that begins with the file and the line.
  public let problem: String
  /// The remedy, as a sentence without its first capital letter.
  public let remedy: String

  init(_ path: String, line: Int? = nil, _ code: Code, _ problem: String, _ remedy: String) {
    self.path = path
    self.line = line
    self.code = code
    self.problem = problem.onOneLine
    self.remedy = remedy.onOneLine
  }

  /// The fault in one line for the user.
  public var description: String { "\(path.onOneLine)\(line.map { ":\($0)" } ?? ""): \(problem); \(remedy)" }
}
