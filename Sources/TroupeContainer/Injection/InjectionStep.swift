import Synchronization

/// One thing that an injection does to its target. The target is given back since it may be a value.
protocol InjectionStep<Target>: Sendable {
  associatedtype Target

  /// What it resolves; nil for a block.
  var dependency: Dependency? { get }
  /// The property that it sets; nil for a block.
  var property: (any AnyKeyPath & Sendable)? { get }

  /// Applies the step for the injection of an entry. Throws `.requiresAsync` or `.requiresIsolation` if it needs another context.
  func apply(to target: Target, from container: Container, as entry: Entry, isOnMainActor: Bool) throws -> Target

  /// Applies the step in an asynchronous context.
  nonisolated(nonsending)
    func applyAsync(to target: Target, from container: Container, as entry: Entry) async throws -> Target
}

// MARK: Properties

/// Gives a property the instance that is registered under its type and some tags.
struct PropertyStep<Target, Value>: InjectionStep {
  let keyPath: any WritableKeyPath<Target, Value> & Sendable
  let tags: [Tag]

  var dependency: Dependency? { Dependency(property: Value.self, tags) }
  var property: (any AnyKeyPath & Sendable)? { keyPath }

  func apply(to target: Target, from container: Container, as entry: Entry, isOnMainActor: Bool) throws -> Target {
    let request = Container.Request(tags: tags, isOnMainActor: isOnMainActor)
    return try keyPath.setting(container.resolve(Value.self, request), of: target)
  }

  nonisolated(nonsending)
    func applyAsync(to target: Target, from container: Container, as entry: Entry) async throws -> Target
  {
    let value = try await container.resolveAsync(Value.self, Container.Request(tags: tags))
    return try keyPath.setting(value, of: target)
  }
}

/// Gives an optional property the instance that is registered under its very type and some tags, or else under the type that it
/// wraps, and leaves it as it is if there is neither.
struct OptionalPropertyStep<Target, Wrapped>: InjectionStep {
  let keyPath: any WritableKeyPath<Target, Wrapped?> & Sendable
  let tags: [Tag]

  var dependency: Dependency? { Dependency(property: Wrapped?.self, tags) }
  var property: (any AnyKeyPath & Sendable)? { keyPath }

  func apply(to target: Target, from container: Container, as entry: Entry, isOnMainActor: Bool) throws -> Target {
    let request = Container.Request(tags: tags, isOnMainActor: isOnMainActor)
    return try setting(container.resolve(Wrapped?.self, request), of: target, container)
  }

  nonisolated(nonsending)
    func applyAsync(to target: Target, from container: Container, as entry: Entry) async throws -> Target
  {
    let value = try await container.resolveAsync(Wrapped?.self, Container.Request(tags: tags))
    return try setting(value, of: target, container)
  }

  /// What becomes of a target by what was resolved.
  private func setting(_ value: Wrapped?, of target: Target, _ container: Container) throws -> Target {
    container.isAnswer(value, tags: tags) ? try keyPath.setting(value, of: target) : target
  }
}

extension WritableKeyPath {
  /// What becomes of a target by giving it a value for the property: the target itself, if that is an object.
  fileprivate func setting(_ value: Value, of target: Root) throws -> Root {
    var changed = target
    changed[keyPath: self] = value
    // The setter of a protocol that is not only for classes may put another object in place of itself.
    return self is ReferenceWritableKeyPath<Root, Value> ? target : try InjectionError.checked(changed, given: target)
  }
}

extension Container {
  /// Whether an optional that was resolved says something. Nil does only where the optional itself is registered; otherwise it
  /// is what a resolve gives where nothing is registered.
  @usableFromInline
  func isAnswer<Wrapped>(_ value: Wrapped?, tags: [Tag]) -> Bool {
    value != nil || select(Wrapped?.self, Request(tags: tags)) != nil
  }

  /// The instance registered without tags under the type that an optional wraps, if the quick way is open; nil if it is not, or if
  /// the optional itself may be registered, here or in a parent.
  @inlinable
  func quickInstance<Wrapped>(wrappedBy type: Wrapped?.Type) throws -> Wrapped? {
    if mayHave(ObjectIdentifier(type)) { return nil }
    return try fastInstance(Wrapped.self, TagProbe()) { _ in true }
  }

