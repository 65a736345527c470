/// The parts of an ELF file that tell what it is, read with bounds checks and without running or mapping anything.
///
/// Follows the System V ABI, chapters 4 and 5, for 64-bit little-endian files.
package struct ELFFile {
  /// One program header.
  package struct Segment {
    let type: UInt32
    let offset: UInt64
    let size: UInt64
    let alignment: UInt64
  }

  /// One section header.
  package struct Section {
    package let name: String
    let type: UInt32
    let offset: UInt64
    let size: UInt64
    let alignment: UInt64
  }

  /// The number of a machine, `e_machine`.
  package let machine: UInt16
  /// The program headers.
  package let segments: [Segment]

  let bytes: any ByteSource
  private let sectionTable: (offset: UInt64, count: Int, names: Int)

  /// Reads the headers. Throws an `ELFError` if the bytes are not a shared library for a 64-bit little-endian machine.
  package init(_ bytes: any ByteSource) throws(ELFError) {
    self.bytes = bytes
    guard bytes.count >= 4 else { throw ELFError("is not an ELF file") }
    guard try bytes.read(at: 0, count: 4) == [0x7F, UInt8(ascii: "E"), UInt8(ascii: "L"), UInt8(ascii: "F")] else {
      throw ELFError("is not an ELF file")
    }
    guard bytes.count >= UInt64(Self.headerSize) else { throw ELFError("is truncated: it ends within the ELF header") }
    let header = Words(try bytes.read(at: 0, count: Self.headerSize))
    guard header.byte(4) == 2 else { throw ELFError("is a 32-bit library, and this host is a 64-bit program") }
    guard header.byte(5) == 1 else { throw ELFError("is a big-endian library, and this host is little-endian") }
    machine = header.half(18)
    guard header.half(16) == Self.sharedObject else {
      throw ELFError("is an ELF file, but not a shared library")
    }
    segments = try Self.segments(header, bytes)
    sectionTable = try Self.sectionTable(header, bytes)
  }

  /// The section headers; none if the file has been stripped of them. Throws an `ELFError` if they are damaged.
  package func sections() throws(ELFError) -> [Section] {
    let (offset, count, names) = sectionTable
    guard count > 0 else { return [] }
    let table = Words(try bytes.read(at: offset, count: count * Self.sectionHeaderSize))
    let strings = try sectionNames(table, index: names)
    var sections: [Section] = []
    for index in 0..<count {
      let start = index * Self.sectionHeaderSize
      let name = strings.text(at: Int(table.word(start)))
      sections.append(
        Section(
          name: name, type: table.word(start + 4), offset: table.long(start + 24), size: table.long(start + 32),
          alignment: table.long(start + 48)))
    }
    return sections
  }

  private static let headerSize = 64
  private static let programHeaderSize = 56
  private static let sectionHeaderSize = 64
  private static let sharedObject: UInt16 = 3
  /// Section names longer than this are not read; real tables are a few hundred bytes.
  private static let maximumNamesSize: UInt64 = 1 << 20

  private static func segments(_ header: Words, _ bytes: any ByteSource) throws(ELFError) -> [Segment] {
    let count = Int(header.half(56))
    guard count > 0 else { throw ELFError("is damaged: it has no program headers") }
    guard header.half(54) == UInt16(programHeaderSize) else {
      throw ELFError("is damaged: its program headers have a wrong size")
    }
    let table = Words(try bytes.read(at: header.long(32), count: count * programHeaderSize))
    return (0..<count).map { index in
      let start = index * programHeaderSize
      return Segment(
        type: table.word(start), offset: table.long(start + 8), size: table.long(start + 32),
        alignment: table.long(start + 48))
    }
  }

  private static func sectionTable(
    _ header: Words, _ bytes: any ByteSource
  ) throws(ELFError) -> (offset: UInt64, count: Int, names: Int) {
    let offset = header.long(40)
    let count = Int(header.half(60))
    guard offset > 0, count > 0 else { return (0, 0, 0) }
    guard header.half(58) == UInt16(sectionHeaderSize) else {
      throw ELFError("is damaged: its section headers have a wrong size")
    }
    guard bytes.contains(offset: offset, count: UInt64(count * sectionHeaderSize)) else {
      throw ELFError("is truncated: its section headers reach beyond its end")
    }
    return (offset, count, Int(header.half(62)))
  }

  private func sectionNames(_ table: Words, index: Int) throws(ELFError) -> Words {
    guard index < sectionTable.count else { return Words([]) }
    let start = index * Self.sectionHeaderSize
    let size = table.long(start + 32)
    guard size <= Self.maximumNamesSize else { throw ELFError("is damaged: its section names are \(size) bytes long") }
    return Words(try bytes.read(at: table.long(start + 24), count: Int(size)))
  }
}

/// Little-endian numbers in a block of bytes. Whoever asks stays within the block.
struct Words {
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  func byte(_ offset: Int) -> UInt8 { bytes[offset] }
  func half(_ offset: Int) -> UInt16 { UInt16(number(offset, size: 2)) }
  func word(_ offset: Int) -> UInt32 { UInt32(number(offset, size: 4)) }
  func long(_ offset: Int) -> UInt64 { number(offset, size: 8) }

  /// The text from an offset to the next NUL, empty if the offset lies outside. It is cut at a length that no real name
  /// has, so that a table of names without a NUL does not become megabytes for each name.
  func text(at offset: Int) -> String {
    guard bytes.indices.contains(offset) else { return "" }
    return String(decoding: bytes[offset...].prefix(Self.maximumTextLength).prefix { $0 != 0 }, as: UTF8.self)
  }

  private static let maximumTextLength = 256

  private func number(_ offset: Int, size: Int) -> UInt64 {
    bytes[offset..<offset + size].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
