import Synchronization

/// The registrations of a container and its ancestors at one moment, with the lookups of a resolve.
///
/// `explain`, `validate` and `graph` ask "which registration would a resolve find?" many times and must not make an instance, load a
/// plugin, or see two states of a container. So they copy the lists of entries once and repeat the lookups of `Container` on the
/// copy. Each lookup names the container that it starts from by its depth: 0 for the container of the call, 1 for its parent.
///
///     items      [ entries of depth 0 … | entries of depth 1 … | … ]     in the order of registration
///     latest     type, tags, depth ──▶ the last item with this key
///     previous   item ──▶ the item that was registered before it under the same key
///
/// Cost: one traversal of all registrations. A lookup costs as much as in the container.
struct RegistrationSnapshot {
  struct Item {
    let entry: Entry
    /// The depth of the container that has the registration.
    let depth: Int
    /// True if the instance that a resolve from depth 0 would return exists.
    let isBuilt: Bool
  }

  /// The registrations for a key, as indices of items.
  struct Answer {
    let items: [Int]
    /// True if they take the arguments, or may take them if the types do not decide.
    let fits: Bool
  }

  private(set) var items: [Item] = []
  /// The items that a request may name by some of their tags.
  private let partiallyTagged: [Int]
  var containerCount: Int { isScope.count }
  /// By depth.
  private let isScope: [Bool]

  private struct Slot: Hashable {
    let type: ObjectIdentifier
    /// The hash of all tags in `latest`. In `lists`, the hash of one tag, or 0 for the list of all items of the type.
    let tagHash: UInt
    let depth: Int
  }

  private var latest: [Slot: Int] = [:]
  private var previous: [Int?] = []
  /// The items of each type, and of each type and tag. Nil until the first lookup of an array.
  private var lists: [Slot: [Int]]?

  /// Copies the lists of a container and its ancestors, each at one version.
  init(_ container: Container) {
    let selfAndAncestors = container.selfAndAncestors
    isScope = selfAndAncestors.map { $0.scopeStorage != nil }
    for (depth, owner) in selfAndAncestors.enumerated() {
      let entries = owner.allEntries { _ in true }.sorted { $0.sequence < $1.sequence }
      items += entries.map { entry in
        Item(
          entry: entry, depth: depth, isBuilt: container.hasInstance(Container.Candidate(entry: entry, owningContainer: owner)))
      }
    }
    partiallyTagged = items.indices.filter { [items] in items[$0].entry.allowsPartialTags }
    latest.reserveCapacity(items.count)
    previous.reserveCapacity(items.count)
    for (index, item) in items.enumerated() {
      let slot = Slot(type: ObjectIdentifier(item.entry.metatype), tagHash: item.entry.tagHash, depth: item.depth)
      previous.append(latest.updateValue(index, forKey: slot))
    }
  }

  // MARK: One registration

  /// Returns the items with exactly this type and these tags in one container, the latest first.
  func items(_ key: AnyKey, depth: Int) -> [Int] {
    var found: [Int] = []
    var next = latest[Slot(type: key.identity, tagHash: TagHash.sum(key.tags), depth: depth)]
    while let item = next {
      if items[item].entry.hasTags(exactly: key.tags) { found.append(item) }
      next = previous[item]
    }
    return found
  }

  /// Returns the registration that `Container.answer` would find from a depth on, for arguments of these types or, with nil, of
  /// unknown types. Returns nil if no registration matches, or several do.
  func answer(_ key: AnyKey, _ argumentTypes: [any Any.Type]?, from depth: Int) -> Answer? {
    if let exact = select(key, argumentTypes, from: depth) { return exact }
    let matches = partiallyTagged.map { items[$0] }.filter { item in
      item.depth >= depth && ObjectIdentifier(item.entry.metatype) == key.identity && item.entry.includes(key.tags)
    }
    guard let first = matches.first?.entry, matches.allSatisfy({ $0.entry.hasTags(exactly: first.tags) }) else { return nil }
    return select(first.key, argumentTypes, from: depth)
  }

