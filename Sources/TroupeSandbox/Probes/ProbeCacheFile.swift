package import TroupeFiles
internal import TroupeManifest

/// The cached results of the probes of the plugins in one directory, as a file.
///
/// The file consists of a title line with the version of the format, a checksum, and the records (`RecordWriter`), which begin with the
/// host and the directory. The host ignores a file with any other content.
package struct ProbeCacheFile: Equatable {
  /// The result for one plugin.
  package struct Entry: Equatable {
    /// The files of the plugin at the time of the probe: its own file and, if it adopts a library, the library.
    package var files: [FileState]
    package let content: ContentHash
    /// The hash of the configuration in the probe.
    package let configuration: ContentHash
    package let summary: PluginSummary
    /// The reason why the plugin was rejected; nil if it was not.
    package var diagnosis: Diagnosis?

    package init(
      files: [FileState], content: ContentHash, configuration: ContentHash, summary: PluginSummary, diagnosis: Diagnosis? = nil
    ) {
      (self.files, self.content, self.configuration) = (files, content, configuration)
      (self.summary, self.diagnosis) = (summary, diagnosis)
    }
  }

  /// The host that probed the plugins. A plugin may register other factories in another host.
  package let host: String
  package let directory: String
  /// The results by the file names of the plugins.
  package var entries: [String: Entry] = [:]

  package init(host: String, directory: String) {
    self.host = host
    self.directory = directory
  }
}

extension ProbeCacheFile {
  private static let title = Array("Troupe registry \(RegistrationDescription.codecVersion)\n".utf8)

  package var bytes: [UInt8] { Self.sealed(records) }

  /// The records, without the title and the checksum.
  var records: [UInt8] {
    var writer = RecordWriter()
    writer.write(host, directory, entries)
    return writer.bytes
  }

  static func sealed(_ records: [UInt8]) -> [UInt8] { title + RecordWriter.bytes(Checksum.of(records[...])) + records }

  /// Decodes a file. Throws a `ReadError` if it is damaged or of another version.
  package init(bytes: [UInt8]) throws(ReadError) {
    var reader = RecordReader(bytes)
    guard Array(try reader.bytes(Self.title.count)) == Self.title else {
      throw ReadError("it is no registry of this version")
    }
    let checksum: UInt64 = try reader.number()
    guard Checksum.of(bytes[(bytes.count - reader.left)...]) == checksum else { throw ReadError("its checksum is wrong") }
    (host, directory, entries) = try reader.values()
    guard reader.left == 0 else { throw ReadError("\(reader.left) bytes are left") }
  }

  /// A checksum that detects damaged files: FNV-1a of 64 bits (G. Fowler, L. C. Noll, K.-P. Vo), eight bytes at a time. It does not
  /// protect against attackers; the permissions of the file do.
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

extension ProbeCacheFile.Entry: Recordable {
  package func write(to writer: inout RecordWriter) { writer.write(files, content, configuration, summary, diagnosis) }

  package init(from reader: inout RecordReader) throws(ReadError) {
    (files, content, configuration, summary, diagnosis) = try reader.values()
  }
}
