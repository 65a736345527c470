internal import TroupeBase

/// What a library needs from other libraries: symbols, and versions of symbols.
///
///     DT_SYMTAB   undefined symbols ─┬─ DT_VERSYM ──► DT_VERNEED: library, version
///                                    └─ DT_RELA, DT_JMPREL: whether the loader looks the symbol up
///
/// All of it comes from the dynamic section, so stripped files have it, too.
extension ELFFile {
  /// A symbol that another library has to define.
  package struct Import: Sendable, Hashable {
    package let name: String
    /// The loader sets a weak symbol without a definition to zero.
    package let isWeak: Bool
    /// The version that the library was linked against. Nil if the defining library had no versions.
    package let version: VersionNeed?
    /// The index in the symbol table.
    fileprivate let index: UInt32
  }

  /// A version of symbols that a library must have.
  package struct VersionNeed: Sendable, Hashable {
    /// The name of the library, as in `DT_NEEDED`.
    package let library: String
    package let version: String
    /// The loader opens the library without the version (`VER_FLG_WEAK`).
    package let isWeak: Bool
    fileprivate let index: UInt16
  }

  /// Returns the undefined symbols. Cost: reads the symbol table and its names.
  package func imports(_ dynamic: DynamicSection) throws(ReadError) -> [Import] {
    let needs = Dictionary(try versionNeeds(dynamic).map { ($0.index, $0) }) { first, _ in first }
    var imports: [Import] = []
    try forEachSymbol(dynamic, where: { !$0.isDefined && $0.isVisible }) { index, symbol, name, version in
      imports.append(
        Import(
          name: name, isWeak: symbol.binding == .weak, version: needs[version & ~Self.hiddenVersion], index: UInt32(index)))
    }
    return imports
  }

  /// Returns those symbols that the loader looks up when it opens the library: it does so for relocations, not for the symbol table.
  /// Cost: reads the relocations.
  package func relocated(_ imports: [Import], _ dynamic: DynamicSection) throws(ReadError) -> [Import] {
    var indexes: Set<UInt32> = []
    try forEachRelocation(dynamic) { _, symbol in indexes.insert(symbol) }
    return imports.filter { indexes.contains($0.index) }
  }

  /// Returns the names of imports by the addresses of the pointers that the loader sets to them. Cost: reads the relocations.
  func relocatedPointers(_ imports: [Import], _ dynamic: DynamicSection) throws(ReadError) -> [UInt64: String] {
    let names = Dictionary(imports.map { ($0.index, $0.name) }) { first, _ in first }
    var pointers: [UInt64: String] = [:]
    try forEachRelocation(dynamic) { address, symbol in pointers[address] = names[symbol] }
    return pointers
  }

  /// Calls a closure with the address and the index of the symbol of each relocation. The index 0 stands for no symbol.
  private func forEachRelocation(
    _ dynamic: DynamicSection, _ body: (_ address: UInt64, _ symbol: UInt32) -> Void
  ) throws(ReadError) {
    for (address, size) in [dynamic.relocations, dynamic.callRelocations] {
      guard let offset = address.flatMap(offset) else { continue }
      guard size <= Self.maximumRelocationsSize else { throw ReadError("is damaged: its relocations are \(size) bytes long") }
      let table = try bytes.view(at: offset, count: Int(size) / Self.relocationSize * Self.relocationSize)
      for start in stride(from: 0, to: table.count, by: Self.relocationSize) where table.uint32(start + 8) != 0 {
        body(table.uint64(start), table.uint32(start + 12))
      }
    }
  }

  /// An offset, an addend, and between them the type and the index of the symbol.
  private static let relocationSize = 24
  /// The largest libraries have relocations of some megabytes.
  private static let maximumRelocationsSize: UInt64 = 1 << 26
}

// MARK: - Versions

extension ELFFile {
  /// Returns the versions that the library needs. Cost: one read for each version.
  package func versionNeeds(_ dynamic: DynamicSection) throws(ReadError) -> [VersionNeed] {
    guard var library = dynamic.versionNeedsAddress.flatMap(offset) else { return [] }
    var needs: [VersionNeed] = []
    for _ in 0..<Self.maximumVersions {
      let header = try bytes.view(at: library, count: 16)
      let name = try dynamic.name(at: UInt64(header.uint32(4)), in: bytes)
      var entry = try Self.sum(library, header.uint32(8))
      for _ in 0..<header.uint16(2) {
        guard needs.count < Self.maximumVersions else { throw Self.endlessVersions }
        let need = try bytes.view(at: entry, count: 16)
        needs.append(
          VersionNeed(
            library: name, version: try dynamic.name(at: UInt64(need.uint32(8)), in: bytes),
            isWeak: need.uint16(4) & Self.weakVersion != 0, index: need.uint16(6) & ~Self.hiddenVersion))
        entry = try Self.sum(entry, need.uint32(12))
      }
      if header.uint32(12) == 0 { return needs }
      library = try Self.sum(library, header.uint32(12))
    }
    throw Self.endlessVersions
  }

  /// Returns the versions that the library defines; none if its symbols have no versions. Cost: one read for each version.
  package func versionDefinitions(_ dynamic: DynamicSection) throws(ReadError) -> [String] {
    guard var definition = dynamic.versionDefinitionsAddress.flatMap(offset) else { return [] }
    var versions: [String] = []
    for _ in 0..<Self.maximumVersions {
      let header = try bytes.view(at: definition, count: 20)
      // The first name of a definition is its own, further ones are those of versions that it includes.
      let name = try bytes.view(at: Self.sum(definition, header.uint32(12)), count: 8)
      versions.append(try dynamic.name(at: UInt64(name.uint32(0)), in: bytes))
      if header.uint32(16) == 0 { return versions }
      definition = try Self.sum(definition, header.uint32(16))
    }
    throw Self.endlessVersions
  }

  private static func sum(_ offset: UInt64, _ distance: UInt32) throws(ReadError) -> UInt64 {
    let (sum, overflows) = offset.addingReportingOverflow(UInt64(distance))
    guard !overflows else { throw endlessVersions }
    return sum
  }

  private static var endlessVersions: ReadError { ReadError("is damaged: the list of its versions has no end") }

  /// libc.so.6 defines about forty versions. The bound is also that of the libraries in `DT_VERNEED`.
  private static let maximumVersions = 4096
  /// `VER_FLG_WEAK`.
  private static let weakVersion: UInt16 = 2
}
