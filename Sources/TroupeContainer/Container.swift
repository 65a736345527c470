public import Synchronization

/// Holds registrations and makes instances of them.
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
/// Safe to use from any thread. Resolving takes no lock, but for a moment of `resolve(into:)`, and never waits for anybody who
/// registers; only who asks for a singleton that is just being made waits for it. No lock is held while a factory runs.
///
/// The `==` of a tag may resolve, but must not change a container, nor resolve what a plugin registers that has yet to be
/// loaded, which does: who registers calls it under the container's lock, and taking that again ends the program. After a
/// `fork` only the parent may go on using containers; the child has none of the threads that were reading or held a lock, and
/// should go on to `exec`.
public final class Container: Resolver, Assembler {
  /// What to do when a registration has the type, tags and argument types of an earlier one.
  public enum CollisionPolicy: Sendable {
    /// The later one counts.
    case replace
    /// The earlier one counts, and the later one is dropped.
    case keep
    /// It is an error: `batch` throws a `CollisionError`, and a registration outside a batch is a mistake of the program that
    /// ends it.
    case fail
  }

  // What a resolve never looks at comes first, as in an entry.
  let writer = Lock(Writer())
  /// Whether it remembers what factories resolve.
  let isLearning: Bool
  let assemblies = AssemblyList()
  /// What is remembered of the injections that are registered here.
  let injectionMemory = Lock(InjectionMemory())
  /// The version that came with the last change to the injections that are registered here; 0 if there never was one.
  let injectionsChanged = Atomic<UInt64>(0)
  /// Where what is not registered here is looked for.
  public let parent: Container?
  /// What to do about collisions.
  public let collisionPolicy: CollisionPolicy
  /// Called for what factories throw; nil if the parent's is.
  let onFactoryFailure: (@Sendable (FactoryFailure) -> Void)?
  /// Whether it is the null container.
  let ignoresRegistrations: Bool
  /// Whether it has what `withOverrides` registers for a while in front of its parent.
  let isOverride: Bool
  /// The scopes below this container that have made something. Only of use where there is no parent.
  let scopes = Lock(ScopeList())
  /// Whether a scope was ever made of this container or of one below it. Set under the lock of `writer`.
  let hasScopes = Atomic<Bool>(false)
  /// See `number`; 0 if nobody has asked for it.
  let givenNumber = Atomic<Int>(0)
  /// What it has as a scope; nil if it is none. Held by this container, without counting references for whoever resolves.
  let scopeMemory: Unmanaged<ScopeMemory>?

  /// Who reads containers. Kept here because a global constant is asked for its value through a function.
  // Safe to share: see `Readers.shared`.
  @usableFromInline nonisolated(unsafe) let readers = Readers.shared
  /// The version that readers look at; each change makes the next.
  @usableFromInline let version = Atomic<UInt64>(1)
  /// The version that the short way looks at: the same, or 0, at which there is nothing, while everybody has to take the long way.
  @usableFromInline let quickVersion = Atomic<UInt64>(1)
  /// The address of each type's table, by the type's identity.
  // Safe to share: a map is made for one writer, who holds the lock of `writer`, and any number of readers.
  @usableFromInline nonisolated(unsafe) let types = AtomicMap()
  private let padding = CacheLine.Padding()

  /// Makes an empty container.
  ///
  /// - Parameters:
  ///   - parent: The container in which a resolve searches for keys that this one does not have.
  ///   - collisions: What to do when a registration has the type, tags and argument types of an earlier one.
  public convenience init(parent: Container? = nil, collisions: CollisionPolicy = .replace) {
    self.init(parent: parent, collisions: collisions, learnsDependencies: false)
  }

  /// Makes an empty container that learns what factories resolve, if it is to: each resolve that happens inside of a factory is
  /// remembered, for `validate()` and `graph()`. Its children learn, too.
  ///
  /// A container that learns is for tests and for looking around: everything is resolved on the long way, which takes several
  /// times as long. In any other container learning costs nothing.
  ///
  /// - Parameters:
  ///   - parent: The container in which a resolve searches for keys that this one does not have.
  ///   - collisions: What to do when a registration has the type, tags and argument types of an earlier one.
  ///   - learnsDependencies: Whether it learns also if its parent does not.
  public convenience init(parent: Container? = nil, collisions: CollisionPolicy = .replace, learnsDependencies: Bool) {
    self.init(kind: .nested, parent: parent, collisions: collisions, learnsDependencies: learnsDependencies)
  }

