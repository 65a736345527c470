internal import TroupeBase

/// The headers of an ELF file, read with bounds checks and without running or mapping the file.
///
/// Follows the System V ABI, chapters 4 and 5, for 64-bit little-endian files.
package struct ELFFile {
  /// One program header.
  struct Segment {
    let type: UInt32
    /// The access rights of the segment's memory.
    let flags: UInt32
    let offset: UInt64
    /// The address relative to the load address.
    let address: UInt64
    let size: UInt64
    /// The size in memory, of which the file has the beginning.
    let memorySize: UInt64
    let alignment: UInt64

    /// `PF_X` and `PF_W` among the flags.
    static let (execute, write): (UInt32, UInt32) = (1, 2)
  }

  /// One section header.
  package struct Section {
    package let name: String
    let type: UInt32
    let offset: UInt64
    let size: UInt64
    let alignment: UInt64
  }

  /// The machine, `e_machine`.
  package let machine: UInt16

  let bytes: any ByteSource
  private let segmentTable: ByteView
  private let sectionTable: (offset: UInt64, count: Int, names: Int)

  /// Reads the headers. Throws an `ReadError` if the file is not a shared library for a 64-bit little-endian machine.
  package init(_ bytes: any ByteSource) throws(ReadError) {
    self.bytes = bytes
    guard bytes.count >= 4 else { throw ReadError("is not an ELF file") }
    let header = try bytes.view(at: 0, count: Int(min(bytes.count, UInt64(Self.headerSize))))
    guard header.uint32(0) == Self.magic else { throw ReadError("is not an ELF file") }
    guard header.count == Self.headerSize else { throw ReadError("is truncated: it ends within the ELF header") }
    guard header.uint8(4) == 2 else { throw ReadError("is a 32-bit library, and this host is a 64-bit program") }
    guard header.uint8(5) == 1 else { throw ReadError("is a big-endian library, and this host is little-endian") }
    machine = header.uint16(18)
    guard header.uint16(16) == Self.sharedObject else {
      throw ReadError("is an ELF file, but not a shared library")
    }
    segmentTable = try Self.segmentTable(header, bytes)
    sectionTable = try Self.sectionTable(header, bytes)
  }

  /// The number of program headers.
  package var segmentCount: Int { segmentTable.count / Self.programHeaderSize }

  /// The program header at an index.
  func segment(_ index: Int) -> Segment {
    let start = index * Self.programHeaderSize
    return Segment(
      type: segmentTable.uint32(start), flags: segmentTable.uint32(start + 4), offset: segmentTable.uint64(start + 8),
      address: segmentTable.uint64(start + 16), size: segmentTable.uint64(start + 32), memorySize: segmentTable.uint64(start + 40),
      alignment: segmentTable.uint64(start + 48))
  }

  /// The section headers; empty if the file has none. Throws an `ReadError` if they are damaged.
  package func sections() throws(ReadError) -> [Section] {
    guard let (table, names) = try sectionHeaders() else { return [] }
    return (0..<sectionTable.count).map { section($0, table, names) }
  }

  /// The first section with a name, or nil if there is none. Throws an `ReadError` if the section headers are damaged.
  func section(named name: String) throws(ReadError) -> Section? {
    guard let (table, names) = try sectionHeaders() else { return nil }
    let name = Array(name.utf8) + [0]
    let index = (0..<sectionTable.count).first { names.has(name, at: Int(table.uint32($0 * Self.sectionHeaderSize))) }
    return index.map { section($0, table, names) }
  }

  /// Whether the name of a section has a prefix. Throws an `ReadError` if the section headers are damaged.
  func hasSection(prefix: String) throws(ReadError) -> Bool {
    guard let (table, names) = try sectionHeaders() else { return false }
    let prefix = Array(prefix.utf8)
    return (0..<sectionTable.count).contains { names.has(prefix, at: Int(table.uint32($0 * Self.sectionHeaderSize))) }
  }

  private func section(_ index: Int, _ table: ByteView, _ names: ByteView) -> Section {
    let start = index * Self.sectionHeaderSize
    return Section(
      name: names.text(at: Int(table.uint32(start))), type: table.uint32(start + 4), offset: table.uint64(start + 24),
      size: table.uint64(start + 32), alignment: table.uint64(start + 48))
  }

  private static let magic: UInt32 = 0x464C_457F
  private static let headerSize = 64
  private static let programHeaderSize = 56
  private static let sectionHeaderSize = 64
  private static let sharedObject: UInt16 = 3
  /// The largest size of the table of section names. Real tables have a few hundred bytes.
  private static let maximumNamesSize: UInt64 = 1 << 20

  private static func segmentTable(_ header: ByteView, _ bytes: any ByteSource) throws(ReadError) -> ByteView {
    let count = Int(header.uint16(56))
    guard count > 0 else { throw ReadError("is damaged: it has no program headers") }
    guard header.uint16(54) == UInt16(programHeaderSize) else {
      throw ReadError("is damaged: its program headers have a wrong size")
    }
    return try bytes.view(at: header.uint64(32), count: count * programHeaderSize)
  }

  private static func sectionTable(
    _ header: ByteView, _ bytes: any ByteSource
  ) throws(ReadError) -> (offset: UInt64, count: Int, names: Int) {
    let offset = header.uint64(40)
    let count = Int(header.uint16(60))
    guard offset > 0, count > 0 else { return (0, 0, 0) }
    guard header.uint16(58) == UInt16(sectionHeaderSize) else {
      throw ReadError("is damaged: its section headers have a wrong size")
    }
    guard bytes.contains(offset: offset, count: UInt64(count * sectionHeaderSize)) else {
      throw ReadError("is truncated: its section headers reach beyond its end")
    }
    return (offset, count, Int(header.uint16(62)))
  }

  /// The section headers and their names, or nil if there are none.
  private func sectionHeaders() throws(ReadError) -> (table: ByteView, names: ByteView)? {
    guard sectionTable.count > 0 else { return nil }
    let table = try bytes.view(at: sectionTable.offset, count: sectionTable.count * Self.sectionHeaderSize)
    guard sectionTable.names < sectionTable.count else { return (table, ByteView([])) }
    let start = sectionTable.names * Self.sectionHeaderSize
    let size = table.uint64(start + 32)
    guard size <= Self.maximumNamesSize else { throw ReadError("is damaged: its section names are \(size) bytes long") }
    return (table, try bytes.view(at: table.uint64(start + 24), count: Int(size)))
  }
}
