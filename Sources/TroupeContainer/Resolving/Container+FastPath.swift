public import Synchronization

// The fast path of `resolve`: the nearest container that has the key has one registration under it, and the instance exists or the
// factory runs in any context. Callers compile it for their types. It allocates nothing besides the instance. Every other resolve
// takes the slow path.
//
// No, one and two tags have functions of their own: the optimizer of Swift 6.3.1 does not specialize packs. A pack of tags costs
// 30 ns more, and an empty pack of arguments crashes the optimizer in asynchronous functions.

extension Container {
  /// Returns the instance registered under a type without tags.
  @inlinable
  func instance<T>(of type: T.Type) throws -> T {
    try instance { result in
      try initialize(result, TagProbe()) { _ in true } || initialize(result, Request(tags: []))
    }
  }

  /// Returns the instance registered under a type and a tag.
  @inlinable
  func instance<T, Value: Hashable & Sendable>(of type: T.Type, tag: Value) throws -> T {
    var probe = TagProbe()
    probe.add(tag)
    return try instance { result in
      try initialize(result, probe) { TagProbe.contains($0, count: 1, tag, hash: probe.sum) }
        || initialize(result, Request(tags: TagProbe.boxed(tag)))
    }
  }

  /// Returns the instance registered under a type and two tags.
  @inlinable
  func instance<T, First: Hashable & Sendable, Second: Hashable & Sendable>(
    of type: T.Type, tags first: First, _ second: Second
  ) throws -> T {
    var probe = TagProbe()
    probe.add(first)
    probe.add(second)
    return try instance { result in
      try initialize(result, probe) {
        TagProbe.contains($0, count: 2, first, hash: probe.hashes[0])
          && TagProbe.contains($0, count: 2, second, hash: probe.hashes[1])
      } || initialize(result, Request(tags: TagProbe.boxed(first, second)))
    }
  }

  // Those with arguments use no closures, since a recursion of factories with arguments may be deep.

  /// Returns the instance registered under a type and a tag, made with arguments.
  @inlinable
  func instance<T, Value: Hashable & Sendable, each Argument>(
    of type: T.Type, tag: Value, args: repeat each Argument
  ) throws -> T {
    var probe = TagProbe()
    probe.add(tag)
    let reading = Reading(readers)
    if let entry = registration(ObjectIdentifier(T.self), probe), TagProbe.contains(entry, count: 1, tag, hash: probe.sum) {
      if let instance = try make(T.self, entry, reading, args: repeat each args) { return instance }
    } else {
      reading.end()
    }
    return try instance(T.self, Request(TagProbe.boxed(tag), repeat each args))
  }

  /// Returns the instance registered under a type and two tags, made with arguments.
  @inlinable
  func instance<T, First: Hashable & Sendable, Second: Hashable & Sendable, each Argument>(
    of type: T.Type, first: First, second: Second, args: repeat each Argument
  ) throws -> T {
    var probe = TagProbe()
    probe.add(first)
    probe.add(second)
    let reading = Reading(readers)
    if let entry = registration(ObjectIdentifier(T.self), probe),
      TagProbe.contains(entry, count: 2, first, hash: probe.hashes[0]),
      TagProbe.contains(entry, count: 2, second, hash: probe.hashes[1])
    {
      if let instance = try make(T.self, entry, reading, args: repeat each args) { return instance }
    } else {
      reading.end()
    }
    return try instance(T.self, Request(TagProbe.boxed(first, second), repeat each args))
  }

  /// Returns the instance registered under a type and tags, made with arguments.
  @inlinable
  func instance<T, each Value: Hashable & Sendable, each Argument>(
    of type: T.Type, tags: repeat each Value, args: repeat each Argument
  ) throws -> T {
    var probe = TagProbe()
    // Not a loop over the pack, which would copy each tag.
    repeat probe.add(each tags)
    let reading = Reading(readers)
    if let entry = registration(ObjectIdentifier(T.self), probe) {
      var match = TagProbe.Match(entry, probe)
      repeat match.look(for: each tags)
      if !match.isMatch {
        reading.end()
      } else if Self.isEmpty(repeat (each Argument).self) {
        if let instance = try make(T.self, entry, reading) { return instance }
      } else if let instance = try make(T.self, entry, reading, args: repeat each args) {
        return instance
      }
    } else {
      reading.end()
    }
    return try instance(T.self, Request(TagProbe.boxed(repeat each tags), repeat each args))
  }

  /// Returns the instance for a request.
  @inlinable
  func instance<T>(_ type: T.Type, _ request: Request) throws -> T {
    try withUnsafeTemporaryAllocation(of: T.self, capacity: 1) { buffer in
      guard let result = buffer.baseAddress, try initialize(result, request) else {
        preconditionFailure("a resolve stored no instance")
      }
      return result.move()
    }
  }

