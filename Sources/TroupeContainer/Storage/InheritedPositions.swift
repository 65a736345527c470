import Synchronization

/// The positions in arrays that a replacement frees, and their assignment to new entries: a new entry gets the position of an old
/// entry with the same key, preferably one with the same argument types.
struct InheritedPositions {
  /// The key of an entry; different tags may have the same hash.
  private struct Slot: Hashable {
    let type: ObjectIdentifier
    let tagHash: UInt

    init(_ entry: Entry) {
      type = ObjectIdentifier(entry.metatype)
      tagHash = entry.tagHash
    }
  }

  /// The sequence number that each new entry inherits, by its index; nil for an entry that has to be appended.
  private var sequences: [Int?]
  /// The new entries that inherited a position.
  private var taken: [Slot: [Unmanaged<Entry>]] = [:]

  /// Assigns the positions of old entries to new ones. Among several with one key, the first new entry gets the first free
  /// position.
  init(of old: [Unmanaged<Entry>], for new: [Entry]) {
    sequences = Array(repeating: nil, count: new.count)
    var free: [Slot: [Unmanaged<Entry>]] = [:]
    for entry in old { entry._withUnsafeGuaranteedRef { free[Slot($0), default: []].append(entry) } }
    // First the entries with the same argument types, so that no other entry gets their positions.
    for isExact in [true, false] {
      for (index, entry) in new.enumerated() where sequences[index] == nil {
        let slot = Slot(entry)
        guard let candidates = free[slot] else { continue }
        let fitting = candidates.filter { candidate in
          candidate._withUnsafeGuaranteedRef { $0.hasTags(exactly: entry.tags) && (!isExact || $0.collides(with: entry)) }
        }
        guard let first = fitting.min(by: { Self.sequence($0) < Self.sequence($1) }) else { continue }
        sequences[index] = Self.sequence(first)
        free[slot]?.removeAll { $0.toOpaque() == first.toOpaque() }
      }
    }
  }

  /// Returns the sequence number that the new entry at an index inherits, or nil.
  func sequence(at index: Int) -> Int? { sequences[index] }

  /// Records that an entry has inherited a position.
  mutating func take(_ entry: Unmanaged<Entry>) {
    entry._withUnsafeGuaranteedRef { taken[Slot($0), default: []].append(entry) }
  }

  /// Returns the entries that inherited a position, were not removed since, and collide with an entry.
  func taken(with entry: Entry) -> [Unmanaged<Entry>] {
    (taken[Slot(entry)] ?? []).filter { other in
      other._withUnsafeGuaranteedRef {
        $0.removedIn.load(ordering: .relaxed) == .max && $0.hasTags(exactly: entry.tags) && $0.collides(with: entry)
      }
    }
  }

  /// Returns the entries that inherited a position by their types, sorted by their sequence numbers.
  func takenByType() -> [(type: any Any.Type, entries: [Unmanaged<Entry>])] {
    let byType = Dictionary(grouping: taken.values.joined()) { entry in
      entry._withUnsafeGuaranteedRef { ObjectIdentifier($0.metatype) }
    }
    return byType.values.compactMap { entries in
      let sorted = entries.sorted { Self.sequence($0) < Self.sequence($1) }
      return sorted.first.map { (type: $0._withUnsafeGuaranteedRef { $0.metatype }, entries: sorted) }
    }
  }

  private static func sequence(_ entry: Unmanaged<Entry>) -> Int { entry._withUnsafeGuaranteedRef { $0.sequence } }
}
