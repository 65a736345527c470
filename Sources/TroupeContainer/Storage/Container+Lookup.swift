import Synchronization

/// Searches the registrations of one container. The fast path of a resolve has its own lookup (`Container+FastPath.swift`).
///
/// Readers search at one version, which they load once: they see either all of a commit or none. The writer sees its own unpublished commit.
extension Container {
  /// Runs a closure at the present version. The entries that it finds stay allocated until it returns.
  func withSnapshot<R>(_ body: (UInt64) throws -> R) rethrows -> R {
    let epochGuard = EpochGuard(epochs)
    defer { epochGuard.end() }
    return try body(version.load(ordering: .acquiring))
  }

  /// Returns the table of a type. Nil if the type never had a registration.
  func table(_ metatype: any Any.Type) -> UnsafeMutablePointer<TypeTable>? {
    UnsafeMutablePointer(bitPattern: types[UInt(bitPattern: ObjectIdentifier(metatype))])
  }

  func forEachTable(_ body: (UnsafeMutablePointer<TypeTable>) -> Void) {
    types.forEach { _, word, _ in UnsafeMutablePointer(bitPattern: word).map(body) }
  }

  /// Returns the registrations under a type and exactly these distinct tags, in registration order. Several differ in their argument types.
  func entries(_ metatype: any Any.Type, exactly tags: [Tag]) -> [Entry] {
    withSnapshot { entries(metatype, exactly: tags, at: $0) }
  }

  /// The same for a caller with a guard, which has loaded the version.
  func entries(_ metatype: any Any.Type, exactly tags: [Tag], at version: UInt64) -> [Entry] {
    guard let table = table(metatype) else { return [] }
    var entries: [Entry] = []
    table.pointee.list(tagHash: TagHash.sum(tags)).forEach { entry in
      entry._withUnsafeGuaranteedRef {
        if $0.isVisible(at: version), $0.hasTags(exactly: tags) { entries.append($0) }
      }
      return true
    }
    return entries
  }

  /// Returns the latest registration under a type and exactly these tags.
  func entry(_ metatype: any Any.Type, _ tags: [Tag]) -> Entry? {
    entries(metatype, exactly: tags).last
  }

  /// Returns the registrations under a type with tags that include these, in registration order.
  ///
  /// Cost: proportional to the registrations with the rarest of the tags.
  func entries(_ metatype: any Any.Type, including tags: [Tag]) -> [Entry] {
    withSnapshot { version in
      guard let table = table(metatype) else { return [] }
      var entries: [Entry] = []
      table.pointee.shortestList(tags).forEach { entry in
        entry._withUnsafeGuaranteedRef {
          if $0.isVisible(at: version), $0.includes(tags) { entries.append($0) }
        }
        return true
      }
      return entries
    }
  }

  /// Returns the types that have registrations with tags that include these.
  ///
  /// Cost: proportional to the types and to each type's registrations with the rarest of the tags.
  func types(including tags: [Tag]) -> [any Any.Type] {
    withSnapshot { version in
      var metatypes: [any Any.Type] = []
      forEachTable { table in
        table.pointee.shortestList(tags).forEach { entry in
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

  /// Returns the registrations under the types that a closure accepts, by type, in registration order.
  func allEntries(where isWanted: (any Any.Type) -> Bool) -> [Entry] {
    withSnapshot { version in
      var entries: [Entry] = []
      forEachTable { table in
        table.pointee.all.forEach { entry in
          entry._withUnsafeGuaranteedRef { entry in
            guard isWanted(entry.metatype) else { return false }
            if entry.isVisible(at: version) { entries.append(entry) }
            return true
          }
        }
      }
      return entries
    }
  }

  /// Returns the registrations of any type with tags that include these, in the order of registration.
  ///
  /// Cost: proportional to the types and to each type's registrations with the rarest of the tags.
  package func ownEntries(including tags: Set<AnySendableHashable>) -> [Entry] {
    let tags = TagHash.distinct(tags.map { Tag.make($0) })
    let entries = withSnapshot { version in
      var entries: [Entry] = []
      forEachTable { table in
        table.pointee.shortestList(tags).forEach { entry in
          entry._withUnsafeGuaranteedRef { if $0.isVisible(at: version), $0.includes(tags) { entries.append($0) } }
          return true
        }
      }
      return entries
    }
    return entries.sorted { $0.sequence < $1.sequence }
  }

  // MARK: The writer

  /// Returns the table of a type, and creates it if necessary. Passes a replaced table of `types` to `retire`.
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

  /// Returns the entries under a type with tags that include these that the current commit has not removed.
  ///
  /// Cost: proportional to the registrations with the rarest of the tags.
  func liveEntries(_ metatype: any Any.Type, including tags: [Tag]) -> [Unmanaged<Entry>] {
    table(metatype).map { Self.live($0, including: tags) } ?? []
  }

  /// Returns the entries of all types with tags that include these that the current commit has not removed.
  ///
  /// Cost: proportional to the types and to each type's registrations with the rarest of the tags.
  func liveEntries(including tags: [Tag]) -> [Unmanaged<Entry>] {
    var entries: [Unmanaged<Entry>] = []
    forEachTable { entries += Self.live($0, including: tags) }
    return entries
  }

  private static func live(_ table: UnsafeMutablePointer<TypeTable>, including tags: [Tag]) -> [Unmanaged<Entry>] {
    var entries: [Unmanaged<Entry>] = []
    table.pointee.shortestList(tags).forEach { entry in
      entry._withUnsafeGuaranteedRef {
        if !$0.isRemoved, $0.includes(tags) { entries.append(entry) }
      }
      return true
    }
    return entries
  }

  /// Returns the entries under a type and exactly these tags that the current commit has not removed.
  func liveEntries(_ metatype: any Any.Type, exactly tags: [Tag]) -> [Unmanaged<Entry>] {
    guard let table = table(metatype) else { return [] }
    var entries: [Unmanaged<Entry>] = []
    table.pointee.list(tagHash: TagHash.sum(tags)).forEach { entry in
      entry._withUnsafeGuaranteedRef {
        if !$0.isRemoved, $0.hasTags(exactly: tags) { entries.append(entry) }
      }
      return true
    }
    return entries
  }
}
