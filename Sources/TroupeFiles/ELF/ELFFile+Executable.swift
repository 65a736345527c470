internal import TroupeBase

extension ELFFile {
  /// Whether the file is a position-independent executable, which the loader refuses to open as a library. Only a file that names a
  /// program interpreter is read further: executables and a few libraries, such as libc.so.6.
  func isExecutable() throws(ReadError) -> Bool {
    guard (0..<segmentCount).contains(where: { segment($0).type == Self.interpreterSegment }) else { return false }
    return try flags1() & Self.executableFlag != 0
  }

  /// The value of `DT_FLAGS_1`; 0 if it is missing.
  private func flags1() throws(ReadError) -> UInt64 {
    guard let table = try dynamicTable() else { return 0 }
    for start in stride(from: 0, to: table.count, by: 16) {
      switch table.uint64(start) {
      case DynamicTag.end: return 0
      case Self.flags1: return table.uint64(start + 8)
      default: break
      }
    }
    return 0
  }

  /// `PT_INTERP`.
  private static let interpreterSegment: UInt32 = 3
  /// `DT_FLAGS_1`.
  private static let flags1: UInt64 = 0x6FFF_FFFB
  /// `DF_1_PIE`.
  private static let executableFlag: UInt64 = 0x0800_0000
}

extension ELFFile {
  /// Whether the file has only the debug information of a library, which `objcopy --only-keep-debug` and `eu-strip -f` write. They keep
  /// the notes, and with them the manifest of a plugin. The code and the dynamic section have a size and no content.
  package func hasOnlyDebugInformation() throws(ReadError) -> Bool { try section(named: ".dynamic")?.type == Self.noContent }

  /// `SHT_NOBITS`.
  private static let noContent: UInt32 = 8
}

extension ELFFile {
  /// The size of the memory that each thread has for the library (`PT_TLS`), in bytes.
  package var threadLocalSize: UInt64 {
    (0..<segmentCount).map { segment($0) }.first { $0.type == Self.threadLocalSegment }?.memorySize ?? 0
  }

  /// `PT_TLS`.
  private static let threadLocalSegment: UInt32 = 7

  /// Whether the loader keeps the library in memory for ever (`DF_1_NODELETE`).
  package func isNeverUnloaded() throws(ReadError) -> Bool { try flags1() & Self.neverUnloadedFlag != 0 }

  /// `DF_1_NODELETE`.
  private static let neverUnloadedFlag: UInt64 = 8
}
