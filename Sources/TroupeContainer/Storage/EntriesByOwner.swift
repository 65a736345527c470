/// The entries of each owner, in the order of registration, so that a plugin is unregistered at once.
///
/// Intrusive doubly linked lists through `Entry.previousOwned` and `nextOwned`: an insertion or a removal takes constant time and no memory.
struct EntriesByOwner {
  /// The last entry of each list.
  private var last: [Owner: Unmanaged<Entry>] = [:]

  func entries(of owner: Owner) -> [Unmanaged<Entry>] {
    var entries: [Unmanaged<Entry>] = []
    var next = last[owner]
    while let entry = next {
      entries.append(entry)
      next = entry._withUnsafeGuaranteedRef { $0.previousOwned }
    }
    return entries.reversed()
  }

  /// Appends an entry to the list of its owner, if it has one.
  mutating func insert(_ new: Unmanaged<Entry>) {
    new._withUnsafeGuaranteedRef { entry in
      guard let owner = entry.owner else { return }
      let previous = last.updateValue(new, forKey: owner)
      (entry.previousOwned, entry.nextOwned) = (previous, nil)
      previous?._withUnsafeGuaranteedRef { $0.nextOwned = new }
    }
  }

  /// Removes an entry from the list of its owner, if it has one.
  mutating func remove(_ old: Unmanaged<Entry>) {
    old._withUnsafeGuaranteedRef { entry in
      guard let owner = entry.owner else { return }
      let (previous, next) = (entry.previousOwned, entry.nextOwned)
      previous?._withUnsafeGuaranteedRef { $0.nextOwned = next }
      if let next { next._withUnsafeGuaranteedRef { $0.previousOwned = previous } } else { last[owner] = previous }
      (entry.previousOwned, entry.nextOwned) = (nil, nil)
    }
  }
}
