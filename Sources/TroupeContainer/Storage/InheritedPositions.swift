import Synchronization

/// Assigns the positions in arrays of removed entries to the entries that replace them, so that a reload of a plugin keeps the order.
///
/// A new entry inherits the sequence number of an old entry with the same key, preferably of one with the same argument types:
///
///     old    A #3, B #4, A(Int) #5        new    A(Int) ← #5,  C appended,  A ← #3        #4 is dropped
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
  /// The new entries that have inherited a position and await `Writer.merge`.
  private var placed: [KeyHash: [Unmanaged<Entry>]] = [:]

  /// Among several entries with one key, the first new one inherits the first position.
  init(of old: [Unmanaged<Entry>], for new: [Entry]) {
    sequences = Array(repeating: nil, count: new.count)
    var free: [KeyHash: [Unmanaged<Entry>]] = [:]
    for entry in old { entry._withUnsafeGuaranteedRef { free[KeyHash($0), default: []].append(entry) } }
    // First the entries with the same argument types, so that no other entry inherits their positions.
    for isExact in [true, false] {
      for (index, entry) in new.enumerated() where sequences[index] == nil {
        let hash = KeyHash(entry)
        guard let candidates = free[hash] else { continue }
        let fitting = candidates.filter { candidate in
          candidate._withUnsafeGuaranteedRef { $0.hasTags(exactly: entry.tags) && (!isExact || $0.collides(with: entry)) }
        }
        guard let first = fitting.min(by: { Self.sequence($0) < Self.sequence($1) }) else { continue }
        sequences[index] = Self.sequence(first)
        free[hash]?.removeAll { $0.toOpaque() == first.toOpaque() }
      }
    }
  }

  /// Returns the sequence number that the new entry at an index inherits.
  func sequence(at index: Int) -> Int? { sequences[index] }

  mutating func place(_ entry: Unmanaged<Entry>) {
    entry._withUnsafeGuaranteedRef { placed[KeyHash($0), default: []].append(entry) }
  }

  /// Returns the placed entries that were not removed since and collide with an entry.
  func placed(collidingWith entry: Entry) -> [Unmanaged<Entry>] {
    (placed[KeyHash(entry)] ?? []).filter { other in
      other._withUnsafeGuaranteedRef {
        !$0.isRemoved && $0.hasTags(exactly: entry.tags) && $0.collides(with: entry)
      }
    }
  }

  /// Returns the placed entries of each type, sorted by their sequence numbers.
  func placedByType() -> [(type: any Any.Type, entries: [Unmanaged<Entry>])] {
    let byType = Dictionary(grouping: placed.values.joined()) { entry in
      entry._withUnsafeGuaranteedRef { ObjectIdentifier($0.metatype) }
    }
    return byType.values.compactMap { entries in
      let sorted = entries.sorted { Self.sequence($0) < Self.sequence($1) }
      return sorted.first.map { (type: $0._withUnsafeGuaranteedRef { $0.metatype }, entries: sorted) }
    }
  }

  private static func sequence(_ entry: Unmanaged<Entry>) -> Int { entry._withUnsafeGuaranteedRef { $0.sequence } }
}
