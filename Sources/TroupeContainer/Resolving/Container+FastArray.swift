import Synchronization

/// The fast path of arrays: one lookup for all members.
///
/// It serves a request if one container has all registrations of the element type, and each instance exists or comes from a synchronous
/// factory without arguments. Hazard pointers keep the entries while the factories run. Every other array takes the slow path
/// (`Composite.swift`), for which these functions return nil.
extension Container {
  /// Returns an instance of each registration of a type, or nil for the slow path, also if the requested type itself, that of an array or
  /// a set, may be registered.
  @usableFromInline
  func fastArray<Element>(_ type: Element.Type, requested: ObjectIdentifier) throws -> [Element]? {
    if mayHave(requested) { return nil }
    return try fastArray(Element.self, list: { $0.all }, matching: { _ in true })
  }

  @usableFromInline
  func fastArray<Element, Value: Hashable & Sendable>(
    _ type: Element.Type, tag: Value, requested: ObjectIdentifier
  ) throws -> [Element]? {
    // Entries have the hashes of the wrapped tags.
    if Value.self == AnySendableHashable.self || mayHave(requested) { return nil }
    let hash = TagHash.hash(of: tag)
    return try fastArray(Element.self) {
      $0.list(includingTagHash: hash)
    } matching: {
      $0._withUnsafeGuaranteedRef { $0.hasTag(tag, hash: hash) }
    }
  }

  func fastArray<Element>(_ type: Element.Type, _ request: Request) throws -> [Element]? {
    if request.hasArguments || request.cached != nil { return nil }
    return try fastArray(Element.self) {
      $0.shortestList(request.tags)
    } matching: { entry in
      entry._withUnsafeGuaranteedRef { $0.includes(request.tags) }
    }
  }

  @inline(__always)
  func fastArray<Element>(
    _ type: Element.Type, list: (borrowing TypeTable) -> EntryList, matching: (Unmanaged<Entry>) -> Bool
  ) throws -> [Element]? {
    let epochGuard = EpochGuard(epochs)
    // The version first: the list then has at least the registrations of that version.
    guard let owningContainer = parent == nil ? .passUnretained(self) : onlyContainer(with: ObjectIdentifier(Element.self)),
      let version = owningContainer._withUnsafeGuaranteedRef({ $0.fastPathVersion })
    else {
      epochGuard.end()
      return nil
    }
    let list = owningContainer._withUnsafeGuaranteedRef { $0.list(ObjectIdentifier(Element.self), list) }
    let isOwn = owningContainer._withUnsafeGuaranteedRef { $0 === self }
    let bound = list.upperBound
    if bound == 0 {
      epochGuard.end()
      return []
    }
    return try withUnsafeTemporaryAllocation(of: Unmanaged<Entry>.self, capacity: bound) { found in
      var count = 0
      var isFast = true
      list.scan { entry in
        guard entry._withUnsafeGuaranteedRef({ $0.isVisible(at: version) }), matching(entry) else { return true }
        isFast = count < found.count && entry._withUnsafeGuaranteedRef { $0.isReady(inOwnContainer: isOwn) }
        if !isFast { return false }
        // A buffer of at least one element has an address.
        (found.baseAddress.unsafelyUnwrapped + count).initialize(to: entry)
        count += 1
        return true
      }
      if isFast, count > 0 {
        return try instances(Element.self, UnsafeMutableBufferPointer(rebasing: found[..<count]), epochGuard)
      }
      epochGuard.end()
      return isFast ? [] : nil
    }
  }

  /// Returns the instances of ready entries, in their order, and ends the guard that keeps them.
  @inline(__always)
  func instances<Element>(
    _ type: Element.Type, _ entries: UnsafeMutableBufferPointer<Unmanaged<Entry>>, _ epochGuard: EpochGuard
  ) throws -> [Element] {
    if entries.allSatisfy({ $0._withUnsafeGuaranteedRef { $0.lifetime != .transient } }) {
      defer { epochGuard.end() }
      return [Element](unsafeUninitializedCapacity: entries.count) { instances, count in
        for entry in entries {
          guard let instance = entry._withUnsafeGuaranteedRef({ $0.builtInstance(Element.self) }) else { continue }
          instances.initializeElement(at: count, to: instance.pointee)
          count += 1
        }
      }
    }
    let record = epochGuard.record
    let outer = record.pointee.hazardCount.load(ordering: .relaxed)
    // Each resolve of a factory searches the hazard pointers, so there are few.
    let isShort = entries.count <= 32
    for entry in entries { if isShort { record.pointee.keep(entry) } else { _ = entry.retain() } }
    epochGuard.end()
    defer { if isShort { record.pointee.pop(entries.count) } else { for entry in entries { entry.release() } } }
    return try [Element](unsafeUninitializedCapacity: entries.count) { instances, count in
      for entry in entries {
        let isCycle = entry._withUnsafeGuaranteedRef { record.pointee.isRunning($0, amongFirst: outer) }
        if isCycle { throw ResolutionError.cycle(through: BuildPath.dependencyCycle(to: entry.takeUnretainedValue())) }
        if let instance = entry._withUnsafeGuaranteedRef({ $0.builtInstance(Element.self) }) {
          instances.initializeElement(at: count, to: instance.pointee)
        } else {
          record.pointee.push(entry)
          let found = RegistrationLookup(form: .plain, address: entry.toOpaque(), epochGuard: epochGuard)
          instances.initializeElement(at: count, to: try Self.take(Element.self, found, from: .passUnretained(self)))
        }
        count += 1
      }
    }
  }

  /// Returns the list that a closure chooses from the table of a type.
  @inline(__always)
  func list(_ identity: ObjectIdentifier, _ choose: (borrowing TypeTable) -> EntryList) -> EntryList {
    guard let table = UnsafeMutablePointer<TypeTable>(bitPattern: types[UInt(bitPattern: identity)]) else { return .empty }
    return choose(table.pointee)
  }

  /// Returns the only one of this container and its ancestors that ever had a registration of a type, or this one if none had. Returns
  /// nil for several, or if an override is active.
  @inline(never)
  func onlyContainer(with identity: ObjectIdentifier) -> Unmanaged<Container>? {
    var owningContainer: Container?
    var next: Container? = self
    while let container = next {
      if container.fastPathVersion == nil { return nil }
      if container.types[UInt(bitPattern: identity)] != 0 {
        if owningContainer != nil { return nil }
        owningContainer = container
      }
      next = container.parent
    }
    return .passUnretained(owningContainer ?? self)
  }
}

extension Entry {
  /// True if the instance exists, or the factory is synchronous and has no arguments.
  ///
  /// - Parameter isOwn: True if the request comes from the container of the entry, which keeps the instance of a scoped registration.
  @inline(__always)
  final func isReady(inOwnContainer isOwn: Bool) -> Bool {
    switch lifetime {
    case .transient: kind == .plain
    case .singleton: isBuilt
    case .scoped: isOwn && isBuilt
    }
  }
}
