import Synchronization

/// One registration: its key, how to make an instance, and the instance of a singleton.
///
/// An entry belongs to one container. Registering it again, or in another container, registers a copy.
public class Entry: @unchecked Sendable, CustomStringConvertible {
  // `TypedEntry<T>` adds the type and the memory of the instance, and each of its subclasses one form of factory, which `kind` names:
  //
  //     Entry ─ TypedEntry<T> ─┬─ PlainEntry, AsyncEntry     synchronous or asynchronous factory without arguments
  //                            ├─ ArgumentEntry              factory with arguments, or on the main actor
  //                            ├─ PendingEntry               loads the registration that replaces it
  //                            └─ WeakEntry                  weak reference to an object, no factory
  //
  // The entry of a `TrackedLock` is none of these: it is in no container, and only builds and paths have it.
  //
  // An entry passes through these states. Several entries that one commit adds or removes share the version:
  //
  //     new ──────────→ published ────────────→ removed ───→ unlinked ───→ released
  //     addedIn = max   addedIn = version       removedIn = version        by `Writer`, when no reader and no factory uses it
  //
  // A reader at version `v` sees the entries with `addedIn <= v < removedIn`.
  //
  // Readers never count references to an entry, whose count all threads would contend for. They hold an `EpochGuard`, and while a factory
  // runs, a hazard pointer in their `ThreadRecord`.

  // Sendable because each variable is atomic, or changes only before the entry is published, or is guarded: `build` by the lock of
  // `SingletonBuilds`, the memory of the instance by `hasInstance`, before which only one thread writes it.

  /// The form of the factory. It decides the subclass, so a caller may downcast without a check.
  enum FactoryKind: UInt8 {
    case plain
    case arguments
    case async
    case asyncArguments
    /// On the main actor, with or without arguments.
    case main
    /// Synchronous, and checks its arguments itself, such as a plugin's function in C.
    case dynamic
    case pending
    case weak
  }

  // Members that a resolve does not read come first. They keep the others in cache lines without the heap object before the entry,
  // whose reference count other threads may change. `Padding` does the same at the end.

  final let codeLocation: CodeLocation?
  final let metatype: any Any.Type
  /// Distinct, sorted by hash.
  final let tags: [Tag]
  /// The position in arrays: counts the registrations of all containers. A replacement inherits it.
  final var sequence = 0
  /// The plugin, for example, on whose behalf the entry was registered.
  package final internal(set) var owner: Owner?
  /// Nil for the many entries without details.
  final var detailsBox: EntryDetailsBox?
  /// Counts the instances of singletons, which are released in reverse order; 0 before the instance is made.
  final let creationOrder = Atomic<Int>(0)
  /// The present attempt to make the instance of a singleton.
  final var build: SingletonBuild?

  /// How long instances live.
  public final let lifetime: Lifetime
  final let kind: FactoryKind
  /// True once a singleton or scoped entry has its instance.
  final let hasInstance = Atomic<Bool>(false)
  /// The memory of the instance of a singleton or of a scoped entry, of the type `metatype`. Nil for transient, pending and weak entries.
  final let instanceAddress: UnsafeMutableRawPointer?
  /// How many runs of an asynchronous factory no hazard pointer shows. The writer does not release the entry meanwhile.
  final let untrackedRunCount = Atomic<UInt32>(0)
  /// `tags` without reference counts, so that threads which compare them do not write to one cache line.
  final let unownedTags: UnsafeBufferPointer<Unmanaged<Tag>>
  /// The hash of the set of tags: see `TagHash.sum`.
  final let tagHash: UInt
  /// The first version of the container at which readers see the entry; `.max` before it is in a container.
  final let addedIn = Atomic<UInt64>(.max)
  /// The first version at which they do not see it any more; `.max` while it is registered.
  final let removedIn = Atomic<UInt64>(.max)
  /// The address of the entry that replaces it in the lists, or 0: see `EntryList`.
  final let successor = Atomic<UInt>(0)

  init(
    kind: FactoryKind, metatype: any Any.Type, tags: [Tag], lifetime: Lifetime, location: CodeLocation?,
    instanceAddress: UnsafeMutableRawPointer? = nil
  ) {
    self.kind = kind
    self.instanceAddress = instanceAddress
    self.lifetime = lifetime
    self.metatype = metatype
    self.tags = tags
    unownedTags = Self.unowned(tags)
    tagHash = TagHash.sum(tags)
    codeLocation = location
  }

  private static func unowned(_ tags: [Tag]) -> UnsafeBufferPointer<Unmanaged<Tag>> {
    if tags.isEmpty { return UnsafeBufferPointer(start: nil, count: 0) }
    let unowned = UnsafeMutableBufferPointer<Unmanaged<Tag>>.allocate(capacity: tags.count)
    _ = unowned.initialize(from: tags.map { Unmanaged.passUnretained($0) })
    return UnsafeBufferPointer(unowned)
  }

