import Synchronization

extension Container {
  /// What is asked for: tags, arguments with the types that they have where they are given, and whether the instance may be one
  /// that was made before, if whoever asks has a say in that.
  struct Request {
    let tags: [Tag]
    var arguments: [Any] = []
    var types: [any Any.Type] = []
    var cached: Bool?
  }

  /// What answers a request for a type: here first, then in the parents. Of several registrations in one container that differ
  /// in their arguments, the one that takes exactly the given types, then one that they can be cast to; and where nothing
  /// fits, the one that is nearest, so that it can say what it takes.
  func select(_ metatype: any Any.Type, _ request: Request) -> Candidate? {
    var nearest: Candidate?
    for container in lineage {
      guard let choice = container.choose(among: container.entries(metatype, exactly: request.tags), request, for: self)
      else { continue }
      if choice.fits { return choice.candidate }
      nearest = nearest ?? choice.candidate
    }
    return nearest
  }

  /// Of some entries of this container with one key, the one that answers a request from another or from this one, and whether
  /// it fits; nil if there are none.
  func choose(
    among entries: [Entry], _ request: Request, for container: Container
  ) -> (candidate: Candidate, fits: Bool)? {
    guard let last = entries.last else { return nil }
    let isMade =
      entries.count == 1 && (last.lifetime == .scoped ? container.hasMade(Candidate(entry: last, home: self)) : last.isBuilt)
    let fitting =
      isMade ? last : entries.last { $0.takes(exactly: request.types) } ?? entries.last { $0.takes(request.arguments) }
    return (Candidate(entry: fitting ?? last, home: self), fitting != nil)
  }

  // MARK: Any context

  /// The instance that a request is for, in any context; nil if nothing is registered under its type and tags, or only an object
  /// that is gone.
  func instance<T>(_ type: T.Type, _ request: Request) throws -> T? {
    if let candidate = try answer(type, request) {
      if candidate.entry.kind != .pending { return try presentInstance(candidate, type, request) }
      try load(candidate, type, request)
      return try instance(type, request)
    }
    return try composite(type, request)
  }

  /// What a type that is not registered itself is resolved as, in any context; nil if it is made of no other.
  func composite<T>(_ type: T.Type, _ request: Request) throws -> T? {
    func composite<C: Composite>(_ composite: C.Type) throws -> T {
      C.same(try C.instance(from: self, request), as: type)
    }
    return try (type as? any Composite.Type).map { try composite($0) }
  }

  /// An instance of a registration, in any context; nil if it is an object that is gone.
  func presentInstance<T>(_ candidate: Candidate, _ type: T.Type, _ request: Request) throws -> T? {
    if candidate.entry.kind == .weak { return try candidate.entry.weakObject(type, for: self) }
    return try instance(candidate, type, request)
  }

  /// An instance of a registration that is not weak, in any context.
  func instance<T>(_ candidate: Candidate, _ type: T.Type, _ request: Request) throws -> T {
    let candidate = candidate.entry.lifetime == .scoped ? inScope(candidate) : candidate
    let entry = candidate.entry.honoring(request).typed(T.self)
    guard entry.lifetime != .transient else {
      return try run(entry, request) { try entry.make(self, request.arguments) }
    }
    if let built = entry.built { return built }
    // These say by themselves that they need another context.
    if entry.kind == .async || entry.kind == .main { return try entry.make(candidate.home, request.arguments) }
    return try make(entry, request, at: .anywhere) { try entry.make(candidate.home, request.arguments) }
  }

  // MARK: The main actor

  /// The instance that a request is for, on the main actor; nil if nothing is registered under its type and tags, or only an
  /// object that is gone.
  @MainActor
  func instanceOnMain<T>(_ type: T.Type, _ request: Request) throws -> T? {
    if let candidate = try answer(type, request) {
      if candidate.entry.kind != .pending { return try presentInstanceOnMain(candidate, type, request) }
      try load(candidate, type, request)
      return try instanceOnMain(type, request)
    }
    return try compositeOnMain(type, request)
  }

  /// What a type that is not registered itself is resolved as, on the main actor; nil if it is made of no other.
  @MainActor
  func compositeOnMain<T>(_ type: T.Type, _ request: Request) throws -> T? {
    func composite<C: Composite>(_ composite: C.Type) throws -> T {
      C.same(try C.instanceOnMain(from: self, request), as: type)
    }
    return try (type as? any Composite.Type).map { try composite($0) }
  }

  /// An instance of a registration, on the main actor; nil if it is an object that is gone.
  @MainActor
  func presentInstanceOnMain<T>(_ candidate: Candidate, _ type: T.Type, _ request: Request) throws -> T? {
    guard candidate.entry.kind == .main else { return try presentInstance(candidate, type, request) }
    let candidate = candidate.entry.lifetime == .scoped ? inScope(candidate) : candidate
    let entry = candidate.entry.honoring(request).typed(T.self)
    guard entry.lifetime != .transient else {
      return try run(entry, request) { try entry.makeOnMain(self, request.arguments) }
    }
    if let built = entry.built { return built }
    return try make(entry, request, at: .mainActor) { try entry.makeOnMain(candidate.home, request.arguments) }
  }

  // MARK: Steps

  private enum Place {
    case anywhere
    case mainActor
  }

  /// Makes the instance of a singleton, or waits for the thread or task that makes it, and makes it if that one could not.
  private func make<T>(
    _ entry: TypedEntry<T>, _ request: Request, at place: Place, _ body: () throws -> T
  ) throws -> T {
    while true {
      switch try Builds.begin(
        entry, path: BuildPath.all(), hasArguments: !request.arguments.isEmpty, isOnMain: place == .mainActor)
      {
      case .done: break
      case .make(let build):
        let result = Result { try run(entry, request, body) }
        Builds.finish(build, entry, result)
        return try result.get()
      case .wait(let build, let wait):
        let sleeper = Sleeper()
        if Builds.enqueue(.thread(sleeper), build) { sleeper.sleep() }
        // Why the other one failed does not matter: this one has arguments and a resolver of its own.
        try? Builds.end(wait, build)
      }
      if let built = entry.built { return built }
    }
  }

  /// Runs a synchronous factory as the innermost one of its thread.
  func run<T>(_ entry: Entry, _ request: Request, _ body: () throws -> T) throws -> T {
    let record = Readers.shared.pointee.record
    if BuildPath.isRing(entry, hasArguments: !request.arguments.isEmpty, record) || BuildPath.isRingThroughScopes(entry, record)
    {
      throw ResolutionError.cycle(through: BuildPath.ring(to: entry))
    }
    if entry.detailsBox != nil { entry.noteRun() }
    return try BuildPath.within(entry, record) {
      do { return try body() } catch { throw errorOfFactory(error, entry, request) }
    }
  }
}
