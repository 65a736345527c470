public import Synchronization

/// The registrations of one type. Created at the type's first registration and kept as long as the container, because the number of
/// types is limited.
@frozen @usableFromInline
struct TypeTable: ~Copyable {
  /// The registrations without tags, a list that needs no hash.
  @usableFromInline let untagged = Atomic<UInt>(0)
  /// The registrations with tags. The first value, by the sum of the tags' hashes: the registrations with exactly these tags. The
  /// second value, by the hash of one tag: the registrations with at least this tag.
  @usableFromInline let tagged = AtomicMap()
  /// All registrations.
  @usableFromInline let everything = Atomic<UInt>(0)

  init() {}

  deinit {
    EntryList.free(untagged.load(ordering: .relaxed))
    EntryList.free(everything.load(ordering: .relaxed))
    tagged.forEach { _, exact, including in
      EntryList.free(exact)
      EntryList.free(including)
    }
  }

  /// Returns the list of registrations with tags of a hash, 0 meaning none.
  @inlinable @inline(__always)
  func list(tagHash: UInt) -> UInt {
    tagHash == 0 ? untagged.load(ordering: .acquiring) : tagged[tagHash]
  }

  /// Returns the list of the rarest tag, or the list of all registrations if there are no tags.
  @inlinable @inline(__always)
  var all: UInt { everything.load(ordering: .acquiring) }

  /// The list of the tag that the fewest entries have; of everything if there are no tags.
  func shortestList(_ tags: [Tag]) -> UInt {
    guard let first = tags.first else { return all }
    var shortest = tagged.second(first.hash)
    for tag in tags.dropFirst() {
      let list = tagged.second(tag.hash)
      if EntryList.bound(list) < EntryList.bound(shortest) { shortest = list }
    }
    return shortest
  }

  /// Inserts an entry into all of its lists. For the writer.
  func insert(_ entry: Unmanaged<Entry>, retire: (UnsafeMutableRawPointer) -> Void) {
    change(entry, retire: retire) { EntryList.appending(entry, to: $0, retire: retire) }
  }

  /// Inserts entries of the type, sorted by their sequence numbers, into all of their lists. A new entry follows the entries with
  /// the same number. For the writer.
  ///
  /// Cost: proportional to the lengths of these lists, each of which is traversed once.
  func merge(_ entries: [Unmanaged<Entry>], retire: (UnsafeMutableRawPointer) -> Void) {
    func update(_ list: borrowing Atomic<UInt>, _ entries: [Unmanaged<Entry>]) {
      list.store(EntryList.merging(entries, into: list.load(ordering: .relaxed), retire: retire), ordering: .releasing)
    }
    // By hash, 0 meaning no tags.
    var exact: [UInt: [Unmanaged<Entry>]] = [:]
    var including: [UInt: [Unmanaged<Entry>]] = [:]
    for reference in entries {
      reference._withUnsafeGuaranteedRef { entry in
        exact[entry.tagHash, default: []].append(reference)
        for hash in entry.distinctHashes { including[hash, default: []].append(reference) }
      }
    }
    update(everything, entries)
    for (hash, entries) in exact {
      if hash == 0 { update(untagged, entries) } else { update(tagged.cell(for: hash, retire: retire).pointee.value, entries) }
    }
    for (hash, entries) in including { update(tagged.cell(for: hash, retire: retire).pointee.second, entries) }
  }

  /// Removes an entry from all of its lists. For the writer.
  func remove(_ entry: Unmanaged<Entry>, retire: (UnsafeMutableRawPointer) -> Void) {
    change(entry, retire: retire) { EntryList.removing(entry, from: $0, retire: retire) }
  }

  private func change(
    _ entry: Unmanaged<Entry>, retire: (UnsafeMutableRawPointer) -> Void, _ change: (UInt) -> UInt
  ) {
    func update(_ list: borrowing Atomic<UInt>) {
      list.store(change(list.load(ordering: .relaxed)), ordering: .releasing)
    }
    entry._withUnsafeGuaranteedRef { entry in
      update(everything)
      guard entry.tagHash != 0 else { return update(untagged) }
      update(tagged.cell(for: entry.tagHash, retire: retire).pointee.value)
      for hash in entry.distinctHashes { update(tagged.cell(for: hash, retire: retire).pointee.second) }
    }
  }
}

extension Entry {
  /// The distinct hashes of its tags. The list of a hash contains an entry once.
  fileprivate var distinctHashes: some Sequence<UInt> {
    // Sorted by hash, so equal hashes are neighbors.
    tags.indices.lazy.filter { $0 == 0 || self.tags[$0].hash != self.tags[$0 - 1].hash }.map { self.tags[$0].hash }
  }
}
