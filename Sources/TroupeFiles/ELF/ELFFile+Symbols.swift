internal import CLinux
internal import TroupeBase

/// The name of a symbol to look up, with the hash that finds it in a `DT_GNU_HASH` table.
package struct SymbolQuery: Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  package let description: String
  /// The name with its NUL.
  fileprivate let bytes: [UInt8]
  fileprivate let gnuHash: UInt32

  package init(stringLiteral name: String) { self.init(name) }

  package init(_ name: String) {
    description = name
    bytes = Array(name.utf8) + [0]
    gnuHash = name.utf8.reduce(5381) { $0 &* 33 &+ UInt32($1) }
  }
}

extension ELFFile {
  /// Returns whether the library exports a definition of the symbol.
  package func defines(_ wanted: SymbolQuery, _ dynamic: DynamicSection) throws(ReadError) -> Bool {
    guard let symbols = dynamic.symbolsOffset else { return false }
    func isDefinition(_ index: UInt64) throws(ReadError) -> Bool {
      let symbol = try Symbol(entry(symbols, index, Symbol.size), 0)
      let start = UInt64(symbol.name)
      guard symbol.isDefined, start < dynamic.stringTable.size, dynamic.stringTable.size - start >= UInt64(wanted.bytes.count)
      else {
        return false
      }
      return try bytes.view(at: dynamic.stringTable.offset + start, count: wanted.bytes.count).has(wanted.bytes, at: 0)
    }
    if let table = dynamic.gnuHashOffset { return try finds(wanted.gnuHash, inGNUHash: table, isDefinition) }
    if let table = dynamic.hashOffset { return try finds(wanted.bytes.dropLast(), inHash: table, isDefinition) }
    let count = try symbolCount(dynamic)
    guard count <= Self.maximumCount else { throw ReadError("is damaged: it has \(count) symbols and no hash table of them") }
    for index in 0..<count where try isDefinition(index) { return true }
    return false
  }

  /// Returns whether the name of a dynamic symbol contains a text. Cost: reads all names.
  package func hasName(containing text: String, _ dynamic: DynamicSection) throws(ReadError) -> Bool {
    guard dynamic.stringTable.size <= Self.maximumStringsSize else { return false }
    let names = try bytes.read(at: dynamic.stringTable.offset, count: Int(dynamic.stringTable.size))
    return linux_contains(names, names.count, text, text.utf8.count)
  }

  /// Returns the first symbol with a prefix that the library needs from other libraries. Cost: reads all names and, if one has the
  /// prefix, all symbols.
  package func neededSymbol(_ prefix: String, _ dynamic: DynamicSection) throws(ReadError) -> String? {
    guard let symbols = dynamic.symbolsOffset, dynamic.stringTable.size <= Self.maximumStringsSize else { return nil }
    let names = try bytes.read(at: dynamic.stringTable.offset, count: Int(dynamic.stringTable.size))
    guard linux_contains(names, names.count, prefix, prefix.utf8.count) else { return nil }
    for index in 0..<min(try symbolCount(dynamic), Self.maximumCount) {
      let symbol = try Symbol(entry(symbols, index, Symbol.size), 0)
      guard !symbol.isDefined, symbol.name < names.count else { continue }
      let name = names[Int(symbol.name)...].prefix { $0 != 0 }
      if name.starts(with: prefix.utf8) { return String(decoding: name, as: UTF8.self) }
    }
    return nil
  }

