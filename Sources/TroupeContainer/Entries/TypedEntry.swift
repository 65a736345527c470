import Synchronization

/// An entry that knows the type of its instances: it keeps the instance of a singleton and makes new ones.
///
/// Each entry is a `TypedEntry` of its `metatype`, so a resolve downcasts without a check: see `typed`.
///
///     lifetime     instance                                            made by
///     transient    nil; each resolve makes one                         `make`, from the container of the request
///     singleton    memory in cache lines of its own                    `SingletonBuilds`, once, from the container of the entry
///     scoped       memory; a scope has a copy of the entry for its     as a singleton, from the scope
///                  instance: see `ScopeStorage`
///
/// The memory is initialized once `hasInstance` is true, constant from then on, and released with the entry.
class TypedEntry<T>: Entry, @unchecked Sendable {
  // Sendable for the reason given at `Entry`.
  init(kind: FactoryKind, tags: [Tag], lifetime: Lifetime, location: CodeLocation?) {
    let layout = MemoryLayout<T>.self
    let instance: UnsafeMutablePointer<T>? =
      switch lifetime {
      case _ where kind == .pending || kind == .weak: nil
      case .transient: nil
      case .singleton:
        CacheLine.allocate(byteCount: layout.size, alignment: layout.alignment).bindMemory(to: T.self, capacity: 1)
      // Few threads share a scope, and an aligned allocation takes several times as long.
      case .scoped: .allocate(capacity: 1)
      }
    super.init(
      kind: kind, metatype: T.self, tags: tags, lifetime: lifetime, location: location,
      instanceAddress: instance.map { UnsafeMutableRawPointer($0) })
  }

  deinit {
    if hasInstance.load(ordering: .acquiring) { instance?.deinitialize(count: 1) }
    instance?.deallocate()
  }

  /// The memory of the instance. Nil for transient, pending and weak entries.
  final var instance: UnsafeMutablePointer<T>? { instanceAddress?.assumingMemoryBound(to: T.self) }

  /// The memory of the instance of an entry that keeps one.
  final var memory: UnsafeMutablePointer<T> {
    guard let instance else { preconditionFailure("\(self) keeps no instance") }
    return instance
  }

  override func anyInstance(from container: Container, _ request: Container.Request) throws -> Any {
    // Its replacement has the same key.
    if kind == .pending { return try container.instance(T.self, request) }
    let candidate = candidate(for: container)
    let instance = try Container.stored(T.self) { try candidate.initialize($0, in: container, request) }
    guard let instance else { throw ResolutionError.notFound(key, in: container) }
    return instance
  }

  nonisolated(nonsending)
    override func anyInstanceAsync(from container: Container, _ request: Container.Request) async throws -> Any
  {
    if kind == .pending { return try await container.slowPathAsync(T.self, request) }
    if let instance = try await candidate(for: container).makeAsync(T.self, in: container, request) { return instance }
    throw ResolutionError.notFound(key, in: container)
  }

  private func candidate(for container: Container) -> Container.Candidate {
    Container.Candidate(entry: self, owningContainer: container.parent == nil ? container : container.owningContainer(of: self))
  }

  /// Runs the factory in a synchronous context. An asynchronous factory needs another one.
  ///
  /// - Throws: `.requiresAsync` or `.requiresIsolation` if it needs another context; `ArgumentTypeError`; the error of the factory.
  func make(_ resolver: any Resolver, _ request: Container.Request) throws -> T {
    throw ResolutionError(key, .requiresAsync, at: codeLocation)
  }

  nonisolated(nonsending)
    func makeAsync(_ resolver: any Resolver, _ request: Container.Request) async throws -> T
  {
    try make(resolver, request)
  }
}

// MARK: Subclasses

/// A synchronous factory without arguments.
final class PlainEntry<T>: TypedEntry<T>, @unchecked Sendable {
  // Sendable for the reason given at `Entry`; the further members are constant.
  typealias Factory = @Sendable (any Resolver) throws -> T

