/// Why a resolve returns what it does: the registrations that it uses, and those that the caller may have expected, each with the
/// reason why it is not used.
///
/// ```swift
/// container.register(String.self, tags: "greeting", "polite") { _ in "Good morning" }
/// print(container.explain(Key<String>(tags: "greeting")))
/// // Swift.String ["greeting"]: nothing is registered under it
/// //   not Swift.String ["greeting", "polite"], transient, registered at Example/main.swift:2: has the further tag "polite"
/// ```
public struct Explanation: Sendable, CustomStringConvertible {
  /// The form of the result of a resolve, or of its error.
  public enum Outcome: String, Sendable, Hashable, Codable {
    /// The instance of one registration.
    case instance
    /// An array or a set of the instances of all `answers`, which may be empty.
    case array
    /// Nil, because the key is of an optional type and is not registered.
    case nothing
    /// A `LazyResolver`, for any key; its resolve would use `answers`.
    case lazy
    /// An error: the key is not registered, or its weak object was released.
    case notFound
    /// An error: the registration under the key, or a member of the array, takes other arguments. It is among `others`.
    case otherArguments
  }

  /// A reason why a resolve does not use a registration.
  public enum Exclusion: Sendable, Hashable {
    /// It lacks some of the requested tags.
    case lacksTags([String])
    /// It has tags besides the requested ones.
    case furtherTags([String])
    /// It takes arguments of other types: these, or with nil, some that it checks itself.
    case otherArguments([String]?)
    /// The container at this depth has a registration of the same key, which takes precedence.
    case overridden(depth: Int)
    /// Another registration with the same key takes exactly the given arguments, or was registered later.
    case secondChoice
    /// It is weak, and its object was released.
    case gone
    /// Its type has the same name, but is in another module or another scope.
    case otherType
  }

  /// A registration that a resolve uses, or that the caller may have expected, with the properties of `RegistrationSummary`.
  @dynamicMemberLookup
  public struct Candidate: Sendable {
    /// The registration as it was at the time of the call.
    public let registration: RegistrationSummary
    /// Why a resolve does not use the registration; empty if it does.
    public let reasons: [Exclusion]

    /// A property of `registration`.
    public subscript<Value>(dynamicMember fact: KeyPath<RegistrationSummary, Value>) -> Value { registration[keyPath: fact] }
  }

  /// The requested key.
  public let key: AnyKey
  /// The types of the given arguments.
  public let argumentTypes: [String]
  /// The result that a resolve would have now, found without running a factory.
  public let outcome: Outcome
  /// The registrations that a resolve uses, in the order of an array.
  public let answers: [Candidate]
  /// The other registrations with their reasons: the nearest first, a hundred at most.
  public let others: [Candidate]
  /// The types of the assemblies that have not made their registrations, since `assemble()` was not called.
  public let waitingAssemblies: [String]
}

extension Container {
  /// Explains what a resolve of a key without arguments would return from here, without making an instance or loading a pending
  /// registration.
  ///
  /// Safe to call from any thread. Cost: that of `validate()`, since it reads all registrations.
  public func explain(_ key: AnyKey) -> Explanation { explain(key, arguments: []) }

  /// Explains a resolve of a key without arguments; see `explain(_:)` for `AnyKey`.
  public func explain<T>(_ key: Key<T>) -> Explanation { explain(AnyKey(key), arguments: []) }

  /// Explains a resolve of a type without tags and arguments; see `explain(_:)` for `AnyKey`.
  public func explain<T>(_ type: T.Type) -> Explanation { explain(AnyKey(metatype: type, tags: []), arguments: []) }

  /// Explains a resolve of a type and tags with arguments of some types; see `explain(_:)` for `AnyKey`.
  ///
  /// The types select the factory as in a resolve. Whether a factory takes an argument may also depend on its value: an instance may
  /// be of a subclass, an optional may be nil. Then the answer is a factory that takes some values, unless another one takes all.
  ///
  /// ```swift
  /// print(container.explain(String.self, tags: "greeting", arguments: Int.self))
  /// ```
  public func explain<T, each Tag: Hashable & Sendable, each Argument>(
    _ type: T.Type, tags: repeat each Tag, arguments: repeat (each Argument).Type
  ) -> Explanation {
    explain(
      AnyKey(metatype: type, tags: TagList.boxed(repeat each tags)), arguments: ArgumentList<repeat each Argument>.types)
  }

