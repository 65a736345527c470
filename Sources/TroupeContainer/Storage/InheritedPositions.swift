/// Gives the sequence numbers of removed entries to the entries that replace them, so that a reload of a plugin keeps the order of arrays.
///
/// A new entry inherits the sequence number of an old entry with the same key, a type and a set of tags, preferably of one with which it
/// collides: one with the same argument types (`Entry.collides`). With keys A, B and C, argument types in parentheses, and sequence numbers
/// behind #:
///
///     old    A #3, B #4, A(Int) #5        new    A(Int) inherits #5,  C is appended,  A inherits #3        #4 is dropped
///
/// `Writer.replace` asks for the number of each new entry, stamps the entry and adds it here. At the end it merges all added entries into the
/// lists. The writer owns the references: each old and new entry is alive until the commit ends.
struct InheritedPositions {
  /// Groups entries that may have the same key: different tags may have the same hash.
  private struct KeyHash: Hashable {
    let type: ObjectIdentifier
    let tagHash: UInt

    init(_ entry: Entry) {
      type = ObjectIdentifier(entry.metatype)
      tagHash = entry.tagHash
    }
  }

  /// For each new entry the inherited sequence number, or nil to append it.
  private var sequences: [Int?]
  /// The new entries that have inherited a sequence number and are in no list yet.
  private var inheritors: [KeyHash: [Unmanaged<Entry>]] = [:]

  /// Among several entries with one key, the first new one inherits the smallest number.
  init(of old: [Unmanaged<Entry>], for new: [Entry]) {
    sequences = Array(repeating: nil, count: new.count)
    var available: [KeyHash: [Unmanaged<Entry>]] = [:]
    for entry in old { entry._withUnsafeGuaranteedRef { available[KeyHash($0), default: []].append(entry) } }
    // First the entries that collide, so that no other entry inherits their numbers.
    for mustCollide in [true, false] {
      for (index, entry) in new.enumerated() where sequences[index] == nil {
        let hash = KeyHash(entry)
        guard let candidates = available[hash] else { continue }
        let fitting = candidates.filter { candidate in
          candidate._withUnsafeGuaranteedRef { $0.hasTags(exactly: entry.tags) && (!mustCollide || $0.collides(with: entry)) }
        }
        guard let first = fitting.min(by: { Self.sequence($0) < Self.sequence($1) }) else { continue }
        sequences[index] = Self.sequence(first)
        available[hash]?.removeAll { $0.toOpaque() == first.toOpaque() }
      }
    }
  }

  /// Returns the sequence number that the new entry at an index inherits, or nil to append the entry.
  func sequence(at index: Int) -> Int? { sequences[index] }

  /// Adds a new entry that has its inherited sequence number.
  mutating func add(_ entry: Unmanaged<Entry>) {
    entry._withUnsafeGuaranteedRef { inheritors[KeyHash($0), default: []].append(entry) }
  }

  /// Returns the added entries that were not removed since and collide with an entry.
  func inheritors(collidingWith entry: Entry) -> [Unmanaged<Entry>] {
    (inheritors[KeyHash(entry)] ?? []).filter { other in
      other._withUnsafeGuaranteedRef {
        !$0.isRemoved && $0.hasTags(exactly: entry.tags) && $0.collides(with: entry)
      }
    }
  }

  /// Returns the added entries of each type, sorted by their sequence numbers.
  func inheritorsByType() -> [(type: any Any.Type, entries: [Unmanaged<Entry>])] {
    let byType = Dictionary(grouping: inheritors.values.joined()) { entry in
      entry._withUnsafeGuaranteedRef { ObjectIdentifier($0.metatype) }
    }
    return byType.values.compactMap { entries in
      let sorted = entries.sorted { Self.sequence($0) < Self.sequence($1) }
      return sorted.first.map { (type: $0._withUnsafeGuaranteedRef { $0.metatype }, entries: sorted) }
    }
  }

  private static func sequence(_ entry: Unmanaged<Entry>) -> Int { entry._withUnsafeGuaranteedRef { $0.sequence } }
}
