internal import TroupeManifest

/// What plugins may contain: for each plugin, by its id, the hashes of the files that it may be made of. A host with pins loads
/// nothing else.
///
/// ```swift
/// var options = PluginHost.Options(directories: ["plugins"])
/// options.pins = try Pins(contentsOf: "/etc/troupe/pins")
/// let host = PluginHost(options)
/// ```
///
/// As text there is one line for each file of a plugin, its hash as `sha256sum` prints it and the plugin's id:
///
/// ```
/// # Blank lines, and lines that begin like this one, say nothing.
/// ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad org.example.grep
/// ```
///
/// Several lines with one id allow several contents. A plugin that adopts a library has two files, the `.troupe.json` and the
/// library, and both have to be among its pins. What a library needs in turn is not pinned.
public struct Pins: Sendable, Hashable, CustomStringConvertible {
  /// One content that a plugin's file may have.
  public struct Entry: Sendable, Hashable, CustomStringConvertible {
    /// The SHA-256 of the file.
    public let hash: ContentHash
    /// The plugin's id.
    public let plugin: String

    /// Makes an entry, or nil if no plugin can have this id.
    public init?(_ hash: ContentHash, plugin: String) {
      guard PluginIdentifier.fault(in: plugin) == nil else { return nil }
      self.hash = hash
      self.plugin = plugin
    }

    /// The entry as a line, without its end.
    public var description: String { "\(hash) \(plugin)" }
  }

  /// The entries in their order, each once.
  public let entries: [Entry]
  private let hashes: [String: [ContentHash]]

  /// Makes pins of some entries; entries that are there twice count once. Without any, no plugin may be loaded.
  public init(_ entries: some Sequence<Entry>) {
    var known: Set<Entry> = []
    self.entries = entries.filter { known.insert($0).inserted }
    hashes = Dictionary(grouping: self.entries, by: \.plugin).mapValues { $0.map(\.hash) }
  }

  /// Reads pins from a file, which nobody but root and the user may be able to change. Throws a `PinsError`.
  public init(contentsOf path: String) throws(PinsError) {
    self.init(try PinsFile(path).entries)
  }

  /// The contents that a plugin's files may have; none if it is not pinned.
  public func hashes(of plugin: String) -> [ContentHash] { hashes[plugin] ?? [] }

  /// The text of a file with these pins.
  public var description: String { entries.map { "\($0)\n" }.joined() }

  /// What is wrong with a file of a plugin that has this hash, as the end of a sentence that begins with the file, or nil if that
  /// is pinned.
  func fault(_ hash: ContentHash, of plugin: String) -> (problem: String, remedy: String)? {
    let allowed = hashes(of: plugin)
    if allowed.contains(hash) { return nil }
    guard !allowed.isEmpty else {
      return ("is not pinned; its SHA-256 is \(hash)", "if you trust it, pin it with troupe pin \(plugin)")
    }
    let beginnings = allowed.map(\.beginning).joined(separator: ", ")
    return (
      "is not what is pinned for \(plugin): its SHA-256 begins with \(hash.beginning), and pinned is \(beginnings)",
      "restore the file or, if you know why it changed and trust it, pin it anew with troupe pin \(plugin)"
    )
  }
}

/// What is wrong with a file of pins: which file, where, what is wrong, what to do about it.
public struct PinsError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What kind of fault it is.
  public enum Code: Sendable, Hashable {
    /// The file is not there or cannot be read.
    case unreadable
    /// The file cannot be written.
    case unwritable
    /// Somebody else could have changed the file.
    case untrusted
    /// The file says something that it may not say.
    case malformed
  }

  /// The file.
  public let path: String
  /// The line, from one; nil for a fault of the whole.
  public let line: Int?
  /// What kind of fault it is.
  public let code: Code
  /// What is wrong, as the end of a sentence that begins with the file and the line.
  public let problem: String
  /// What to do about it, as a sentence without its first capital letter.
  public let remedy: String

  init(_ path: String, line: Int? = nil, _ code: Code, _ problem: String, _ remedy: String) {
    self.path = path
    self.line = line
    self.code = code
    self.problem = problem.onOneLine
    self.remedy = remedy.onOneLine
  }

  /// One line for a person.
  public var description: String { "\(path.onOneLine)\(line.map { ":\($0)" } ?? ""): \(problem); \(remedy)" }
}
