internal import FoundationEssentials
import Synchronization

/// The fast path of `resolve`: a few nanoseconds, no lock, no allocation besides the instance.
///
/// It serves a request if the nearest container that has the key, or an override of the present task, has exactly one registration under it,
/// and the instance exists, a synchronous factory makes it, or an asynchronous one that need not be tracked. Everything else takes the slow
/// path (`Container+Resolve.swift`): several registrations under the key that differ in their argument types, pending and weak entries, a
/// container that learns, optionals and arrays. The caller of a resolve keeps the container.
///
///     instance(of:)        generated, as `find` is for tags: Container+EntryPoints.swift
///       find(type, tags)   EpochGuard, TypeTable, EntryList, comparison of the tags      ─→ PinnedEntry
///       begin              takes the instance, or begins a run of the factory            ─→ RegistrationLookup
///       take               copies the instance, or runs the factory and ends the run
///
/// All of it is compiled here, once for all types, so that clients compile fast, stay small, and know nothing of the storage: the layout of
/// containers, entries and guards may change in every release. An instance of an unknown type goes straight from the factory to the
/// caller's memory. The functions of tags are specialized for the common types. Arguments travel as one tuple (`ArgumentList`), and there
/// are functions for 0 to 3 tags; more are boxed.
extension Container {
  /// An entry that a lookup has found, and the guard that keeps it allocated. Whoever receives it ends the guard: see `begin`.
  struct PinnedEntry {
    let entry: Unmanaged<Entry>
    let epochGuard: EpochGuard
  }

  /// The outcome of a lookup: the request is begun, and `take` completes it. Use it once, on the same thread.
  ///
  ///     form          address                              kept by
  ///     slowPath      -
  ///     instance      that of the instance                 the guard: copy the instance, then `end` the guard
  ///     plain         that of a `PlainEntry`               a hazard pointer: run the factory, then `pop` it
  ///     arguments     that of an `ArgumentEntry`           the same
  struct RegistrationLookup {
    enum Form: UInt8 {
      case slowPath
      case instance
      case plain
      case arguments
    }

    let form: Form
    /// Nil for the slow path only, as is the guard. Except for `instance`, the guard has ended and only names the thread's record.
    let address: UnsafeMutableRawPointer?
    let epochGuard: EpochGuard?

    static var slowPath: RegistrationLookup { RegistrationLookup(form: .slowPath, address: nil, epochGuard: nil) }
  }

  // MARK: Lookup

  /// Returns the registration under a type without tags, or nil for the slow path.
  @inline(__always)
  static func find(_ identity: ObjectIdentifier, in container: Unmanaged<Container>) -> PinnedEntry? {
    find(identity, sum: 0, count: 0, in: container) { _ in true }
  }

  static func find(_ identity: ObjectIdentifier, in container: Unmanaged<Container>, boxed tags: [Tag]) -> PinnedEntry? {
    find(identity, sum: TagHash.sum(tags), count: tags.count, in: container) { $0.includes(tags) }
  }

  /// Returns the only registration with `count` tags whose hashes add up to `sum` and that `hasTags` accepts, or nil for the slow path.
  @inline(__always)
  static func find(
    _ identity: ObjectIdentifier, sum: UInt, count: Int, in container: Unmanaged<Container>, where hasTags: (Entry) -> Bool
  ) -> PinnedEntry? {
    // The sum 0 means no tags.
    if sum == 0 && count > 0 { return nil }
    return container._withUnsafeGuaranteedRef { container in
      let epochGuard = EpochGuard(container.epochs)
      if let entry = container.registration(identity, tagHash: sum),
        entry._withUnsafeGuaranteedRef({ $0.unownedTags.count == count && hasTags($0) })
      {
        return PinnedEntry(entry: entry, epochGuard: epochGuard)
      }
      epochGuard.end()
      return nil
    }
  }

  /// Returns the registration whose tags have the hash of some tags, in the nearest container that has any, or the scoped entry for it.
  /// The caller has a guard and compares the tags.
  @inline(__always)
  func registration(_ identity: ObjectIdentifier, tagHash: UInt) -> Unmanaged<Entry>? {
    if let version = fastPathVersion {
      let list = list(identity) { $0.list(tagHash: tagHash) }
      if !list.isEmpty { return list.onlyEntry(visibleAt: version) }
      if parent == nil { return nil }
    }
    return isLearning ? nil : nearestRegistration(identity, tagHash: tagHash)?.entry
  }

