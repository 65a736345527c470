import Synchronization

/// A snapshot of the registrations in a container and its ancestors, with the lookups of a resolve. It makes no instance and loads
/// no pending registration.
///
/// Its creation takes the time to traverse all registrations once. A lookup costs as much as in the container.
struct RegistrationSnapshot {
  /// A registration and the depth of its container.
  struct Item {
    let entry: Entry
    let depth: Int
    /// Whether the instance that a resolve would return exists.
    let isBuilt: Bool
  }

  /// The registrations for a key, as indices of items.
  struct Answer {
    let items: [Int]
    /// Whether they take the arguments, or may take them if the types do not decide.
    let fits: Bool
  }

  /// The registrations by depth, for each depth in the order of registration.
  private(set) var items: [Item] = []
  /// The indices of the items that a request may name by some of their tags.
  private let partiallyTagged: [Int]
  /// The number of containers.
  var containerCount: Int { isScope.count }
  /// For each container, by depth, whether it is a scope.
  private let isScope: [Bool]

  private struct Slot: Hashable {
    let type: ObjectIdentifier
    let tagHash: UInt
    let depth: Int
  }

  /// The last item of each key, or of one with the same hash.
  private var last: [Slot: Int] = [:]
  /// For each item the previous one with the same key, or -1.
  private var previous: [Int] = []
  /// The items of each type and, with a hash, of each type and tag. Created by the first lookup of an array.
  private var lists: [Slot: [Int]] = [:]
  private var hasLists = false

  /// Creates a snapshot of a container and its ancestors, each at one version.
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
    last.reserveCapacity(items.count)
    previous.reserveCapacity(items.count)
    for (index, item) in items.enumerated() {
      let slot = Slot(type: ObjectIdentifier(item.entry.metatype), tagHash: item.entry.tagHash, depth: item.depth)
      previous.append(last.updateValue(index, forKey: slot) ?? -1)
    }
  }

  /// Returns the items with exactly this type and these tags in one container, the latest first.
  func items(_ key: AnyKey, depth: Int) -> [Int] {
    var found: [Int] = []
    var next = last[Slot(type: key.identity, tagHash: TagHash.sum(key.tags), depth: depth)] ?? -1
    while next >= 0 {
      if items[next].entry.hasTags(exactly: key.tags) { found.append(next) }
      next = previous[next]
    }
    return found
  }

  /// Returns the registration that `Container.answer` would find from the container at a depth on, for arguments of these types;
  /// pass nil for unknown types. Returns nil if no registration matches, or more than one.
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

  /// Whether a resolve with arguments of some types may return an item's instance: the instance exists, or its factory may take
  /// them.
  func mayAccept(_ argumentTypes: [any Any.Type], _ item: Int) -> Bool {
    items[item].isBuilt || items[item].entry.fit(argumentTypes) != .never
  }

  /// Returns the items that `Container.candidates` would find from the container at a depth on: those with the type and tags that
  /// include some, without the ones that a child overrides, in registration order.
  mutating func candidates(_ key: AnyKey, from depth: Int) -> [Int] {
    makeLists()
    var found: [Int] = []
    var known: [UInt: [Int]] = [:]
    for depth in depth..<containerCount {
      let inherited = shortestList(key, depth).filter { index in
        let entry = items[index].entry
        return entry.includes(key.tags) && !isOverridden(entry, by: known[entry.tagHash] ?? [])
      }
      found += inherited
      if depth + 1 < containerCount { for index in inherited { known[items[index].entry.tagHash, default: []].append(index) } }
    }
    return found.sorted { items[$0].entry.sequence < items[$1].entry.sequence }
  }

  /// Returns the depth of the container from which an item's factory resolves, for a resolve at some depth.
  func context(of item: Int, from depth: Int) -> Int {
    let home = items[item].depth
    switch items[item].entry.lifetime {
    case .singleton: return home
    case .scoped: return (depth..<max(depth, home)).first { isScope[$0] } ?? home
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

  /// Returns the nearest item of a child that overrides an item, or nil.
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

  private func shortestList(_ key: AnyKey, _ depth: Int) -> [Int] {
    func list(_ hash: UInt) -> [Int] { lists[Slot(type: key.identity, tagHash: hash, depth: depth)] ?? [] }
    return key.tags.map { list($0.hash) }.min { $0.count < $1.count } ?? list(0)
  }

  private mutating func makeLists() {
    guard !hasLists else { return }
    hasLists = true
    for (index, item) in items.enumerated() {
      let type = ObjectIdentifier(item.entry.metatype)
      // No tag has the hash 0. Sorted by hash, so that equal ones are neighbors.
      var former: UInt?
      for hash in [0] + item.entry.tags.map(\.hash) where hash != former {
        lists[Slot(type: type, tagHash: hash, depth: item.depth), default: []].append(index)
        former = hash
      }
    }
  }
}

extension Entry {
  /// Whether it keeps an existing instance.
  var isBuilt: Bool { hasInstance.load(ordering: .acquiring) }

  /// Whether it is weak and its object was released.
  var isGone: Bool {
    guard kind == .weak else { return false }
    // An object that cannot be converted still exists.
    do { return try anyObject() == nil } catch { return false }
  }
}
