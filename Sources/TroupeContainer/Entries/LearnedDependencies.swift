/// The dependencies of one entry's factory, as far as a container that learns has seen them: each resolve of the factory is recorded.
///
///     factory of A runs ─→ resolves B ─→ slow path: Container.learn(B) ─→ innermost running factory: A ─→ A.learned.add(B)
///
/// `validate()` and the graph of dependencies use them in place of the dependencies that `auto` or a declaration gives. Thread-safe.
final class LearnedDependencies: Sendable {
  private struct State {
    var hasRun = false
    var dependencies: [Dependency] = []
    var known: Set<Identity> = []
  }

  /// Distinguishes recorded dependencies.
  private struct Identity: Hashable {
    let key: AnyKey
    let argumentTypes: [ObjectIdentifier]?
    let isOptional: Bool
  }

  /// Used only for comparisons, so not a reference.
  private let owningContainer: ObjectIdentifier
  private let state = Lock(State())

  init(owningContainer: Container) {
    self.owningContainer = ObjectIdentifier(owningContainer)
  }

  func recordRun() { state.withLock { $0.hasRun = true } }

  /// Sorted by name, so that they do not depend on the order of threads. Nil if the factory has never run.
  var dependencies: [Dependency]? {
    let (hasRun, dependencies) = state.withLock { ($0.hasRun, $0.dependencies) }
    guard hasRun else { return nil }
    return dependencies.map { ($0, $0.key.description) }.sorted { $0.1 < $1.1 }.map(\.0)
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
    state.withLock { if $0.known.insert(identity).inserted { $0.dependencies.append(dependency) } }
  }
}

extension Entry {
  /// Nil in a container that does not learn.
  final var learned: LearnedDependencies? { detailsBox?.learned }

  /// Records that the factory runs, if its container learns. Not inlined, so that it adds no cost to entries without details.
  @inline(never)
  final func recordRun() { learned?.recordRun() }

  /// Makes the entry record its dependencies. Call it before the entry is published.
  final func learn(in owningContainer: Container) {
    let learned = LearnedDependencies(owningContainer: owningContainer)
    detailsBox = EntryDetailsBox(details, learned: learned)
    // The counterpart for resolves with `cached:` has the same factory.
    if let counterpart = details.otherCaching {
      counterpart.detailsBox = EntryDetailsBox(counterpart.details, learned: learned)
    }
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
