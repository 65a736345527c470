/// A failed resolve. The container creates these errors; the error of a factory leaves `resolve` unchanged, see ``FactoryFailure``.
public struct ResolutionError: Error, CustomStringConvertible {
  /// The reason of a failure.
  public enum Reason: Sendable {
    /// Nothing is registered under the key.
    case notFound
    /// No factory under the key takes the arguments.
    case invalidArgsType
    /// The factory made an instance of a type other than the registered one.
    case invalidInstanceType
    /// The factory is asynchronous, and the context is synchronous. The context at the top level of a program is synchronous: there
    /// Swift selects the synchronous function even with an `await`.
    case requiresAsync
    /// The factory runs on this actor, and the resolve is neither asynchronous nor made with `isolation: MainActor.shared`.
    case requiresIsolation(any Actor)
    /// The resolver of a lazy resolver was released.
    case noResolver
    /// A dependency cycle: the keys from the factory back to itself.
    case cycle([AnyKey])
    /// Another error of the container: an `AmbiguityError` if registrations of several plugins match.
    case error(any Error)
  }

  /// The requested key.
  public let key: AnyKey
  /// The reason of the failure.
  public let reason: Reason
  /// The registrations whose factories led to the error, outermost first; nil until the innermost factory has thrown it.
  private var path: [Step]?
  /// The source location of the registration whose factory failed; nil if it is not known or no factory failed.
  private var location: String?
  /// The context of the factory that made the request, the last of the path; nil for a request of an injection or of no factory.
  private var asker: FactoryContext?
  /// The known source locations of the registrations in a dependency cycle.
  private var places: [String?] = []
  /// Looks up the registrations that the caller may have meant. Called when the error is printed.
  private var searched: (@Sendable () -> MissingKeyAdvice?)?
  /// The arguments, with the argument types of the factories under the key.
  private var arguments: ExpectedArguments?
  /// Whether the registration stayed pending after loading.
  private var isPending = false
  /// The property that the last injection of the path was to set.
  private var property: (any AnyKeyPath & Sendable)?

  /// Creates an error about a key.
  public init(_ key: AnyKey, reason: Reason) {
    self.key = key
    self.reason = reason
  }

  /// Creates an error about a key.
  public init<T>(_ key: Key<T>, reason: Reason) {
    self.init(AnyKey(key), reason: reason)
  }

  /// Creates an error about a registration at a source location, which the description shows.
  init(_ key: AnyKey, _ reason: Reason, at location: CodeLocation?) {
    self.init(key, reason: reason)
    self.location = location?.text
  }

  /// Returns the error for a key without a registration.
  static func notFound(_ key: AnyKey, in container: Container) -> ResolutionError {
    var error = ResolutionError(key, reason: .notFound)
    error.searched = { [weak container] in container.map { MissingKeyAdvice($0, for: key) } }
    return error
  }

  /// Returns the error for a key whose tags match several registrations of plugins.
  static func ambiguous(_ key: AnyKey, _ entries: [Entry]) -> ResolutionError {
    ResolutionError(key, reason: .error(AmbiguityError(key, entries)))
  }

  /// Returns the error for a pending registration that loading did not replace.
  static func stillPending(_ key: AnyKey) -> ResolutionError {
    var error = ResolutionError(key, reason: .notFound)
    error.isPending = true
    return error
  }

  /// Returns the error for a dependency cycle, whose first entry is also the last.
  static func cycle(through entries: some Sequence<Entry>) -> ResolutionError {
    let entries = Array(entries)
    let keys = entries.map(\.key)
    guard let last = keys.last else { preconditionFailure("a dependency cycle has entries") }
    var error = ResolutionError(last, reason: .cycle(keys))
    error.places = entries.map(\.location)
    return error
  }

  /// Returns the error with the factory of an entry as the first of its path, unless the error is about this entry or a dependency
  /// cycle.
  func passing(_ entry: Entry) -> ResolutionError {
    if case .cycle = reason { return self }
    var error = self
    if path == nil, key == entry.key {
      error.path = []
      error.location = location ?? entry.location
    } else {
      if path?.isEmpty ?? true, entry.metatype != Injection.self { error.asker = entry.context }
      error.path = [Step(entry)] + (path ?? [])
    }
    return error
  }

  /// The error with the running factories in its path, for a caller that ends the program.
  package var passingRunningFactories: ResolutionError { BuildPath.all().reversed().reduce(self) { $0.passing($1) } }

  /// Returns an error of a resolve for a property of a target with that property, unless an inner injection has set one.
  @usableFromInline
  static func concerning(_ property: any AnyKeyPath & Sendable, _ error: any Error) -> any Error {
    guard var concerning = error as? ResolutionError, concerning.property == nil else { return error }
    concerning.property = property
    return concerning
  }

