/// A failed resolve. The container creates these errors; the error of a factory leaves `resolve` unchanged, see ``FactoryFailure``.
public struct ResolutionError: Error, CustomStringConvertible {
  /// What went wrong.
  public enum Reason: Sendable {
    /// Nothing is registered under the key.
    case notFound
    /// The arguments are not those that the factory takes.
    case invalidArgsType
    /// The factory made something that is not of the registered type.
    case invalidInstanceType
    /// The factory is asynchronous, and the context is not; at the top level of a program neither, where Swift takes the
    /// synchronous verb in spite of an `await`.
    case requiresAsync
    /// The factory runs on this actor, and the context is neither there nor asynchronous.
    case requiresIsolation(any Actor)
    /// The resolver of a lazy resolver is gone.
    case noResolver
    /// A factory needs, through others, what it is making. The keys from its own to its own again.
    case cycle([AnyKey])
    /// Another error of the container: an `AmbiguityError` if registrations of several plugins match.
    case error(any Error)
  }

  /// What was to be resolved.
  public let key: AnyKey
  /// What went wrong.
  public let reason: Reason
  /// The registrations whose factories led to the error, outermost first; nil until the innermost factory has thrown it.
  private var path: [Step]?
  /// The source location of the registration whose factory failed; nil if it is not known or no factory failed.
  private var location: String?
  /// Where the factory runs that asked for it, the last of the path; nil if no factory did, or an injection.
  private var asker: FactoryContext?
  /// The places where the keys of a ring were registered, as far as they are known.
  private var places: [String?] = []
  /// Looks up why nothing was found. Called when the error is printed.
  private var searched: (@Sendable () -> SearchedRegistrations?)?
  /// What the factories under the key take and what they were given.
  private var arguments: ArgumentFault?
  /// Whether what is registered under the key was loaded and is pending still.
  private var isPending = false
  /// The property that it was resolved for, by the last injection of the path.
  private var property: (any AnyKeyPath & Sendable)?

  /// Makes an error about a key.
  public init(_ key: AnyKey, reason: Reason) {
    self.key = key
    self.reason = reason
  }

  /// Makes an error about a key.
  public init<T>(_ key: Key<T>, reason: Reason) {
    self.init(AnyKey(key), reason: reason)
  }

  /// Makes an error about a registration at a place in a source, which the description shows.
  init(_ key: AnyKey, _ reason: Reason, at place: Place?) {
    self.init(key, reason: reason)
    location = place?.text
  }

  /// Nothing is registered under a key, asked for by the factories that run above.
  static func notFound(_ key: AnyKey, in container: Container) -> ResolutionError {
    var error = ResolutionError(key, reason: .notFound)
    error.searched = { [weak container] in container.map { SearchedRegistrations($0, for: key) } }
    return error
  }

  /// Several registrations of plugins have the tags of a key and more; the factories that run above requested it.
  static func ambiguous(_ key: AnyKey, _ entries: [Entry]) -> ResolutionError {
    ResolutionError(key, reason: .error(AmbiguityError(key, entries)))
  }

  /// Something is registered under a key that was to be replaced by what makes instances, and was not; asked for by the factories
  /// that run above.
  static func stillPending(_ key: AnyKey) -> ResolutionError {
    var error = ResolutionError(key, reason: .notFound)
    error.isPending = true
    return error
  }

  /// Entries need each other; the first is the last.
  static func cycle(through entries: some Sequence<Entry>) -> ResolutionError {
    let entries = Array(entries)
    let keys = entries.map(\.key)
    guard let last = keys.last else { preconditionFailure("a ring has entries") }
    var error = ResolutionError(last, reason: .cycle(keys))
    error.places = entries.map(\.place)
    return error
  }

  /// Returns the error after it has passed the factory of an entry: the first of the path, unless the error is about the entry itself
  /// or about a dependency cycle.
  func passing(_ entry: Entry) -> ResolutionError {
    if case .cycle = reason { return self }
    var error = self
    if path == nil, key == entry.key {
      error.path = []
      error.location = location ?? entry.place
    } else {
      if path?.isEmpty ?? true, entry.metatype != Injection.self { error.asker = entry.context }
      error.path = [Step(entry)] + (path ?? [])
    }
    return error
  }

  /// The error with the factories that run in the path, for a caller that ends the program inside of them.
  package var passingRunningFactories: ResolutionError { BuildPath.all().reversed().reduce(self) { $0.passing($1) } }

  /// What resolving for a property of an injection's target threw, as an error that knows the property, unless it is about another
  /// injection's within.
  @usableFromInline
  static func concerning(_ property: any AnyKeyPath & Sendable, _ error: any Error) -> any Error {
    guard var concerning = error as? ResolutionError, concerning.property == nil else { return error }
    concerning.property = property
    return concerning
  }

  /// The factory of an entry does not take the arguments of a request.
  static func mismatch(_ entry: Entry, _ request: Container.Request, in container: Container) -> ResolutionError {
    var error = ResolutionError(entry.key, reason: .invalidArgsType)
    error.arguments = ArgumentFault(entry, request, in: container)
    return error
  }

