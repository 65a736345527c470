public import Synchronization

/// The registrations of one type. Made at the type's first registration and kept for as long as the container, since there are
/// only so many types.
@frozen @usableFromInline
struct TypeTable: ~Copyable {
  /// What is registered without tags, the list that needs no hash.
  @usableFromInline let untagged = Atomic<UInt>(0)
  /// What is registered with tags: by the sum of their hashes what has exactly these, and, as the second value, by a tag's hash
  /// what has this among others.
  @usableFromInline let tagged = AtomicMap()
  /// Everything.
  let all = Atomic<UInt>(0)

  init() {}

  deinit {
    EntryList.free(untagged.load(ordering: .relaxed))
    EntryList.free(all.load(ordering: .relaxed))
    tagged.forEach { _, exact, including in
      EntryList.free(exact)
      EntryList.free(including)
    }
  }

  /// The list of what is registered with tags of a hash, 0 meaning none.
  @inlinable @inline(__always)
  func list(tagHash: UInt) -> UInt {
    tagHash == 0 ? untagged.load(ordering: .acquiring) : tagged[tagHash]
  }

  /// The list of the tag that the fewest entries have; of everything if there are no tags.
  func shortestList(_ tags: [Tag]) -> UInt {
    guard let first = tags.first else { return all.load(ordering: .acquiring) }
    var shortest = tagged.second(first.hash)
    for tag in tags.dropFirst() {
      let list = tagged.second(tag.hash)
      if EntryList.bound(list) < EntryList.bound(shortest) { shortest = list }
    }
    return shortest
  }

  /// Puts an entry into every list it belongs to. For the writer.
  func insert(_ entry: Unmanaged<Entry>, retire: (UnsafeMutableRawPointer) -> Void) {
    change(entry, retire: retire) { EntryList.appending(entry, to: $0, retire: retire) }
  }

  /// Takes an entry out of every list it is in. For the writer.
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
      update(all)
      guard entry.tagHash != 0 else { return update(untagged) }
      update(tagged.cell(for: entry.tagHash, retire: retire).pointee.value)
      // Sorted by hash, so equal hashes are neighbours; their list has the entry once.
      var previous: UInt = 0
      for tag in entry.tags where tag.hash != previous {
        update(tagged.cell(for: tag.hash, retire: retire).pointee.second)
        previous = tag.hash
      }
    }
  }
}
