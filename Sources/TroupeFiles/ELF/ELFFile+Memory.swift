internal import TroupeBase

/// What the loader does to the memory of the process for a library.
extension ELFFile {
  /// A reason why the loader would make memory of the process writable and executable at once.
  package enum WritableCode: Sendable, Hashable {
    /// The header `PT_GNU_STACK` is missing or asks for an executable stack. The loader makes the stacks of all threads executable.
    case executableStack
    /// A segment is loaded with the rights to write and to execute.
    case writableSegment
    /// The code contains relocations (`DT_TEXTREL`). The loader writes to the code.
    case textRelocations
  }

  /// Returns the first reason.
  ///
  /// - Parameter checksRelocations: True to read the dynamic section, which tells of text relocations.
  package func writableCode(checksRelocations: Bool) throws(ReadError) -> WritableCode? {
    var hasPlainStack = false
    for segment in (0..<segmentCount).lazy.map(segment) {
      let isExecutable = segment.flags & Segment.execute != 0
      switch segment.type {
      case Self.stackSegment where isExecutable: return .executableStack
      case Self.stackSegment: hasPlainStack = true
      case Self.loadedSegment where isExecutable && segment.flags & Segment.write != 0: return .writableSegment
      default: break
      }
    }
    guard hasPlainStack else { return .executableStack }
    guard checksRelocations else { return nil }
    return try hasTextRelocations() ? .textRelocations : nil
  }

  private func hasTextRelocations() throws(ReadError) -> Bool {
    try dynamicEntries()?.contains { tag, value in
      tag == DynamicTag.textRelocations || tag == DynamicTag.flags && value & Self.textRelocationsFlag != 0
    } ?? false
  }

  /// The bytes that each thread has for the library (`PT_TLS`).
  package var threadLocalSize: UInt64 {
    (0..<segmentCount).map { segment($0) }.first { $0.type == Self.threadLocalSegment }?.memorySize ?? 0
  }

  /// `PT_GNU_STACK`.
  private static let stackSegment: UInt32 = 0x6474_E551
  /// `PT_TLS`.
  private static let threadLocalSegment: UInt32 = 7
  /// `DF_TEXTREL`.
  private static let textRelocationsFlag: UInt64 = 4
}
