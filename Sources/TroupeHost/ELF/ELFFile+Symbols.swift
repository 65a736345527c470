/// The name of a symbol that is looked for, and what the tables of libraries know it by.
package struct WantedSymbol: Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The name.
  package let description: String
  /// The name with the NUL that ends it.
  fileprivate let bytes: [UInt8]
  /// What a table `DT_GNU_HASH` has it under.
  fileprivate let gnuHash: UInt32

  /// Prepares a name.
  package init(stringLiteral name: String) {
    description = name
    bytes = Array(name.utf8) + [0]
    gnuHash = name.utf8.reduce(5381) { $0 &* 33 &+ UInt32($1) }
  }
}

extension ELFFile {
  /// Whether the library itself defines a symbol that others can refer to, under exactly this name. Takes a few reads of a few
  /// bytes. Throws an `ELFError` if its tables are damaged.
  package func defines(_ wanted: WantedSymbol, _ dynamic: DynamicSection) throws(ELFError) -> Bool {
    guard let symbols = dynamic.symbols else { return false }
    func isDefinition(_ index: UInt64) throws(ELFError) -> Bool {
      let symbol = try Symbol(words(symbols, index, Symbol.size), 0)
      let start = UInt64(symbol.name)
      guard symbol.isDefined, start < dynamic.strings.size, dynamic.strings.size - start >= UInt64(wanted.bytes.count) else {
        return false
      }
      return try bytes.words(at: dynamic.strings.offset + start, count: wanted.bytes.count).has(wanted.bytes, at: 0)
    }
    if let table = dynamic.gnuHash { return try finds(wanted.gnuHash, inGNUHash: table, isDefinition) }
    if let table = dynamic.hash { return try finds(wanted.bytes.dropLast(), inHash: table, isDefinition) }
    let count = try symbolCount(dynamic)
    guard count <= Self.maximumCount else { throw ELFError("is damaged: it has \(count) symbols and no hash table of them") }
    for index in 0..<count where try isDefinition(index) { return true }
    return false
  }

  /// Returns the first symbol with a prefix that the library needs from other libraries, or nil. Reads all names and, if one has the
  /// prefix, all symbols. Throws an `ELFError` if the file is damaged.
  func neededSymbol(_ prefix: String, _ dynamic: DynamicSection) throws(ELFError) -> String? {
    guard let symbols = dynamic.symbols, dynamic.strings.size <= Self.maximumNamesSize else { return nil }
    let names = try bytes.read(at: dynamic.strings.offset, count: Int(dynamic.strings.size))
    guard names.firstRange(of: Array(prefix.utf8)) != nil else { return nil }
    for index in 0..<min(try symbolCount(dynamic), Self.maximumCount) {
      let symbol = try Symbol(words(symbols, index, Symbol.size), 0)
      guard !symbol.isDefined, symbol.name < names.count else { continue }
      let name = names[Int(symbol.name)...].prefix { $0 != 0 }
      if name.starts(with: prefix.utf8) { return String(decoding: name, as: UTF8.self) }
    }
    return nil
  }

  /// The symbol whose code an address lies in, and how far from its beginning: one of the full table or, where that has been
  /// stripped, of those that others can refer to; nil if there is none. Reads the whole table.
  ///
  /// - Parameter address: As the file has it: the address in memory less where the library begins there.
  package func symbol(at address: UInt64) throws(ELFError) -> (name: String, offset: UInt64)? {
    guard let table = try symbolTable() else { return nil }
    guard
      bytes.contains(offset: table.offset, count: table.count * UInt64(Symbol.size)),
      bytes.contains(offset: table.strings.offset, count: table.strings.size)
    else { throw ELFError("is truncated: its symbols reach beyond its end") }
    var best: Symbol?
    var index: UInt64 = 0
    while index < table.count {
      let count = min(table.count - index, Self.symbolsAtOnce)
      let words = Words(try bytes.read(at: table.offset + index * UInt64(Symbol.size), count: Int(count) * Symbol.size))
      for position in 0..<Int(count) {
        let symbol = Symbol(words, position * Symbol.size)
        // Of nested ones the innermost; of several names of one place the first.
        if symbol.isCode, symbol.contains(address), best.map({ $0.address < symbol.address }) ?? true { best = symbol }
      }
      index += count
    }
    guard let best, UInt64(best.name) < table.strings.size else { return nil }
    let start = UInt64(best.name)
    let name = try bytes.name(at: table.strings.offset + start, limit: min(table.strings.size - start, Self.maximumNameLength))
    return (name, address - best.address)
  }