  /// Returns the symbol of the code at an address, and the offset of the address in it. Searches the full symbol table or, if the file is
  /// stripped, the exported symbols. Cost: reads the whole table.
  ///
  /// - Parameter address: The address relative to the load address of the library.
  package func symbol(at address: UInt64) throws(ReadError) -> (name: String, offset: UInt64)? {
    guard let table = try symbolTable() else { return nil }
    guard
      bytes.contains(offset: table.offset, count: table.count * UInt64(Symbol.size)),
      bytes.contains(offset: table.strings.offset, count: table.strings.size)
    else { throw ReadError("is truncated: its symbols reach beyond its end") }
    var best: Symbol?
    var index: UInt64 = 0
    while index < table.count {
      let count = min(table.count - index, Self.symbolsAtOnce)
      let view = ByteView(try bytes.read(at: table.offset + index * UInt64(Symbol.size), count: Int(count) * Symbol.size))
      for position in 0..<Int(count) {
        let symbol = Symbol(view, position * Symbol.size)
        // The innermost of nested symbols counts, and the first of several symbols at an address.
        if symbol.isCode, symbol.contains(address), best.map({ $0.address < symbol.address }) ?? true { best = symbol }
      }
      index += count
    }
    guard let best, UInt64(best.name) < table.strings.size else { return nil }
    let start = UInt64(best.name)
    let name = try bytes.name(at: table.strings.offset + start, limit: min(table.strings.size - start, Self.maximumNameLength))
    return (name, address - best.address)
  }

  /// The bit of a hidden version, `VERSYM_HIDDEN`.
  static let hiddenVersion: UInt16 = 0x8000
  private static let symbolsAtOnce: UInt64 = 4096
  /// The largest libraries have names of about ten megabytes.
  static let maximumStringsSize: UInt64 = 1 << 26
  /// Real hash chains have a handful of symbols.
  private static let maximumChain = 4096
  /// The largest number of symbols in a linear search.
  static let maximumCount: UInt64 = 1 << 20
  /// The names of generic code in Swift and C++ have thousands of bytes.
  private static let maximumNameLength: UInt64 = 1 << 16

  private func entry(_ table: UInt64, _ index: UInt64, _ size: Int) throws(ReadError) -> ByteView {
    let (distance, overflows) = index.multipliedReportingOverflow(by: UInt64(size))
    let (offset, overflowsToo) = table.addingReportingOverflow(distance)
    guard !overflows, !overflowsToo else { throw ReadError("is damaged: a table of its symbols has no end") }
    return try bytes.view(at: offset, count: size)
  }

  private func uint32(_ table: UInt64, _ index: UInt64) throws(ReadError) -> UInt32 {
    try entry(table, index, 4).uint32(0)
  }
}

// MARK: - All dynamic symbols

extension ELFFile {
  /// An entry of the dynamic symbol table.
  package struct DynamicSymbol: Sendable, Hashable {
    package enum Binding: Sendable, Hashable { case local, global, weak, unique, other }

    package let name: String
    /// False for a reference to another library.
    package let isDefined: Bool
    package let binding: Binding
    /// True for a function that other files see. Of a function with several versions, the one with the version that is not hidden counts:
    /// new programs link it.
    package let isExportedFunction: Bool
    /// True for data that other files see.
    package let isExportedData: Bool
  }

  /// Returns the dynamic symbols with names. Cost: reads the whole table and its names.
  package func dynamicSymbols(_ dynamic: DynamicSection) throws(ReadError) -> [DynamicSymbol] {
    var symbols: [DynamicSymbol] = []
    try forEachSymbol(dynamic) { _, symbol, name, version in
      let isExported = symbol.isVisible && version & Self.hiddenVersion == 0
      symbols.append(
        DynamicSymbol(
          name: name, isDefined: symbol.isDefined, binding: symbol.binding, isExportedFunction: symbol.isCode && isExported,
          isExportedData: symbol.isData && isExported))
    }
    return symbols
  }

