/// The registrations of a container: by key, and by type in registration order.
struct Store {
  private struct Slot {
    let entry: Entry
    let owner: Owner?
    let sequence: Int
  }

  private var slots: [AnyKey: Slot] = [:]
  private var keys: [ObjectIdentifier: Set<AnyKey>] = [:]
  private var nextSequence = 0

  subscript(key: AnyKey) -> Entry? { slots[key]?.entry }

  func entries(of type: ObjectIdentifier, including tags: Set<AnySendableHashable>) -> [Entry] {
    let matches = keys[type, default: []].compactMap { $0.tagset.isSuperset(of: tags) ? slots[$0] : nil }
    return matches.sorted { $0.sequence < $1.sequence }.map(\.entry)
  }

  /// Puts an entry under a key, or nothing, and gives back what was there.
  mutating func insert(_ entry: Entry?, for key: AnyKey, owner: Owner?) -> Entry? {
    let replaced = slots.removeValue(forKey: key)?.entry
    if let entry {
      slots[key] = Slot(entry: entry, owner: owner, sequence: nextSequence)
      keys[key.identity, default: []].insert(key)
      nextSequence += 1
    } else {
      keys[key.identity]?.remove(key)
    }
    return replaced
  }

  /// Removes what belongs to an owner and gives it back.
  mutating func removeAll(of owner: Owner) -> [Entry] {
    let owned = slots.filter { $0.value.owner == owner }
    for key in owned.keys { _ = insert(nil, for: key, owner: nil) }
    return owned.values.map(\.entry)
  }
}
