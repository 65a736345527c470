import Synchronization

/// Searches the entries of one container: its registrations. The fast path of a resolve has its own lookup (`Container+FastPath.swift`).
///
/// Readers search at one version, which they load once: they see either all of a commit or none. The writer sees its own unpublished commit.
///
///     visible    for readers at a version: added in it or before, and not removed in it or before
///     live       for the writer: not removed, also by the commit that it has not published yet
///
/// All tags that a search takes are distinct and sorted by hash (`TagHash.distinct`). A search for the entries with tags that include some
/// takes a time proportional to the entries with the rarest of these, for each type.
extension Container {
  /// Runs a closure at the present version. The entries that it finds stay allocated until it returns.
  func withSnapshot<R>(_ body: (UInt64) throws -> R) rethrows -> R {
    // The guard first: it keeps the entries that a later commit removes.
    let epochGuard = EpochGuard(epochs)
    defer { epochGuard.end() }
    return try body(version.load(ordering: .acquiring))
  }

  /// Returns nil if the type never had an entry.
  func table(_ metatype: any Any.Type) -> UnsafeMutablePointer<TypeTable>? {
    UnsafeMutablePointer(bitPattern: types[UInt(bitPattern: ObjectIdentifier(metatype))])
  }

  func forEachTable(_ body: (UnsafeMutablePointer<TypeTable>) -> Void) {
    types.forEach { _, table, _ in UnsafeMutablePointer(bitPattern: table).map(body) }
  }

  // MARK: Readers

  /// Returns the entries under a type and exactly these tags, in registration order. If there are several, their argument types differ.
  func entries(_ metatype: any Any.Type, exactly tags: [Tag]) -> [Entry] {
    withSnapshot { version in entries(metatype, exactly: tags) { $0.isVisible(at: version) } }
  }

  /// Returns the entries under a type with tags that include these, in registration order.
  func entries(_ metatype: any Any.Type, including tags: [Tag]) -> [Entry] {
    withSnapshot { version in entries(metatype, including: tags) { $0.isVisible(at: version) } }
  }

  /// Returns the types that have entries with tags that include these.
  func types(including tags: [Tag]) -> [any Any.Type] {
    withSnapshot { version in
      var metatypes: [any Any.Type] = []
      forEachTable { table in
        table.pointee.shortestList(tags).scan { entry in
          entry._withUnsafeGuaranteedRef { entry in
            guard entry.isVisible(at: version), entry.includes(tags) else { return true }
            metatypes.append(entry.metatype)
            return false
          }
        }
      }
      return metatypes
    }
  }

  /// Returns the entries of all types with tags that include these, in registration order.
  func allEntries(including tags: [Tag] = []) -> [Entry] {
    withSnapshot { version in entries(nil, including: tags) { $0.isVisible(at: version) } }
      .sorted { $0.sequence < $1.sequence }
  }

  /// Returns the entries of any type with tags that include these, in registration order, without those of the parents.
  package func ownEntries(including tags: Set<AnySendableHashable>) -> [Entry] { allEntries(including: TagList(tags).tags) }

  // MARK: Readers and the writer

  /// Returns the entries under a type and exactly these tags that a closure accepts.
  func entries(_ metatype: any Any.Type, exactly tags: [Tag], where isSeen: (Entry) -> Bool) -> [Entry] {
    table(metatype)?.pointee.list(tagHash: TagHash.sum(tags)).entries { isSeen($0) && $0.hasTags(exactly: tags) } ?? []
  }

  /// Returns the entries of a type, or of all types, with tags that include these and that a closure accepts.
  func entries(_ metatype: (any Any.Type)?, including tags: [Tag], where isSeen: (Entry) -> Bool) -> [Entry] {
    var found: [Entry] = []
    func search(_ table: UnsafeMutablePointer<TypeTable>) {
      found += table.pointee.shortestList(tags).entries { isSeen($0) && $0.includes(tags) }
    }
    if let metatype { table(metatype).map(search) } else { forEachTable(search) }
    return found
  }

  /// Returns the table of a type, and creates it if necessary. The container frees it.
  ///
  /// - Parameter retire: Gets a replaced block of `types`, to free it after the guards of its readers have ended.
  func tableForWriting(_ metatype: any Any.Type, retire: (UnsafeMutableRawPointer) -> Void) -> UnsafeMutablePointer<TypeTable> {
    if let table = table(metatype) { return table }
    let memory = CacheLine.allocate(byteCount: MemoryLayout<TypeTable>.size)
    let table = memory.bindMemory(to: TypeTable.self, capacity: 1)
    table.initialize(to: TypeTable())
    let cell = types.cell(for: UInt(bitPattern: ObjectIdentifier(metatype)), retire: retire)
    cell.pointee.value.store(UInt(bitPattern: table), ordering: .releasing)
    return table
  }
}