  private static let symbolsAtOnce: UInt64 = 4096
  /// The largest libraries have names of some ten megabytes.
  private static let maximumNamesSize: UInt64 = 1 << 26
  /// Real chains of a hash table have a handful of symbols.
  private static let maximumChain = 4096
  /// More symbols than this are not looked through one by one for a name.
  private static let maximumCount: UInt64 = 1 << 20
  /// The names of generic code in Swift and C++ have thousands of bytes.
  private static let maximumNameLength: UInt64 = 1 << 16

  /// The entry of a table.
  private func words(_ table: UInt64, _ index: UInt64, _ size: Int) throws(ELFError) -> Words {
    let (distance, overflows) = index.multipliedReportingOverflow(by: UInt64(size))
    let (offset, overflowsToo) = table.addingReportingOverflow(distance)
    guard !overflows, !overflowsToo else { throw ELFError("is damaged: a table of its symbols has no end") }
    return try bytes.words(at: offset, count: size)
  }

  private func word(_ table: UInt64, _ index: UInt64) throws(ELFError) -> UInt32 {
    try words(table, index, 4).word(0)
  }
}

// MARK: - Hash tables

extension ELFFile {
  /// Looks a name up in a table `DT_GNU_HASH`: four numbers, a Bloom filter, buckets, and the hashes of the symbols, the last
  /// of each chain with its lowest bit set.
  private func finds(
    _ hash: UInt32, inGNUHash table: UInt64, _ isDefinition: (UInt64) throws(ELFError) -> Bool
  ) throws(ELFError) -> Bool {
    let header = try GNUHashHeader(bytes.words(at: table, count: GNUHashHeader.size), table)
    guard header.bucketCount > 0, header.filterSize > 0 else { return false }
    let filter = try words(header.filter, UInt64(hash / 64) % header.filterSize, 8).long(0)
    guard filter >> UInt64(hash % 64) & filter >> UInt64(hash >> header.filterShift % 64) & 1 == 1 else { return false }
    let first = UInt64(try word(header.buckets, UInt64(hash) % header.bucketCount))
    guard first >= header.firstSymbol else { return false }
    for index in first..<first + UInt64(Self.maximumChain) {
      let other = try word(header.chains, index - header.firstSymbol)
      if other | 1 == hash | 1, try isDefinition(index) { return true }
      if other & 1 == 1 { return false }
    }
    throw ELFError("is damaged: the hash table of its symbols has a chain without an end")
  }

  /// Looks a name up in a table `DT_HASH`: the number of buckets and of symbols, the buckets, and for each symbol the next.
  private func finds(
    _ name: ArraySlice<UInt8>, inHash table: UInt64, _ isDefinition: (UInt64) throws(ELFError) -> Bool
  ) throws(ELFError) -> Bool {
    let bucketCount = UInt64(try word(table, 0))
    guard bucketCount > 0 else { return false }
    let hash = name.reduce(UInt32(0)) { hash, byte in
      let sum = hash << 4 &+ UInt32(byte)
      return (sum ^ (sum & 0xF000_0000) >> 24) & 0x0FFF_FFFF
    }
    var index = UInt64(try word(table, 2 + UInt64(hash) % bucketCount))
    for _ in 0..<Self.maximumChain {
      if index == 0 { return false }
      if try isDefinition(index) { return true }
      index = UInt64(try word(table, 2 + bucketCount + index))
    }
    throw ELFError("is damaged: the hash table of its symbols has a chain without an end")
  }