  /// One sentence for a person: what is wrong with which key, the keys that led there, and for what was not found also what may
  /// have been meant.
  public var description: String {
    switch reason {
    case .notFound where isPending: "what was to register \(key) was loaded and did not register it" + way
    case .notFound: "nothing is registered as \(key)" + way + meant
    case .invalidArgsType: (arguments?.description(key) ?? "the factory registered as \(key) takes other arguments") + way
    case .invalidInstanceType: "the factory registered as \(registration) made something that is not a \(key.type)" + way
    case .requiresAsync where key.isInjection:
      "\(key.name)\(at) has an asynchronous block; inject with await, in an asynchronous function" + way
    case .requiresAsync:
      "the factory registered as \(registration) is asynchronous"
        + (needsToWait(for: .asynchronous) ?? "; \(verb) it with await, in an asynchronous function") + way
    case .requiresIsolation(let actor) where key.isInjection:
      "\(key.name)\(at) has a block that runs on \(actor); inject there or with await" + way
    case .requiresIsolation(let actor):
      "the factory registered as \(registration) runs on \(actor)"
        + (needsToWait(for: .mainActor) ?? "; \(verb) it there or with await") + way
    case .noResolver: "the container that \(key) was to be resolved from is gone" + way
    case .cycle(let keys):
      (keys.count <= 2
        ? "\(key.name)\(at(0)) needs itself: \(ring(keys))" : "\(key.name) needs itself through others: \(ring(keys))")
        + "; " + Self.ringAdvice
    case .error(let error as AmbiguityError): "\(error)" + way
    case .error(let error): "\(key.name)\(at) could not be made: \(error)" + way
    }
  }

  /// How a ring is broken.
  static var ringAdvice: String { "have one of them take a LazyResolver of the next" }

  /// What is wrong with the factory that asked for what is made in a context, and what to do about it; nil if it may have waited,
  /// or no factory asked.
  private func needsToWait(for context: FactoryContext) -> String? {
    guard let asker, asker != .asynchronous, let last = path?.last else { return nil }
    return ", and that of \(last.key), which needs it, does not wait; \(context.adviceToWhatNeedsIt)"
  }

  /// What somebody does who asked for it, and not on behalf of a factory.
  private var verb: String { path?.last?.isInjection == true ? "inject" : "resolve" }

  /// The key and the source location of the registration whose factory failed.
  private var registration: String { "\(key)\(at)" }

  /// The source location of the registration whose factory failed, in parentheses; empty if it is not known.
  private var at: String { location.map { " (\($0))" } ?? "" }

  private func ring(_ keys: [AnyKey]) -> String {
    keys.indices.map { "\(keys[$0].name)\(keys.count > 2 ? at($0) : "")" }.joined(separator: " → ")
  }

  private func at(_ index: Int) -> String {
    places.indices.contains(index) ? places[index].map { " (\($0))" } ?? "" : ""
  }

  /// The keys whose factories led to the error.
  private var way: String {
    guard let path, !path.isEmpty else { return "" }
    var names = path.map(\.key.name)
    if let property, let injection = path.lastIndex(where: \.isInjection) { names[injection] += ", " + Self.name(of: property) }
    for (index, step) in path.enumerated() { names[index] += step.place.map { " (\($0))" } ?? "" }
    names.append(key.name)
    return "; dependency path: " + names.joined(separator: " → ")
  }

  /// Such as `\Controller.database`; the name of a computed property is not always known.
  private static func name(of property: AnyKeyPath) -> String {
    let name = property.debugDescription
    return name.contains("<computed") ? "a property of the type \(String(reflecting: type(of: property).valueType))" : name
  }

  /// The registrations that the caller may have meant, and the assemblies that have not registered yet.
  private var meant: String { searched?()?.advice ?? "" }

  private typealias Step = ValidationReport.Step
}

extension ValidationReport.Step {
  init(_ entry: Entry) { self.init(entry.key, entry.placeInSource) }
}

/// Arguments that no factory under a key takes.
private struct ArgumentFault: Sendable {
  /// What each factory takes, nil for one that looks by itself, with the place where it was registered.
  private let taken: [(types: [any Any.Type]?, place: String?)]
  private let given: [any Any.Type]

  init(_ entry: Entry, _ request: Container.Request, in container: Container) {
    let others = container.lineage.flatMap { $0.entries(entry.metatype, exactly: entry.tags) }
    let refusing = others.filter { other in
      !other.isSameRegistration(as: entry) && other.detailsBox?.details.otherCaching !== entry
        && !other.takes(request.arguments)
    }
    taken = ([entry] + refusing).map { ($0.argumentTypes, $0.place) }
    given = request.arguments.map { Swift.type(of: $0) }
  }

  func description(_ key: AnyKey) -> String {
    let lists = taken.map { taken in
      (taken.types.map(list) ?? "others") + (taken.place.map { " (\($0))" } ?? "")
    }
    return lists.count == 1
      ? "the factory registered as \(key) takes \(lists[0]) and was given \(list(given))"
      : "the factories registered as \(key) take \(lists.joined(separator: " or ")) and were given \(list(given))"
  }

  private func list(_ types: [any Any.Type]) -> String {
    types.isEmpty ? "no arguments" : "(" + types.map { String(reflecting: $0) }.joined(separator: ", ") + ")"
  }
}