  deinit { unownedTags.deallocate() }

  /// The type and the tags of the registration.
  public final var key: AnyKey { AnyKey(metatype: metatype, tags: tags) }

  /// The key and, if it is known, the source location.
  public final var description: String { "\(key)" + (location.map { " (\($0))" } ?? "") }

  /// The source location of the registration, such as `Example/Services.swift:12`, or nil if it is unknown.
  public final var location: String? { codeLocation?.text }

  // MARK: Overridden by subclasses

  /// The argument types of the factory, in order. Nil if it checks its arguments itself.
  package var argumentTypes: [any Any.Type]? { [] }

  /// The identity of the `ArgumentList` of the factory. Nil if it has none.
  var argumentsIdentity: ObjectIdentifier? { nil }

  /// Returns an entry of the same factory without an instance and without details.
  func copy(tags: [Tag], lifetime: Lifetime) -> Entry { preconditionFailure("\(Self.self) cannot be copied") }

  /// The registration that a pending entry stands for; nil for any other entry.
  var pending: PendingRegistration? { nil }

  /// Returns the object of a weak entry, or nil after its release.
  func anyObject() throws -> Any? { preconditionFailure("\(Self.self) is not weak") }

  /// True if the entry keeps an instance.
  @inline(__always)
  final var isBuilt: Bool { hasInstance.load(ordering: .acquiring) }

  // MARK: Matching

  @inline(__always)
  final func isVisible(at version: UInt64) -> Bool {
    addedIn.load(ordering: .relaxed) <= version && version < removedIn.load(ordering: .relaxed)
  }

  /// False from the commit that removes the entry on, before readers know. For the writer.
  final var isLive: Bool { removedIn.load(ordering: .relaxed) == .max }

  /// Checks whether arguments can be cast to the types that the factory takes. A weak entry takes any.
  final func accepts(_ arguments: [Any]) -> Bool {
    guard kind != .weak, let types = argumentTypes else { return true }
    func isInstance<T>(_ argument: Any, of type: T.Type) -> Bool { argument is T }
    if arguments.count != types.count { return false }
    for (argument, type) in zip(arguments, types) where !isInstance(argument, of: type) { return false }
    return true
  }

  /// Compares argument types with those of the factory.
  final func accepts(exactly types: [any Any.Type]) -> Bool { argumentTypes?.elementsEqual(types, by: ==) ?? false }

  /// True if this entry replaces another one of the same type and tags: both have the same argument types.
  package final func collides(with other: Entry) -> Bool {
    if kind == .plain && other.kind == .plain { return true }
    // A factory that checks its arguments itself may take any.
    guard let own = argumentTypes, let others = other.argumentTypes else { return true }
    return own.map { ObjectIdentifier($0) } == others.map { ObjectIdentifier($0) }
  }

  /// Checks whether its tags include others, which are distinct and sorted by hash. Counts no references.
  ///
  /// Cost: proportional to the number of its tags.
  final func includes(_ others: [Tag]) -> Bool {
    others.withUnsafeBufferPointer { others in
      var start = 0
      for index in others.indices {
        let other = Unmanaged.passUnretained(others[index])
        if !other._withUnsafeGuaranteedRef({ findTag($0, &start) }) { return false }
      }
      return true
    }
  }

  /// Searches its tags from an index on, and moves the index to the first tag that the next search may find.
  private final func findTag(_ other: Tag, _ start: inout Int) -> Bool {
    let hash = other.hash
    for index in start..<unownedTags.count {
      let own = unownedTags[index]
      let ownHash = own._withUnsafeGuaranteedRef { $0.hash }
      if ownHash < hash {
        start = index + 1
      } else if ownHash > hash {
        return false
      } else if own._withUnsafeGuaranteedRef({ $0.equals(other) }) {
        return true
      }
    }
    return false
  }

  /// Compares its tags with others, which are distinct and sorted by hash.
  final func hasTags(exactly others: [Tag]) -> Bool { tags.count == others.count && includes(others) }
}

// MARK: Metadata

extension Entry {
  /// The metadata of the registration, or nil. Reading it makes no instance and loads no plugin.
  ///
  /// The registration of a plugin has its texts as a `[String: String]`, also before the plugin is loaded. A plugin in Swift may
  /// register a value of any type as well. That value exists once the plugin is loaded, and then comes first.
  public final var metadata: (any Sendable)? {
    guard let details = detailsBox?.details else { return nil }
    return details.metadata ?? details.texts
  }

