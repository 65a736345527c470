internal import TroupeBase

/// The headers of a shared library, read with bounds checks. The library is neither mapped nor run.
///
/// An ELF file describes itself twice. *Segments* (program headers) say what the loader maps; *sections* say what the linker wrote, and a
/// stripped file may lack them:
///
///     ELF header │ program headers │ notes … │ code │ dynamic section, symbols │ data │ names │ section headers
///                  PT_LOAD PT_NOTE   manifest          DT_NEEDED, DT_SONAME                     .comment, swift5_…
///
/// This file has both tables and what they say about the kind of the file. The other files of the directory read the notes with the
/// manifest, the dynamic section, the symbols, and the rights of the memory. See chapters 4 and 5 of the System V ABI; the files are
/// 64-bit and little-endian.
///
/// Every function accepts any bytes and throws a `ReadError` for damaged ones. The cost is a few reads of a few bytes, unless a function
/// says otherwise.
package struct ELFFile {
  /// A program header.
  struct Segment {
    let type: UInt32
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

  /// A section header.
  package struct Section {
    package let name: String
    let type: UInt32
    /// The address relative to the load address; 0 for a section that is not loaded.
    let address: UInt64
    let offset: UInt64
    let size: UInt64
    let alignment: UInt64
  }

  private struct SectionTable {
    let offset: UInt64
    let count: Int
    /// The index of the section with the names of all sections.
    let names: Int
  }

  /// `e_machine`.
  package let machine: UInt16

  let bytes: any ByteSource
  private let segmentTable: ByteView
  /// Nil for a file without section headers.
  private let sectionTable: SectionTable?

  /// Throws if the file is not a shared library for a 64-bit little-endian machine.
  ///
  /// - Parameter isProgram: Accepts also a program at fixed addresses. Its load address is 0.
  package init(_ bytes: any ByteSource, isProgram: Bool = false) throws(ReadError) {
    self.bytes = bytes
    guard bytes.count >= 4 else { throw ReadError("is not an ELF file") }
    let header = try bytes.view(at: 0, count: Int(min(bytes.count, UInt64(Self.headerSize))))
    guard header.uint32(0) == Self.magic else { throw ReadError("is not an ELF file") }
    guard header.count == Self.headerSize else { throw ReadError("is truncated: it ends within the ELF header") }
    guard header.uint8(4) == 2 else { throw ReadError("is a 32-bit library, and this host is a 64-bit program") }
    guard header.uint8(5) == 1 else { throw ReadError("is a big-endian library, and this host is little-endian") }
    machine = header.uint16(18)
    let type = header.uint16(16)
    guard type == Self.sharedObject || isProgram && type == Self.fixedProgram else {
      throw ReadError("is an ELF file, but not a shared library")
    }
    segmentTable = try Self.segmentTable(header, bytes)
    sectionTable = try Self.sectionTable(header, bytes)
  }

  /// Opens the file at a path. The error is a `Diagnosis` or a `ReadError`.
  package init(path: String) throws { try self.init(RegularFile(path: path).bytes) }

  /// Opens the file of the running program, also if it is at fixed addresses. The error is a `Diagnosis` or a `ReadError`.
  ///
  /// A program may have been started as an argument of the loader, as `ld.so PROGRAM`. Its file is not known then.
  package static func ofProgram() throws -> ELFFile {
    let file = try ELFFile(RegularFile(path: "/proc/self/exe").bytes, isProgram: true)
    guard file.hasInterpreter else { throw ReadError("is the dynamic loader") }
    return file
  }

  package var segmentCount: Int { segmentTable.count / Self.programHeaderSize }

  func segment(_ index: Int) -> Segment {
    let start = index * Self.programHeaderSize
    return Segment(
      type: segmentTable.uint32(start), flags: segmentTable.uint32(start + 4), offset: segmentTable.uint64(start + 8),
      address: segmentTable.uint64(start + 16), size: segmentTable.uint64(start + 32),
      memorySize: segmentTable.uint64(start + 40),
      alignment: segmentTable.uint64(start + 48))
  }

  /// Empty if the file has no section headers.
  package func sections() throws(ReadError) -> [Section] {
    guard let (count, table, names) = try sectionHeaders() else { return [] }
    return (0..<count).map { section($0, table, names) }
  }

  func section(named name: String) throws(ReadError) -> Section? {
    guard let (count, table, names) = try sectionHeaders() else { return nil }
    let name = Array(name.utf8) + [0]
    let index = (0..<count).first { names.has(name, at: Int(table.uint32($0 * Self.sectionHeaderSize))) }
    return index.map { section($0, table, names) }
  }

  func hasSection(prefix: String) throws(ReadError) -> Bool {
    guard let (count, table, names) = try sectionHeaders() else { return false }
    let prefix = Array(prefix.utf8)
    return (0..<count).contains { names.has(prefix, at: Int(table.uint32($0 * Self.sectionHeaderSize))) }
  }

  private func section(_ index: Int, _ table: ByteView, _ names: ByteView) -> Section {
    let start = index * Self.sectionHeaderSize
    return Section(
      name: names.text(at: Int(table.uint32(start))), type: table.uint32(start + 4), address: table.uint64(start + 16),
      offset: table.uint64(start + 24), size: table.uint64(start + 32), alignment: table.uint64(start + 48))
  }

  private static let magic: UInt32 = 0x464C_457F
  private static let headerSize = 64
  private static let programHeaderSize = 56
  private static let sectionHeaderSize = 64
  /// `ET_DYN` and `ET_EXEC`.
  private static let (sharedObject, fixedProgram): (UInt16, UInt16) = (3, 2)
  /// Real tables of section names have a few hundred bytes.
  private static let maximumNamesSize: UInt64 = 1 << 20

  private static func segmentTable(_ header: ByteView, _ bytes: any ByteSource) throws(ReadError) -> ByteView {
    let count = Int(header.uint16(56))
    guard count > 0 else { throw ReadError("is damaged: it has no program headers") }
    guard header.uint16(54) == UInt16(programHeaderSize) else {
      throw ReadError("is damaged: its program headers have a wrong size")
    }
    return try bytes.view(at: header.uint64(32), count: count * programHeaderSize)
  }

  private static func sectionTable(_ header: ByteView, _ bytes: any ByteSource) throws(ReadError) -> SectionTable? {
    let offset = header.uint64(40)
    let count = Int(header.uint16(60))
    guard offset > 0, count > 0 else { return nil }
    guard header.uint16(58) == UInt16(sectionHeaderSize) else {
      throw ReadError("is damaged: its section headers have a wrong size")
    }
    guard bytes.contains(offset: offset, count: UInt64(count * sectionHeaderSize)) else {
      throw ReadError("is truncated: its section headers reach beyond its end")
    }
    return SectionTable(offset: offset, count: count, names: Int(header.uint16(62)))
  }

  private func sectionHeaders() throws(ReadError) -> (count: Int, table: ByteView, names: ByteView)? {
    guard let sectionTable else { return nil }
    let table = try bytes.view(at: sectionTable.offset, count: sectionTable.count * Self.sectionHeaderSize)
    guard sectionTable.names < sectionTable.count else { return (sectionTable.count, table, ByteView([])) }
    let start = sectionTable.names * Self.sectionHeaderSize
    let size = table.uint64(start + 32)
    guard size <= Self.maximumNamesSize else { throw ReadError("is damaged: its section names are \(size) bytes long") }
    return (sectionTable.count, table, try bytes.view(at: table.uint64(start + 24), count: Int(size)))
  }
}

// MARK: - The kind of the file

extension ELFFile {
  /// Returns whether the file is a position-independent executable, which the loader refuses to open as a library. Only a file that names
  /// a program interpreter is read further: executables and a few libraries, such as libc.so.6.
  func isExecutable() throws(ReadError) -> Bool {
    guard hasInterpreter else { return false }
    return try flags1() & Self.executableFlag != 0
  }

  private var hasInterpreter: Bool { (0..<segmentCount).contains { segment($0).type == Self.interpreterSegment } }

  /// Returns whether the file has only the debug information of a library, which `objcopy --only-keep-debug` and `eu-strip -f` write. They
  /// keep the notes, and with them the manifest of a plugin. The code and the dynamic section have a size and no content.
  package func hasOnlyDebugInformation() throws(ReadError) -> Bool { try section(named: ".dynamic")?.type == Self.noContent }

  /// The loader never unloads such a library (`DF_1_NODELETE`).
  package func isNeverUnloaded() throws(ReadError) -> Bool { try flags1() & Self.neverUnloadedFlag != 0 }

  /// The value of `DT_FLAGS_1`. A library without the entry has no flags.
  private func flags1() throws(ReadError) -> UInt64 {
    try dynamicEntries()?.first { $0.tag == DynamicTag.flags1 }?.value ?? 0
  }

  func lacksSectionHeaders() throws(ReadError) -> Bool {
    let header = try bytes.view(at: 0, count: 64)
    return header.uint64(40) == 0 || header.uint16(60) == 0
  }

  /// `PT_INTERP`.
  private static let interpreterSegment: UInt32 = 3
  /// `SHT_NOBITS`.
  private static let noContent: UInt32 = 8
  /// `DF_1_PIE`.
  private static let executableFlag: UInt64 = 0x0800_0000
  /// `DF_1_NODELETE`.
  private static let neverUnloadedFlag: UInt64 = 8
}

// MARK: - Swift

extension ELFFile {
  /// Returns whether a section has Swift's metadata.
  package func holdsSwift() throws(ReadError) -> Bool {
    try hasSection(prefix: "swift5_")
  }
}
