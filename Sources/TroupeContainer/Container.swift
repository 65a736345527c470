import Synchronization

/// A thread-safe container of registrations that makes and keeps their instances.
///
/// ```swift
/// protocol Plugin {}
/// struct First: Plugin {}
/// struct Second: Plugin {}
///
/// let container = Container()
/// container.register((any Plugin).self, tags: "kind", 1) { _ in First() }
/// container.register((any Plugin).self, tags: "kind", 2) { _ in Second() }
/// let plugins: [any Plugin] = try container.resolve(tags: "kind")
/// assert(plugins.count == 2)
/// ```
///
/// Safe to use from any thread. A resolve of a transient or of an existing instance takes no lock, and never waits for a thread that
/// registers. The first resolve of a singleton, a scoped instance or a composite type takes one for a few assignments, as do `resolve(into:)`
/// and a resolve that fails. A resolve waits for a singleton that another thread or task is making. The first scoped instance of a scope may
/// wait for a thread that replaces or removes a scoped registration, for a time proportional to the scopes. No lock is held while a factory
/// runs.
///
/// The `==` of a tag may resolve, but not from a container of which an override is active. A registration calls `==` under the container's
/// lock, and locking that again ends the program: so the `==` of a registered tag must not change the container, nor resolve a pending
/// registration of a plugin, because loading the plugin changes it.
/// After a `fork` only the parent process may use containers: the child lacks the threads that were reading or held a lock, and
/// should call `exec`.
public final class Container: Resolver, Assembler {
  // A container is a table of types, in each type an index of tags, and under each key the entries, one for each registration:
  //
  //     Container ─→ types: AtomicMap ─→ TypeTable of (any Plugin) ─→ EntryList under "kind", 1 ─→ Entry ─→ factory, instance
  //        │                             TypeTable of Int          ─→ …
  //        └─→ parent, which a resolve searches for what this one does not have
  //
  // Resolve: `Container+FastPath.swift` for the common case, `Container+Resolve.swift` for every other, `SingletonBuilds` for singletons.
  // Register and unregister: `Container+Commit.swift` and `Writer`, which publishes all changes of a commit as one version.
  // Free removed entries: `Writer`, when no reader (`EpochDomain`) and no factory (`ThreadRecord`) uses them.
  // Scopes and overrides are child containers: `ScopeStorage`, `Container+Override.swift`.

  /// The effect of a registration with the type, tags and argument types of an earlier one.
  public enum CollisionPolicy: Sendable {
    /// The later registration replaces the earlier one.
    case replace
    /// The earlier registration stays, and the later one is dropped.
    case keep
    /// A collision is an error: `batch` throws a `CollisionError`, and a registration outside a batch ends the program.
    case fail
  }

  // The properties that no resolve reads come first, as in an entry.

  let writer = Lock(Writer())
  /// True if the container records the requests of factories as their dependencies.
  let isLearning: Bool
  private let assemblyList = Lock<AssemblyList?>(nil)
  let injectionCache = Lock(InjectionCache())
  /// For errors. Nil until a resolve fails.
  let registrationSamples = Lock<(version: UInt64, samples: [MissingKeyAdvice.Sample])?>(nil)
  /// The version of the last commit that changed injections, or 0.
  let injectionsChanged = Atomic<UInt64>(0)
  /// The container that a resolve searches after this one.
  public let parent: Container?
  /// The effect of collisions.
  public let collisionPolicy: CollisionPolicy
  /// Nil to use the parent's.
  let onFactoryFailure: (@Sendable (FailedFactory) -> Void)?
  /// True for `null`.
  let ignoresRegistrations: Bool
  /// True for the container of a `withOverrides`, which a resolve searches before its parent.
  let isOverride: Bool
  /// The scopes below this container that have scoped entries. Used only in a container without a parent.
  let scopes = Lock(ScopeList())
  /// True if this container or one below it ever had a scope. Set under the lock of `writer`.
  let hasScopes = Atomic<Bool>(false)
  /// The value of `containerID`, or 0 before its first use.
  private let assignedID = Atomic<Int>(0)
  /// The topmost ancestor.
  let rootOfParent: Unmanaged<Container>?
  /// Nil for a container that is no scope. Owned by this container; a resolve counts no references to it.
  let scopeStorage: Unmanaged<ScopeStorage>?

