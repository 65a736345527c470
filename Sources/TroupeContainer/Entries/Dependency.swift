/// What a factory resolves, as the container knows it without running the factory.
struct Dependency: Sendable {
  /// The requested type, which may be an optional, an array or a lazy resolver, and the tags.
  let key: AnyKey
  /// Nil for a dependency that is declared by its key alone.
  let argumentTypes: [any Any.Type]?
  /// True if the registration may be missing, although the type is not optional.
  var isOptional = false
  let source: DependencySource
}

/// How the container knows a dependency.
public enum DependencySource: String, Sendable, Hashable, Codable {
  /// A parameter of an initializer that `auto` calls, the key path of an injection, or the membership in an array.
  case known
  /// Declared with `annotated(dependsOn:)`.
  case declared
  /// Recorded by a container that learns.
  case learned
}

extension [Dependency] {
  /// Returns these dependencies and the others whose keys are not among them.
  func adding(_ others: some Sequence<Dependency>) -> [Dependency] {
    let known = Set(map(\.key))
    return self + others.filter { !known.contains($0.key) }
  }
}

/// The dependencies of one entry's factory, as far as a container that learns has seen them: each resolve of the factory is recorded.
///
///     factory of A runs ─→ resolves B ─→ slow path: Container.learn(B) ─→ innermost running factory: A ─→ A.learned.add(B)
///
/// `validate()` and the graph of dependencies use them in place of the dependencies that `auto` or a declaration gives. Thread-safe.
final class LearnedDependencies: Sendable {
  private struct Identity: Hashable {
    let key: AnyKey
    let argumentTypes: [ObjectIdentifier]?
    let isOptional: Bool
  }

  /// Used only for comparisons, so not a reference.
  private let owningContainer: ObjectIdentifier
  private typealias Recorded = (dependencies: [Identity: Dependency], version: Int)
  /// Nil if the factory has never run. Replaced as a whole: the `==` of a tag may resolve, so no dictionary is searched under the lock.
  private let recorded = Lock<Recorded?>(nil)

  init(owningContainer: Container) { self.owningContainer = ObjectIdentifier(owningContainer) }

  func recordRun() { recorded.withLock { $0 = $0 ?? ([:], 0) } }

  /// Sorted by name, so that they do not depend on the order of threads. Nil if the factory has never run.
  var dependencies: [Dependency]? {
    // Copied under the lock: the thread sanitizer does not see what orders the accesses to a dictionary that has left it.
    let recorded = recorded.withLock { $0.map { Array($0.dependencies.values) } }
    return recorded?.map { ($0, "\($0.key) \($0.argumentTypes ?? []) \($0.isOptional)") }.sorted { $0.1 < $1.1 }.map(\.0)
  }

  /// Records a request of the factory to a container. Ignores a request to another container than the factory's resolver, which is the
  /// owning container for a singleton, and that one or one below it otherwise.
  func add(_ dependency: Dependency, of lifetime: Lifetime, from container: Container) {
    let isOwn =
      switch lifetime {
      case .singleton: ObjectIdentifier(container) == owningContainer
      case .scoped, .transient: container.selfAndAncestors.contains { ObjectIdentifier($0) == owningContainer }
      }
    guard isOwn else { return }
    let identity = Identity(
      key: dependency.key, argumentTypes: dependency.argumentTypes?.map { ObjectIdentifier($0) },
      isOptional: dependency.isOptional)
    while var new = recorded.withLock({ $0 }), new.dependencies[identity] == nil {
      new.dependencies[identity] = dependency
      let isStored = recorded.withLock { recorded in
        guard recorded?.version == new.version else { return false }
        recorded = (new.dependencies, new.version + 1)
        return true
      }
      if isStored { return }
    }
  }
}

extension Entry {
  /// Nil in a container that does not learn.
  final var learned: LearnedDependencies? { detailsBox?.details.learned }

  /// Makes the entry record its dependencies. Call it before the entry is published.
  final func learn(in owningContainer: Container) {
    let learned = LearnedDependencies(owningContainer: owningContainer)
    details.learned = learned
    // The counterpart for resolves with `cached:` has the same factory.
    details.otherCaching?.details.learned = learned
  }
}

extension Container {
  /// Records a request of the innermost running factory. Called on the slow path of a container that learns.
  @inline(never)
  func learn(_ metatype: any Any.Type, _ request: Request) {
    guard let entry = BuildPath.innermost, let learned = entry.learned else { return }
    let key = AnyKey(metatype: metatype, tags: request.tags)
    let dependency = Dependency(key: key, argumentTypes: request.types, isOptional: request.isOptional, source: .learned)
    learned.add(dependency, of: entry.lifetime, from: self)
  }
}
