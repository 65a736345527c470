/// The registrations of a container and its ancestors at one moment, with the lookups of a resolve.
///
/// `explain`, `validate` and `graph` ask "which registration would a resolve find?" many times and must not make an instance, load a
/// plugin, or see two states of a container. So they copy the lists of entries once and repeat the lookups of `Container` on the
/// copy. Each lookup names the container that it starts from by its depth: 0 for the container of the call, 1 for its parent.
///
///     items       [ entries of depth 0 … | entries of depth 1 … | … ]     in the order of registration
///     exact       type, hash of all tags, depth ──▶ items
///     including   type, hash of one tag, depth ──▶ items; for the hash 0, all items of the type
///
/// Cost: one traversal of all registrations. A lookup costs as much as in the container.
struct RegistrationSnapshot {
  struct Item {
    let entry: Entry
    /// The depth of the container that has the registration.
    let depth: Int
    /// True if the instance that a resolve from depth 0 would return exists.
    let isBuilt: Bool

    /// Returns true if a resolve with arguments of some types may return the instance: it exists, or the factory may take them.
    func mayAccept(_ argumentTypes: [any Any.Type]) -> Bool { isBuilt || entry.fit(argumentTypes) != .never }
  }

  /// What a resolve of a key uses.
  struct Resolution {
    enum Target {
      /// Indices of items. They take the arguments if `fit` is true, or may take them if the types do not decide.
      case registrations([Int], fit: Bool)
      /// All registrations whose type is that of the key and whose tags include those of the key.
      case array(of: AnyKey)
      case nothing
    }

    /// The key without the optionals and lazy resolvers around its type, each of which is removed unless it is registered.
    fileprivate(set) var key: AnyKey
    fileprivate(set) var isOptional = false
    fileprivate(set) var isLazy = false
    fileprivate(set) var target = Target.nothing
  }

  private struct Slot: Hashable {
    let type: ObjectIdentifier
    let tagHash: UInt
    let depth: Int
  }

  private(set) var items: [Item] = []
  private var exact: [Slot: [Int]] = [:]
  private var including: [Slot: [Int]] = [:]
  /// By depth.
  private let isScope: [Bool]

  var containerCount: Int { isScope.count }

  /// Copies the lists of a container and its ancestors, each at one version.
  init(_ container: Container) {
    let selfAndAncestors = container.selfAndAncestors
    isScope = selfAndAncestors.map { $0.scopeStorage != nil }
    for (depth, owner) in selfAndAncestors.enumerated() {
      let entries = owner.allEntries()
      exact.reserveCapacity(exact.count + entries.count)
      including.reserveCapacity(including.count + 2 * entries.count)
      for entry in entries {
        let type = ObjectIdentifier(entry.metatype)
        exact[Slot(type: type, tagHash: entry.tagHash, depth: depth), default: []].append(items.count)
        // No tag has the hash 0. The tags are sorted by hash, so that equal hashes are neighbors.
        var former: UInt?
        for hash in [0] + entry.tags.map(\.hash) where hash != former {
          including[Slot(type: type, tagHash: hash, depth: depth), default: []].append(items.count)
          former = hash
        }
        let isBuilt = container.hasInstance(Container.Candidate(entry: entry, owningContainer: owner))
        items.append(Item(entry: entry, depth: depth, isBuilt: isBuilt))
      }
    }
  }

  // MARK: One registration

  /// Finds what a resolve from a depth on uses, for arguments of these types or, with nil, of unknown types.
  func resolution(of key: AnyKey, _ argumentTypes: [any Any.Type]?, from depth: Int) -> Resolution {
    var resolution = Resolution(key: key)
    while true {
      let key = resolution.key
      if let (items, fit) = answer(key, argumentTypes, from: depth) {
        resolution.target = .registrations(items, fit: fit)
        return resolution
      }
      switch (key.metatype as? any Composite.Type)?.dependency {
      case .optional(let wrapped)?: (resolution.key, resolution.isOptional) = (AnyKey(metatype: wrapped, tags: key.tags), true)
      case .lazy(let wrapped)?: (resolution.key, resolution.isLazy) = (AnyKey(metatype: wrapped, tags: key.tags), true)
      case .all(let element)?:
        resolution.target = .array(of: AnyKey(metatype: element, tags: key.tags))
        return resolution
      case nil: return resolution
      }
    }
  }