  /// Stored, because access to a global constant calls a function.
  // Safe to share: see `EpochDomain.shared`.
  nonisolated(unsafe) let epochs = EpochDomain.shared
  /// The version that readers see. Each commit increments it.
  let version = Atomic<UInt64>(1)
  /// The version that readers see, or 0 while the fast path is disabled. See `fastPathVersion`.
  let publishedFastPathVersion = Atomic<UInt64>(1)
  /// Addresses of `TypeTable`s, keyed by the identity of the type.
  // Safe to share: a map has any number of readers and one writer, the holder of the lock of `writer`.
  nonisolated(unsafe) let types = AtomicMap()
  /// The value of `weakReference`. Owned by this container. An `AtomicLazyReference` takes 40 ns more.
  let sharedWeakReference = Atomic<Unmanaged<WeakContainer>?>(nil)
  private let padding = CacheLine.Padding()

  /// Creates an empty container.
  ///
  /// A container can learn dependencies: it records each resolve of a factory for `validate()` and `graph()`. Its children learn as
  /// well. Learning is for tests and diagnosis: all resolves take the slow path, which takes several times as long. It costs nothing
  /// in other containers.
  ///
  /// ```swift
  /// struct Refused: Error {}
  /// let container = Container { print($0) }
  /// container.register(Int.self) { _ in throw Refused() }
  /// do { _ = try container.resolve(Int.self) } catch { assert(error is Refused) }
  /// ```
  ///
  /// - Parameters:
  ///   - parent: The container in which a resolve searches for keys that this one does not have.
  ///   - collisions: The effect of a registration with the type, tags and argument types of an earlier one.
  ///   - learnsDependencies: True to learn dependencies; a container also learns if its parent does.
  ///   - onFactoryFailure: Called once for each error that a factory throws during a resolve from this container, or from a
  ///     container below it without such a closure, except for a `ResolutionError` and a `CancellationError`. An error that is
  ///     stored as `any Error` and thrown again soon counts as the same error. The closure runs in the context of the factory,
  ///     before the `resolve` throws the error. It costs nothing unless a factory throws.
  public convenience init(
    parent: Container? = nil, collisions: CollisionPolicy = .replace, learnsDependencies: Bool = false,
    onFactoryFailure: (@Sendable (FailedFactory) -> Void)? = nil
  ) {
    self.init(
      .nested, parent: parent, collisions: collisions, learnsDependencies: learnsDependencies,
      onFactoryFailure: onFactoryFailure)
  }

  enum Purpose {
    case nested, scope, override, null
  }

  init(
    _ purpose: Purpose, parent: Container?, collisions: CollisionPolicy = .replace, learnsDependencies: Bool = false,
    onFactoryFailure: (@Sendable (FailedFactory) -> Void)? = nil
  ) {
    self.parent = parent
    rootOfParent = parent?.root
    self.onFactoryFailure = onFactoryFailure
    collisionPolicy = collisions
    ignoresRegistrations = purpose == .null
    isOverride = purpose == .override
    isLearning = learnsDependencies || parent?.isLearning ?? false
    if purpose == .scope, let parent {
      scopeStorage = .passRetained(ScopeStorage(root: parent.root, overrides: parent.overrideIDs))
    } else {
      scopeStorage = nil
    }
    // This counts as an override that never ends, so that all requests take the slow path, which records them.
    if isLearning { writer.withLock { $0.countOverride(1, in: self) } }
  }

  /// A container that ignores all registrations and assemblies, so that each resolve finds nothing: it throws `.notFound`, or
  /// returns an empty array or nil. The same applies to a lazy resolver.
  ///
  /// Pass it to a type under test that requires a container, and give the type its dependencies by hand. The process has one null
  /// container, and it never changes.
  ///
  /// ```swift
  /// Container.null.register(Int.self) { _ in 1 }
  /// assert(try! Container.null.resolve(Int?.self) == nil)
  /// ```
  public static let null = Container(.null, parent: nil)

  deinit {
    // No thread reads the container: a reader holds a reference.
    var entries = scopeStorage?.takeRetainedValue().end() ?? []
    entries += writer.withLock { $0.freeAll() }
    forEachTable { table in
      table.pointee.all.scan {
        entries.append($0.takeRetainedValue())
        return true
      }
      table.deinitialize(count: 1)
      table.deallocate()
    }
    sharedWeakReference.load(ordering: .acquiring)?.release()
    if isOverride { parent?.discard(removeScopedEntries(of: entries)) }
    Self.release(&entries)
  }

