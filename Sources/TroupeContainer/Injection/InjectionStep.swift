import Synchronization

/// One step of an injection: a property to set or a block to run. It returns the target, which may be a value.
protocol InjectionStep<Target>: Sendable {
  associatedtype Target

  /// Nil for a block, whose dependencies are not known.
  var dependency: Dependency? { get }
  /// Nil for a block.
  var property: (any AnyKeyPath & Sendable)? { get }

  /// Throws `.requiresAsync` or `.requiresIsolation` if the step needs another context. `entry` is the registration of the injection.
  func apply(to target: Target, from container: Container, as entry: Entry, isOnMainActor: Bool) throws -> Target

  nonisolated(nonsending)
    func applyAsync(to target: Target, from container: Container, as entry: Entry) async throws -> Target
}

// MARK: Properties

/// Sets a property to the instance registered under its type and some tags.
struct PropertyStep<Target, Value>: InjectionStep {
  let keyPath: any WritableKeyPath<Target, Value> & Sendable
  let tags: [Tag]

  var dependency: Dependency? { Dependency(property: Value.self, tags) }
  var property: (any AnyKeyPath & Sendable)? { keyPath }

  func apply(to target: Target, from container: Container, as entry: Entry, isOnMainActor: Bool) throws -> Target {
    var request = Container.Request(tags: tags)
    request.isOnMainActor = isOnMainActor
    return try keyPath.setting(container.instance(Value.self, request), of: target)
  }

  nonisolated(nonsending)
    func applyAsync(to target: Target, from container: Container, as entry: Entry) async throws -> Target
  {
    let value = try await Container.instanceAsync(of: Value.self, boxed: tags, from: .passUnretained(container))
    return try keyPath.setting(value, of: target)
  }
}

/// Sets an optional property to the instance registered under the optional type and some tags, or else under the wrapped type.
/// Without either, the property keeps its value.
struct OptionalPropertyStep<Target, Wrapped>: InjectionStep {
  let keyPath: any WritableKeyPath<Target, Wrapped?> & Sendable
  let tags: [Tag]

  var dependency: Dependency? { Dependency(property: Wrapped?.self, tags) }
  var property: (any AnyKeyPath & Sendable)? { keyPath }

  func apply(to target: Target, from container: Container, as entry: Entry, isOnMainActor: Bool) throws -> Target {
    var request = Container.Request(tags: tags)
    request.isOnMainActor = isOnMainActor
    return try setting(container.instance(Wrapped?.self, request), of: target, container)
  }

  nonisolated(nonsending)
    func applyAsync(to target: Target, from container: Container, as entry: Entry) async throws -> Target
  {
    let request = Container.Request(tags: tags)
    let value = try await Container.instanceAsync(Wrapped?.self, request, from: .passUnretained(container))
    return try setting(value, of: target, container)
  }

  /// Returns the target with a resolved value, or unchanged if nothing is registered.
  private func setting(_ value: Wrapped?, of target: Target, _ container: Container) throws -> Target {
    container.isAnswer(value, tags: tags) ? try keyPath.setting(value, of: target) : target
  }
}

extension WritableKeyPath {
  /// Returns the target with a new value of the property. An object is the same object.
  fileprivate func setting(_ value: Value, of target: Root) throws -> Root {
    var changed = target
    changed[keyPath: self] = value
    // The setter of a protocol that is not class-bound may replace the object.
    return self is ReferenceWritableKeyPath<Root, Value> ? target : try InjectionError.checked(changed, given: target)
  }
}

extension Container {
  /// Returns the instance registered under an optional type, or else under the wrapped type; nil if there is neither.
  @usableFromInline
  func registeredValue<Wrapped>(_ type: Wrapped?.Type, tags: [Tag]) throws -> Wrapped?? {
    guard mayHave(ObjectIdentifier(type)) else {
      return try Self.instanceIfPresent(of: Wrapped.self, boxed: tags, from: .passUnretained(self)).map { .some($0) }
    }
    let value = try instance(type, Request(tags: tags))
    return isAnswer(value, tags: tags) ? .some(value) : nil
  }

  /// Returns true if a resolved optional comes from a registration. Nil does only if the optional type itself is registered.
  func isAnswer<Wrapped>(_ value: Wrapped?, tags: [Tag]) -> Bool {
    value != nil || select(Wrapped?.self, Request(tags: tags)) != nil
  }
}

/// A type whose properties keep their value if it is not registered.
protocol OptionalProperty {
  static func step<Target, Value>(
    _ keyPath: any WritableKeyPath<Target, Value> & Sendable, tags: [Tag]
  ) -> any InjectionStep<Target>
}

extension Optional: OptionalProperty {
  static func step<Target, Value>(
    _ keyPath: any WritableKeyPath<Target, Value> & Sendable, tags: [Tag]
  ) -> any InjectionStep<Target> {
    precondition(Value.self == Self.self, "a key path to \(Value.self) is none to \(Self.self)")
    // Both are the same type, so the cast only changes the static type of the reference.
    let keyPath = unsafeBitCast(keyPath, to: (any WritableKeyPath<Target, Wrapped?> & Sendable).self)
    return OptionalPropertyStep(keyPath: keyPath, tags: tags)
  }
}

extension Dependency {
  fileprivate init(property type: any Any.Type, _ tags: [Tag]) {
    self.init(key: AnyKey(metatype: type, tags: tags), argumentTypes: [], source: .known)
  }
}

// MARK: Blocks

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

/// Runs an asynchronous block in the caller's context.
struct AsyncBlockStep<Target>: InjectionStep {
  let block: nonisolated(nonsending) @Sendable (Target, any Resolver) async throws -> Target

  var dependency: Dependency? { nil }
  var property: (any AnyKeyPath & Sendable)? { nil }

  func apply(to target: Target, from container: Container, as entry: Entry, isOnMainActor: Bool) throws -> Target {
    throw ResolutionError(entry.key, .requiresAsync, at: entry.codeLocation)
  }

  nonisolated(nonsending)
    func applyAsync(to target: Target, from container: Container, as entry: Entry) async throws -> Target
  {
    let result = try await block(target, container)
    return try InjectionError.checked(result, given: target)
  }
}

/// Runs a block on the main actor.
struct MainBlockStep<Target>: InjectionStep {
  let block: @MainActor @Sendable (Target, any Resolver) throws -> Target

  var dependency: Dependency? { nil }
  var property: (any AnyKeyPath & Sendable)? { nil }

  func apply(to target: Target, from container: Container, as entry: Entry, isOnMainActor: Bool) throws -> Target {
    guard isOnMainActor else {
      throw ResolutionError(entry.key, .requiresIsolation(MainActor.shared), at: entry.codeLocation)
    }
    let transfer = Transfer(target)
    return try MainActor.assumeIsolated {
      Transfer(try InjectionError.checked(block(transfer.value, container), given: transfer.value))
    }.value
  }

  nonisolated(nonsending)
    func applyAsync(to target: Target, from container: Container, as entry: Entry) async throws -> Target
  {
    let transfer = Transfer(target)
    return try await MainActor.run {
      Transfer(try apply(to: transfer.value, from: container, as: entry, isOnMainActor: true))
    }.value
  }
}