  /// Calls a closure with the index, the name and the entry of the version table, or 0, of each wanted symbol that has a name. Cost: reads
  /// the whole table and the names.
  ///
  /// Names may overlap, as linkers merge equal endings, so the sum of their lengths is bounded: a damaged table could repeat one long name.
  func forEachSymbol(
    _ dynamic: DynamicSection, where isWanted: (Symbol) -> Bool = { _ in true },
    _ body: (_ index: Int, _ symbol: Symbol, _ name: String, _ version: UInt16) throws(ReadError) -> Void
  ) throws(ReadError) {
    guard let table = dynamic.symbolsOffset else { return }
    let count = try symbolCount(dynamic)
    guard count <= Self.maximumCount, dynamic.stringTable.size <= Self.maximumStringsSize else {
      throw ReadError("is damaged: it has \(count) symbols with \(dynamic.stringTable.size) bytes of names")
    }
    let entries = try bytes.view(at: table, count: Int(count) * Symbol.size)
    let names = try bytes.view(at: dynamic.stringTable.offset, count: Int(dynamic.stringTable.size))
    let versions = try dynamic.versionsOffset.map { offset throws(ReadError) in
      try bytes.view(at: offset, count: Int(count) * 2)
    }
    var rest = 4 * Int(dynamic.stringTable.size) + 1 << 16
    for index in 0..<Int(count) {
      let symbol = Symbol(entries, index * Symbol.size)
      guard isWanted(symbol), symbol.name > 0, symbol.name < names.count, let name = names.terminatedText(at: Int(symbol.name))
      else { continue }
      rest -= name.utf8.count
      guard rest > 0 else { throw ReadError("is damaged: the names of its symbols overlap") }
      try body(index, symbol, name, versions?.uint16(index * 2) ?? 0)
    }
  }
}

// MARK: - Hash tables

extension ELFFile {
  /// Looks up a name in a table `DT_GNU_HASH`: four numbers, a Bloom filter, buckets, and the hashes of the symbols. The lowest bit
  /// marks the last hash of a chain.
  private func finds(
    _ hash: UInt32, inGNUHash table: UInt64, _ isDefinition: (UInt64) throws(ReadError) -> Bool
  ) throws(ReadError) -> Bool {
    let header = try GNUHashHeader(bytes.view(at: table, count: GNUHashHeader.size), table)
    guard header.bucketCount > 0, header.filterSize > 0 else { return false }
    let filter = try entry(header.filter, UInt64(hash / 64) % header.filterSize, 8).uint64(0)
    guard filter >> UInt64(hash % 64) & filter >> UInt64(hash >> header.filterShift % 64) & 1 == 1 else { return false }
    let first = UInt64(try uint32(header.buckets, UInt64(hash) % header.bucketCount))
    guard first >= header.firstSymbol else { return false }
    for index in first..<first + UInt64(Self.maximumChain) {
      let other = try uint32(header.chains, index - header.firstSymbol)
      if other | 1 == hash | 1, try isDefinition(index) { return true }
      if other & 1 == 1 { return false }
    }
    throw ReadError("is damaged: the hash table of its symbols has a chain without an end")
  }

  /// Looks up a name in a table `DT_HASH`: the numbers of buckets and symbols, the buckets, and for each symbol the next one.
  private func finds(
    _ name: ArraySlice<UInt8>, inHash table: UInt64, _ isDefinition: (UInt64) throws(ReadError) -> Bool
  ) throws(ReadError) -> Bool {
    let bucketCount = UInt64(try uint32(table, 0))
    guard bucketCount > 0 else { return false }
    let hash = name.reduce(UInt32(0)) { hash, byte in
      let sum = hash << 4 &+ UInt32(byte)
      return (sum ^ (sum & 0xF000_0000) >> 24) & 0x0FFF_FFFF
    }
    var index = UInt64(try uint32(table, 2 + UInt64(hash) % bucketCount))
    for _ in 0..<Self.maximumChain {
      if index == 0 { return false }
      if try isDefinition(index) { return true }
      index = UInt64(try uint32(table, 2 + bucketCount + index))
    }
    throw ReadError("is damaged: the hash table of its symbols has a chain without an end")
  }

  /// Counts the dynamic symbols. Only the hash table or the section header contains the number.
  func symbolCount(_ dynamic: DynamicSection) throws(ReadError) -> UInt64 {
    if let table = dynamic.hashOffset { return UInt64(try uint32(table, 1)) }
    if let table = dynamic.gnuHashOffset {
      let header = try GNUHashHeader(ByteView(bytes.read(at: table, count: GNUHashHeader.size)), table)
      let buckets = ByteView(try bytes.read(at: header.buckets, count: Int(header.bucketCount) * 4))
      let last = UInt64((0..<Int(header.bucketCount)).map { buckets.uint32($0 * 4) }.max() ?? 0)
      guard last >= header.firstSymbol else { return header.firstSymbol }
      for index in last..<last + UInt64(Self.maximumChain)
      where try uint32(header.chains, index - header.firstSymbol) & 1 == 1 { return index + 1 }
      throw ReadError("is damaged: the hash table of its symbols has a chain without an end")
    }
    if let section = try sections().first(where: { $0.type == Self.dynamicSymbols }) {
      return section.size / UInt64(Symbol.size)
    }
    throw ReadError("is damaged: the number of its symbols is missing")
  }