  let factory: Factory
  private let padding = CacheLine.Padding()

  init(tags: [Tag], lifetime: Lifetime, location: CodeLocation?, factory: @escaping Factory) {
    self.factory = factory
    super.init(kind: .plain, tags: tags, lifetime: lifetime, location: location)
  }

  override func copy(tags: [Tag], lifetime: Lifetime) -> Entry {
    PlainEntry(tags: tags, lifetime: lifetime, location: codeLocation, factory: factory)
  }

  override func make(_ resolver: any Resolver, _ request: Container.Request) throws -> T {
    guard !request.hasArguments else { throw ArgumentTypeError() }
    return try factory(resolver)
  }
}

/// A synchronous factory with arguments.
final class ArgumentEntry<T>: TypedEntry<T>, @unchecked Sendable {
  // Sendable for the reason given at `Entry`; the further members are constant.
  /// Takes the address of a tuple of the arguments: see `ArgumentList`.
  typealias Factory = @Sendable (any Resolver, UnsafeRawPointer) throws -> T
  typealias BoxedFactory = @Sendable (any Resolver, [Any]) throws -> T

  let factory: Factory
  private let boxedFactory: BoxedFactory
  private let list: any ArgumentTypes.Type
  private let padding = CacheLine.Padding()

  private init(
    tags: [Tag], lifetime: Lifetime, location: CodeLocation?, list: any ArgumentTypes.Type, factory: @escaping Factory,
    boxedFactory: @escaping BoxedFactory
  ) {
    self.factory = factory
    self.boxedFactory = boxedFactory
    self.list = list
    super.init(kind: .arguments, tags: tags, lifetime: lifetime, location: location)
  }

  convenience init<each Argument>(
    tags: [Tag], lifetime: Lifetime, location: CodeLocation?,
    factory: @escaping @Sendable (any Resolver, repeat each Argument) throws -> T
  ) {
    self.init(
      tags: tags, lifetime: lifetime, location: location, list: ArgumentList<repeat each Argument>.self,
      factory: { resolver, tuple in
        var cursor = TupleCursor(next: tuple)
        return try factory(resolver, repeat cursor.copyNext((each Argument).self))
      },
      boxedFactory: { resolver, arguments in
        var rest = try BoxedArguments(arguments, for: ArgumentList<repeat each Argument>.self)
        return try factory(resolver, repeat rest.next((each Argument).self))
      })
  }

  override var argumentTypes: [any Any.Type]? { list.types }
  override var argumentsIdentity: ObjectIdentifier? { ObjectIdentifier(list) }
  override func copy(tags: [Tag], lifetime: Lifetime) -> Entry {
    ArgumentEntry(
      tags: tags, lifetime: lifetime, location: codeLocation, list: list, factory: factory, boxedFactory: boxedFactory)
  }

  override func make(_ resolver: any Resolver, _ request: Container.Request) throws -> T {
    try boxedFactory(resolver, request.arguments)
  }
}

/// An asynchronous factory without arguments.
final class AsyncEntry<T>: TypedEntry<T>, @unchecked Sendable {
  // Sendable for the reason given at `Entry`; the further members are constant.
  typealias Factory = @Sendable (any Resolver) async throws -> T

  let factory: Factory
  private let padding = CacheLine.Padding()

  init(tags: [Tag], lifetime: Lifetime, location: CodeLocation?, factory: @escaping Factory) {
    self.factory = factory
    super.init(kind: .async, tags: tags, lifetime: lifetime, location: location)
  }

  override func copy(tags: [Tag], lifetime: Lifetime) -> Entry {
    AsyncEntry(tags: tags, lifetime: lifetime, location: codeLocation, factory: factory)
  }

  nonisolated(nonsending)
    override func makeAsync(_ resolver: any Resolver, _ request: Container.Request) async throws -> T
  {
    guard !request.hasArguments else { throw ArgumentTypeError() }
    return try await factory(resolver)
  }
}

