extension Container {
  /// Makes many registrations visible at once, on behalf of an owner if there is one: nobody sees some of them and not the
  /// others. If it throws, there are none.
  ///
  /// ```swift
  /// let container = Container()
  /// try container.batch { registrar in
  ///   registrar.register(Int.self, tags: "a") { _ in 1 }
  ///   registrar.register(Int.self, tags: "b") { _ in 2 }
  /// }
  /// ```
  ///
  /// The registrar knows what was registered through it and what the container has. It is of use only inside the closure. An
  /// assembly that is registered with it waits for the next `assemble`; inside another assembly's `register(in:)` it makes its
  /// registrations at once, as part of the batch.
  ///
  /// - Throws: What the closure throws; a `CollisionError` if the container does not allow a registration to have the type,
  ///   tags and argument types of another one.
  @discardableResult
  public func batch<R>(owner: Owner? = nil, _ body: (any Registrar) throws -> R) throws -> R {
    if ignoresRegistrations { return try body(self) }
    let batch = Batch(self, owner: owner)
    let result = try body(batch)
    try batch.commit()
    return result
  }

  /// A registrar that registers on behalf of an owner; see `unregister(owner:)`.
  public func registrar(owner: Owner) -> any Registrar {
    OwnedRegistrar(self, owner: owner)
  }
}

/// Registers in a container on behalf of an owner.
private final class OwnedRegistrar: Registrar {
  private let container: Container
  private let owner: Owner

  init(_ container: Container, owner: Owner) {
    self.container = container
    self.owner = owner
  }

  subscript(key: AnyKey) -> Entry? {
    get { container[key] }
    set { if let newValue { add(newValue) } else { container[key] = nil } }
  }

  func add(_ entry: Entry) { container.add([entry], owner: owner) }
  func register(assembly: any Assembly) { container.register(assembly: assembly, owner: owner) }
}

/// Collects changes to a container.
private final class Batch: Registrar {
  private let container: Container
  private let owner: Owner?
  private let changes = Lock<[Change]>([])
  /// Assemblies for the container's next `assemble`, if the batch succeeds.
  private var assemblies: [any Assembly] = []

  init(_ container: Container, owner: Owner?) {
    self.container = container
    self.owner = owner
  }

  subscript(key: AnyKey) -> Entry? {
    get {
      let tags = key.tags
      let change = changes.withLock { changes in
        changes.last { change in
          switch change {
          case .insert(let entry, _): ObjectIdentifier(entry.metatype) == key.identity && entry.has(exactly: tags)
          case .remove(let type, let removed):
            ObjectIdentifier(type) == key.identity && Set(removed.map(\.erased)) == key.tagset
          case .removeIncluding, .removeAll, .removeOwner, .replace, .exchange: false
          }
        }
      }
      guard let change else { return container[key] }
      if case .insert(let entry, _) = change { return entry }
      return nil
    }
    set {
      if let newValue { add(newValue) } else { changes.withLock { $0.append(.remove(key.metatype, key.tags)) } }
    }
  }

  func add(_ entry: Entry) { changes.withLock { $0.append(.insert(entry, owner)) } }

  func register(assembly: any Assembly) {
    if container.isLettingAssembliesRegister {
      // What an assembly needs that registers in a batch is part of the batch, and comes first.
      container.register(assembly: assembly, owner: owner, registrar: self)
    } else {
      assemblies.append(assembly)
    }
  }

  func commit() throws(CollisionError) {
    try container.commitUnlessColliding(changes.withLock { $0 })
    for assembly in assemblies { container.register(assembly: assembly, owner: owner) }
  }
}
