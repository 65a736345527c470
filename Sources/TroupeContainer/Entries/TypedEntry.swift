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
    if isBuilt { memory.deinitialize(count: 1) }
    instanceAddress?.deallocate()
  }

  /// The memory of the instance of an entry that keeps one.
  final var memory: UnsafeMutablePointer<T> {
    guard let instanceAddress else { preconditionFailure("\(self) keeps no instance") }
    return instanceAddress.assumingMemoryBound(to: T.self)
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

/// A factory with arguments, or one that runs on the main actor.
///
/// A factory takes boxed arguments. A synchronous one also takes them as a tuple, on the fast path:
///
///     kind             argument types                  factories
///     arguments        those of `list`                 `factory`, `tupleFactory`
///     dynamic          any: it checks them itself      `factory`, `tupleFactory`
///     main             those of `list`, or any         `factory`, for requests on the main actor
///     asyncArguments   those of `list`, or any         `asyncFactory`
///
/// The others are not called. None is optional: an optional stores a closure in a form that takes a further call.
final class ArgumentEntry<T>: TypedEntry<T>, @unchecked Sendable {
  // Sendable for the reason given at `Entry`; the further members are constant.
  typealias Factory = @Sendable (any Resolver, [Any]) throws -> T
  /// Takes the address of a tuple of the arguments and its types: see `ArgumentList`.
  typealias TupleFactory = @Sendable (any Resolver, UnsafeRawPointer, any ArgumentTypes.Type) throws -> T
  typealias AsyncFactory = nonisolated(nonsending) @Sendable (any Resolver, [Any]) async throws -> T

  /// Nil for any argument types.
  private let list: (any ArgumentTypes.Type)?
  private let factory: Factory
  let tupleFactory: TupleFactory
  private let asyncFactory: AsyncFactory
  private let padding = CacheLine.Padding()

  init(
    _ kind: FactoryKind, tags: [Tag], lifetime: Lifetime, location: CodeLocation?, list: (any ArgumentTypes.Type)?,
    factory: @escaping Factory = { _, _ in preconditionFailure("an asynchronous factory is not awaited") },
    tupleFactory: @escaping TupleFactory = { _, _, _ in preconditionFailure("a factory in another context gets a tuple") },
    async asyncFactory: @escaping AsyncFactory = { _, _ in preconditionFailure("a synchronous factory is awaited") }
  ) {
    self.list = list
    self.factory = factory
    self.tupleFactory = tupleFactory
    self.asyncFactory = asyncFactory
    super.init(kind: kind, tags: tags, lifetime: lifetime, location: location)
  }

  convenience init<each Argument>(
    tags: [Tag], lifetime: Lifetime, location: CodeLocation?,
    factory: @escaping @Sendable (any Resolver, repeat each Argument) throws -> T
  ) {
    let list = ArgumentList<repeat each Argument>.self
    self.init(
      .arguments, tags: tags, lifetime: lifetime, location: location, list: list,
      factory: { resolver, arguments in
        var rest = try BoxedArguments(arguments, for: list)
        return try factory(resolver, repeat rest.next((each Argument).self))
      },
      tupleFactory: { resolver, tuple, _ in
        var cursor = TupleCursor(next: tuple)
        return try factory(resolver, repeat cursor.copyNext((each Argument).self))
      })
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
    self.init(
      .asyncArguments, tags: tags, lifetime: lifetime, location: location, list: list,
      async: { resolver, arguments in try await transfer(resolver, Transfer(arguments)).value })
  }

  convenience init<each Argument>(
    tags: [Tag], lifetime: Lifetime, location: CodeLocation?,
    main factory: @escaping @MainActor @Sendable (any Resolver, repeat each Argument) throws -> T
  ) {
    let list = ArgumentList<repeat each Argument>.self
    self.init(
      .main, tags: tags, lifetime: lifetime, location: location, list: list,
      factory: { resolver, arguments in
        let arguments = Transfer(arguments)
        return try MainActor.assumeIsolated {
          var rest = try BoxedArguments(arguments.value, for: list)
          return Transfer(try factory(resolver, repeat rest.next((each Argument).self)))
        }.value
      })
  }

  override var argumentTypes: [any Any.Type]? { list?.types }
  override var argumentsIdentity: ObjectIdentifier? { list.map { ObjectIdentifier($0) } }
  override func copy(tags: [Tag], lifetime: Lifetime) -> Entry {
    ArgumentEntry(
      kind, tags: tags, lifetime: lifetime, location: codeLocation, list: list, factory: factory, tupleFactory: tupleFactory,
      async: asyncFactory)
  }

  override func make(_ resolver: any Resolver, _ request: Container.Request) throws -> T {
    switch kind {
    case .asyncArguments: return try super.make(resolver, request)
    case .main where !request.isOnMainActor:
      throw ResolutionError(key, .requiresIsolation(MainActor.shared), at: codeLocation)
    default: return try factory(resolver, request.arguments)
    }
  }

  nonisolated(nonsending)
    override func makeAsync(_ resolver: any Resolver, _ request: Container.Request) async throws -> T
  {
    guard kind == .asyncArguments else { return try make(resolver, request) }
    return try await asyncFactory(resolver, request.arguments)
  }
}

/// Passes a value to another isolation domain.
struct Transfer<Value>: @unchecked Sendable {
  // Sendable because the sender is suspended while the receiver uses the value, with two exceptions that the compiler does not see and the
  // caller answers for. A cancelled caller of a singleton continues while the factory still has its arguments, and all callers share the
  // instance of a singleton.
  let value: Value

  init(_ value: Value) { self.value = value }
}

extension Entry {
  /// Downcasts to the class of the entry's `metatype`. A dynamic cast would be slow.
  final func typed<T>(_ type: T.Type) -> TypedEntry<T> {
    precondition(ObjectIdentifier(metatype) == ObjectIdentifier(T.self), "an entry of \(metatype) is not an entry of \(T.self)")
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
    ArgumentEntry<T>(
      isOnMainActor ? .main : .dynamic, tags: tags.tags, lifetime: lifetime, location: nil, list: nil, factory: factory,
      tupleFactory: { resolver, tuple, list in
        try list.withReferences(tuple) { try unboxedFactory($0) } ?? factory(resolver, list.boxed(tuple))
      })
  }

  /// Returns the entry of an asynchronous factory that checks its arguments itself.
  package static func asyncDynamic<T>(
    _ type: T.Type, tags: TagList, lifetime: Lifetime,
    factory: nonisolated(nonsending) @escaping @Sendable (_ arguments: [Any]) async throws -> T
  ) -> Entry {
    ArgumentEntry<T>(
      .asyncArguments, tags: tags.tags, lifetime: lifetime, location: nil, list: nil,
      async: { _, arguments in try await factory(arguments) })
  }
}
