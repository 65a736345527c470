/// What a shared library tells the loader: what it needs, what it is called, where it wants libraries to be looked for, and where its
/// symbols are.
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
    guard let segment = segments.first(where: { $0.type == Self.dynamicSegment }) else { return nil }
    guard segment.size <= Self.maximumDynamicSize else {
      throw ELFError("is damaged: what it tells the loader is \(segment.size) bytes long")
    }
    let count = Int(segment.size) / 16
    let table = Words(try bytes.read(at: segment.offset, count: count * 16))
    let loaded = try LoadedSegments(bytes)
    var entries: [(tag: UInt64, value: UInt64)] = []
    for index in 0..<count {
      let tag = table.long(index * 16)
      if tag == Tag.end { break }
      entries.append((tag, table.long(index * 16 + 8)))
    }
    return try DynamicSection(entries, loaded, bytes)
  }

  /// Whether the library tells the loader of its parts alone, and has no section headers. Reads a few bytes.
  func lacksSectionHeaders() throws(ELFError) -> Bool {
    let header = Words(try bytes.read(at: 0, count: 64))
    return header.long(40) == 0 || header.half(60) == 0
  }

  private static let dynamicSegment: UInt32 = 2
  /// Real ones have some forty entries of sixteen bytes.
  private static let maximumDynamicSize: UInt64 = 1 << 16
}

/// The tags of the entries that are read, `DT_` in elf(5).
private enum Tag {
  static let end: UInt64 = 0
  static let needed: UInt64 = 1
  static let hash: UInt64 = 4
  static let strings: UInt64 = 5
  static let symbols: UInt64 = 6
  static let stringsSize: UInt64 = 10
  static let soname: UInt64 = 14
  static let olderRunPath: UInt64 = 15
  static let runPath: UInt64 = 29
  static let gnuHash: UInt64 = 0x6FFF_FEF5
}

extension DynamicSection {
  fileprivate init(
    _ entries: [(tag: UInt64, value: UInt64)], _ loaded: LoadedSegments, _ bytes: any ByteSource
  ) throws(ELFError) {
    func value(_ tag: UInt64) -> UInt64? { entries.last { $0.tag == tag }?.value }
    func place(_ tag: UInt64) throws(ELFError) -> UInt64? {
      guard let address = value(tag) else { return nil }
      guard let offset = loaded.offset(of: address) else {
        throw ELFError("is damaged: it has a table at the address \(address), where nothing is loaded")
      }
      return offset
    }
    symbols = try place(Tag.symbols)
    gnuHash = try place(Tag.gnuHash)
    hash = try place(Tag.hash)
    strings = (try place(Tag.strings) ?? 0, value(Tag.stringsSize) ?? 0)
    guard bytes.contains(offset: strings.offset, count: strings.size) else {
      throw ELFError("is truncated: its names reach beyond its end")
    }
    func text(_ tag: UInt64) throws(ELFError) -> String? {
      guard let start = value(tag) else { return nil }
      return try name(at: start, in: bytes)
    }
    soname = try text(Tag.soname)
    runPath = try text(Tag.runPath)
    olderRunPath = try text(Tag.olderRunPath)
    for entry in entries where entry.tag == Tag.needed { needed.append(try name(at: entry.value, in: bytes)) }
  }

  /// The name that begins at an offset in the texts. Throws an `ELFError` if it does not lie within them.
  private func name(at start: UInt64, in bytes: any ByteSource) throws(ELFError) -> String {
    guard start < strings.size else { throw ELFError("is damaged: a name begins beyond its names") }
    return try bytes.name(at: strings.offset + start, limit: min(strings.size - start, Self.maximumNameLength))
  }

  /// The length of the longest path that the system takes.
  private static let maximumNameLength: UInt64 = 4096
}

/// Where the parts of a library that are loaded are in its file.
struct LoadedSegments {
  private var segments: [(address: UInt64, size: UInt64, offset: UInt64)] = []

  /// Reads the program headers once more, which tell the addresses.
  init(_ bytes: any ByteSource) throws(ELFError) {
    let header = Words(try bytes.read(at: 0, count: 64))
    let count = Int(header.half(56))
    let table = Words(try bytes.read(at: header.long(32), count: count * 56))
    for start in (0..<count).map({ $0 * 56 }) where table.word(start) == 1 {
      segments.append((table.long(start + 16), table.long(start + 32), table.long(start + 8)))
    }
  }

  /// The offset in the file of what has an address, or nil if nothing of the file is there.
  func offset(of address: UInt64) -> UInt64? {
    for segment in segments where address >= segment.address && address - segment.address < segment.size {
      let (offset, overflows) = segment.offset.addingReportingOverflow(address - segment.address)
      return overflows ? nil : offset
    }
    return nil
  }
}

extension ByteSource {
  /// The text from an offset to the next NUL. Throws an `ELFError` if none comes within `limit` bytes.
  func name(at offset: UInt64, limit: UInt64) throws(ELFError) -> String {
    var name: [UInt8] = []
    while UInt64(name.count) < limit {
      let start = offset + UInt64(name.count)
      let piece = try read(at: start, count: Int(min(256, limit - UInt64(name.count), max(count, start) - start)))
      if piece.isEmpty { break }
      if let end = piece.firstIndex(of: 0) { return String(decoding: name + piece[..<end], as: UTF8.self) }
      name += piece
    }
    throw ELFError("is damaged: a name of it has no end")
  }
}
