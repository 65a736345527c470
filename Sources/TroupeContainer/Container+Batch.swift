extension Container {
  /// Makes all registrations of a closure visible to readers in one change, on behalf of an owner if one is given. If the closure
  /// throws, none of them is registered.
  ///
  /// ```swift
  /// let container = Container()
  /// try container.batch { registrar in
  ///   registrar.register(Int.self, tags: "a") { _ in 1 }
  ///   registrar.register(Int.self, tags: "b") { _ in 2 }
  /// }
  /// ```
  ///
  /// The registrar sees its own registrations and those of the container. Use it only inside the closure. An assembly that is
  /// registered with it waits for the next `assemble`. Inside another assembly's `register(in:)`, the assembly makes its
  /// registrations at once, as part of the batch.
  ///
  /// - Throws: The error of the closure; a `CollisionError` if the collision policy is `.fail` and a registration collides.
  @discardableResult
  public func batch<R>(owner: Owner? = nil, _ body: (any Registrar) throws -> R) throws -> R {
    if ignoresRegistrations { return try body(self) }
    let batch = Batch(self, owner: owner)
    let result = try body(batch)
    try batch.commit()
    return result
  }

  /// Returns a registrar that registers on behalf of an owner; see `unregister(owner:)`.
  public func registrar(owner: Owner) -> any Registrar { OwnedRegistrar(self, owner: owner) }
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
    set { if let newValue { add(newValue.copied(to: key)) } else { container[key] = nil } }
  }

  func add(_ entry: Entry) { container.add([entry], owner: owner) }
  func register(assembly: any Assembly) { container.register(assembly: assembly, owner: owner) }
}

/// Collects changes to a container, and commits them together.
private final class Batch: Registrar {
  private let container: Container
  private let owner: Owner?
  private var changes: [RegistrationChange] = []
  /// Registered for the container's next `assemble` by `commit`.
  private var assemblies: [any Assembly] = []

  init(_ container: Container, owner: Owner?) {
    self.container = container
    self.owner = owner
  }

  subscript(key: AnyKey) -> Entry? {
    get {
      for change in changes.reversed() {
        switch change {
        case .insert(let entry, _) where entry.key == key: return entry
        case .remove(let type, let tags) where AnyKey(metatype: type, tags: tags) == key: return nil
        default: continue
        }
      }
      return container[key]
    }
    set {
      if let newValue { add(newValue.copied(to: key)) } else { changes.append(.remove(key.metatype, key.tags)) }
    }
  }

  func add(_ entry: Entry) { changes.append(.insert(entry, owner: owner)) }

  func register(assembly: any Assembly) {
    if container.assemblies.isRegistering {
      // The registrations of a dependency come first, and are part of the batch.
      container.register(assembly: assembly, owner: owner, registrar: self)
    } else {
      assemblies.append(assembly)
    }
  }

  func commit() throws(CollisionError) {
    try container.commitUnlessColliding(changes)
    for assembly in assemblies { container.register(assembly: assembly, owner: owner) }
  }
}
