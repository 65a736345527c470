import Synchronization

/// Searches the entries of one container: its registrations. The fast path of a resolve has its own lookup (`Container+FastPath.swift`).
///
/// Readers search at one version, which they load once: they see either all of a commit or none. The writer sees its own unpublished commit.
///
///     visible    for readers at a version: added in it or before, and not removed in it or before
///     live       for the writer: not removed, also by the commit that it has not published yet
///
/// All tags that a search takes are distinct and sorted by hash (`TagHash.distinct`).
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
    withSnapshot { entries(metatype, exactly: tags, at: $0) }
  }

  /// Returns the entries under a type and exactly these tags at a version.
  ///
  /// - Precondition: The caller runs in `withSnapshot`, which gives the version.
  func entries(_ metatype: any Any.Type, exactly tags: [Tag], at version: UInt64) -> [Entry] {
    table(metatype)?.pointee.list(tagHash: TagHash.sum(tags)).entries(visibleAt: version) { $0.hasTags(exactly: tags) } ?? []
  }

  /// Returns the latest entry under a type and exactly these tags.
  func entry(_ metatype: any Any.Type, _ tags: [Tag]) -> Entry? {
    entries(metatype, exactly: tags).last
  }

  /// Returns the entries under a type with tags that include these, in registration order.
  ///
  /// Cost: proportional to the entries with the rarest of the tags.
  func entries(_ metatype: any Any.Type, including tags: [Tag]) -> [Entry] {
    withSnapshot { version in
      table(metatype)?.pointee.shortestList(tags).entries(visibleAt: version) { $0.includes(tags) } ?? []
    }
  }

  /// Returns the types that have entries with tags that include these.
  ///
  /// Cost: proportional to the types and to each type's entries with the rarest of the tags.
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

  /// Returns the entries under the types that a closure accepts, by type, in registration order.
  func allEntries(where isWanted: (any Any.Type) -> Bool) -> [Entry] {
    withSnapshot { version in
      var entries: [Entry] = []
      forEachTable { table in
        table.pointee.all.scan { entry in
          entry._withUnsafeGuaranteedRef { entry in
            // All entries of a table have the same type.
            guard isWanted(entry.metatype) else { return false }
            if entry.isVisible(at: version) { entries.append(entry) }
            return true
          }
        }
      }
      return entries
    }
  }

  /// Returns the entries of any type with tags that include these, in registration order, without those of the parents.
  ///
  /// Cost: proportional to the types and to each type's entries with the rarest of the tags.
  package func ownEntries(including tags: Set<AnySendableHashable>) -> [Entry] {
    let tags = TagHash.distinct(tags.map { Tag.make($0) })
    let entries = withSnapshot { version in
      var entries: [Entry] = []
      forEachTable { table in
        entries += table.pointee.shortestList(tags).entries(visibleAt: version) { $0.includes(tags) }
      }
      return entries
    }
    return entries.sorted { $0.sequence < $1.sequence }
  }

  // MARK: The writer

  /// Returns the table of a type, and creates it if necessary. The container frees it.
  ///
  /// - Parameter retire: Gets a replaced block of `types`, to free it after the guards of its readers have ended.
  func tableForWriting(
    _ metatype: any Any.Type, retire: (UnsafeMutableRawPointer) -> Void
  ) -> UnsafeMutablePointer<TypeTable> {
    if let table = table(metatype) { return table }
    let memory = CacheLine.allocate(byteCount: MemoryLayout<TypeTable>.size)
    let table = memory.bindMemory(to: TypeTable.self, capacity: 1)
    table.initialize(to: TypeTable())
    let cell = types.cell(for: UInt(bitPattern: ObjectIdentifier(metatype)), retire: retire)
    cell.pointee.value.store(UInt(bitPattern: table), ordering: .releasing)
    return table
  }

  /// Returns the live entries under a type with tags that include these.
  ///
  /// Cost: proportional to the entries with the rarest of the tags.
  func liveEntries(_ metatype: any Any.Type, including tags: [Tag]) -> [Unmanaged<Entry>] {
    table(metatype).map { $0.pointee.shortestList(tags).liveEntries { $0.includes(tags) } } ?? []
  }

  /// Returns the live entries of all types with tags that include these.
  ///
  /// Cost: proportional to the types and to each type's entries with the rarest of the tags.
  func liveEntries(including tags: [Tag]) -> [Unmanaged<Entry>] {
    var entries: [Unmanaged<Entry>] = []
    forEachTable { entries += $0.pointee.shortestList(tags).liveEntries { $0.includes(tags) } }
    return entries
  }

  /// Returns the live entries under a type and exactly these tags.
  func liveEntries(_ metatype: any Any.Type, exactly tags: [Tag]) -> [Unmanaged<Entry>] {
    table(metatype).map { $0.pointee.list(tagHash: TagHash.sum(tags)).liveEntries { $0.hasTags(exactly: tags) } } ?? []
  }
}

extension EntryList {
  fileprivate func liveEntries(where isWanted: (Entry) -> Bool) -> [Unmanaged<Entry>] {
    var entries: [Unmanaged<Entry>] = []
    forEach { entry in
      entry._withUnsafeGuaranteedRef { if !$0.isRemoved, isWanted($0) { entries.append(entry) } }
    }
    return entries
  }
}