  private func explain(_ key: AnyKey, arguments: [any Any.Type]) -> Explanation {
    let snapshot = RegistrationSnapshot(self)
    let resolution = snapshot.resolution(of: key, arguments, from: 0)
    func isGone(_ item: Int) -> Bool { snapshot.items[item].entry.isGone }
    var (wanted, found) = (resolution.key, [Int]())
    var outcome = resolution.isOptional ? Explanation.Outcome.nothing : .notFound
    switch resolution.target {
    case .registrations(_, fit: false): outcome = .otherArguments
    case .registrations(let items, fit: true):
      found = items
      if !items.contains(where: isGone) { outcome = .instance }
    case .array(let element):
      let members = snapshot.candidates(element, from: 0)
      (wanted, found) = (element, members.filter { snapshot.items[$0].mayAccept(arguments) })
      outcome = found.count == members.count ? .array : .otherArguments
    case .nothing: break
    }
    let answers = found.filter { !isGone($0) }
    let isArray = if case .array = resolution.target { true } else { false }
    return Explanation(
      key: key, argumentTypes: arguments.map { typeName($0) }, outcome: resolution.isLazy ? .lazy : outcome,
      answers: answers.map { Explanation.Candidate(registration: RegistrationSummary(snapshot.items[$0]), reasons: []) },
      others: snapshot.others(than: answers, wanted, arguments, isArray: isArray),
      waitingAssemblies: waitingAssemblies.map(\.type))
  }
}

// MARK: Exclusions

extension RegistrationSnapshot {
  /// Returns the registrations that the caller may have expected, the nearest first.
  fileprivate func others(
    than answers: [Int], _ wanted: AnyKey, _ given: [any Any.Type], isArray: Bool
  ) -> [Explanation.Candidate] {
    let limit = 100
    let answers = Set(answers)
    let name = String(describing: wanted.metatype)
    var found: [(distance: Int, item: Int, reasons: [Explanation.Exclusion])] = []
    for (index, item) in items.enumerated() where !answers.contains(index) {
      let isOtherType = item.entry.metatype != wanted.metatype
      if isOtherType, String(describing: item.entry.metatype) != name { continue }
      let reasons = isOtherType ? [.otherType] : exclusions(of: index, wanted, given, isArray: isArray)
      found.append((reasons.reduce(0) { $0 + $1.distance }, index, reasons))
    }
    // Sorting is stable: equally near registrations keep their order.
    return found.sorted { $0.distance < $1.distance }.prefix(limit).map {
      Explanation.Candidate(registration: RegistrationSummary(items[$0.item]), reasons: $0.reasons)
    }
  }

  private func exclusions(of index: Int, _ wanted: AnyKey, _ given: [any Any.Type], isArray: Bool) -> [Explanation.Exclusion] {
    let entry = items[index].entry
    var reasons: [Explanation.Exclusion] = entry.isGone ? [.gone] : []
    let missing = wanted.tags.filter { !entry.includes([$0]) }
    if !missing.isEmpty { reasons.append(.lacksTags(missing.map(\.erased.description).sorted())) }
    let further = entry.tags.filter { tag in !wanted.tags.contains { $0.hash == tag.hash && $0.equals(tag) } }
    if !isArray, !further.isEmpty { reasons.append(.furtherTags(further.map(\.erased.description).sorted())) }
    if let overriding = overriding(index) { reasons.append(.overridden(depth: items[overriding].depth)) }
    guard reasons.isEmpty else { return reasons }
    if entry.fit(given) == .never { return [.otherArguments(entry.argumentTypes?.map { typeName($0) })] }
    // A resolve uses another registration with the same key, here or in a child.
    let nearer = (0..<items[index].depth).first { !items(wanted, depth: $0).isEmpty }
    return [nearer.map { .overridden(depth: $0) } ?? .secondChoice]
  }
}

