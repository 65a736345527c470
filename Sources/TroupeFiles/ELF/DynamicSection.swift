internal import TroupeBase

/// What a library tells the loader: the libraries that it needs, its soname, its run path, and where its symbol tables are.
///
/// The section is an array of tags and values. Names are offsets in a string table, tables are addresses. This type converts the addresses of
/// the tables that each examination reads to file offsets; for the members called `address`, the reader calls `ELFFile.offset(of:)`.
/// `ELFFile.dynamicSection()` creates it.
package struct DynamicSection {
  /// `DT_NEEDED`, in order.
  package private(set) var needed: [String] = []
  /// `DT_SONAME`.
  package private(set) var soname: String?
  /// `DT_RUNPATH`: directories separated by colons, unexpanded.
  package private(set) var runPath: String?
  /// `DT_RPATH`, which the loader ignores if there is a `DT_RUNPATH`.
  package private(set) var rpath: String?
  /// The loader gives symbols of further libraries in place of those of this one (`DT_FILTER`, `DT_AUXILIARY`).
  private(set) var isFilter = false

  /// File offset of `DT_SYMTAB`. The tables of `DT_GNU_HASH`, `DT_HASH` and `DT_VERSYM` follow.
  private(set) var symbolsOffset: UInt64?
  private(set) var gnuHashOffset: UInt64?
  private(set) var hashOffset: UInt64?
  private(set) var versionsOffset: UInt64?
  /// File offset and size in bytes. Without a string table the size is 0, so that every name is out of range.
  private(set) var stringTable: (offset: UInt64, size: UInt64) = (0, 0)
  /// Addresses of `DT_VERNEED` and `DT_VERDEF`.
  private(set) var versionNeedsAddress: UInt64?
  private(set) var versionDefinitionsAddress: UInt64?
  /// The tables of `DT_RELA` and `DT_JMPREL`. A missing size is 0.
  private(set) var relocations: (address: UInt64?, size: UInt64) = (nil, 0)
  private(set) var callRelocations: (address: UInt64?, size: UInt64) = (nil, 0)
}

extension ELFFile {
  /// Returns nil for a library without a dynamic section, which the loader rejects. Cost: reads a few kilobytes.
  package func dynamicSection() throws(ReadError) -> DynamicSection? {
    try dynamicEntries().map { entries throws(ReadError) in try DynamicSection(entries, self) }
  }

  /// Returns the entries before `DT_NULL`.
  func dynamicEntries() throws(ReadError) -> [(tag: UInt64, value: UInt64)]? {
    let indexes = (0..<segmentCount).filter { self.segment($0).type == Self.dynamicSegment }
    guard let index = indexes.first else { return nil }
    let segment = self.segment(index)
    // The loader reads the last one, at its address. Another section must not pass for the one that counts.
    guard indexes.count == 1 else { throw ReadError("is damaged: it has \(indexes.count) dynamic sections") }
    guard offset(of: segment.address) == segment.offset else {
      throw ReadError("is damaged: its dynamic section has an address at which another part of the file is loaded")
    }
    guard segment.size <= Self.maximumDynamicSize else {
      throw ReadError("is damaged: its dynamic section is \(segment.size) bytes long")
    }
    let table = try bytes.view(at: segment.offset, count: Int(segment.size) / Self.entrySize * Self.entrySize)
    return stride(from: 0, to: table.count, by: Self.entrySize).lazy.map { (table.uint64($0), table.uint64($0 + 8)) }
      .prefix { $0.0 != DynamicTag.end }.map { (tag: $0.0, value: $0.1) }
  }

