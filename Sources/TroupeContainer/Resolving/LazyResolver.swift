import Synchronization

/// Resolves an instance later, for a dependency that is not ready yet, or two types that need each other.
///
/// ```swift
/// final class Menu {
///   let kitchen: LazyResolver<Kitchen>
///   init(kitchen: LazyResolver<Kitchen>) { self.kitchen = kitchen }
///   func order() throws { try kitchen.resolve().cook() }
/// }
/// final class Kitchen {
///   func cook() {}
/// }
///
/// let container = Container()
/// container.register { _ in Kitchen() }
/// container.register(factory: auto(Menu.init))
/// try container.resolve(Menu.self).order()
/// ```
///
/// It is never registered: a container makes one wherever it is asked for one. It does not keep the container alive. Safe to
/// use from any thread.
public final class LazyResolver<T>: LazyResolving {
  /// The key that it resolves.
  public let key: Key<T>
  private let container: WeakContainer

  /// Makes a resolver of `T` with some tags.
  public init(tagset: Set<AnySendableHashable> = [], with resolver: any Resolver) {
    key = Key(tagset: tagset)
    container = resolver.container.weakReference
  }

  /// Creates a resolver of `T` without tags.
  init(with container: WeakContainer) {
    key = Key([])
    self.container = container
  }

  /// Makes a resolver of `T` with some tags.
  public convenience init<each Tag: Hashable & Sendable>(tags: repeat each Tag, with resolver: any Resolver) {
    self.init(tagset: Set(elements: repeat each tags), with: resolver)
  }

  /// Resolves in any context. Throws a `ResolutionError`, `.noResolver` once the container was released, or the error of the factory.
  public func resolve() throws -> T { try container(for: key).resolve(key: key) }

  /// Resolves in an asynchronous context. Throws as the synchronous function, and a `CancellationError` if the task is cancelled while
  /// it waits.
  nonisolated(nonsending)
    public func resolve() async throws -> T
  {
    try await container(for: key).resolve(key: key)
  }

  /// Resolves in any context, with these tags besides its own. Throws a `ResolutionError`, `.noResolver` once the container was
  /// released, or the error of the factory.
  public func resolve<each Tag: Hashable & Sendable, each Argument>(
    tags: repeat each Tag, args: repeat each Argument
  ) throws -> T {
    let (container, key) = try target(repeat each tags)
    return try container.resolve(key: key, args: repeat each args)
  }

  /// Resolves in an asynchronous context, with these tags besides its own. Throws a `ResolutionError`, `.noResolver` once the
  /// container was released, or the error of the factory.
  nonisolated(nonsending)
    public func resolve<each Tag: Hashable & Sendable, each Argument>(
      tags: repeat each Tag, args: repeat each Argument
    ) async throws -> T
  {
    let (container, key) = try target(repeat each tags)
    return try await container.resolve(key: key, args: repeat each args)
  }

  /// Resolves on the main actor, with these tags besides its own. Throws a `ResolutionError`, `.noResolver` once the container
  /// is released, or the error of the factory.
  @MainActor
  public func resolve<each Tag: Hashable & Sendable, each Argument>(
    isolation: MainActor, tags: repeat each Tag, args: repeat each Argument
  ) throws -> T {
    let (container, key) = try target(repeat each tags)
    return try container.resolve(key: key, isolation: isolation, args: repeat each args)
  }

  private func target<each Tag: Hashable & Sendable>(_ tags: repeat each Tag) throws -> (Container, Key<T>) {
    let key = Key<T>(tagset: key.tagset.union(Set(elements: repeat each tags)))
    return (try container(for: key), key)
  }

  private func container(for key: Key<T>) throws -> Container {
    guard let container = container.container else { throw ResolutionError(key, reason: .noResolver) }
    return container
  }
}

/// A weak reference to a container. All of its lazy resolvers share one, because its creation takes as long as a resolve.
final class WeakContainer: Sendable {
  weak let container: Container?

  init(_ container: Container) { self.container = container }
}

/// A type that resolves an instance later, as `LazyResolver` does.
public protocol LazyResolving: Sendable {
  /// Creates one with some tags.
  init(tagset: Set<AnySendableHashable>, with resolver: any Resolver)
}

extension LazyResolver: Composite {
  static var dependency: CompositeDependency { .lazy(T.self) }

  static func instance(from container: Container, _ request: Container.Request) -> LazyResolver {
    LazyResolver(tagset: Set(request.tags.map(\.erased)), with: container)
  }

  nonisolated(nonsending)
    static func instanceAsync(from container: Container, _ request: Container.Request) async throws -> LazyResolver
  {
    instance(from: container, request)
  }
}

extension Container {
  /// The weak reference that lazy resolvers keep.
  var weakReference: WeakContainer {
    if let present = sharedWeakReference.load(ordering: .acquiring) { return present.takeUnretainedValue() }
    let created = Unmanaged.passRetained(WeakContainer(self))
    let (isStored, present) = sharedWeakReference.compareExchange(
      expected: nil, desired: created, ordering: .acquiringAndReleasing)
    if isStored { return created.takeUnretainedValue() }
    defer { created.release() }
    return (present ?? created).takeUnretainedValue()
  }
}