  /// The registration under a key in this container or its ancestors; the latest if several differ in their argument types.
  ///
  /// Setting an entry registers it, under the collision policy. Setting nil removes all registrations of this container under the
  /// key.
  public subscript(key: AnyKey) -> Entry? {
    get {
      for container in selfAndAncestors {
        if let entry = container.entries(key.metatype, exactly: key.tags).last { return entry }
      }
      return nil
    }
    set {
      guard let newValue else {
        commit([.remove(key.metatype, key.tags)])
        return
      }
      add(newValue.copied(to: key))
    }
  }

  /// The registration under a key; see the subscript for `AnyKey`.
  ///
  /// `Registrar` and `Resolver` both declare this subscript; the declaration here resolves the ambiguity.
  public subscript<T>(key: Key<T>) -> Entry? {
    get { self[AnyKey(key)] }
    set { self[AnyKey(key)] = newValue }
  }

  /// The version at which the fast path reads. Nil while an override is active, and always in a container that learns: lookups then take
  /// the slow path, which searches the overrides and records the request.
  @inline(__always)
  var fastPathVersion: UInt64? {
    let version = publishedFastPathVersion.load(ordering: .acquiring)
    return version == 0 ? nil : version
  }

  /// This container, for the inlined functions of `Resolver`.
  public var _container: Unmanaged<Container> { .passUnretained(self) }

  /// Registers an entry under the collision policy.
  public func add(_ entry: Entry) { commit([.insert(entry, owner: nil)]) }

  /// Registers entries on behalf of an owner. All readers see them at once.
  package func add(_ entries: [Entry], owner: Owner?) { commit(entries.map { .insert($0, owner: owner) }) }

  /// Returns an instance of a registration of this container or an ancestor, for a caller that does not know its type.
  package func instance(of entry: Entry, arguments: [Any], isOnMainActor: Bool = false) throws -> Any {
    var request = request(for: entry, arguments)
    request.isOnMainActor = isOnMainActor
    func make<T>(_ type: T.Type) throws -> Any {
      // The replacement of a pending entry has the same key.
      if entry.kind == .pending { return try instance(type, request) }
      let instance = try Self.stored(type) { try candidate(entry).initialize($0, in: self, request) }
      guard let instance else { throw ResolutionError.notFound(entry.key, in: self) }
      return instance
    }
    return try make(entry.metatype)
  }

  /// Returns an instance in an asynchronous context, where every factory can run.
  nonisolated(nonsending)
    package func instanceAsync(of entry: Entry, arguments: [Any]) async throws -> Any
  {
    let request = request(for: entry, arguments)
    nonisolated(nonsending) func make<T>(_ type: T.Type) async throws -> Any {
      if entry.kind == .pending { return try await slowPathAsync(type, request) }
      if let instance = try await candidate(entry).makeAsync(type, in: self, request) { return instance }
      throw ResolutionError.notFound(entry.key, in: self)
    }
    return try await make(entry.metatype)
  }

  private func candidate(_ entry: Entry) -> Candidate {
    Candidate(entry: entry, owningContainer: parent == nil ? self : owningContainer(of: entry))
  }

  private func request(for entry: Entry, _ arguments: [Any]) -> Request {
    Request(tags: entry.tags, arguments: arguments, types: arguments.map { Swift.type(of: $0) })
  }

  /// Replaces an owner's registrations with entries of another owner, or of the same one, as one change for all readers. A nil
  /// owner has no registrations.
  ///
  /// A resolve of a key that has a registration before and after the change always finds one. An array has either the old members
  /// or the new ones. An entry whose key is that of a removed registration gets the position of that registration in arrays; if
  /// there are several, the position of the one with the same argument types. Other entries come last. Collisions with
  /// registrations of other owners, or among the entries, are treated as in `add`. The first owner's assemblies are removed, as in
  /// `unregister(owner:)`. A singleton that is being made during the change is returned to its waiters. Removed instances are
  /// released as in `unregister(owner:)`, outside of all locks.
  ///
  /// Cost: that of `unregister(owner:)` and `add`; an entry that inherits a position takes constant time.
  ///
  /// - Parameter clash: Returns a reason not to make the change, or nil. Called under the lock of the container's writers: it may read
  ///   the container, but must not change it or run foreign code.
  /// - Returns: The reason for which nothing was changed, or nil.
  @discardableResult
  package func replace<Clash>(
    owner old: Owner?, with entries: [Entry], owner new: Owner, unless clash: () -> Clash? = { Never?.none }
  ) -> Clash? {
    var found: Clash?
    commit([.replace(old, entries, new)]) {
      found = clash()
      return found != nil
    }
    if found == nil, let old { assemblies.remove { $0 == old } }
    return found
  }