  /// Returns the instance for a request whose key may have no registration; nil if it has none.
  @inlinable
  func instanceIfPresent<T>(_ type: T.Type, _ request: Request) throws -> T? {
    try withUnsafeTemporaryAllocation(of: T.self, capacity: 1) { buffer in
      guard let result = buffer.baseAddress, try initialize(result, request) else { return nil }
      return result.move()
    }
  }

  /// Returns the instance that a closure stores.
  @inlinable @inline(__always)
  func instance<T>(_ store: (UnsafeMutablePointer<T>) throws -> Bool) throws -> T {
    try withUnsafeTemporaryAllocation(of: T.self, capacity: 1) { buffer in
      guard let result = buffer.baseAddress, try store(result) else { preconditionFailure("a resolve stored no instance") }
      return result.move()
    }
  }

  /// Returns the instance registered under a type without tags in an asynchronous context.
  ///
  /// Without a call of an asynchronous function the caller neither suspends nor allocates a frame. Without a reference to the container
  /// threads that resolve do not write to its reference count.
  @inlinable @inline(__always)
  nonisolated(nonsending)
    static func instanceAsync<T>(of type: T.Type, from container: Unmanaged<Container>) async throws -> T
  {
    var suspending: Unmanaged<Entry>?
    let instance = try withUnsafeTemporaryAllocation(of: T.self, capacity: 1) { buffer -> T? in
      guard let result = buffer.baseAddress else { return nil }
      return try container._withUnsafeGuaranteedRef { try $0.initialize(result, &suspending) } ? result.move() : nil
    }
    if let instance { return instance }
    // One call that may suspend for each resolve: the compile time and the size of a function grow faster than their number.
    return try await container.takeUnretainedValue().instanceAsync(of: T.self, suspending)
  }

  /// Runs the factory of an untracked run, or takes the slow path if there is none.
  @usableFromInline
  nonisolated(nonsending)
    func instanceAsync<T>(of type: T.Type, _ suspending: Unmanaged<Entry>?) async throws -> T
  {
    guard let suspending else { return try await slowlyAsync(T.self, Request(tags: [])) }
    do {
      let factory = suspending._withUnsafeGuaranteedRef { unsafeDowncast($0, to: AsyncEntry<T>.self).factory }
      let instance = try await factory(self)
      suspending._withUnsafeGuaranteedRef { $0.endUntrackedRun() }
      return instance
    } catch {
      throw endUntrackedRun(suspending, error)
    }
  }

  /// Returns the instance for a request in an asynchronous context.
  @inlinable @inline(__always)
  nonisolated(nonsending)
    static func instanceAsync<T>(
      _ type: T.Type, _ request: Request, from container: Unmanaged<Container>
    ) async throws -> T
  {
    let instance = try container._withUnsafeGuaranteedRef { try $0.instanceWithoutWaiting(T.self, request) }
    if case .some(let instance?) = instance { return instance }
    return try await container.takeUnretainedValue().slowlyAsync(T.self, request)
  }

  /// Returns the instance for a request whose key may have no registration, in an asynchronous context; nil if it has none.
  @inlinable @inline(__always)
  nonisolated(nonsending)
    static func instanceIfPresentAsync<T>(
      _ type: T.Type, _ request: Request, from container: Unmanaged<Container>
    ) async throws -> T?
  {
    let instance = try container._withUnsafeGuaranteedRef { try $0.instanceWithoutWaiting(T.self, request) }
    if let instance { return instance }
    return try await container.takeUnretainedValue().slowlyIfPresentAsync(T.self, request)
  }

  /// Returns the instance for a request in an asynchronous context; nil if there is none. Returns `.none` if the caller has to wait.
  @inlinable
  func instanceWithoutWaiting<T>(_ type: T.Type, _ request: Request) throws -> T?? {
    try withUnsafeTemporaryAllocation(of: T.self, capacity: 1) { buffer in
      guard let result = buffer.baseAddress else { return .none }
      switch try attempt(result, request) {
      case .stored: return result.move()
      case .missing: return .some(nil)
      case .notReady: return .none
      }
    }
  }

  /// Returns the instance registered under an optional type without tags, or else under the wrapped type; nil if there is none.
  @inlinable
  func optional<Wrapped>(of type: Wrapped?.Type) throws -> Wrapped? {
    if mayHave(ObjectIdentifier(type)) { return try instance(type, Request(tags: [])) }
    return try instanceIfPresent(Wrapped.self, Request(tags: [], isOptional: true))
  }