  /// Makes an empty container that reports what factories throw.
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
  ///   - collisions: What to do when a registration has the type, tags and argument types of an earlier one.
  ///   - learnsDependencies: Whether it learns also if its parent does not.
  ///   - onFactoryFailure: Called once for each error that a factory throws while something is resolved from this container, or from
  ///     one below it that has no such closure, except for a `ResolutionError` and a `CancellationError`. An error that
  ///     is stored as `any Error` and thrown again soon counts as the same. The closure runs inside of the factory, before the
  ///     `resolve` throws the error. A resolve that does not fail never looks at it.
  public convenience init(
    parent: Container? = nil, collisions: CollisionPolicy = .replace, learnsDependencies: Bool = false,
    onFactoryFailure: @escaping @Sendable (FactoryFailure) -> Void
  ) {
    self.init(
      kind: .nested, parent: parent, collisions: collisions, learnsDependencies: learnsDependencies,
      onFactoryFailure: onFactoryFailure)
  }

  /// What a container is made for.
  enum Kind {
    case nested, scope, override, null
  }

  init(
    kind: Kind, parent: Container?, collisions: CollisionPolicy = .replace, learnsDependencies: Bool = false,
    onFactoryFailure: (@Sendable (FactoryFailure) -> Void)? = nil
  ) {
    self.parent = parent
    self.onFactoryFailure = onFactoryFailure
    collisionPolicy = collisions
    ignoresRegistrations = kind == .null
    isOverride = kind == .override
    isLearning = learnsDependencies || parent?.isLearning ?? false
    if kind == .scope, let parent {
      scopeMemory = .passRetained(ScopeMemory(root: parent.root, overrides: parent.overrideNumbers))
    } else {
      scopeMemory = nil
    }
    if isLearning { neverResolveQuickly() }
  }

  /// The container that ignores whatever is registered with it, assemblies included, and so finds nothing: resolving throws
  /// `.notFound`, an array is empty and an optional nil, and so it is through a lazy resolver.
  ///
  /// For a unit test of something that wants a container and is to be given its dependencies by hand. One for the whole process,
  /// which nobody can change.
  ///
  /// ```swift
  /// Container.null.register(Int.self) { _ in 1 }
  /// assert(try! Container.null.resolve(Int?.self) == nil)
  /// ```
  public static let null = Container(kind: .null, parent: nil)

  deinit {
    // Nobody can be reading: a reader holds a reference.
    var entries = writer.withLock { $0.freeAll() }
    if scopeMemory != nil { entries += endScope() }
    types.forEach { _, word, _ in
      guard let table = UnsafeMutablePointer<TypeTable>(bitPattern: word) else { return }
      EntryList.forEach(table.pointee.all.load(ordering: .relaxed)) {
        entries.append($0.takeRetainedValue())
        return true
      }
      table.deinitialize(count: 1)
      table.deallocate()
    }
    if isOverride { parent?.discard(takeStandIns(of: entries)) }
    Self.release(&entries)
  }