  /// Returns the registrations of an owner in the order of registration. Cost: proportional to their number.
  package func entries(owner: Owner) -> [Entry] { writer.withLock { $0.entries(of: owner) } }

  /// Registers an assembly for the next `assemble`. Inside an assembly's `register(in:)`, lets it make its registrations at once.
  public func register(assembly: any Assembly) { register(assembly: assembly, owner: nil) }

  /// Registers an assembly on behalf of an owner. The dependency of an assembly that is registering makes its registrations at once
  /// with a registrar: the given one, else the owner's, else the container.
  func register(assembly: any Assembly, owner: Owner?, registrar: (any Registrar)? = nil) {
    if ignoresRegistrations { return }
    assemblies.add(assembly, owner: owner, registrar: registrar ?? owner.map { self.registrar(owner: $0) } ?? self)
  }

  /// The assemblies of this container and its ancestors that have not made their registrations, as keys of their types.
  var waitingAssemblies: [AnyKey] {
    selfAndAncestors.flatMap { $0.assemblyList.withLock { $0 }?.waitingTypes ?? [] }.map { AnyKey(metatype: $0, tags: []) }
  }

  /// Few containers have any, so the first use creates the list.
  var assemblies: AssemblyList {
    assemblyList.withLock { list in
      let present = list ?? AssemblyList()
      list = present
      return present
    }
  }

  /// Lets the assemblies register, then activates them; see `Assembler`.
  public func assemble() async throws { try await assemblies.assemble(in: self) }
}

// MARK: Copies and IDs

extension Container {
  /// Returns a container without a parent that has the registrations of this one, without owners and instances.
  ///
  /// Cost: proportional to the registrations.
  package func copy() -> Container {
    let copy = Container(collisions: collisionPolicy)
    copy.add(allEntries(), owner: nil)
    return copy
  }

  /// The types of the registrations of this container and its ancestors.
  package var registeredTypes: [any Any.Type] { selfAndAncestors.flatMap { $0.types(including: []) } }

  /// Unique in the process. Assigned at its first use, so that threads which make scopes do not write to one cache line.
  package var containerID: Int {
    if assignedID.load(ordering: .relaxed) == 0 {
      let new = Self.lastID.wrappingAdd(1, ordering: .relaxed).newValue
      _ = assignedID.compareExchange(expected: 0, desired: new, ordering: .relaxed)
    }
    return assignedID.load(ordering: .relaxed)
  }

  private static let lastID = Atomic<Int>(0)
}

// MARK: Description

extension Container: CustomStringConvertible {
  /// One line with the numbers of registrations, of singletons that are made, and of assemblies that are not assembled, for this container
  /// and each ancestor.
  ///
  /// ```swift
  /// let container = Container()
  /// container.register(lifetime: .singleton) { _ in [1, 2, 3] }
  /// print(container.scope())  // Scope (0 registrations) in Container (1 registration, 0 singletons made)
  /// ```
  ///
  /// Cost: proportional to the registrations.
  public var description: String { selfAndAncestors.map(\.summary).joined(separator: " in ") }

  private var summary: String {
    func counted(_ count: Int, _ noun: String, plural: String) -> String { "\(count) \(count == 1 ? noun : plural)" }
    let entries = allEntries()
    let singletons = entries.filter { $0.lifetime == .singleton }
    let waiting = assemblies.waitingTypes.count
    var facts = [counted(entries.count, "registration", plural: "registrations")]
    if !singletons.isEmpty {
      facts.append(counted(singletons.count(where: \.isBuilt), "singleton made", plural: "singletons made"))
    }
    if waiting > 0 { facts.append(counted(waiting, "assembly not assembled", plural: "assemblies not assembled")) }
    return "\(noun) (\(facts.joined(separator: ", ")))"
  }

  private var noun: String {
    if ignoresRegistrations { return "Container.null" }
    return scopeStorage != nil ? "Scope" : isOverride ? "Overrides" : "Container"
  }
}