  /// Returns the instance registered under an optional type without tags, or else under the wrapped type, in an asynchronous context;
  /// nil if there is none.
  @inlinable @inline(__always)
  nonisolated(nonsending)
    static func optionalAsync<Wrapped>(of type: Wrapped?.Type, from container: Unmanaged<Container>) async throws -> Wrapped?
  {
    if container._withUnsafeGuaranteedRef({ $0.mayHave(ObjectIdentifier(type)) }) {
      return try await instanceAsync(type, Request(tags: []), from: container)
    }
    return try await instanceIfPresentAsync(Wrapped.self, Request(tags: [], isOptional: true), from: container)
  }

  /// Whether a pack has no elements.
  @inlinable @inline(__always)
  static func isEmpty<each Element>(_ type: repeat (each Element).Type) -> Bool {
    for _ in repeat each type { return false }
    return true
  }

  // MARK: Lookup

  /// Stores the instance registered under a type and tags, which a closure compares. Returns false if the slow path has to make it.
  @inlinable @inline(__always)
  func initialize<T>(
    _ result: UnsafeMutablePointer<T>, _ probe: TagProbe, matching: (Unmanaged<Entry>) -> Bool
  ) throws -> Bool {
    let reading = Reading(readers)
    guard let entry = registration(ObjectIdentifier(T.self), probe), matching(entry) else {
      reading.end()
      return false
    }
    return try make(result, entry, reading)
  }

  /// Stores the instance registered under a type without tags. Returns false if the slow path has to make it.
  ///
  /// For asynchronous callers. Compiled once for all types, so that callers stay small.
  ///
  /// - Parameter suspending: The `AsyncEntry` whose factory the caller has to run, if there is one. The caller ends the run.
  @usableFromInline @inline(never)
  func initialize<T>(_ result: UnsafeMutablePointer<T>, _ suspending: inout Unmanaged<Entry>?) throws -> Bool {
    let reading = Reading(readers)
    guard let entry = registration(ObjectIdentifier(T.self), TagProbe()) else {
      reading.end()
      return try attempt(result, Request(tags: [])) == .stored
    }
    if entry._withUnsafeGuaranteedRef({ $0.kind == .async && $0.lifetime == .transient && $0.beginUntrackedRun() }) {
      reading.end()
      suspending = entry
      return false
    }
    return try make(result, entry, reading)
  }

  /// Returns the registration under a type and a hash of tags in the nearest container that has any, or the scoped entry for it.
  /// Returns nil if the slow path has to look.
  @inlinable @inline(__always)
  func registration(_ identity: ObjectIdentifier, _ probe: TagProbe) -> Unmanaged<Entry>? {
    guard probe.isQuick else { return nil }
    let version = quickVersion.load(ordering: .acquiring)
    if version != 0 {
      let list = list(identity, tagHash: probe.sum)
      if list != 0 { return EntryList.entry(list, visibleAt: version) }
      if parent == nil { return nil }
    }
    return nearestRegistrationUnlessLearning(identity, tagHash: probe.sum)
  }

  /// The list of the registrations under a type and a hash of tags in this container.
  @inlinable @inline(__always)
  func list(_ identity: ObjectIdentifier, tagHash: UInt) -> UInt {
    guard let table = UnsafeMutablePointer<TypeTable>(bitPattern: types[UInt(bitPattern: identity)]) else { return 0 }
    return table.pointee.list(tagHash: tagHash)
  }

  @usableFromInline @inline(never)
  func nearestRegistrationUnlessLearning(_ identity: ObjectIdentifier, tagHash: UInt) -> Unmanaged<Entry>? {
    isLearning ? nil : nearestRegistration(identity, tagHash: tagHash)
  }

  /// Returns the registration under a type and a hash of tags in the nearest of this container and its ancestors that has any, with
  /// the overrides of the present task before each, or the scoped entry for it. Returns nil if there are none or several.
  ///
  /// - Parameters:
  ///   - scope: The scoped entries of the nearest scope below this container, if there is one.
  ///   - depth: How many ancestors may be searched. It limits the stack that the recursion uses.
  func nearestRegistration(
    _ identity: ObjectIdentifier, tagHash: UInt, below scope: Unmanaged<ScopeMemory>? = nil, depth: Int = 64
  ) -> Unmanaged<Entry>? {
    var version = quickVersion.load(ordering: .acquiring)
    var list: UInt = 0
    if version == 0 {
      for override in presentOverrides where list == 0 {
        list = override.list(identity, tagHash: tagHash)
        version = override.version.load(ordering: .acquiring)
      }
      if list == 0 { version = self.version.load(ordering: .acquiring) }
    }
    if list == 0 { list = self.list(identity, tagHash: tagHash) }
    if list == 0 {
      return depth == 0
        ? nil : parent?.nearestRegistration(identity, tagHash: tagHash, below: scope ?? scopeMemory, depth: depth - 1)
    }
    guard let entry = EntryList.entry(list, visibleAt: version) else { return nil }
    guard let scope, entry._withUnsafeGuaranteedRef({ $0.lifetime == .scoped }) else { return entry }
    return scope._withUnsafeGuaranteedRef { $0.scopedEntry(of: entry) }
  }