  /// Returns the registration in the nearest of this container and its ancestors that has any under a type and tags with a hash, or the
  /// scoped entry for it. The overrides of the present task come before each container. Returns nil for none and for several.
  ///
  /// - Parameters:
  ///   - scope: The nearest scope between the container of the request and this one.
  ///   - depth: How many ancestors may be searched.
  /// - Returns: The entry and the container that keeps its instance, nil for an override.
  func nearestRegistration(
    _ identity: ObjectIdentifier, tagHash: UInt, below scope: Unmanaged<Container>? = nil, depth: Int = maximumDepth
  ) -> (entry: Unmanaged<Entry>, owningContainer: Unmanaged<Container>?)? {
    var list = EntryList.empty
    var owningContainer: Unmanaged<Container>? = .passUnretained(self)
    let version: UInt64
    if let fastPathVersion {
      version = fastPathVersion
    } else if let overriding = overridingList(identity, tagHash: tagHash) {
      (list, version) = overriding
      owningContainer = nil
    } else {
      version = self.version.load(ordering: .acquiring)
    }
    if list.isEmpty { list = self.list(identity) { $0.list(tagHash: tagHash) } }
    if list.isEmpty {
      let scope = scope ?? (scopeStorage == nil ? nil : .passUnretained(self))
      return depth == 0 ? nil : parent?.nearestRegistration(identity, tagHash: tagHash, below: scope, depth: depth - 1)
    }
    guard let entry = list.onlyEntry(visibleAt: version) else { return nil }
    guard let scope, entry._withUnsafeGuaranteedRef({ $0.lifetime == .scoped }) else { return (entry, owningContainer) }
    // It is not created for the registration of an override.
    let storage = scope._withUnsafeGuaranteedRef { $0.scopeStorage }
    return storage?._withUnsafeGuaranteedRef {
      $0.scopedEntry(of: entry, owningContainer: owningContainer == nil ? nil : self)
    }.map { ($0, scope) }
  }

  /// How many ancestors a fast path searches, which bounds the stack of the recursion.
  static let maximumDepth = 64

  /// Returns false only if neither this container nor an ancestor ever had a registration of a type. Costs a few lookups.
  @usableFromInline
  func mayHave(_ identity: ObjectIdentifier) -> Bool {
    let epochGuard = EpochGuard(epochs)
    defer { epochGuard.end() }
    return mayHave(identity, depth: Self.maximumDepth)
  }

  /// The recursion of `mayHave`, for a caller with a guard: a writer may replace the map of types meanwhile.
  func mayHave(_ identity: ObjectIdentifier, depth: Int) -> Bool {
    // A loop would count references to the ancestors.
    types[UInt(bitPattern: identity)] != 0 || fastPathVersion == nil || depth == 0
      || parent?.mayHave(identity, depth: depth - 1) ?? false
  }

  // MARK: Instances

  /// Begins to serve a request from the registration that a lookup found: takes the instance, or begins a run of the factory.
  ///
  /// - Parameter arguments: The list of argument types, or nil for none.
  @inline(__always)
  static func begin(_ pinned: PinnedEntry?, _ arguments: (any ArgumentTypes.Type)?) -> RegistrationLookup {
    guard let pinned else { return .slowPath }
    let arguments = arguments.map { ObjectIdentifier($0) }
    let (entry, epochGuard) = (pinned.entry, pinned.epochGuard)
    let (kind, lifetime) = entry._withUnsafeGuaranteedRef { ($0.kind, $0.lifetime) }
    if lifetime != .transient {
      if let address = entry._withUnsafeGuaranteedRef({ $0.builtInstanceAddress }) {
        return RegistrationLookup(form: .instance, address: address, epochGuard: epochGuard)
      }
    } else {
      let form: RegistrationLookup.Form =
        switch kind {
        case .plain where arguments == nil: .plain
        case .arguments where entry._withUnsafeGuaranteedRef({ $0.argumentsIdentity }) == arguments: .arguments
        case .dynamic where arguments != nil: .arguments
        default: .slowPath
        }
      if form != .slowPath,
        !entry._withUnsafeGuaranteedRef({
          BuildPath.isDependencyCycle($0, hasArguments: arguments != nil, epochGuard.record)
        })
      {
        epochGuard.record.pointee.push(entry)
        epochGuard.end()
        return RegistrationLookup(form: form, address: entry.toOpaque(), epochGuard: epochGuard)
      }
    }
    epochGuard.end()
    return .slowPath
  }

  /// Returns the instance that a lookup found. Not for the slow path.
  @inline(__always)
  static func take<T>(_ type: T.Type, _ found: RegistrationLookup, from container: Unmanaged<Container>) throws -> T {
    let address = found.address.unsafelyUnwrapped
    if found.form == .instance {
      defer { found.epochGuard.unsafelyUnwrapped.end() }
      return address.assumingMemoryBound(to: T.self).pointee
    }
    return try finishing(found, for: container) {
      try Unmanaged<PlainEntry<T>>.fromOpaque(address)._withUnsafeGuaranteedRef { entry in
        try container._withUnsafeGuaranteedRef { try entry.factory($0) }
      }
    }
  }

  /// Returns the instance that a lookup found, made with arguments. Not for the slow path.
  ///
  /// - Parameter tuple: The address of the arguments, a tuple with the types of the list.
  @inline(__always)
  static func take<T>(
    _ type: T.Type, _ found: RegistrationLookup, from container: Unmanaged<Container>, tuple: UnsafeRawPointer,
    _ list: (any ArgumentTypes.Type)?
  ) throws -> T {
    guard let list, found.form != .instance else { return try take(T.self, found, from: container) }
    return try finishing(found, for: container) {
      try Unmanaged<ArgumentEntry<T>>.fromOpaque(found.address.unsafelyUnwrapped)._withUnsafeGuaranteedRef { entry in
        try container._withUnsafeGuaranteedRef { try entry.tupleFactory($0, tuple, list) }
      }
    }
  }

