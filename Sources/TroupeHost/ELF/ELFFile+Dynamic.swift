/// What a shared library tells the loader: what it needs, what it is called, where it wants libraries to be looked for, and
/// where its symbols are.
package struct DynamicSection {
  /// The names of the libraries that it needs (`DT_NEEDED`), in their order.
  package private(set) var needed: [String] = []
  /// The name by which others know it (`DT_SONAME`).
  package private(set) var soname: String?
  /// Where it wants what it needs to be looked for (`DT_RUNPATH`), as it is written: folders with colons between them.
  package private(set) var runPath: String?
  /// The same in the older form (`DT_RPATH`), which the loader passes over where there is the newer.
  package private(set) var olderRunPath: String?

  /// Where its tables are in the file, each nil if there is none.
  private(set) var symbols: UInt64?
  private(set) var gnuHash: UInt64?
  private(set) var hash: UInt64?
  /// The texts that names are in: where they are in the file, and how many bytes.
  private(set) var strings: (offset: UInt64, size: UInt64) = (0, 0)
}

extension ELFFile {
  /// What the library tells the loader, or nil if it tells nothing, in which case the loader would refuse it. Reads a few
  /// kilobytes. Throws an `ELFError` if it is damaged.
  package func dynamicSection() throws(ELFError) -> DynamicSection? {
    try dynamicTable().map { table throws(ELFError) in try DynamicSection(table, self) }
  }

  /// The entries of the dynamic section, each a tag and a value of eight bytes; nil if there is none.
  func dynamicTable() throws(ELFError) -> Words? {
    guard let index = (0..<segmentCount).first(where: { self.segment($0).type == Self.dynamicSegment }) else { return nil }
    let segment = self.segment(index)
    guard segment.size <= Self.maximumDynamicSize else {
      throw ELFError("is damaged: its dynamic section is \(segment.size) bytes long")
    }
    return try bytes.words(at: segment.offset, count: Int(segment.size) / 16 * 16)
  }

  /// The offset in the file of what has an address, or nil if nothing of the file is loaded there.
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

  /// Whether the library tells the loader of its parts alone, and has no section headers. Reads a few bytes.
  func lacksSectionHeaders() throws(ELFError) -> Bool {
    let header = try bytes.words(at: 0, count: 64)
    return header.long(40) == 0 || header.half(60) == 0
  }

  /// `PT_LOAD`.
  static let loadedSegment: UInt32 = 1
  private static let dynamicSegment: UInt32 = 2
  /// Real ones have some forty entries of sixteen bytes.
  private static let maximumDynamicSize: UInt64 = 1 << 16
}

/// The tags of the entries that are read, `DT_` in elf(5).
enum DynamicTag {
  static let end: UInt64 = 0
  static let needed: UInt64 = 1
  static let hash: UInt64 = 4
  static let strings: UInt64 = 5
  static let symbols: UInt64 = 6
  static let stringsSize: UInt64 = 10
  static let soname: UInt64 = 14
  static let olderRunPath: UInt64 = 15
  static let textRelocations: UInt64 = 22
  static let runPath: UInt64 = 29
  static let flags: UInt64 = 30
  static let gnuHash: UInt64 = 0x6FFF_FEF5
}

extension DynamicSection {
  /// Reads a table of tags and values, of which the last counts where one is there twice.
  fileprivate init(_ table: Words, _ file: ELFFile) throws(ELFError) {
    var places: (symbols: UInt64?, gnuHash: UInt64?, hash: UInt64?, strings: UInt64?)
    var names: (soname: UInt64?, runPath: UInt64?, olderRunPath: UInt64?)
    var needed: [UInt64] = []
    for start in stride(from: 0, to: table.count, by: 16) {
      let (tag, value) = (table.long(start), table.long(start + 8))
      if tag == DynamicTag.end { break }
      switch tag {
      case DynamicTag.symbols: places.symbols = value
      case DynamicTag.gnuHash: places.gnuHash = value
      case DynamicTag.hash: places.hash = value
      case DynamicTag.strings: places.strings = value
      case DynamicTag.stringsSize: strings.size = value
      case DynamicTag.soname: names.soname = value
      case DynamicTag.runPath: names.runPath = value
      case DynamicTag.olderRunPath: names.olderRunPath = value
      case DynamicTag.needed: needed.append(value)
      default: break
      }
    }
    symbols = try Self.place(places.symbols, file)
    gnuHash = try Self.place(places.gnuHash, file)
    hash = try Self.place(places.hash, file)
    strings.offset = try Self.place(places.strings, file) ?? 0
    let bytes = file.bytes
    guard bytes.contains(offset: strings.offset, count: strings.size) else {
      throw ELFError("is truncated: its names reach beyond its end")
    }
    soname = try name(at: names.soname, in: bytes)
    runPath = try name(at: names.runPath, in: bytes)
    olderRunPath = try name(at: names.olderRunPath, in: bytes)
    for start in needed { self.needed.append(try name(at: start, in: bytes)) }
  }

  /// Where in the file the table is that has an address.
  private static func place(_ address: UInt64?, _ file: ELFFile) throws(ELFError) -> UInt64? {
    guard let address else { return nil }
    guard let offset = file.offset(of: address) else {
      throw ELFError("is damaged: it has a table at the address \(address), where nothing is loaded")
    }
    return offset
  }

  private func name(at start: UInt64?, in bytes: any ByteSource) throws(ELFError) -> String? {
    guard let start else { return nil }
    return try name(at: start, in: bytes) as String
  }

  /// The name that begins at an offset in the texts. Throws an `ELFError` if it does not lie within them.
  private func name(at start: UInt64, in bytes: any ByteSource) throws(ELFError) -> String {
    guard start < strings.size else { throw ELFError("is damaged: a name begins beyond its names") }
    return try bytes.name(at: strings.offset + start, limit: min(strings.size - start, Self.maximumNameLength))
  }

  /// The length of the longest path that the system takes.
  private static let maximumNameLength: UInt64 = 4096
}

extension ByteSource {
  /// The text from an offset to the next NUL. Throws an `ELFError` if none comes within `limit` bytes.
  func name(at offset: UInt64, limit: UInt64) throws(ELFError) -> String {
    var length: UInt64 = Self.usualNameLength
    while true {
      // Read anew with more of it if that was not all.
      let size = min(length, limit, max(count, offset) - offset)
      if let name = try words(at: offset, count: Int(size)).terminatedText(at: 0) { return name }
      guard size == length else { throw ELFError("is damaged: a name of it has no end") }
      length *= 4
    }
  }

  private static var usualNameLength: UInt64 { 256 }
}
