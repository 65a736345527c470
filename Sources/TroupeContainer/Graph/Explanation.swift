/// What a resolve would do, and why, as `Container.explain(_:)` tells it.
///
/// ```swift
/// container.register(String.self, tags: "greeting", "polite") { _ in "Good morning" }
/// print(container.explain(Key<String>(tags: "greeting")))
/// // Swift.String ["greeting"]: nothing is registered under it
/// //   not Swift.String ["greeting", "polite"], transient, registered at Example/main.swift:2: has the further tag "polite"
/// ```
public struct Explanation: Sendable, CustomStringConvertible {
  /// What a resolve would give.
  public enum Outcome: String, Sendable, Hashable, Codable {
    /// The instance of one registration.
    case instance
    /// An array or a set of the instances of all `answers`, perhaps of none.
    case array
    /// Nil, since what was asked for is an optional of something that is not there.
    case nothing
    /// A `LazyResolver`, whatever is registered; `answers` are what that would resolve.
    case lazy
    /// An error, since nothing is registered under the key, or only an object that is gone.
    case notFound
    /// An error: the registration under the key, or a member of the array, takes other arguments. It is among `others`.
    case otherArguments
  }

  /// Why a registration does not answer.
  public enum Reason: Sendable, Hashable {
    /// It lacks some of the tags that are asked for.
    case lacksTags([String])
    /// It has tags besides those that are asked for.
    case furtherTags([String])
    /// It takes arguments of other types: these, or, as nil, some that it looks at by itself.
    case otherArguments([String]?)
    /// The container at this depth has a registration of the same key, which comes first.
    case overridden(depth: Int)
    /// One with the same key takes exactly the given arguments, or was registered later.
    case secondChoice
    /// It is weak, and nobody keeps its object alive any more.
    case gone
    /// Its type only has the same name, in another module or another scope.
    case otherType
  }

  /// A registration that answers, or that one may have expected to. What there is to say about it can be asked of it directly.
  @dynamicMemberLookup
  public struct Candidate: Sendable {
    /// The registration.
    public let registration: RegistrationFacts
    /// Why it does not answer; empty for one that does.
    public let reasons: [Reason]

    /// Something about the registration.
    public subscript<Value>(dynamicMember fact: KeyPath<RegistrationFacts, Value>) -> Value { registration[keyPath: fact] }
  }

  /// What was asked for.
  public let key: AnyKey
  /// The types of the arguments that would be given.
  public let argumentTypes: [String]
  /// What a resolve would give.
  public let outcome: Outcome
  /// What gives the instances, in the order of an array; one alone if it is none.
  public let answers: [Candidate]
  /// What does not, with the reasons: the nearest first, no more than a hundred.
  public let others: [Candidate]
  /// The types of the assemblies that have not made their registrations, since `assemble()` has not been called.
  public let waitingAssemblies: [String]
}

// MARK: As text

extension Explanation {
  /// The result of a resolve in one line, then a line for each registration that answers or does not, with the reason, and, unless
  /// one registration answers, a line for each assembly that is not assembled.
  public var description: String {
    let given = argumentTypes.isEmpty ? "" : " with (\(argumentTypes.joined(separator: ", ")))"
    let lines =
      ["\(key)\(given): \(summary)".escapingControls] + answers.map { "  \($0)" } + others.map { "  not \($0)" }
    let waiting = outcome == .instance ? [] : waitingAssemblies.map { "  not assembled yet: \($0); call assemble()" }
    return (lines + waiting).map { $0 + "\n" }.joined()
  }

  /// What a resolve would do.
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
  /// One line for a person.
  public var description: String {
    let depth = registration.depth
    let facts =
      [
        "\(registration.key)",
        registration.argumentTypes == nil ? "looks at its arguments by itself" : registration.arguments,
        "\(registration.lifetime)" + (registration.isBuilt ? ", which is built" : ""),
        registration.context.words,
        registration.isPending ? "to be loaded" : nil,
        depth == 0 ? nil : depth == 1 ? "of the parent" : "of the container \(depth) above",
        registration.owner.map { "owned by \($0)" },
        registration.place.map { "registered at \($0)" },
      ] as [String?]
    return facts.compactMap(\.self).joined(separator: ", ").escapingControls
      + (reasons.isEmpty ? "" : ": " + reasons.map(\.description).joined(separator: ", "))
  }
}

extension Explanation.Reason: CustomStringConvertible {
  /// The end of a sentence that begins with the registration.
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
  /// Encodes what there is to say about the registration, and `{reasons}` as text beside that.
  public func encode(to encoder: any Encoder) throws {
    try registration.encode(to: encoder)
    var members = encoder.container(keyedBy: Member.self)
    try members.encode(reasons.map(\.description), forKey: .reasons)
  }

  private enum Member: CodingKey { case reasons }
}