  /// The registration under a key, here or in a parent, the latest if there are several with other arguments. Setting it is
  /// registering it, so that the collision policy says what becomes of one with the same arguments; setting nil removes
  /// everything under the key that is here.
  public subscript(key: AnyKey) -> Entry? {
    get {
      for container in lineage {
        if let entry = container.entry(key.metatype, key.tags) { return entry }
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
  /// A container is a `Registrar` and a `Resolver`, and each brings this subscript; one of its own tells which is meant.
  public subscript<T>(key: Key<T>) -> Entry? {
    get { self[AnyKey(key)] }
    set { self[AnyKey(key)] = newValue }
  }

  /// Itself.
  public var _container: Unmanaged<Container> { .passUnretained(self) }

  /// Registers an entry.
  public func add(_ entry: Entry) {
    commit([.insert(entry, nil)])
  }

  /// Registers entries on behalf of an owner, at once for every reader.
  package func add(_ entries: [Entry], owner: Owner?) {
    commit(entries.map { .insert($0, owner) })
  }

  /// Returns an instance of a registration of this container or of one above, for a caller that does not know its type.
  package func instance(of entry: Entry, arguments: [Any]) throws -> Any {
    try entry.anyInstance(from: self, request(for: entry, arguments))
  }

  /// Returns the instance of `instance(of:arguments:)`, also of an asynchronous factory and of one on the main actor.
  nonisolated(nonsending)
    package func instanceAsync(of entry: Entry, arguments: [Any]) async throws -> Any
  {
    try await entry.anyInstanceAsync(from: self, request(for: entry, arguments))
  }

  private func request(for entry: Entry, _ arguments: [Any]) -> Request {
    Request(tags: entry.tags, arguments: arguments, types: arguments.map { Swift.type(of: $0) })
  }

  /// Takes back everything that was registered on behalf of an owner, nil meaning nothing, and registers entries on behalf of
  /// another one, or the same, all at once for every reader: what is resolved under a key that is there before and after is
  /// there at every moment, and an array has either the old members or the new ones.
  ///
  /// An entry whose key is one of those taken back takes over its place in arrays, if there are several the place of the one
  /// with the same argument types; others come last. What collides with another owner's registration, or with another one of
  /// the entries, does as in `add`. Assemblies of the first owner are forgotten, as by `unregister(owner:)`. A singleton
  /// that is being made when its registration goes is handed to those who wait for it. What went is released as by
  /// `unregister(owner:)`, outside of all locks.
  ///
  /// Cost: proportional to the lengths of the lists that entries take over places in; otherwise as `unregister(owner:)` and
  /// `add`.
  package func replace(owner old: Owner?, with entries: [Entry], owner new: Owner) {
    if let old { assemblies.remove(owner: old) }
    commit([.replace(old, entries, new)])
  }

  /// Makes changes visible at once. Gives how many entries went. Ends the program if two registrations collide that must not.
  @discardableResult
  func commit(_ changes: [Change]) -> Int {
    do { return try commitUnlessColliding(changes) } catch { fatalError("\(error)") }
  }

  /// Makes changes visible at once, or none of them if it throws. Gives how many entries went.
  @discardableResult
  func commitUnlessColliding(_ changes: [Change]) throws(CollisionError) -> Int {
    if ignoresRegistrations { return 0 }
    var outcome = writer.withLock { $0.commit(changes, to: self) }
    if outcome.changedInjections { forgetInjections() }
    Self.release(&outcome.freed)
    if outcome.beginsSweep { sweepLater() }
    if outcome.waitsForReaders, changes.contains(where: \.isRemoval) { waitForReaders() }
    if let collision = outcome.collision { throw collision }
    return outcome.removed
  }

  /// Registers an assembly for the next `assemble`; inside an assembly's `register(in:)` it registers at once.
  public func register(assembly: any Assembly) {
    register(assembly: assembly, owner: nil)
  }

  /// Registers an assembly on behalf of an owner. What another assembly needs registers at once with a registrar, the owner's
  /// if none is given.
  func register(assembly: any Assembly, owner: Owner?, registrar: (any Registrar)? = nil) {
    if ignoresRegistrations { return }
    assemblies.add(assembly, owner: owner, registrar: registrar ?? owner.map { self.registrar(owner: $0) } ?? self)
  }

  /// The assemblies of this container and its parents that have not made their registrations, as keys of their types.
  var waitingAssemblies: [AnyKey] {
    lineage.flatMap(\.assemblies.waitingTypes).map { AnyKey(metatype: $0, tags: []) }
  }

  /// Whether the caller is inside the `register(in:)` of an assembly of this container.
  var isLettingAssembliesRegister: Bool { assemblies.isRegistering }

  /// Lets the assemblies register and then activates them; see `Assembler`.
  public func assemble() async throws {
    try await assemblies.assemble(in: self)
  }

  /// Releases entries, those first whose instances were made last: what was made later may need what was made before. The
  /// array has to be the only one that holds them.
  static func release(_ entries: inout [Entry]) {
    var ordered = entries.map { (made: $0.lastMade, entry: $0) }
    entries = []
    ordered.sort { $0.made < $1.made }
    while ordered.popLast() != nil {}
  }
}
