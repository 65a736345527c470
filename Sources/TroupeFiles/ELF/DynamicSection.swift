internal import TroupeBase

/// The dynamic section of a shared library: the libraries that it needs, its soname, its run path, and the offsets of its symbol
/// tables.
package struct DynamicSection {
  /// The names of the needed libraries (`DT_NEEDED`), in their order.
  package private(set) var needed: [String] = []
  /// The soname (`DT_SONAME`).
  package private(set) var soname: String?
  /// The run path (`DT_RUNPATH`): directories separated by colons, unexpanded.
  package private(set) var runPath: String?
  /// The older form of the run path (`DT_RPATH`). The loader ignores it if there is a `DT_RUNPATH`.
  package private(set) var rpath: String?

  /// The file offsets of the tables; nil for a missing table.
  private(set) var symbols: UInt64?
  private(set) var gnuHash: UInt64?
  private(set) var hash: UInt64?
  private(set) var versions: UInt64?
  /// The string table: its file offset and its size in bytes.
  private(set) var strings: (offset: UInt64, size: UInt64) = (0, 0)
}

extension ELFFile {
  /// Reads the dynamic section. Returns nil if there is none; the loader rejects such a library. Cost: reads a few kilobytes. Throws an
  /// `ReadError` if the section is damaged.
  package func dynamicSection() throws(ReadError) -> DynamicSection? {
    try dynamicTable().map { table throws(ReadError) in try DynamicSection(table, self) }
  }

  /// The entries of the dynamic section, each a tag and a value of eight bytes; nil if there is none.
  func dynamicTable() throws(ReadError) -> ByteView? {
    let indexes = (0..<segmentCount).filter { self.segment($0).type == Self.dynamicSegment }
    guard let index = indexes.first else { return nil }
    let segment = self.segment(index)
    // The loader reads the last one, at its address.
    guard indexes.count == 1 else { throw ReadError("is damaged: it has \(indexes.count) dynamic sections") }
    guard offset(of: segment.address) == segment.offset else {
      throw ReadError("is damaged: its dynamic section has an address at which another part of the file is loaded")
    }
    guard segment.size <= Self.maximumDynamicSize else {
      throw ReadError("is damaged: its dynamic section is \(segment.size) bytes long")
    }
    return try bytes.view(at: segment.offset, count: Int(segment.size) / 16 * 16)
  }

  /// Converts an address to a file offset. Returns nil if no loaded segment contains the address.
  fileprivate func offset(of address: UInt64) -> UInt64? {
    for index in 0..<segmentCount {
      let segment = self.segment(index)
      guard segment.type == Self.loadedSegment, address >= segment.address, address - segment.address < segment.size else {
        continue
      }
      let (offset, overflows) = segment.offset.addingReportingOverflow(address - segment.address)
      return overflows ? nil : offset
    }
    return nil
  }

  /// Whether the library has no section headers. Cost: reads a few bytes.
  func lacksSectionHeaders() throws(ReadError) -> Bool {
    let header = try bytes.view(at: 0, count: 64)
    return header.uint64(40) == 0 || header.uint16(60) == 0
  }

  /// `PT_LOAD`.
  static let loadedSegment: UInt32 = 1
  private static let dynamicSegment: UInt32 = 2
  /// Real sections have about forty entries of sixteen bytes.
  private static let maximumDynamicSize: UInt64 = 1 << 16
}

/// The tags that are read; `DT_` in elf(5).
enum DynamicTag {
  static let end: UInt64 = 0
  static let needed: UInt64 = 1
  static let hash: UInt64 = 4
  static let strings: UInt64 = 5
  static let symbols: UInt64 = 6
  static let stringsSize: UInt64 = 10
  static let soname: UInt64 = 14
  static let rpath: UInt64 = 15
  static let textRelocations: UInt64 = 22
  static let runPath: UInt64 = 29
  static let flags: UInt64 = 30
  static let gnuHash: UInt64 = 0x6FFF_FEF5
  static let versions: UInt64 = 0x6FFF_FFF0
}

extension DynamicSection {
  /// Parses a table of tags and values. The last of several entries with the same tag counts.
  fileprivate init(_ table: ByteView, _ file: ELFFile) throws(ReadError) {
    var places: (symbols: UInt64?, gnuHash: UInt64?, hash: UInt64?, versions: UInt64?, strings: UInt64?)
    var names: (soname: UInt64?, runPath: UInt64?, rpath: UInt64?)
    var needed: [UInt64] = []
    for start in stride(from: 0, to: table.count, by: 16) {
      let (tag, value) = (table.uint64(start), table.uint64(start + 8))
      if tag == DynamicTag.end { break }
      switch tag {
      case DynamicTag.symbols: places.symbols = value
      case DynamicTag.gnuHash: places.gnuHash = value
      case DynamicTag.hash: places.hash = value
      case DynamicTag.versions: places.versions = value
      case DynamicTag.strings: places.strings = value
      case DynamicTag.stringsSize: strings.size = value
      case DynamicTag.soname: names.soname = value
      case DynamicTag.runPath: names.runPath = value
      case DynamicTag.rpath: names.rpath = value
      case DynamicTag.needed: needed.append(value)
      default: break
      }
    }
    symbols = try Self.place(places.symbols, file)
    gnuHash = try Self.place(places.gnuHash, file)
    hash = try Self.place(places.hash, file)
    versions = try Self.place(places.versions, file)
    strings.offset = try Self.place(places.strings, file) ?? 0
    let bytes = file.bytes
    guard bytes.contains(offset: strings.offset, count: strings.size) else {
      throw ReadError("is truncated: its names reach beyond its end")
    }
    soname = try name(at: names.soname, in: bytes)
    runPath = try name(at: names.runPath, in: bytes)
    rpath = try name(at: names.rpath, in: bytes)
    for start in needed { self.needed.append(try name(at: start, in: bytes)) }
  }

  /// The file offset of the table at an address.
  private static func place(_ address: UInt64?, _ file: ELFFile) throws(ReadError) -> UInt64? {
    guard let address else { return nil }
    guard let offset = file.offset(of: address) else {
      throw ReadError("is damaged: it has a table at the address \(address), where nothing is loaded")
    }
    return offset
  }

  private func name(at start: UInt64?, in bytes: any ByteSource) throws(ReadError) -> String? {
    guard let start else { return nil }
    return try name(at: start, in: bytes) as String
  }

  /// The name at an offset in the string table. Throws an `ReadError` if the name does not lie within the table.
  private func name(at start: UInt64, in bytes: any ByteSource) throws(ReadError) -> String {
    guard start < strings.size else { throw ReadError("is damaged: a name begins beyond its names") }
    return try bytes.name(at: strings.offset + start, limit: min(strings.size - start, Self.maximumNameLength))
  }

  /// `PATH_MAX`.
  private static let maximumNameLength: UInt64 = 4096
}

extension ByteSource {
  /// The string from an offset to the next NUL. Throws an `ReadError` if there is no NUL within `limit` bytes.
  func name(at offset: UInt64, limit: UInt64) throws(ReadError) -> String {
    var length: UInt64 = Self.usualNameLength
    while true {
      // Reads a longer part if the previous one contains no NUL.
      let size = min(length, limit, max(count, offset) - offset)
      if let name = try view(at: offset, count: Int(size)).terminatedText(at: 0) { return name }
      guard size == length else { throw ReadError("is damaged: a name of it has no end") }
      length *= 4
    }
  }

  private static var usualNameLength: UInt64 { 256 }
}