/// An asynchronous factory with arguments, or one for requests on the main actor. It gets its arguments in boxes.
final class BoxedEntry<T>: TypedEntry<T>, @unchecked Sendable {
  // Sendable for the reason given at `Entry`; the further members are constant.
  typealias AsyncFactory = nonisolated(nonsending) @Sendable (any Resolver, [Any]) async throws -> T
  typealias MainFactory = @Sendable (any Resolver, [Any]) throws -> T
  enum Factory {
    case async(AsyncFactory)
    case main(MainFactory)
  }

  private let list: (any ArgumentTypes.Type)?
  private let factory: Factory

  /// - Parameter list: Nil if the factory checks its arguments itself, such as one in a worker.
  init(tags: [Tag], lifetime: Lifetime, location: CodeLocation?, list: (any ArgumentTypes.Type)?, _ factory: Factory) {
    self.list = list
    self.factory = factory
    let kind: FactoryKind = if case .async = factory { .asyncArguments } else { .main }
    super.init(kind: kind, tags: tags, lifetime: lifetime, location: location)
  }

  convenience init<each Argument>(
    tags: [Tag], lifetime: Lifetime, location: CodeLocation?,
    async factory: @escaping @Sendable (any Resolver, repeat each Argument) async throws -> T
  ) {
    let list = ArgumentList<repeat each Argument>.self
    let transfer: @Sendable (any Resolver, Transfer<[Any]>) async throws -> Transfer<T> = { resolver, arguments in
      var rest = try BoxedArguments(arguments.value, for: list)
      return Transfer(try await factory(resolver, repeat rest.next((each Argument).self)))
    }
    let boxed: AsyncFactory = { resolver, arguments in
      try await transfer(resolver, Transfer(arguments)).value
    }
    self.init(tags: tags, lifetime: lifetime, location: location, list: list, .async(boxed))
  }

  convenience init<each Argument>(
    tags: [Tag], lifetime: Lifetime, location: CodeLocation?,
    main factory: @escaping @MainActor @Sendable (any Resolver, repeat each Argument) throws -> T
  ) {
    let list = ArgumentList<repeat each Argument>.self
    let boxed: MainFactory = { resolver, arguments in
      let arguments = Transfer(arguments)
      return try MainActor.assumeIsolated {
        var rest = try BoxedArguments(arguments.value, for: list)
        return Transfer(try factory(resolver, repeat rest.next((each Argument).self)))
      }.value
    }
    self.init(tags: tags, lifetime: lifetime, location: location, list: list, .main(boxed))
  }

  override var argumentTypes: [any Any.Type]? { list?.types }
  override func copy(tags: [Tag], lifetime: Lifetime) -> Entry {
    BoxedEntry(tags: tags, lifetime: lifetime, location: codeLocation, list: list, factory)
  }

  override func make(_ resolver: any Resolver, _ request: Container.Request) throws -> T {
    guard case .main(let factory) = factory else { return try super.make(resolver, request) }
    guard request.isOnMainActor else { throw ResolutionError(key, .requiresIsolation(MainActor.shared), at: codeLocation) }
    return try factory(resolver, request.arguments)
  }

  nonisolated(nonsending)
    override func makeAsync(_ resolver: any Resolver, _ request: Container.Request) async throws -> T
  {
    guard case .async(let factory) = factory else { return try make(resolver, request) }
    return try await factory(resolver, request.arguments)
  }
}

/// A synchronous factory that checks its arguments itself, such as a plugin's function in C.
final class DynamicEntry<T>: TypedEntry<T>, @unchecked Sendable {
  // Sendable for the reason given at `Entry`; the further members are constant.
  typealias Factory = @Sendable (_ resolver: any Resolver, _ arguments: [Any]) throws -> T
  /// Returns nil, without any effect, for arguments that it leaves to the factory for boxed ones.
  typealias UnboxedFactory =
    @Sendable (_ arguments: UnsafeBufferPointer<ArgumentReference>) throws -> T?

