import Synchronization

/// The registrations of one type in one container, indexed by their tags.
///
///     Container.types ─→ TypeTable of Int
///                          everything              all registrations of Int
///                          untagged                those without tags
///                          tagged[h].value         those whose set of tags has the hash h
///                          tagged[h].second        those with a tag of the hash h
///
/// `resolve(Int.self, tags: "a", 1)` reads `tagged[hash("a") + hash(1)].value`. `resolve([Int].self, tags: "a")` reads
/// `tagged[hash("a")].second`. Each list is an `EntryList` in registration order. Hashes may collide, so readers compare the tags.
///
/// One writer, the holder of the container's lock, changes a table while readers with an `EpochGuard` read it. `everything` owns a
/// reference to each entry. A table is created at the type's first registration and lives as long as the container, because the number of
/// types is limited.
struct TypeTable: ~Copyable {
  /// Not part of `tagged`, so that a resolve without tags needs no hash.
  let untagged = Atomic<UInt>(0)
  let tagged = AtomicMap()
  let everything = Atomic<UInt>(0)

  deinit {
    EntryList(word: untagged.load(ordering: .relaxed)).free()
    EntryList(word: everything.load(ordering: .relaxed)).free()
    tagged.forEach { _, exact, including in
      EntryList(word: exact).free()
      EntryList(word: including).free()
    }
  }

  // MARK: Readers

  /// Returns the registrations whose tags have a hash, as `TagHash.sum` returns it: 0 for no tags.
  @inline(__always)
  func list(tagHash: UInt) -> EntryList {
    EntryList(word: tagHash == 0 ? untagged.load(ordering: .acquiring) : tagged[tagHash])
  }

  /// Returns the registrations that have a tag with a hash, and possibly others.
  @inline(__always)
  func list(includingTagHash hash: UInt) -> EntryList { EntryList(word: tagged.second(hash)) }

  @inline(__always)
  var all: EntryList { EntryList(word: everything.load(ordering: .acquiring)) }

  /// Returns the list of the rarest of some tags, or all registrations if there are no tags.
  func shortestList(_ tags: [Tag]) -> EntryList {
    guard let first = tags.first else { return all }
    var shortest = list(includingTagHash: first.hash)
    for tag in tags.dropFirst() {
      let list = list(includingTagHash: tag.hash)
      if list.upperBound < shortest.upperBound { shortest = list }
    }
    return shortest
  }

  // MARK: The writer

  /// Appends an entry to all of its lists.
  func insert(_ entry: Unmanaged<Entry>, retire: (UnsafeMutableRawPointer) -> Void) {
    change(entry, retire: retire) { $0.appending(entry, retire: retire) }
  }

  /// Removes an entry from all of its lists.
  func remove(_ entry: Unmanaged<Entry>, retire: (UnsafeMutableRawPointer) -> Void) {
    change(entry, retire: retire) { $0.removing(entry, retire: retire) }
  }

  private func change(
    _ entry: Unmanaged<Entry>, retire: (UnsafeMutableRawPointer) -> Void, _ change: (EntryList) -> EntryList
  ) {
    func update(_ word: borrowing Atomic<UInt>) {
      word.store(change(EntryList(word: word.load(ordering: .relaxed))).word, ordering: .releasing)
    }
    entry._withUnsafeGuaranteedRef { entry in
      update(everything)
      guard entry.tagHash != 0 else { return update(untagged) }
      update(tagged.cell(for: entry.tagHash, retire: retire).pointee.value)
      for (index, tag) in entry.tags.enumerated() where index == 0 || tag.hash != entry.tags[index - 1].hash {
        // Sorted by hash, so equal hashes are neighbors, and the list of a hash contains the entry once.
        update(tagged.cell(for: tag.hash, retire: retire).pointee.second)
      }
    }
  }
}
