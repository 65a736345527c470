/// The result of a resolve and its reasons, as `Container.explain(_:)` returns it.
///
/// ```swift
/// container.register(String.self, tags: "greeting", "polite") { _ in "Good morning" }
/// print(container.explain(Key<String>(tags: "greeting")))
/// // Swift.String ["greeting"]: nothing is registered under it
/// //   not Swift.String ["greeting", "polite"], transient, registered at Example/main.swift:2: has the further tag "polite"
/// ```
public struct Explanation: Sendable, CustomStringConvertible {
  /// The result of a resolve.
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
  public enum Reason: Sendable, Hashable {
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

  /// A registration that a resolve uses, or that the caller may have expected. It has the properties of `RegistrationSummary`.
  @dynamicMemberLookup
  public struct Candidate: Sendable {
    /// The registration.
    public let registration: RegistrationSummary
    /// The reasons why a resolve does not use it; empty if it does.
    public let reasons: [Reason]

    /// A property of the registration.
    public subscript<Value>(dynamicMember fact: KeyPath<RegistrationSummary, Value>) -> Value { registration[keyPath: fact] }
  }

  /// The requested key.
  public let key: AnyKey
  /// The types of the arguments.
  public let argumentTypes: [String]
  /// The result of a resolve.
  public let outcome: Outcome
  /// The registrations that a resolve uses, in the order of an array.
  public let answers: [Candidate]
  /// The other registrations with their reasons: the nearest first, a hundred at most.
  public let others: [Candidate]
  /// The types of the assemblies that have not made their registrations, because `assemble()` was not called.
  public let waitingAssemblies: [String]
}

// MARK: As text

extension Explanation {
  /// One line with the result of a resolve, then one line for each registration, with the reasons why the resolve does not use it.
  /// Unless the result is one instance, then one line for each assembly that is not assembled.
  public var description: String {
    let given = argumentTypes.isEmpty ? "" : " with (\(argumentTypes.joined(separator: ", ")))"
    let lines =
      ["\(key)\(given): \(summary)".escapingControls] + answers.map { "  \($0)" } + others.map { "  not \($0)" }
    let waiting = outcome == .instance ? [] : waitingAssemblies.map { "  not assembled yet: \($0); call assemble()" }
    return (lines + waiting).map { $0 + "\n" }.joined()
  }

  /// The result of a resolve as text.
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
  /// One line for the user.
  public var description: String {
    let depth = registration.depth
    let facts =
      [
        "\(registration.key)",
        registration.argumentTypes == nil ? "looks at its arguments by itself" : registration.arguments,
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

extension Explanation.Reason: CustomStringConvertible {
  /// The end of a sentence whose subject is the registration.
  public var description: String { text.escapingControls }

  private var text: String {
    switch self {
    case .lacksTags(let tags): "lacks the tag\(tags.count == 1 ? "" : "s") \(tags.joined(separator: ", "))"
    case .furtherTags(let tags): "has the further tag\(tags.count == 1 ? "" : "s") \(tags.joined(separator: ", "))"
    case .otherArguments(let types?): "takes \(types.isEmpty ? "no arguments" : "(\(types.joined(separator: ", ")))")"
    case .otherArguments(nil): "looks at its arguments by itself"
    case .overridden(let depth): depth == 0 ? "is overridden here" : "is overridden in the container at depth \(depth)"
    case .secondChoice: "is the second choice for these arguments"
    case .gone: "is weak, and its object is gone"
    case .otherType: "is another type of that name"
    }
  }
}

// MARK: As data

extension Explanation: Encodable {
  /// Encodes `{type, tags, arguments, outcome, answers, others, waitingAssemblies}`.
  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: Member.self)
    try members.encode(key.type, forKey: .type)
    try members.encode(key.sortedTags, forKey: .tags)
    try members.encode(argumentTypes, forKey: .arguments)
    try members.encode(outcome, forKey: .outcome)
    try members.encode(answers, forKey: .answers)
    try members.encode(others, forKey: .others)
    try members.encode(waitingAssemblies, forKey: .waitingAssemblies)
  }

  private enum Member: CodingKey { case type, tags, arguments, outcome, answers, others, waitingAssemblies }
}

extension Explanation.Candidate: Encodable {
  /// Encodes the registration, and `{reasons}` as text.
  public func encode(to encoder: any Encoder) throws {
    try registration.encode(to: encoder)
    var members = encoder.container(keyedBy: Member.self)
    try members.encode(reasons.map(\.description), forKey: .reasons)
  }

  private enum Member: CodingKey { case reasons }
}