  /// Returns the error for a request whose arguments the factory of an entry does not take.
  static func mismatch(_ entry: Entry, _ request: Container.Request, in container: Container) -> ResolutionError {
    var error = ResolutionError(entry.key, reason: .invalidArgsType)
    error.arguments = ExpectedArguments(entry, request, in: container)
    return error
  }

  /// One sentence for the user: the fault, the key, the dependency path, and for a missing key similar registrations.
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
      "\(key.name)\(at) has a block that runs on \(actor); inject there with isolation: MainActor.shared, or with await" + way
    case .requiresIsolation(let actor):
      "the factory registered as \(registration) runs on \(actor)"
        + (needsToWait(for: .mainActor) ?? "; \(verb) it there with isolation: MainActor.shared, or with await") + way
    case .noResolver: "the container that \(key) was to be resolved from is gone" + way
    case .cycle(let keys):
      (keys.count <= 2
        ? "\(key.name)\(at(0)) needs itself: \(cycle(keys))" : "\(key.name) needs itself through others: \(cycle(keys))")
        + "; " + Self.cycleRemedy
    case .error(let error as AmbiguityError): "\(error)" + way
    case .error(let error): "\(key.name)\(at) could not be made: \(error)" + way
    }
  }

  /// The remedy for a dependency cycle.
  static var cycleRemedy: String { "have one of them take a LazyResolver of the next" }

  /// The fault and the remedy for a factory that cannot wait for a dependency of another context; nil if the factory is
  /// asynchronous or no factory made the request.
  private func needsToWait(for context: FactoryContext) -> String? {
    guard let asker, asker != .asynchronous, let last = path?.last else { return nil }
    return ", and that of \(last.key), which needs it, does not wait; \(context.remedyForDependent)"
  }

  /// The verb of the remedy, for a request that no factory made.
  private var verb: String { path?.last?.isInjection == true ? "inject" : "resolve" }

  /// The key and the source location of the registration whose factory failed.
  private var registration: String { "\(key)\(at)" }

  /// The source location of the registration whose factory failed, in parentheses; empty if it is not known.
  private var at: String { location.map { " (\($0))" } ?? "" }

  private func cycle(_ keys: [AnyKey]) -> String {
    keys.indices.map { "\(keys[$0].name)\(keys.count > 2 ? at($0) : "")" }.joined(separator: " → ")
  }

  private func at(_ index: Int) -> String {
    places.indices.contains(index) ? places[index].map { " (\($0))" } ?? "" : ""
  }

  /// The dependency path, as the last part of the message.
  private var way: String {
    guard let path, !path.isEmpty else { return "" }
    var names = path.map(\.key.name)
    if let property, let injection = path.lastIndex(where: \.isInjection) { names[injection] += ", " + Self.name(of: property) }
    for (index, step) in path.enumerated() { names[index] += step.location.map { " (\($0))" } ?? "" }
    names.append(key.name)
    return "; dependency path: " + names.joined(separator: " → ")
  }

  /// The name of a property, such as `\Controller.database`. The name of a computed property is not always known.
  private static func name(of property: AnyKeyPath) -> String {
    let name = property.debugDescription
    return name.contains("<computed") ? "a property of the type \(String(reflecting: type(of: property).valueType))" : name
  }

  /// The registrations that the caller may have meant, and the assemblies that have not registered yet.
  private var meant: String { searched?()?.advice ?? "" }

  private typealias Step = ValidationReport.Step
}

extension ValidationReport.Step {
  init(_ entry: Entry) { self.init(entry.key, entry.codeLocation) }
}

/// The arguments of a request, with the argument types of the factories that do not take them.
private struct ExpectedArguments: Sendable {
  /// The argument types of each factory, nil for a factory that checks them itself, with the source location of its registration.
  private let taken: [(types: [any Any.Type]?, location: String?)]
  private let given: [any Any.Type]

  init(_ entry: Entry, _ request: Container.Request, in container: Container) {
    let others = container.selfAndAncestors.flatMap { $0.entries(entry.metatype, exactly: entry.tags) }
    let refusing = others.filter { other in
      !other.isSameRegistration(as: entry) && other.detailsBox?.details.otherCaching !== entry
        && !other.accepts(request.arguments)
    }
    taken = ([entry] + refusing).map { ($0.argumentTypes, $0.location) }
    given = request.arguments.map { Swift.type(of: $0) }
  }

  func description(_ key: AnyKey) -> String {
    let lists = taken.map { taken in
      (taken.types.map(list) ?? "others") + (taken.location.map { " (\($0))" } ?? "")
    }
    return lists.count == 1
      ? "the factory registered as \(key) takes \(lists[0]) and was given \(list(given))"
      : "the factories registered as \(key) take \(lists.joined(separator: " or ")) and were given \(list(given))"
  }

  private func list(_ types: [any Any.Type]) -> String {
    types.isEmpty ? "no arguments" : "(" + types.map { String(reflecting: $0) }.joined(separator: ", ") + ")"
  }
}
