internal import struct FoundationEssentials.UUID

/// Why the container could not resolve a key. The error of a factory is none of these: it leaves `resolve` unchanged, see
/// ``FailedFactory``.
///
/// The error passes through the factories that need the key, and each adds itself to the path, so that the message shows the way from
/// the caller's key to the failed one:
///
///     nothing is registered as Example.Engine; dependency path: Example.Car (Example/main.swift:6) → Example.Engine
///
/// An error does not keep its container alive, and its description does not need it: the error has samples of the registrations.
public struct ResolutionError: Error, CustomStringConvertible {
  /// Why the key could not be resolved.
  public enum Reason: Sendable {
    /// Nothing is registered under the key.
    case notFound
    /// No factory under the key takes the arguments.
    case invalidArgsType
    /// The factory made an instance of a type other than the registered one.
    case invalidInstanceType
    /// The factory is asynchronous, and the context is synchronous. So is the top level of a program, where Swift selects the
    /// synchronous function even with an `await`.
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
  /// Why the key could not be resolved.
  public let reason: Reason
  /// The registrations whose factories led to the error, outermost first, or those around a dependency cycle. Nil until the innermost
  /// factory has thrown the error.
  private var path: [Step]?
  /// The source location of the registration whose factory failed.
  private var location: CodeLocation?
  /// The context of the factory that made the request, the last of the path. Nil for a request of an injection or of no factory.
  private var requesterContext: FactoryContext?
  /// True for the factory of an override that requests its own key.
  private var isInOverride = false
  private var advice: MissingKeyAdvice?
  /// The problem, where the reason does not say all.
  private var knownProblem: String?
  /// The property that the last injection of the path was to set.
  private var property: (any AnyKeyPath & Sendable)?

  /// Nothing is registered under the key that the program requested. False if a factory requested it.
  package var isForMissingRequest: Bool {
    if case .notFound = reason { path?.isEmpty ?? true } else { false }
  }

  /// Creates an error without a dependency path.
  public init(_ key: AnyKey, reason: Reason) {
    self.key = key
    self.reason = reason
  }

  /// Creates an error without a dependency path.
  public init<T>(_ key: Key<T>, reason: Reason) { self.init(AnyKey(key), reason: reason) }

  init(_ key: AnyKey, _ reason: Reason, at location: CodeLocation?) {
    self.init(key, reason: reason)
    self.location = location
  }

  // MARK: Creating errors

  static func notFound(_ key: AnyKey, in container: Container) -> ResolutionError {
    var error = ResolutionError(key, reason: .notFound)
    error.advice = MissingKeyAdvice(container, for: key)
    return error
  }

  /// Returns the error for a pending registration that the load of its plugin did not replace.
  static func stillPending(_ key: AnyKey) -> ResolutionError {
    var error = ResolutionError(key, reason: .notFound)
    error.knownProblem = "what was to register \(key) was loaded and did not register it; check what its entry registers"
    return error
  }

  /// - Parameter entries: The entries around a dependency cycle, the first one repeated at the end.
  static func cycle(through entries: some Sequence<Entry>) -> ResolutionError {
    let entries = Array(entries)
    var error = ResolutionError(entries[0].key, reason: .cycle(entries.map(\.key)))
    error.path = entries.map(Step.init)
    error.isInOverride = entries.count == 2 && Container.isOverriding(entries[0])
    return error
  }

  /// Returns the error as it leaves the factory of an entry, with the entry at the start of its path. The key of the error itself is
  /// not part of the path, and a dependency cycle has its own list of keys.
  func passing(_ entry: Entry) -> ResolutionError {
    if case .cycle = reason { return self }
    var error = self
    if path == nil, key == entry.key {
      error.path = []
      error.location = location ?? entry.codeLocation
    } else {
      if path?.isEmpty ?? true, entry.metatype != Injection.self { error.requesterContext = entry.context }
      error.path = [Step(entry)] + (path ?? [])
    }
    return error
  }

  /// The error as it would leave all running factories, for a caller that ends the program.
  package var passingRunningFactories: ResolutionError { BuildPath.all().reversed().reduce(self) { $0.passing($1) } }

  /// Returns the error of a resolve for a property of an injection's target, with the property unless an inner injection has set one.
  @usableFromInline
  static func concerning(_ property: any AnyKeyPath & Sendable, _ error: any Error) -> any Error {
    guard var concerning = error as? ResolutionError, concerning.property == nil else { return error }
    concerning.property = property
    return concerning
  }

  /// Returns the error for arguments that the factory of an entry does not take, with the types that the factories under its key take.
  static func mismatch(_ entry: Entry, _ request: Container.Request, in container: Container) -> ResolutionError {
    let others = container.selfAndAncestors.flatMap { $0.entries(entry.metatype, exactly: entry.tags) }
    let refusing = others.filter { other in
      !other.isSameRegistration(as: entry) && other.detailsBox?.details.otherCaching !== entry
        && !other.accepts(request.arguments)
    }
    // A factory without argument types checks them itself.
    let taken = ([entry] + refusing).map { entry in
      (entry.argumentTypes?.map { typeName($0) }.argumentList ?? "others") + Step(entry).at
    }
    let given = request.arguments.map { typeName(Swift.type(of: $0)) }.argumentList
    var error = ResolutionError(entry.key, reason: .invalidArgsType)
    error.knownProblem =
      taken.count == 1
      ? "the factory registered as \(entry.key) takes \(taken[0]) and was given \(given)"
      : "the factories registered as \(entry.key) take \(taken.joined(separator: " or ")) and were given \(given)"
    return error
  }