  /// The number of symbols that others can refer to, which only their hash table tells, or the section header.
  private func symbolCount(_ dynamic: DynamicSection) throws(ELFError) -> UInt64 {
    if let table = dynamic.hash { return UInt64(try word(table, 1)) }
    if let table = dynamic.gnuHash {
      let header = try GNUHashHeader(Words(bytes.read(at: table, count: GNUHashHeader.size)), table)
      let buckets = Words(try bytes.read(at: header.buckets, count: Int(header.bucketCount) * 4))
      let last = UInt64((0..<Int(header.bucketCount)).map { buckets.word($0 * 4) }.max() ?? 0)
      guard last >= header.firstSymbol else { return header.firstSymbol }
      for index in last..<last + UInt64(Self.maximumChain)
      where try word(header.chains, index - header.firstSymbol) & 1 == 1 { return index + 1 }
      throw ELFError("is damaged: the hash table of its symbols has a chain without an end")
    }
    if let section = try sections().first(where: { $0.type == Self.dynamicSymbols }) {
      return section.size / UInt64(Symbol.size)
    }
    throw ELFError("is damaged: it does not tell how many symbols it has")
  }

  /// The numbers at the beginning of a table `DT_GNU_HASH`, and where its parts are.
  private struct GNUHashHeader {
    static let size = 16

    let bucketCount, firstSymbol, filterSize: UInt64
    let filterShift: UInt32
    let filter, buckets, chains: UInt64

    init(_ words: Words, _ table: UInt64) throws(ELFError) {
      bucketCount = UInt64(words.word(0))
      firstSymbol = UInt64(words.word(4))
      filterSize = UInt64(words.word(8))
      filterShift = words.word(12)
      // Where the table is, is the sum of an offset and of less than a segment's size, both of which lie within the file.
      filter = table + UInt64(Self.size)
      buckets = filter + filterSize * 8
      chains = buckets + bucketCount * 4
    }
  }
}

// MARK: - Tables of symbols

extension ELFFile {
  /// A table of symbols: where it is in the file, and its names.
  private struct SymbolTable {
    let offset, count: UInt64
    let strings: (offset: UInt64, size: UInt64)
  }

  /// The full table, or else that of the symbols that others can refer to; nil if there is neither.
  private func symbolTable() throws(ELFError) -> SymbolTable? {
    let sections = try sections()
    if let index = sections.firstIndex(where: { $0.type == Self.allSymbols }) {
      // Which section has the names is in the header alone.
      let header = Words(try bytes.read(at: 0, count: 64)).long(40) &+ UInt64(index) * 64
      let link = Int(Words(try bytes.read(at: header, count: 64)).word(40))
      guard sections.indices.contains(link) else { throw ELFError("is damaged: its symbols have no names") }
      let (symbols, strings) = (sections[index], sections[link])
      return SymbolTable(
        offset: symbols.offset, count: symbols.size / UInt64(Symbol.size), strings: (strings.offset, strings.size))
    }
    guard let dynamic = try dynamicSection(), let symbols = dynamic.symbols else { return nil }
    return SymbolTable(offset: symbols, count: try symbolCount(dynamic), strings: dynamic.strings)
  }

  private static let allSymbols: UInt32 = 2
  private static let dynamicSymbols: UInt32 = 11
}

/// An entry of a table of symbols.
private struct Symbol {
  static let size = 24

  let name: UInt32
  let address, length: UInt64
  private let kind: UInt8
  private let section: UInt16

  init(_ words: Words, _ offset: Int) {
    name = words.word(offset)
    kind = words.byte(offset + 4) & 15
    section = words.half(offset + 6)
    address = words.long(offset + 8)
    length = words.long(offset + 16)
  }

  /// Whether the library itself has it, where others only refer to it.
  var isDefined: Bool { section != 0 }

  /// Whether it is a function, an indirect one, or something in assembly of which nothing is said.
  var isCode: Bool { isDefined && [0, 2, 10].contains(kind) }

  /// Whether an address is in it; its own is also if it is said to be empty.
  func contains(_ address: UInt64) -> Bool {
    address >= self.address && (address - self.address < length || address == self.address)
  }
}