  /// The registrant's own description of the registration. Set it only before the entry is registered.
  package final var registrantInfo: (any RegistrantInfo)? {
    get { detailsBox?.details.registrantInfo }
    set { details.registrantInfo = newValue }
  }

  /// Returns the metadata cast to a type, or nil if the cast fails. Makes no instance.
  ///
  /// ```swift
  /// let container = Container()
  /// let key = container.annotated(metadata: "the answer").register(Int.self) { _ in 42 }
  /// assert(container[key]?.metadata(as: String.self) == "the answer")
  /// assert(container[key]?.metadata(as: Int.self) == nil)
  /// ```
  ///
  /// A value of the registration and the texts of a plugin are both found, each by its type. Cost: that of a cast.
  public final func metadata<Metadata>(as type: Metadata.Type) -> Metadata? {
    guard let details = detailsBox?.details else { return nil }
    // A cast of missing metadata to an optional type would succeed.
    if let metadata = details.metadata, let metadata = metadata as? Metadata { return metadata }
    if let texts = details.texts { return texts as? Metadata }
    return nil
  }
}

// MARK: Copies

extension Entry {
  /// Returns an entry of the same factory under another key, without an instance. Under a key of another type, a resolve throws
  /// `.invalidInstanceType` if the factory's instance is not of that type.
  package func copied(to key: AnyKey) -> Entry {
    if var pending, key != self.key {
      pending.original = pending.original ?? self
      func make<T>(_ type: T.Type) -> Entry {
        PendingEntry<T>(tags: key.tags, lifetime: lifetime, location: codeLocation, pending)
      }
      return make(key.metatype)
    }
    let copy = ObjectIdentifier(metatype) == key.identity ? copy(tags: key.tags, lifetime: lifetime) : cast(to: key)
    copy.copyDetails(of: self)
    if let otherCaching = details.otherCaching { copy.details.otherCaching = otherCaching.copied(to: key) }
    return copy
  }

  private func cast(to key: AnyKey) -> Entry {
    // The entry under the other key keeps the instances of scopes.
    let copy = copy(tags: key.tags, lifetime: lifetime == .scoped ? .transient : lifetime)
    func make<T>(_ type: T.Type) -> Entry {
      let checked: @Sendable (Any) throws -> T = { [codeLocation] instance in
        guard let instance = instance as? T else { throw ResolutionError(key, .invalidInstanceType, at: codeLocation) }
        return instance
      }
      if kind == .weak {
        return WeakEntry<T>(tags: key.tags, location: codeLocation) { result in
          guard let object = try self.anyObject() else { return false }
          result.initialize(to: try checked(object))
          return true
        }
      }
      let isMain = kind == .main
      let factory: ArgumentEntry<T>.Factory = { resolver, arguments in
        try checked(resolver.container.instance(of: copy, arguments: arguments, isOnMainActor: isMain))
      }
      let isAsync = kind == .async || kind == .asyncArguments
      return ArgumentEntry<T>(
        isMain ? .main : isAsync ? .asyncArguments : .dynamic, tags: key.tags, lifetime: lifetime, location: codeLocation,
        list: nil,
        factory: factory, tupleFactory: { resolver, tuple, list in try factory(resolver, list.boxed(tuple)) },
        async: { resolver, arguments in try checked(await resolver.container.instanceAsync(of: copy, arguments: arguments)) })
    }
    return make(key.metatype)
  }
}

// MARK: The counterpart for `cached:`

extension Entry {
  /// Returns a copy that keeps its instance or not, and has a counterpart of the other lifetime for resolves with `cached:`. A weak or
  /// a pending entry stays as it is.
  final func withOverridableCaching(isCached: Bool) -> Entry {
    guard kind != .weak, kind != .pending else { return self }
    let (cached, uncached) = (copy(tags: tags, lifetime: .singleton), copy(tags: tags, lifetime: .transient))
    let entry = isCached ? cached : uncached
    entry.copyDetails(of: self)
    entry.details.otherCaching = isCached ? uncached : cached
    return entry
  }

  /// Returns the entry that makes the instance for a request: the counterpart if the request names the other lifetime and there is one.
  @inline(__always)
  final func variant(for request: Container.Request) -> Entry {
    guard let cached = request.cached, cached != (lifetime == .singleton) else { return self }
    return detailsBox?.details.otherCaching ?? self
  }

  /// The creation order of the last instance that the entry or its counterpart keeps, or 0.
  final var lastCreation: Int {
    let own = creationOrder.load(ordering: .relaxed)
    guard let counterpart = detailsBox?.details.otherCaching else { return own }
    return max(own, counterpart.creationOrder.load(ordering: .relaxed))
  }
}
