internal import TroupeManifest
internal import TroupeBase

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
/// library, and both must be pinned. A hash counts for either file of the plugin. The libraries that a library links are not pinned.
public struct Pins: Sendable, CustomStringConvertible {
  /// An allowed content of a plugin's file.
  public struct Entry: Sendable, Hashable, CustomStringConvertible {
    /// The SHA-256 of the file.
    public let hash: ContentHash
    /// The plugin's id.
    public let plugin: String

    /// Creates an entry. Returns nil if the id is malformed.
    public init?(_ hash: ContentHash, plugin: String) {
      guard PluginIdentifier.problem(in: plugin) == nil else { return nil }
      self.hash = hash
      self.plugin = plugin
    }

    /// The entry as a line without a line break.
    public var description: String { "\(hash) \(plugin)" }
  }

  /// The entries in their order, without duplicates.
  public let entries: [Entry]
  /// The file that the pins were read from, for remedies.
  private let file: String?
  private let hashes: [String: [ContentHash]]

  /// Creates pins from entries. Ignores duplicates. Without entries, the host rejects every plugin.
  public init(_ entries: some Sequence<Entry>) { self.init(entries, file: nil) }

  private init(_ entries: some Sequence<Entry>, file: String?) {
    self.file = file
    var known: Set<Entry> = []
    self.entries = entries.filter { known.insert($0).inserted }
    hashes = Dictionary(grouping: self.entries, by: \.plugin).mapValues { $0.map(\.hash) }
  }

  /// Reads pins from a file that only root and the user can change. Throws a `Diagnosis`.
  public init(contentsOf path: String) throws(Diagnosis) {
    self.init(try PinsFile(path).entries, file: path)
  }

  /// The allowed hashes of a plugin's files; empty if the plugin is not pinned.
  public func hashes(of plugin: String) -> [ContentHash] { hashes[plugin] ?? [] }

  /// The text of a file with these pins.
  public var description: String { entries.map { "\($0)\n" }.joined() }

  /// Decides whether a plugin's file may have the hash. Returns a diagnosis if it is not pinned; the caller adds the subject.
  ///
  /// - Parameter path: The plugin's file, which the remedy pins. Without it the remedy names the ID.
  package func diagnosis(_ hash: ContentHash, of plugin: String, path: String?) -> Diagnosis? {
    let allowed = hashes(of: plugin)
    if allowed.contains(hash) { return nil }
    // A command in another environment may search other directories for the ID.
    let command = "troupe pin \((path ?? plugin).shellWord)" + (file.map { " --pins \($0.shellWord)" } ?? "")
    guard !allowed.isEmpty else {
      return Diagnosis(
        .unpinned, problem: "is not pinned; its SHA-256 is \(hash)",
        remedy: "if you trust it, pin it with \(command)")
    }
    let beginnings = allowed.map(\.beginning).joined(separator: ", ")
    return Diagnosis(
      .unpinned,
      problem:
        "does not have the content that is pinned for \(plugin): its SHA-256 begins with \(hash.beginning), and pinned is \(beginnings)",
      remedy: "restore the file or, if you know why it changed and trust it, pin it anew with \(command)")
  }
}

/// Pins are equal if their entries are. The file that they were read from only serves remedies.
extension Pins: Hashable {
  /// Compares the entries and their order.
  public static func == (one: Pins, other: Pins) -> Bool { one.entries == other.entries }

  /// Hashes the entries.
  public func hash(into hasher: inout Hasher) { hasher.combine(entries) }
}

/// A host passes its pins to the process that probes a plugin.
extension Pins.Entry: Recordable {
  package func write(to writer: inout RecordWriter) { writer.write(hash, plugin) }

  package init(from reader: inout RecordReader) throws(ReadError) {
    let hash = try ContentHash(from: &reader)
    guard let entry = Self(hash, plugin: try String(from: &reader)) else { throw ReadError("no pin") }
    self = entry
  }
}
