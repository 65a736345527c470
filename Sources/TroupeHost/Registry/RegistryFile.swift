internal import TroupeManifest

/// What is known of the plugins in one directory, as a file has it.
///
/// A line that says what it is, the version of the format, a checksum, and behind them the records (`RecordWriter`), of which
/// the first say which host and which directory they are of. Whatever is not exactly so is not read.
struct RegistryFile: Equatable {
  /// What is known of one plugin.
  struct Entry: Equatable {
    /// The plugin's file and, if that adopts a library, the library, as they were.
    var files: [FileState]
    /// What they contain.
    let content: ContentHash
    /// What the configuration said when it was probed.
    let configuration: ContentHash
    /// What it registers.
    let summary: PluginSummary
    /// Why it was rejected; nil if it registers.
    var fault: PluginFault?
  }

  /// A file as it was.
  struct FileState: Hashable, Sendable {
    let path: String
    let identity: PluginFile.Identity

    init(path: String, identity: PluginFile.Identity) { (self.path, self.identity) = (path, identity) }

    /// The present state of a file; nil if there is none.
    init?(path: String) {
      guard let identity = PluginFile.Identity.of(path) else { return nil }
      self.init(path: path, identity: identity)
    }

    /// Whether the file is as it was. Cost: a system call.
    var isUnchanged: Bool { PluginFile.Identity.of(path) == identity }
  }

  /// Who wrote it: what a plugin registers may look different to another host.
  let host: String
  let directory: String
  /// By the names of the plugins' files.
  var entries: [String: Entry] = [:]

  /// A registry without entries.
  init(host: String, directory: String) {
    self.host = host
    self.directory = directory
  }
}

extension RegistryFile {
  private static let title = Array("Troupe registry 5\n".utf8)

  /// As bytes.
  var bytes: [UInt8] { Self.sealed(records) }

  /// What stands behind the checksum.
  var records: [UInt8] {
    var writer = RecordWriter()
    writer.write(host)
    writer.write(directory)
    writer.write(entries)
    return writer.bytes
  }

  /// Records with what stands in front of them in a file.
  static func sealed(_ records: [UInt8]) -> [UInt8] { title + RecordWriter.bytes(Checksum.of(records[...])) + records }

  /// Reads bytes. Throws a `RecordError` if they are no registry.
  init(bytes: [UInt8]) throws(RecordError) {
    var reader = RecordReader(bytes)
    guard Array(try reader.bytes(Self.title.count)) == Self.title else {
      throw RecordError("it is no registry of this version")
    }
    let checksum: UInt64 = try reader.number()
    guard Checksum.of(bytes[(bytes.count - reader.left)...]) == checksum else { throw RecordError("its checksum is wrong") }
    host = try String(from: &reader)
    directory = try String(from: &reader)
    entries = try [String: Entry](from: &reader)
    guard reader.left == 0 else { throw RecordError("\(reader.left) bytes are left") }
  }

  /// Tells a damaged file from a sound one: FNV-1a of 64 bits (G. Fowler, L. C. Noll, K.-P. Vo), eight bytes at a time. It is no
  /// protection against somebody who means harm, from whom permissions protect.
  enum Checksum {
    static func of(_ bytes: ArraySlice<UInt8>) -> UInt64 {
      var sum: UInt64 = 0xcbf2_9ce4_8422_2325
      bytes.withUnsafeBytes { bytes in
        let words = bytes.count / 8
        for index in 0..<words {
          sum = (sum ^ bytes.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self)) &* 0x100_0000_01b3
        }
        for index in (8 * words)..<bytes.count { sum = (sum ^ UInt64(bytes[index])) &* 0x100_0000_01b3 }
      }
      return sum
    }
  }
}

extension RegistryFile.Entry: Recordable {
  func write(to writer: inout RecordWriter) {
    writer.write(files)
    writer.write(content)
    writer.write(configuration)
    writer.write(summary)
    writer.write(fault)
  }

  init(from reader: inout RecordReader) throws(RecordError) {
    files = try [RegistryFile.FileState](from: &reader)
    content = try ContentHash(from: &reader)
    configuration = try ContentHash(from: &reader)
    summary = try PluginSummary(from: &reader)
    fault = try PluginFault?(from: &reader)
  }
}

extension RegistryFile.FileState: Recordable {
  func write(to writer: inout RecordWriter) {
    writer.write(path)
    writer.write(identity)
  }

  init(from reader: inout RecordReader) throws(RecordError) {
    path = try String(from: &reader)
    identity = try PluginFile.Identity(from: &reader)
  }
}

extension PluginFile.Identity: Recordable {
  func write(to writer: inout RecordWriter) {
    writer.write(number: device)
    writer.write(number: inode)
    writer.write(number: size)
    writer.write(number: mode)
    writer.write(number: modified.seconds)
    writer.write(number: modified.nanoseconds)
    writer.write(number: changed.seconds)
    writer.write(number: changed.nanoseconds)
  }

  init(from reader: inout RecordReader) throws(RecordError) {
    self.init(
      device: try reader.number(), inode: try reader.number(), size: try reader.number(), mode: try reader.number(),
      modified: Time(seconds: try reader.number(), nanoseconds: try reader.number()),
      changed: Time(seconds: try reader.number(), nanoseconds: try reader.number()))
  }
}

extension [RegistryFile.FileState] {
  /// The number of bytes in the files.
  var size: Int64 { reduce(0) { $0 &+ $1.identity.size } }
}