  /// Returns the registration that `Container.answer` would find: nil if no registration matches, or several do.
  private func answer(_ key: AnyKey, _ argumentTypes: [any Any.Type]?, from depth: Int) -> (items: [Int], fit: Bool)? {
    if let exact = select(key, argumentTypes, from: depth) { return exact }
    let matches = items(including: key, from: depth).map { items[$0].entry }.filter(\.allowsPartialTags)
    guard let first = matches.first, matches.allSatisfy({ $0.hasTags(exactly: first.tags) }) else { return nil }
    return select(first.key, argumentTypes, from: depth)
  }

  /// Returns the registration that `Container.select` would find, and all of the nearest container for unknown arguments.
  private func select(_ key: AnyKey, _ argumentTypes: [any Any.Type]?, from depth: Int) -> (items: [Int], fit: Bool)? {
    var nearest: Int?
    for depth in depth..<containerCount {
      // The latest first, so that it wins over others that fit as well.
      let found = items(key, depth: depth).reversed() as [Int]
      guard let argumentTypes else {
        if found.isEmpty { continue }
        return (found, true)
      }
      func fit(_ item: Int) -> ArgumentFit { items[item].entry.fit(argumentTypes) }
      guard let best = found.max(by: { fit($0) < fit($1) }) else { continue }
      if found.count == 1 ? items[best].mayAccept(argumentTypes) : fit(best) != .never { return ([best], true) }
      nearest = nearest ?? best
    }
    return nearest.map { ([$0], false) }
  }

  /// Returns the items with exactly this type and these tags in one container.
  func items(_ key: AnyKey, depth: Int) -> [Int] {
    let slot = Slot(type: key.identity, tagHash: TagHash.sum(key.tags), depth: depth)
    return exact[slot]?.filter { items[$0].entry.hasTags(exactly: key.tags) } ?? []
  }

  // MARK: All registrations of a type

  /// Returns the items that `Container.candidates` would find from a depth on: those of the type whose tags include the key's, except
  /// those that a child overrides, in the order of registration.
  func candidates(_ key: AnyKey, from depth: Int) -> [Int] {
    let found = items(including: key, from: depth)
    if depth + 1 == containerCount { return found }
    return found.filter { overriding($0, from: depth) == nil }.sorted { items[$0].entry.sequence < items[$1].entry.sequence }
  }

  /// Returns the items of the type whose tags include the key's, by depth.
  private func items(including key: AnyKey, from depth: Int) -> [Int] {
    (depth..<containerCount).flatMap { depth in
      func list(_ hash: UInt) -> [Int] { including[Slot(type: key.identity, tagHash: hash, depth: depth)] ?? [] }
      let shortest = key.tags.map { list($0.hash) }.min { $0.count < $1.count } ?? list(0)
      return shortest.filter { items[$0].entry.includes(key.tags) }
    }
  }

  // MARK: Parents and children

  /// Returns the item that a resolve from a depth on uses in place of an item, whose key and argument types it has.
  func overriding(_ index: Int, from start: Int = 0) -> Int? {
    let item = items[index]
    return (start..<max(start, item.depth)).lazy.flatMap { items(item.entry.key, depth: $0) }.first {
      items[$0].entry.collides(with: item.entry) && overriding($0, from: start) == nil
    }
  }

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
}

extension Entry {
  /// True if the entry is weak and its object was released.
  var isGone: Bool {
    guard kind == .weak else { return false }
    // An object that cannot be converted still exists.
    do { return try anyObject() == nil } catch { return false }
  }
}
