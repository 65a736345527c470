import Synchronization

/// What is registered in a container and its parents at one moment, and what a resolve would find there. Nothing is made or loaded.
///
/// Making one costs as much as going through all registrations once; each look costs as much as in the container.
struct RegistrationSnapshot {
  /// A registration and how many parents away it is.
  struct Item {
    let entry: Entry
    let depth: Int
    /// Whether the instance has been made that a resolve would give.
    let isBuilt: Bool
  }

  /// What answers for a key, as the numbers of items.
  struct Answer {
    let items: [Int]
    /// Whether it takes the arguments, or may take them where their types alone do not decide.
    let fits: Bool
  }

  /// By depth, in each in the order of registration.
  private(set) var items: [Item] = []
  /// The indices of the items that a request may name by some of their tags.
  private let partiallyTagged: [Int]
  /// How many containers there are.
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
  /// For each item, the one before it with the same key, or -1.
  private var previous: [Int] = []
  /// The items of each type, or, with a hash, those with a tag of this hash. Made when the first array is looked for.
  private var lists: [Slot: [Int]] = [:]
  private var hasLists = false

  /// Looks at a container and its parents, each as it is at one moment.
  init(_ container: Container) {
    let lineage = container.lineage
    isScope = lineage.map { $0.scopeMemory != nil }
    for (depth, home) in lineage.enumerated() {
      let entries = home.allEntries { _ in true }.sorted { $0.sequence < $1.sequence }
      items += entries.map { entry in
        Item(entry: entry, depth: depth, isBuilt: container.hasMade(Container.Candidate(entry: entry, home: home)))
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

  /// What has exactly these type and tags in one container, the latest first.
  func items(_ key: AnyKey, depth: Int) -> [Int] {
    var found: [Int] = []
    var next = last[Slot(type: key.identity, tagHash: TagHash.sum(key.tags), depth: depth)] ?? -1
    while next >= 0 {
      if items[next].entry.has(exactly: key.tags) { found.append(next) }
      next = previous[next]
    }
    return found
  }

  /// Returns the registration that `Container.answer` would find from the container at a depth on, for arguments of these types; pass nil
  /// for unknown types. Returns nil if no registration answers, or more than one.
  func answer(_ key: AnyKey, _ argumentTypes: [any Any.Type]?, from depth: Int) -> Answer? {
    if let exact = select(key, argumentTypes, from: depth) { return exact }
    let matches = partiallyTagged.map { items[$0] }.filter { item in
      item.depth >= depth && ObjectIdentifier(item.entry.metatype) == key.identity && item.entry.includes(key.tags)
    }
    guard let first = matches.first?.entry, matches.allSatisfy({ $0.entry.has(exactly: first.tags) }) else { return nil }
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
        : found.first { items[$0].entry.takes(exactly: argumentTypes) }
          ?? found.first { items[$0].entry.fit(argumentTypes) == .always }
          ?? found.first { items[$0].entry.fit(argumentTypes) == .sometimes }
      if let fitting { return Answer(items: [fitting], fits: true) }
      nearest = nearest ?? Answer(items: [latest], fits: false)
    }
    return nearest
  }

  /// Whether a resolve with arguments of some types may get an item's instance: it exists already, or its factory may take them.
  func mayTake(_ argumentTypes: [any Any.Type], _ item: Int) -> Bool {
    items[item].isBuilt || items[item].entry.fit(argumentTypes) != .never
  }

  /// What `Container.candidates` would find from a container on: what has a type and tags that include some, but what a child
  /// overrides, in registration order.
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

  /// The depth of the container that an item's factory resolves from if it is asked for from some depth.
  func context(of item: Int, from depth: Int) -> Int {
    let home = items[item].depth
    switch items[item].entry.lifetime {
    case .singleton: return home
    case .scoped: return (depth..<max(depth, home)).first { isScope[$0] } ?? home
    case .transient: return depth
    }
  }

  /// Everything that can be seen from a container: what no child of its own overrides, in the order of the items.
  func visible() -> [Int] {
    guard containerCount > 1 else { return Array(items.indices) }
    return items.indices.filter { index in
      let item = items[index]
      return !(0..<item.depth).contains { isOverridden(item.entry, by: items(item.entry.key, depth: $0)) }
    }
  }

  /// The nearest registration in a child that an entry is overridden by, or nil.
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
    others.contains { items[$0].entry.has(exactly: entry.tags) && items[$0].entry.collides(with: entry) }
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
      // No tag has the hash 0. Sorted by hash, so that equal ones are neighbours.
      var former: UInt?
      for hash in [0] + item.entry.tags.map(\.hash) where hash != former {
        lists[Slot(type: type, tagHash: hash, depth: item.depth), default: []].append(index)
        former = hash
      }
    }
  }
}

extension Entry {
  /// Whether it keeps an instance, which has been made.
  var isBuilt: Bool { state.load(ordering: .acquiring) == 1 }

  /// Whether it is weak, and its object is not there any more.
  var isGone: Bool {
    guard kind == .weak else { return false }
    // One that cannot be converted is there.
    do { return try anyObject() == nil } catch { return false }
  }
}