  /// Returns nil if no loaded segment contains the address.
  func offset(of address: UInt64) -> UInt64? {
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

  /// `PT_LOAD`.
  static let loadedSegment: UInt32 = 1
  private static let dynamicSegment: UInt32 = 2
  /// A tag and a value of eight bytes each.
  private static let entrySize = 16
  /// Real sections have about forty entries.
  private static let maximumDynamicSize: UInt64 = 1 << 16
}

/// The tags of entries that this module reads; `DT_` in elf(5).
enum DynamicTag {
  static let end: UInt64 = 0
  static let needed: UInt64 = 1
  static let hash: UInt64 = 4
  static let strings: UInt64 = 5
  static let symbols: UInt64 = 6
  static let relocations: UInt64 = 7
  static let relocationsSize: UInt64 = 8
  static let stringsSize: UInt64 = 10
  static let soname: UInt64 = 14
  static let rpath: UInt64 = 15
  static let callRelocationsSize: UInt64 = 2
  static let callRelocations: UInt64 = 23
  static let textRelocations: UInt64 = 22
  static let runPath: UInt64 = 29
  static let flags: UInt64 = 30
  static let flags1: UInt64 = 0x6FFF_FFFB
  static let gnuHash: UInt64 = 0x6FFF_FEF5
  static let versions: UInt64 = 0x6FFF_FFF0
  static let versionDefinitions: UInt64 = 0x6FFF_FFFC
  static let versionNeeds: UInt64 = 0x6FFF_FFFE
  static let auxiliary: UInt64 = 0x7FFF_FFFD
  static let filter: UInt64 = 0x7FFF_FFFF
}

extension DynamicSection {
  /// The last of several entries with the same tag counts.
  fileprivate init(_ entries: [(tag: UInt64, value: UInt64)], _ file: ELFFile) throws(ReadError) {
    var addresses: (symbols: UInt64?, gnuHash: UInt64?, hash: UInt64?, versions: UInt64?, strings: UInt64?)
    var nameOffsets: (soname: UInt64?, runPath: UInt64?, rpath: UInt64?)
    var needed: [UInt64] = []
    for (tag, value) in entries {
      switch tag {
      case DynamicTag.symbols: addresses.symbols = value
      case DynamicTag.gnuHash: addresses.gnuHash = value
      case DynamicTag.hash: addresses.hash = value
      case DynamicTag.versions: addresses.versions = value
      case DynamicTag.strings: addresses.strings = value
      case DynamicTag.stringsSize: stringTable.size = value
      case DynamicTag.soname: nameOffsets.soname = value
      case DynamicTag.runPath: nameOffsets.runPath = value
      case DynamicTag.rpath: nameOffsets.rpath = value
      case DynamicTag.needed: needed.append(value)
      case DynamicTag.relocations: relocations.address = value
      case DynamicTag.relocationsSize: relocations.size = value
      case DynamicTag.callRelocations: callRelocations.address = value
      case DynamicTag.callRelocationsSize: callRelocations.size = value
      case DynamicTag.versionNeeds: versionNeedsAddress = value
      case DynamicTag.versionDefinitions: versionDefinitionsAddress = value
      case DynamicTag.auxiliary, DynamicTag.filter: isFilter = true
      default: break
      }
    }
    symbolsOffset = try Self.offset(addresses.symbols, file)
    gnuHashOffset = try Self.offset(addresses.gnuHash, file)
    hashOffset = try Self.offset(addresses.hash, file)
    versionsOffset = try Self.offset(addresses.versions, file)
    stringTable.offset = try Self.offset(addresses.strings, file) ?? 0
    let bytes = file.bytes
    guard bytes.contains(offset: stringTable.offset, count: stringTable.size) else {
      throw ReadError("is truncated: its names reach beyond its end")
    }
    soname = try name(at: nameOffsets.soname, in: bytes)
    runPath = try name(at: nameOffsets.runPath, in: bytes)
    rpath = try name(at: nameOffsets.rpath, in: bytes)
    for offset in needed { self.needed.append(try name(at: offset, in: bytes)) }
  }

  private static func offset(_ address: UInt64?, _ file: ELFFile) throws(ReadError) -> UInt64? {
    guard let address else { return nil }
    guard let offset = file.offset(of: address) else {
      throw ReadError("is damaged: it has a table at the address \(address), where nothing is loaded")
    }
    return offset
  }

  private func name(at offset: UInt64?, in bytes: any ByteSource) throws(ReadError) -> String? {
    guard let offset else { return nil }
    return try name(at: offset, in: bytes) as String
  }

  /// - Parameter offset: An offset in the string table.
  func name(at offset: UInt64, in bytes: any ByteSource) throws(ReadError) -> String {
    guard offset < stringTable.size else { throw ReadError("is damaged: a name begins beyond its names") }
    return try bytes.name(at: stringTable.offset + offset, limit: min(stringTable.size - offset, Self.maximumNameLength))
  }

  /// `PATH_MAX`.
  private static let maximumNameLength: UInt64 = 4096
}

extension ByteSource {
  /// Returns the string from a file offset to the next NUL, which has to be within `limit` bytes.
  func name(at offset: UInt64, limit: UInt64) throws(ReadError) -> String {
    var length: UInt64 = Self.usualNameLength
    while true {
      // Reads a longer part if the previous one contains no NUL.
      let size = min(length, limit, max(count, offset) - offset)
      if let name = try view(at: offset, count: Int(size)).terminatedText(at: 0) { return name }
      let isLimited = size < length
      guard !isLimited else { throw ReadError("is damaged: a name of it has no end") }
      length *= 4
    }
  }

  private static var usualNameLength: UInt64 { 256 }
}