  /// The numbers at the beginning of a table `DT_GNU_HASH`, and the offsets of its parts.
  private struct GNUHashHeader {
    static let size = 16

    let bucketCount, firstSymbol, filterSize: UInt64
    let filterShift: UInt32
    let filter, buckets, chains: UInt64

    init(_ view: ByteView, _ table: UInt64) throws(ReadError) {
      bucketCount = UInt64(view.uint32(0))
      firstSymbol = UInt64(view.uint32(4))
      filterSize = UInt64(view.uint32(8))
      filterShift = view.uint32(12)
      // The sums cannot overflow: `table` is the sum of an offset and of less than a segment's size, both of which lie within the file.
      filter = table + UInt64(Self.size)
      buckets = filter + filterSize * 8
      chains = buckets + bucketCount * 4
    }
  }
}

// MARK: - Tables of symbols

extension ELFFile {
  private struct SymbolTable {
    let offset, count: UInt64
    let strings: (offset: UInt64, size: UInt64)
  }

  /// The full symbol table, or else the dynamic one.
  private func symbolTable() throws(ReadError) -> SymbolTable? {
    let sections = try sections()
    if let index = sections.firstIndex(where: { $0.type == Self.allSymbols }) {
      // Only the section header contains the index of the string table.
      let header = ByteView(try bytes.read(at: 0, count: 64)).uint64(40) &+ UInt64(index) * 64
      let link = Int(ByteView(try bytes.read(at: header, count: 64)).uint32(40))
      guard sections.indices.contains(link) else { throw ReadError("is damaged: its symbols have no names") }
      let (symbols, strings) = (sections[index], sections[link])
      return SymbolTable(
        offset: symbols.offset, count: symbols.size / UInt64(Symbol.size), strings: (strings.offset, strings.size))
    }
    guard let dynamic = try dynamicSection(), let symbols = dynamic.symbolsOffset else { return nil }
    return SymbolTable(offset: symbols, count: try symbolCount(dynamic), strings: dynamic.stringTable)
  }

  private static let allSymbols: UInt32 = 2
  private static let dynamicSymbols: UInt32 = 11
}

/// An entry of a symbol table.
struct Symbol {
  static let size = 24

  let name: UInt32
  let address, length: UInt64
  private let kind, visibility: UInt8
  let binding: ELFFile.DynamicSymbol.Binding
  private let section: UInt16

  init(_ view: ByteView, _ offset: Int) {
    name = view.uint32(offset)
    kind = view.uint8(offset + 4) & 15
    visibility = view.uint8(offset + 5) & 3
    binding =
      switch view.uint8(offset + 4) >> 4 {
      case 0: .local
      case 1: .global
      case 2: .weak
      case 10: .unique
      default: .other
      }
    section = view.uint16(offset + 6)
    address = view.uint64(offset + 8)
    length = view.uint64(offset + 16)
  }

  var isDefined: Bool { section != 0 }

  /// True for a function, an indirect function, or an untyped symbol of assembly code.
  var isCode: Bool { isDefined && [0, 2, 10].contains(kind) }

  /// True for an object that all threads share.
  var isData: Bool { isDefined && kind == 1 }

  /// True if other files see the symbol: its binding is global, weak or unique, and its visibility is default or protected.
  var isVisible: Bool { [.global, .weak, .unique].contains(binding) && [0, 3].contains(visibility) }

  /// A symbol of size zero contains its own address.
  func contains(_ address: UInt64) -> Bool {
    address >= self.address && (address - self.address < length || address == self.address)
  }
}
