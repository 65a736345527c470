/// What the factory of one entry resolved while its container learned. Thread-safe.
final class LearnedDependencies: Sendable {
  private struct State {
    var hasRun = false
    var dependencies: [Dependency] = []
    var known: Set<Identity> = []
  }

  /// What makes one dependency another one.
  private struct Identity: Hashable {
    let key: AnyKey
    let argumentTypes: [ObjectIdentifier]?
    let isOptional: Bool
  }

  /// The container that the entry is registered in. Only compared.
  private let home: ObjectIdentifier
  private let state = Lock(State())

  init(home: Container) {
    self.home = ObjectIdentifier(home)
  }

  /// Says that the factory runs.
  func noteRun() { state.withLock { $0.hasRun = true } }

  /// What the factory resolved, sorted by name, so that the order of threads makes no difference; nil if it has never run.
  var dependencies: [Dependency]? {
    let (hasRun, dependencies) = state.withLock { ($0.hasRun, $0.dependencies) }
    guard hasRun else { return nil }
    return dependencies.map { ($0, $0.key.description) }.sorted { $0.1 < $1.1 }.map(\.0)
  }

  /// Adds what the factory resolves from a container, unless that is not what it was given: a singleton is given the container
  /// that it is registered in, anything else that or a child or scope of it.
  func add(_ dependency: Dependency, of lifetime: Lifetime, from container: Container) {
    let isOwn =
      switch lifetime {
      case .singleton: ObjectIdentifier(container) == home
      case .scoped, .transient: container.lineage.contains { ObjectIdentifier($0) == home }
      }
    guard isOwn else { return }
    let identity = Identity(
      key: dependency.key, argumentTypes: dependency.argumentTypes?.map { ObjectIdentifier($0) },
      isOptional: dependency.isOptional)
    state.withLock { if $0.known.insert(identity).inserted { $0.dependencies.append(dependency) } }
  }
}

extension Entry {
  /// What is learned about it; nil if its container does not learn.
  final var learned: LearnedDependencies? { detailsBox?.learned }

  /// Says that its factory runs, if its container learns. Apart, so that an entry without details costs nothing more for it.
  @inline(never)
  final func noteRun() { learned?.noteRun() }

  /// Prepares it for a container that learns. To be called before it is published.
  final func learn(in home: Container) {
    let learned = LearnedDependencies(home: home)
    detailsBox = EntryDetailsBox(details, learned: learned)
    // The same factory, for whoever overrides whether the instance is cached.
    if let counterpart = details.otherCaching {
      counterpart.detailsBox = EntryDetailsBox(counterpart.details, learned: learned)
    }
  }
}

extension Container {
  /// Has everybody take the long way, as while it is overridden, for as long as there is the container.
  func neverResolveQuickly() {
    writer.withLock { $0.countOverride(1, in: self) }
  }

  /// Remembers that the innermost factory that runs asks for something with arguments, which are boxed once more for that.
  @inline(never)
  func learn<each Argument>(_ metatype: any Any.Type, _ tags: [Tag], _ args: repeat each Argument) {
    learn(metatype, Request(tags, repeat each args))
  }

  /// Remembers that the innermost factory that runs asks for something, which may be missing or not. Called on the long way of
  /// a container that learns.
  @inline(never)
  func learn(_ metatype: any Any.Type, _ request: Request, isOptional: Bool = false) {
    guard let entry = BuildPath.all().last, let learned = entry.learned else { return }
    let key = AnyKey(metatype: metatype, tags: request.tags)
    let dependency = Dependency(key: key, argumentTypes: request.types, isOptional: isOptional, source: .learned)
    learned.add(dependency, of: entry.lifetime, from: self)
  }
}