  // MARK: Instances

  /// Returns the instance of a registration that was found while reading, which this ends. Returns nil if the slow path has to make
  /// it.
  @inlinable @inline(__always)
  func make<T>(_ type: T.Type, _ entry: Unmanaged<Entry>, _ reading: Reading) throws -> T? {
    try withUnsafeTemporaryAllocation(of: T.self, capacity: 1) { buffer in
      guard let result = buffer.baseAddress, try make(result, entry, reading) else { return nil }
      return result.move()
    }
  }

  /// Stores the instance of a registration that was found while reading, which this ends. Returns false if the slow path has to make
  /// it.
  ///
  /// - Parameter owner: The registration that keeps the entry, if it is not the entry itself.
  @inlinable @inline(__always)
  func make<T>(
    _ result: UnsafeMutablePointer<T>, _ reference: Unmanaged<Entry>, _ reading: Reading, owner: Unmanaged<Entry>? = nil
  ) throws -> Bool {
    try reference._withUnsafeGuaranteedRef { entry in
      guard entry.lifetime == .transient else {
        let typed = unsafeDowncast(entry, to: TypedEntry<T>.self)
        guard typed.state.load(ordering: .acquiring) == 1, let instance = typed.instance else {
          reading.end()
          return false
        }
        result.initialize(to: instance.pointee)
        reading.end()
        return true
      }
      guard entry.kind == .plain else {
        reading.end()
        return false
      }
      let record = reading.record
      record.pointee.keep(owner ?? reference)
      reading.end()
      defer { record.pointee.release(owner ?? reference) }
      if BuildPath.isRing(entry, hasArguments: false, record) { return false }
      try BuildPath.within(entry, record) {
        do {
          result.initialize(to: try unsafeDowncast(entry, to: PlainEntry<T>.self).factory(self))
        } catch { throw failure(error, of: entry) }
      }
      return true
    }
  }

  /// Returns the instance of a registration that was found while reading, which this ends, made with arguments of exactly the types
  /// that the factory takes. Returns nil if the slow path has to make it.
  @inlinable @inline(__always)
  func make<T, each Argument>(
    _ type: T.Type, _ reference: Unmanaged<Entry>, _ reading: Reading, args: repeat each Argument
  ) throws -> T? {
    try reference._withUnsafeGuaranteedRef { entry in
      guard entry.lifetime == .transient else { return try make(T.self, reference, reading) }
      let kind = entry.kind
      guard kind == .arguments || kind == .dynamic else {
        reading.end()
        return nil
      }
      let record = reading.record
      record.pointee.keep(reference)
      reading.end()
      defer { record.pointee.release(reference) }
      if kind == .dynamic {
        return try made(unsafeDowncast(entry, to: DynamicEntry<T>.self), record, args: repeat each args)
      }
      guard entry.hasArguments(repeat (each Argument).self) else { return nil }
      if BuildPath.isRing(entry, hasArguments: true, record) { return nil }
      let typed = unsafeDowncast(entry, to: ArgumentEntry<T, repeat each Argument>.self)
      return try BuildPath.within(entry, record) {
        do { return try typed.factory(self, repeat each args) } catch { throw failure(error, of: entry) }
      }
    }
  }

  /// Returns the instance that a factory makes of arguments in place. Returns nil if it cannot use them so.
  @inlinable @inline(never)
  func made<T, each Argument>(
    _ entry: DynamicEntry<T>, _ record: UnsafeMutablePointer<ReaderRecord>, args: repeat each Argument
  ) throws -> T? {
    if BuildPath.isRing(entry, hasArguments: true, record) { return nil }
    return try ArgumentReferences.lend(repeat each args) { arguments in
      try BuildPath.within(entry, record) {
        do { return try entry.unboxedFactory(arguments) } catch { throw failure(error, of: entry) }
      }
    }
  }

  /// Ends the untracked run of an entry whose factory threw an error. Returns the error to throw.
  @usableFromInline
  func endUntrackedRun(_ entry: Unmanaged<Entry>, _ error: any Error) -> any Error {
    entry._withUnsafeGuaranteedRef { entry in
      defer { entry.endUntrackedRun() }
      return failure(error, of: entry)
    }
  }
}

extension Entry {
  /// Whether the factory takes arguments of exactly these types; for an entry of the kind `.arguments`.
  @inlinable @inline(__always)
  final func hasArguments<each Argument>(_ type: repeat (each Argument).Type) -> Bool {
    let types = argumentIdentities
    var index = 0
    for type in repeat each type {
      guard index < types.count, types[index] == ObjectIdentifier(type) else { return false }
      index += 1
    }
    return index == types.count
  }
}
