/// Finds for each entry that replaces others the one whose position it inherits, so that a reload of a plugin keeps the order of arrays.
///
/// A new entry inherits the sequence number of an old entry with the same key, a type and a set of tags, preferably of one with which it
/// collides: one with the same argument types (`Entry.collides`). With keys A, B and C, argument types in parentheses, and sequence numbers
/// behind #:
///
///     old    A #3, B #4, A(Int) #5        new    A(Int) inherits #5,  C is appended,  A inherits #3        #4 is dropped
///
/// The writer owns the references: each old entry is alive until the commit ends.
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

  /// For each new entry the old one whose position it inherits, or nil to append it.
  private(set) var predecessors: [Unmanaged<Entry>?]
  private var inherited: Set<Int> = []

  /// - Parameter old: The entries that the writer has removed. Of several with one key, the first new entry gets the first position.
  init(of old: [Unmanaged<Entry>], for new: [Entry]) {
    predecessors = Array(repeating: nil, count: new.count)
    var available: [KeyHash: [Unmanaged<Entry>]] = [:]
    for entry in old { entry._withUnsafeGuaranteedRef { available[KeyHash($0), default: []].append(entry) } }
    // First the entries that collide, so that no other entry inherits their positions.
    for mustCollide in [true, false] {
      for (index, entry) in new.enumerated() where predecessors[index] == nil {
        let hash = KeyHash(entry)
        guard let candidates = available[hash] else { continue }
        let fitting = candidates.filter { candidate in
          candidate._withUnsafeGuaranteedRef { $0.hasTags(exactly: entry.tags) && (!mustCollide || $0.collides(with: entry)) }
        }
        guard let first = fitting.min(by: { Self.sequence($0) < Self.sequence($1) }) else { continue }
        predecessors[index] = first
        inherited.insert(Self.sequence(first))
        available[hash]?.removeAll { $0.toOpaque() == first.toOpaque() }
      }
    }
  }

  /// True for a registered entry that has inherited its position in this commit: the one that it replaces is removed.
  func isInherited(by entry: Unmanaged<Entry>) -> Bool { inherited.contains(Self.sequence(entry)) }

  private static func sequence(_ entry: Unmanaged<Entry>) -> Int { entry._withUnsafeGuaranteedRef { $0.sequence } }
}
