internal import TroupeBase

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

  /// Returns the first such reason, or nil.
  ///
  /// - Parameter checksRelocations: Whether to look for text relocations, for which the dynamic section is read.
  /// - Throws: An `ReadError` if the dynamic section is damaged.
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
    guard let table = try dynamicTable() else { return false }
    for start in stride(from: 0, to: table.count, by: 16) {
      switch table.uint64(start) {
      case DynamicTag.end: return false
      case DynamicTag.textRelocations: return true
      case DynamicTag.flags where table.uint64(start + 8) & Self.textRelocationsFlag != 0: return true
      default: break
      }
    }
    return false
  }

  /// `PT_GNU_STACK`.
  private static let stackSegment: UInt32 = 0x6474_E551
  /// `DF_TEXTREL`.
  private static let textRelocationsFlag: UInt64 = 4
}