  /// Whether anything of a type was ever registered here or in a parent, or has to be looked for since not everybody may take the
  /// quick way.
  @usableFromInline
  func mayHave(_ identity: ObjectIdentifier) -> Bool {
    var container: Container? = self
    while let present = container {
      if present.types[UInt(bitPattern: identity)] != 0 || present.quickVersion.load(ordering: .relaxed) == 0 { return true }
      container = present.parent
    }
    return false
  }
}

/// A type whose properties are left as they are where nothing is registered for them.
protocol OptionalProperty {
  /// The step for a key path to a property of this type.
  static func step<Target, Value>(
    _ keyPath: any WritableKeyPath<Target, Value> & Sendable, tags: [Tag]
  ) -> any InjectionStep<Target>
}

extension Optional: OptionalProperty {
  static func step<Target, Value>(
    _ keyPath: any WritableKeyPath<Target, Value> & Sendable, tags: [Tag]
  ) -> any InjectionStep<Target> {
    precondition(Value.self == Self.self, "a key path to \(Value.self) is none to \(Self.self)")
    // Both are the same type, so this is the same reference under another name of its type.
    let keyPath = unsafeBitCast(keyPath, to: (any WritableKeyPath<Target, Wrapped?> & Sendable).self)
    return OptionalPropertyStep(keyPath: keyPath, tags: tags)
  }
}

extension Dependency {
  /// What a key path to a property of some type resolves.
  fileprivate init(property type: any Any.Type, _ tags: [Tag]) {
    self.init(key: AnyKey(metatype: type, tags: tags), argumentTypes: [], source: .initializer)
  }
}

// MARK: Blocks

/// A synchronous block.
struct BlockStep<Target>: InjectionStep {
  let block: @Sendable (Target, any Resolver) throws -> Target

  var dependency: Dependency? { nil }
  var property: (any AnyKeyPath & Sendable)? { nil }

  func apply(to target: Target, from container: Container, as entry: Entry, isOnMainActor: Bool) throws -> Target {
    try InjectionError.checked(block(target, container), given: target)
  }

  nonisolated(nonsending)
    func applyAsync(to target: Target, from container: Container, as entry: Entry) async throws -> Target
  {
    try apply(to: target, from: container, as: entry, isOnMainActor: false)
  }
}

/// An asynchronous block, which runs where whoever resolves is.
struct AsyncBlockStep<Target>: InjectionStep {
  let block: nonisolated(nonsending) @Sendable (Target, any Resolver) async throws -> Target

  var dependency: Dependency? { nil }
  var property: (any AnyKeyPath & Sendable)? { nil }

  func apply(to target: Target, from container: Container, as entry: Entry, isOnMainActor: Bool) throws -> Target {
    throw ResolutionError(entry.key, .requiresAsync, at: entry.placeInSource)
  }

  nonisolated(nonsending)
    func applyAsync(to target: Target, from container: Container, as entry: Entry) async throws -> Target
  {
    let result = try await block(target, container)
    return try InjectionError.checked(result, given: target)
  }
}

/// A block that runs on the main actor.
struct MainBlockStep<Target>: InjectionStep {
  let block: @MainActor @Sendable (Target, any Resolver) throws -> Target

  var dependency: Dependency? { nil }
  var property: (any AnyKeyPath & Sendable)? { nil }

  func apply(to target: Target, from container: Container, as entry: Entry, isOnMainActor: Bool) throws -> Target {
    guard isOnMainActor else {
      throw ResolutionError(entry.key, .requiresIsolation(MainActor.shared), at: entry.placeInSource)
    }
    let crossing = Crossing(target)
    return try MainActor.assumeIsolated {
      Crossing(try InjectionError.checked(block(crossing.value, container), given: crossing.value))
    }.value
  }

  nonisolated(nonsending)
    func applyAsync(to target: Target, from container: Container, as entry: Entry) async throws -> Target
  {
    let crossing = Crossing(target)
    return try await MainActor.run {
      Crossing(try apply(to: crossing.value, from: container, as: entry, isOnMainActor: true))
    }.value
  }
}