  let factory: Factory
  let unboxedFactory: UnboxedFactory
  private let padding = CacheLine.Padding()

  init(
    tags: [Tag], lifetime: Lifetime, location: CodeLocation?, unboxedFactory: @escaping UnboxedFactory = { _ in nil },
    factory: @escaping Factory
  ) {
    self.factory = factory
    self.unboxedFactory = unboxedFactory
    super.init(kind: .dynamic, tags: tags, lifetime: lifetime, location: location)
  }

  override var argumentTypes: [any Any.Type]? { nil }
  override func copy(tags: [Tag], lifetime: Lifetime) -> Entry {
    DynamicEntry(tags: tags, lifetime: lifetime, location: codeLocation, unboxedFactory: unboxedFactory, factory: factory)
  }

  override func make(_ resolver: any Resolver, _ request: Container.Request) throws -> T {
    try factory(resolver, request.arguments)
  }
}

/// Moves a value across isolation domains.
struct Transfer<Value>: @unchecked Sendable {
  // Sendable because the sender does not use the value afterwards: arguments go to the one factory that runs, an instance goes to the
  // caller.
  let value: Value

  init(_ value: Value) {
    self.value = value
  }
}

extension Entry {
  /// Downcasts to the class of the entry's `metatype`. A dynamic cast would be slow.
  final func typed<T>(_ type: T.Type) -> TypedEntry<T> {
    precondition(ObjectIdentifier(metatype) == ObjectIdentifier(T.self), "an entry of \(metatype) is no entry of \(T.self)")
    return unsafeDowncast(self, to: TypedEntry<T>.self)
  }

  /// Returns the entry of a factory without arguments.
  package static func plain<T>(
    _ type: T.Type, tags: TagList, lifetime: Lifetime, source: (file: StaticString, line: Int)? = nil,
    factory: @escaping @Sendable (any Resolver) throws -> T
  ) -> Entry {
    let location = source.map { CodeLocation(file: $0.file, line: $0.line) }
    return PlainEntry<T>(tags: tags.tags, lifetime: lifetime, location: location, factory: factory)
  }

  /// Returns the entry of a factory that checks its arguments itself.
  ///
  /// - Parameters:
  ///   - isOnMainActor: True if only requests on the main actor, and asynchronous ones, may run the factory.
  ///   - unboxedFactory: Makes the instance from unboxed arguments, and must not keep them. Returns nil without any effect for
  ///     arguments that it leaves to `factory`.
  ///   - factory: Makes the instance from any arguments.
  package static func dynamic<T>(
    _ type: T.Type, tags: TagList, lifetime: Lifetime, isOnMainActor: Bool = false,
    unboxedFactory: @escaping @Sendable (_ arguments: UnsafeBufferPointer<ArgumentReference>) throws -> T? = {
      _ in nil
    },
    factory: @escaping @Sendable (_ resolver: any Resolver, _ arguments: [Any]) throws -> T
  ) -> Entry {
    isOnMainActor
      ? BoxedEntry<T>(tags: tags.tags, lifetime: lifetime, location: nil, list: nil, .main(factory))
      : DynamicEntry<T>(
        tags: tags.tags, lifetime: lifetime, location: nil, unboxedFactory: unboxedFactory, factory: factory)
  }

  /// Returns the entry of an asynchronous factory that checks its arguments itself.
  package static func asyncDynamic<T>(
    _ type: T.Type, tags: TagList, lifetime: Lifetime,
    factory: nonisolated(nonsending) @escaping @Sendable (_ arguments: [Any]) async throws -> T
  ) -> Entry {
    let boxed: BoxedEntry<T>.AsyncFactory = { _, arguments in try await factory(arguments) }
    return BoxedEntry<T>(tags: tags.tags, lifetime: lifetime, location: nil, list: nil, .async(boxed))
  }
}
