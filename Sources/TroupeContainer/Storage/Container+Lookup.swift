import Synchronization

extension Container {
  /// Looks at the container as it is at one version: nothing that the closure sees changes or goes while it runs, and no change
  /// is seen by half.
  func reading<R>(_ body: (UInt64) throws -> R) rethrows -> R {
    let reading = Reading(readers)
    defer { reading.end() }
    return try body(version.load(ordering: .acquiring))
  }

  /// The table of a type, or nil if nothing of it was ever registered.
  private func table(_ metatype: any Any.Type) -> UnsafeMutablePointer<TypeTable>? {
    UnsafeMutablePointer(bitPattern: types[UInt(bitPattern: ObjectIdentifier(metatype))])
  }

  /// Calls a closure with the address of each type's table.
  private func forEachTable(_ body: (UInt) -> Void) { types.forEach { _, word, _ in body(word) } }

  /// What is registered here under a type and exactly these tags, which are distinct, in registration order: one entry for each
  /// list of arguments.
  func entries(_ metatype: any Any.Type, exactly tags: [Tag]) -> [Entry] {
    reading { entries(metatype, exactly: tags, at: $0) }
  }

  /// The same at a version, for somebody who is reading.
  func entries(_ metatype: any Any.Type, exactly tags: [Tag], at version: UInt64) -> [Entry] {
    guard let table = table(metatype) else { return [] }
    var entries: [Entry] = []
    EntryList.forEach(table.pointee.list(tagHash: TagHash.sum(tags))) { entry in
      entry._withUnsafeGuaranteedRef {
        if $0.isVisible(at: version), $0.has(exactly: tags) { entries.append($0) }
      }
      return true
    }
    return entries
  }

  /// The latest of what is registered here under a type and exactly these tags.
  func entry(_ metatype: any Any.Type, _ tags: [Tag]) -> Entry? {
    entries(metatype, exactly: tags).last
  }

  /// What is registered here under a type with tags that include these, in registration order.
  ///
  /// Cost: proportional to the registrations with the rarest of the tags.
  func entries(_ metatype: any Any.Type, including tags: [Tag]) -> [Entry] {
    reading { version in
      guard let table = table(metatype) else { return [] }
      var entries: [Entry] = []
      EntryList.forEach(table.pointee.shortestList(tags)) { entry in
        entry._withUnsafeGuaranteedRef {
          if $0.isVisible(at: version), $0.includes(tags) { entries.append($0) }
        }
        return true
      }
      return entries
    }
  }

  /// The types of which something is registered here with tags that include these.
  ///
  /// Cost: proportional to the types and to each type's registrations with the rarest of the tags.
  func types(including tags: [Tag]) -> [any Any.Type] {
    reading { version in
      var metatypes: [any Any.Type] = []
      forEachTable { word in
        guard let table = UnsafeMutablePointer<TypeTable>(bitPattern: word) else { return }
        EntryList.forEach(table.pointee.shortestList(tags)) { entry in
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

  /// The instances of what is registered here under a type with tags that include these, in registration order, if all of it is
  /// singletons that have been made and there is no parent; nil otherwise.
  ///
  /// This is what most arrays of plugins are. It takes no reference to anything but the instances.
  func built<T>(_ type: T.Type, including tags: [Tag]) -> [T]? {
    guard parent == nil else { return nil }
    return reading { version in
      guard let table = table(type) else { return nil }
      let list = table.pointee.shortestList(tags)
      let bound = EntryList.bound(list)
      if bound == 0 { return [] }
      var isComplete = true
      let instances = [T](unsafeUninitializedCapacity: bound) { buffer, count in
        EntryList.forEach(list) { entry in
          entry._withUnsafeGuaranteedRef { entry in
            guard entry.isVisible(at: version), entry.includes(tags) else { return true }
            guard entry.state.load(ordering: .acquiring) == 1, let instance = entry.typed(T.self).instance,
              let start = buffer.baseAddress, count < buffer.count
            else {
              isComplete = false
              return false
            }
            (start + count).initialize(from: instance, count: 1)
            count += 1
            return true
          }
        }
      }
      return isComplete ? instances : nil
    }
  }

  /// Everything that is registered here under the types that a closure picks, by type, in registration order.
  func allEntries(where isWanted: (any Any.Type) -> Bool) -> [Entry] {
    reading { version in
      var entries: [Entry] = []
      forEachTable { word in
        guard let table = UnsafeMutablePointer<TypeTable>(bitPattern: word) else { return }
        EntryList.forEach(table.pointee.all.load(ordering: .acquiring)) { entry in
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

  // MARK: For the writer

  /// The table of a type, made if there is none. A table of tables that became too small goes to `retire`.
  func writerTable(
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

  /// What has a type and tags that include these and has not been removed, the present change included.
  ///
  /// Cost: proportional to the registrations with the rarest of the tags.
  func writerEntries(_ metatype: any Any.Type, including tags: [Tag]) -> [Unmanaged<Entry>] {
    table(metatype).map { Self.present($0, including: tags) } ?? []
  }

  /// What has tags that include these, of whatever type, and has not been removed, the present change included.
  ///
  /// Cost: proportional to the types and to each type's registrations with the rarest of the tags.
  func writerEntries(including tags: [Tag]) -> [Unmanaged<Entry>] {
    var entries: [Unmanaged<Entry>] = []
    forEachTable { word in
      guard let table = UnsafeMutablePointer<TypeTable>(bitPattern: word) else { return }
      entries += Self.present(table, including: tags)
    }
    return entries
  }

  /// What of a table has tags that include these and has not been removed.
  private static func present(_ table: UnsafeMutablePointer<TypeTable>, including tags: [Tag]) -> [Unmanaged<Entry>] {
    var entries: [Unmanaged<Entry>] = []
    EntryList.forEach(table.pointee.shortestList(tags)) { entry in
      entry._withUnsafeGuaranteedRef {
        if $0.died.load(ordering: .relaxed) == .max, $0.includes(tags) { entries.append(entry) }
      }
      return true
    }
    return entries
  }

  /// What has these type and tags and has not been removed, the present change included.
  func writerEntries(_ metatype: any Any.Type, _ tags: [Tag]) -> [Unmanaged<Entry>] {
    guard let table = table(metatype) else { return [] }
    var entries: [Unmanaged<Entry>] = []
    EntryList.forEach(table.pointee.list(tagHash: TagHash.sum(tags))) { entry in
      entry._withUnsafeGuaranteedRef {
        if $0.died.load(ordering: .relaxed) == .max, $0.has(exactly: tags) { entries.append(entry) }
      }
      return true
    }
    return entries
  }
}