  /// Returns the registration that `Container.select` would find. The parameters are those of `answer`.
  private func select(_ key: AnyKey, _ argumentTypes: [any Any.Type]?, from depth: Int) -> Answer? {
    var nearest: Answer?
    for depth in depth..<containerCount {
      let found = items(key, depth: depth)
      guard let latest = found.first else { continue }
      guard let argumentTypes else { return Answer(items: found, fits: true) }
      let isMade = found.count == 1 && items[latest].isBuilt
      let fitting =
        isMade
        ? latest
        : found.first { items[$0].entry.accepts(exactly: argumentTypes) }
          ?? found.first { items[$0].entry.fit(argumentTypes) == .always }
          ?? found.first { items[$0].entry.fit(argumentTypes) == .sometimes }
      if let fitting { return Answer(items: [fitting], fits: true) }
      nearest = nearest ?? Answer(items: [latest], fits: false)
    }
    return nearest
  }

  /// Returns true if a resolve with arguments of some types may return an item's instance: it exists, or the factory may take them.
  func mayAccept(_ argumentTypes: [any Any.Type], _ item: Int) -> Bool {
    items[item].isBuilt || items[item].entry.fit(argumentTypes) != .never
  }

  // MARK: All registrations of a type

  /// Returns the items that `Container.candidates` would find from a depth on: those of the type whose tags include the key's, except
  /// those that a child overrides, in the order of registration.
  mutating func candidates(_ key: AnyKey, from depth: Int) -> [Int] {
    let lists = listsByTag()
    var found: [Int] = []
    var known: [UInt: [Int]] = [:]
    for depth in depth..<containerCount {
      let inherited = Self.shortestList(lists, key, depth).filter { index in
        let entry = items[index].entry
        return entry.includes(key.tags) && !isOverridden(entry, by: known[entry.tagHash] ?? [])
      }
      found += inherited
      if depth + 1 < containerCount { for index in inherited { known[items[index].entry.tagHash, default: []].append(index) } }
    }
    return found.sorted { items[$0].entry.sequence < items[$1].entry.sequence }
  }

  // MARK: Parents and children

  /// Returns the depth of the container from which an item's factory resolves, for a resolve from some depth: a singleton resolves
  /// from the container that has its registration, a scoped instance from its scope, a transient from the caller's container.
  func resolvingDepth(of item: Int, from depth: Int) -> Int {
    let own = items[item].depth
    switch items[item].entry.lifetime {
    case .singleton: return own
    case .scoped: return (depth..<max(depth, own)).first { isScope[$0] } ?? own
    case .transient: return depth
    }
  }

  /// Returns the items that no child overrides, in order.
  func visible() -> [Int] {
    guard containerCount > 1 else { return Array(items.indices) }
    return items.indices.filter { index in
      let item = items[index]
      return !(0..<item.depth).contains { isOverridden(item.entry, by: items(item.entry.key, depth: $0)) }
    }
  }

  /// Returns the nearest item of a child that overrides an item.
  func overriding(_ index: Int) -> Int? {
    let item = items[index]
    for depth in 0..<item.depth {
      if let other = items(item.entry.key, depth: depth).first(where: { items[$0].entry.collides(with: item.entry) }) {
        return other
      }
    }
    return nil
  }

  private func isOverridden(_ entry: Entry, by others: [Int]) -> Bool {
    others.contains { items[$0].entry.hasTags(exactly: entry.tags) && items[$0].entry.collides(with: entry) }
  }

  private static func shortestList(_ lists: [Slot: [Int]], _ key: AnyKey, _ depth: Int) -> [Int] {
    func list(_ hash: UInt) -> [Int] { lists[Slot(type: key.identity, tagHash: hash, depth: depth)] ?? [] }
    return key.tags.map { list($0.hash) }.min { $0.count < $1.count } ?? list(0)
  }

  private mutating func listsByTag() -> [Slot: [Int]] {
    if let lists { return lists }
    var lists: [Slot: [Int]] = [:]
    for (index, item) in items.enumerated() {
      let type = ObjectIdentifier(item.entry.metatype)
      // No tag has the hash 0. The tags are sorted by hash, so that equal hashes are neighbors.
      var former: UInt?
      for hash in [0] + item.entry.tags.map(\.hash) where hash != former {
        lists[Slot(type: type, tagHash: hash, depth: item.depth), default: []].append(index)
        former = hash
      }
    }
    self.lists = lists
    return lists
  }
}

extension Entry {
  /// True if the entry keeps an instance.
  var isBuilt: Bool { hasInstance.load(ordering: .acquiring) }

  /// True if the entry is weak and its object was released.
  var isGone: Bool {
    guard kind == .weak else { return false }
    // An object that cannot be converted still exists.
    do { return try anyObject() == nil } catch { return false }
  }
}