  // MARK: Message

  /// The problem, the dependency path, and the remedy or, for a missing key, similar registrations.
  public var description: String { (knownProblem ?? problem) + pathText + (advice?.text ?? "") }

  private var problem: String {
    switch reason {
    case .notFound: "nothing is registered as \(key)"
    case .invalidArgsType: "the factory registered as \(key) takes other arguments"
    case .invalidInstanceType:
      "the factory registered as \(step.name) made something that is not a \(key.type); "
        + "register it under the type of what it makes"
    case .requiresAsync where key.isInjection:
      "\(step.name) has an asynchronous block; inject with await, in an asynchronous function"
    case .requiresAsync:
      "the factory registered as \(step.name) is asynchronous"
        + (waitProblem(for: .asynchronous) ?? "; \(verb) it with await, in an asynchronous function")
    case .requiresIsolation(let actor) where key.isInjection:
      "\(step.name) has a block that runs on \(actor); inject there with isolation: MainActor.shared, or with await"
    case .requiresIsolation(let actor):
      "the factory registered as \(step.name) runs on \(actor)"
        + (waitProblem(for: .mainActor) ?? "; \(verb) it there with isolation: MainActor.shared, or with await")
    case .noResolver:
      "the container that \(key) was to be resolved from is gone; "
        + "keep it for as long as its lazy resolvers are used"
    case .cycle(let keys):
      cycleText(path ?? keys.map { Step($0, nil) })
        + "; " + (isInOverride ? "reach the registration that it overrides with withoutOverrides" : Self.cycleRemedy)
    case .error(let error as AmbiguityError): "\(error)"
    case .error(let error): "\(step.name) could not be made: \(error)"
    }
  }

  static var cycleRemedy: String { "have one of them take a LazyResolver of the next" }

  /// Names the factory that made the request, if it does not wait for a dependency of another context.
  private func waitProblem(for context: FactoryContext) -> String? {
    guard let requesterContext, requesterContext != .asynchronous, let last = path?.last else { return nil }
    return ", and that of \(last.key), which needs it, does not wait; \(context.remedyForDependent)"
  }

  private var verb: String { path?.last?.key.isInjection == true ? "inject" : "resolve" }

  private var step: Step { Step(key, location) }

  private func cycleText(_ steps: [Step]) -> String {
    steps.count <= 2
      ? "\(steps.first?.name ?? key.name) needs itself: \(steps.map(\.key.name).joined(separator: " → "))"
      : "\(key.name) needs itself through others: \(steps.map(\.name).joined(separator: " → "))"
  }

  private var pathText: String {
    guard let path, !path.isEmpty else { return "" }
    if case .cycle = reason { return "" }
    var names = path.map(\.name)
    if let property, let injection = path.lastIndex(where: \.key.isInjection) {
      names[injection] = "\(path[injection].key.name), \(Self.name(of: property))\(path[injection].at)"
    }
    return "; dependency path: " + (names + [key.name]).joined(separator: " → ")
  }

  /// Returns the name of a property, such as `\Controller.database`. The runtime does not always know that of a computed property.
  private static func name(of property: AnyKeyPath) -> String {
    let name = property.debugDescription
    return name.contains("<computed") ? "a property of the type \(typeName(type(of: property).valueType))" : name
  }

  private typealias Step = ValidationReport.Step
}

// MARK: Details

/// Some tags match several registrations of plugins, and no registration has exactly these tags.
public struct AmbiguityError: Error, CustomStringConvertible {
  /// A registration that has the requested tags.
  public struct Match: Sendable {
    /// The key, with all tags.
    public let key: AnyKey
    /// The name of the owner, such as the plugin's id.
    public let owner: String

    /// The owner, with the registration's UUID or, without one, its tags.
    fileprivate var name: String {
      let uuid = key.tagset.lazy.compactMap { $0.value as? UUID }.first
      return "\(owner) as \(uuid.map { $0.uuidString.lowercased() } ?? key.tagset.tagList)"
    }
  }

  /// The requested type and tags.
  public let key: AnyKey
  /// In the order of registration.
  public let matches: [Match]

  init(_ key: AnyKey, _ entries: [Entry]) {
    self.key = key
    matches = entries.compactMap { entry in entry.owner.map { Match(key: entry.key, owner: $0.name) } }
  }

  /// The plugins and UUIDs to choose from.
  public var description: String {
    "several registrations match \(key): \(matches.map(\.name).joined(separator: ", ")); add the UUID of one of them to the tags"
  }
}

extension [String] {
  /// The types of arguments as the object of a sentence, such as "(Swift.Int)" or "no arguments".
  var argumentList: String { isEmpty ? "no arguments" : "(\(joined(separator: ", ")))" }
}