extension Explanation.Exclusion {
  /// How far a registration is from the request.
  fileprivate var distance: Int {
    switch self {
    case .gone, .secondChoice: 1
    case .otherArguments: 2
    case .overridden: 3
    case .furtherTags(let tags): 10 + tags.count
    case .lacksTags(let tags): 100 * (1 + tags.count)
    case .otherType: 1_000_000
    }
  }
}

// MARK: As text

extension Explanation {
  /// A line with the outcome, a line for each registration and, unless the outcome is an instance, one for each assembly that is not
  /// assembled.
  public var description: String {
    let given = argumentTypes.isEmpty ? "" : " with (\(argumentTypes.joined(separator: ", ")))"
    let lines =
      ["\(key)\(given): \(summary)".escapingControls] + answers.map { "  \($0)" } + others.map { "  not \($0)" }
    let waiting = outcome == .instance ? [] : waitingAssemblies.map { "  not assembled yet: \($0); call assemble()" }
    return (lines + waiting).map { $0 + "\n" }.joined()
  }

  private var summary: String {
    switch outcome {
    case .instance: "an instance of this registration"
    case .array: answers.isEmpty ? "empty, since nothing fits" : "the instances of \(answers.count)"
    case .nothing: "nil, since nothing is registered under it"
    case .lazy: answers.isEmpty ? "a lazy resolver, which would find nothing" : "a lazy resolver of"
    case .notFound: "nothing is registered under it"
    case .otherArguments: "what is registered under it takes other arguments"
    }
  }
}

extension Explanation.Candidate: CustomStringConvertible {
  /// One line with the registration and its reasons.
  public var description: String {
    let depth = registration.depth
    let facts =
      [
        "\(registration.key)",
        registration.argumentTypes == [] ? nil : Explanation.Exclusion.otherArguments(registration.argumentTypes).description,
        "\(registration.lifetime)" + (registration.isBuilt ? ", which is built" : ""),
        registration.context.phrase,
        registration.isPending ? "to be loaded" : nil,
        depth == 0 ? nil : depth == 1 ? "of the parent" : "of the container \(depth) above",
        registration.owner.map { "owned by \($0)" },
        registration.location.map { "registered at \($0)" },
      ] as [String?]
    return facts.compactMap(\.self).joined(separator: ", ").escapingControls
      + (reasons.isEmpty ? "" : ": " + reasons.map(\.description).joined(separator: ", "))
  }
}

extension Explanation.Exclusion: CustomStringConvertible {
  /// The end of a sentence whose subject is the registration.
  public var description: String {
    let text =
      switch self {
      case .lacksTags(let tags): "lacks the tag\(tags.count == 1 ? "" : "s") \(tags.joined(separator: ", "))"
      case .furtherTags(let tags): "has the further tag\(tags.count == 1 ? "" : "s") \(tags.joined(separator: ", "))"
      case .otherArguments(let types): types.map { "takes \($0.argumentList)" } ?? "checks its arguments itself"
      case .overridden(let depth): depth == 0 ? "is overridden here" : "is overridden in the container at depth \(depth)"
      case .secondChoice: "is the second choice for these arguments"
      case .gone: "is weak, and its object is gone"
      case .otherType: "is another type of that name"
      }
    return text.escapingControls
  }
}

// MARK: Encoding

extension Explanation: Encodable {
  /// Encodes `{type, tags, arguments, outcome, answers, others, waitingAssemblies}`.
  public func encode(to encoder: any Encoder) throws {
    try key.encode(to: encoder)
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(argumentTypes, forKey: .arguments)
    try members.encode(outcome, forKey: .outcome)
    try members.encode(answers, forKey: .answers)
    try members.encode(others, forKey: .others)
    try members.encode(waitingAssemblies, forKey: .waitingAssemblies)
  }

  private enum CodingKeys: CodingKey { case arguments, outcome, answers, others, waitingAssemblies }
}

extension Explanation.Candidate: Encodable {
  /// Encodes the registration, and `{reasons}` as text.
  public func encode(to encoder: any Encoder) throws {
    try registration.encode(to: encoder)
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(reasons.map(\.description), forKey: .reasons)
  }

  private enum CodingKeys: CodingKey { case reasons }
}