  /// Runs the factory for which `begin` began a run, and ends the run.
  @inline(__always)
  private static func finishing<T>(
    _ found: RegistrationLookup, for container: Unmanaged<Container>, _ run: () throws -> T
  ) throws -> T {
    defer { found.epochGuard.unsafelyUnwrapped.record.pointee.pop() }
    do { return try run() } catch {
      throw failure(error, of: Unmanaged<Entry>.fromOpaque(found.address.unsafelyUnwrapped), for: container)
    }
  }

  /// Returns what a closure stores, or nil if it returns false.
  @inlinable @inline(__always)
  static func stored<T>(_ type: T.Type, _ store: (UnsafeMutablePointer<T>) throws -> Bool) rethrows -> T? {
    try withUnsafeTemporaryAllocation(of: T.self, capacity: 1) { buffer in
      // A buffer of one element has an address.
      let result = buffer.baseAddress.unsafelyUnwrapped
      return try store(result) ? result.move() : nil
    }
  }

  // MARK: Errors and asynchronous contexts

  /// Returns the instance of a registration in an asynchronous context, or takes the slow path with a request.
  ///
  /// The guard ends before the first suspension, on the thread on which it began: a nonsending function runs on the executor of its
  /// caller.
  @inline(__always)
  nonisolated(nonsending)
    static func instanceAsync<T>(
      _ type: T.Type, _ pinned: PinnedEntry?, from container: Unmanaged<Container>, else request: () -> Request
    ) async throws -> T
  {
    if let pinned {
      if pinned.entry._withUnsafeGuaranteedRef({ $0.kind == .async && $0.lifetime == .transient && $0.beginUntrackedRun() }) {
        pinned.epochGuard.end()
        let resolver: any Resolver = container.takeUnretainedValue()
        // The entry stays allocated: its container, or the override that has it, lives until the run has ended.
        defer { withExtendedLifetime(resolver) { pinned.entry._withUnsafeGuaranteedRef { $0.endUntrackedRun() } } }
        // A generic closure that returned the factory would wrap it in a further asynchronous function.
        let factory = unsafeDowncast(pinned.entry.takeUnretainedValue(), to: AsyncEntry<T>.self).factory
        do { return try await factory(resolver) } catch {
          throw failure(error, of: pinned.entry, for: container)
        }
      }
      let found = begin(pinned, nil)
      if found.form != .slowPath { return try take(T.self, found, from: container) }
    }
    return try await instanceAsync(T.self, request(), from: container)
  }

  @inline(never)
  static func failure(_ error: any Error, of entry: Unmanaged<Entry>, for container: Unmanaged<Container>) -> any Error {
    entry._withUnsafeGuaranteedRef { entry in container._withUnsafeGuaranteedRef { $0.failure(error, of: entry) } }
  }

  /// Returns the list of argument types, or nil for none.
  @inlinable @inline(__always)
  static func argumentList<each Argument>(_ type: repeat (each Argument).Type) -> (any ArgumentTypes.Type)? {
    hasNoElements(repeat each type) ? nil : ArgumentList<repeat each Argument>.self
  }

  @inlinable @inline(__always)
  static func hasNoElements<each Element>(_ type: repeat (each Element).Type) -> Bool {
    for _ in repeat each type { return false }
    return true
  }
}

extension Entry {
  /// Returns whether the entry has a tag. `hash` is its `TagHash`.
  @specialized(where Value == String)
  @specialized(where Value == Int)
  final func hasTag<Value: Hashable & Sendable>(_ value: Value, hash: UInt) -> Bool {
    for tag in unownedTags {
      let isEqual = tag._withUnsafeGuaranteedRef { tag in
        guard tag.hash == hash && tag.type == ObjectIdentifier(Value.self) else { return false }
        // An attribute `@specialized` may not name `UUID`: readers of the module would have to load FoundationEssentials.
        if Value.self == UUID.self {
          return unsafeDowncast(tag, to: TypedTag<UUID>.self).value == unsafeBitCast(value, to: UUID.self)
        }
        return unsafeDowncast(tag, to: TypedTag<Value>.self).value == value
      }
      if isEqual { return true }
    }
    return false
  }

  /// The address of the instance of a singleton or of a scoped entry, or nil before it is made.
  @inline(__always)
  final var builtInstanceAddress: UnsafeMutableRawPointer? { isBuilt ? instanceAddress : nil }

  /// The memory of the instance of a singleton or of a scoped entry, or nil before it is made.
  @inline(__always)
  final func builtInstance<T>(_ type: T.Type) -> UnsafeMutablePointer<T>? {
    builtInstanceAddress?.assumingMemoryBound(to: type)
  }
}
