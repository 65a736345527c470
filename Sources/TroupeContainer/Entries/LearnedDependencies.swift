/// The recorded requests of one entry's factory, in a container that learns. Thread-safe.
final class LearnedDependencies: Sendable {
  private struct State {
    var hasRun = false
    var dependencies: [Dependency] = []
    var known: Set<Identity> = []
  }

  /// The properties in which two dependencies differ.
  private struct Identity: Hashable {
    let key: AnyKey
    let argumentTypes: [ObjectIdentifier]?
    let isOptional: Bool
  }

  /// The container of the entry. Used only for comparisons.
  private let owningContainer: ObjectIdentifier
  private let state = Lock(State())

  init(owningContainer: Container) {
    self.owningContainer = ObjectIdentifier(owningContainer)
  }

  /// Records that the factory runs.
  func recordRun() { state.withLock { $0.hasRun = true } }

  /// The recorded requests, sorted by name, so that they do not depend on the order of threads; nil if the factory has never run.
  var dependencies: [Dependency]? {
    let (hasRun, dependencies) = state.withLock { ($0.hasRun, $0.dependencies) }
    guard hasRun else { return nil }
    return dependencies.map { ($0, $0.key.description) }.sorted { $0.1 < $1.1 }.map(\.0)
  }

  /// Adds a request of the factory, unless it was made to a container other than the factory's resolver: for a singleton the
  /// container of its registration, otherwise that container or one below it.
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
  /// The recorded requests of the factory; nil if the container does not learn.
  final var learned: LearnedDependencies? { detailsBox?.learned }

  /// Records that the factory runs, if its container learns. A separate function, so that it adds no cost to entries without
  /// details.
  @inline(never)
  final func recordRun() { learned?.recordRun() }

  /// Prepares the entry for a container that learns. Call it before the entry is published.
  final func learn(in owningContainer: Container) {
    let learned = LearnedDependencies(owningContainer: owningContainer)
    detailsBox = EntryDetailsBox(details, learned: learned)
    // The counterpart for resolves with `cached:` has the same factory.
    if let counterpart = details.otherCaching {
      counterpart.detailsBox = EntryDetailsBox(counterpart.details, learned: learned)
    }
  }
}
