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
    /// Nil, since what was asked for is an optional of something that is not registered.
    case nothing
    /// A `LazyResolver`, whatever is registered; `answers` are what that would resolve.
    case lazy
    /// An error, since nothing is registered under the key.
    case notFound
    /// An error, since what is registered under the key takes other arguments; it is the first of `others`.
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
    /// Its type only has the same name, in another module or another scope.
    case otherType
  }

  /// A registration that answers, or that one may have expected to.
  public struct Candidate: Sendable {
    /// The key.
    public let key: AnyKey
    /// In which container it is: 0 for the one that was asked, 1 for its parent and so on.
    public let depth: Int
    /// How long its instances live.
    public let lifetime: Lifetime
    /// Where its factory runs.
    public let context: FactoryContext
    /// The types of the arguments that its factory takes; nil if it looks at its arguments by itself.
    public let argumentTypes: [String]?
    /// Whether it is a singleton that has its instance.
    public let isBuilt: Bool
    /// Whether it stands for one that is registered when somebody resolves it.
    public let isPending: Bool
    /// On whose behalf it was registered, such as a plugin's id, or nil.
    public let owner: String?
    /// Where it was registered, such as `Example/Services.swift:12`, or nil if that is not known.
    public let place: String?
    /// Why it does not answer; empty for one that does.
    public let reasons: [Reason]
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
}

/// Where a factory runs.
public enum FactoryContext: String, Sendable, Hashable, Codable {
  /// In the context of whoever resolves.
  case any
  /// In an asynchronous context.
  case asynchronous
  /// On the main actor.
  case mainActor
}

extension Entry {
  /// Where the factory runs; for what is pending, anywhere, as far as anybody knows.
  final var context: FactoryContext {
    switch kind {
    case .plain, .arguments, .dynamic, .weak, .pending: .any
    case .async: .asynchronous
    case .main: .mainActor
    }
  }
}

// MARK: As text

extension Explanation {
  /// A line that says what a resolve would do, and one for each registration that answers or does not, with the reason.
  public var description: String {
    let given = argumentTypes.isEmpty ? "" : " with (\(argumentTypes.joined(separator: ", ")))"
    let lines =
      ["\(key)\(given): \(summary)"] + answers.map { "  \($0)" } + others.map { "  not \($0)" }
    return lines.map { $0.escapingControls + "\n" }.joined()
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
    var facts = ["\(key)"]
    if let argumentTypes {
      if !argumentTypes.isEmpty { facts.append("takes (\(argumentTypes.joined(separator: ", ")))") }
    } else {
      facts.append("looks at its arguments by itself")
    }
    facts.append("\(lifetime)" + (isBuilt ? ", which is built" : ""))
    switch context {
    case .any: break
    case .asynchronous: facts.append("asynchronous")
    case .mainActor: facts.append("on the main actor")
    }
    if isPending { facts.append("to be loaded") }
    if depth > 0 { facts.append(depth == 1 ? "of the parent" : "of the container \(depth) above") }
    if let owner { facts.append("owned by \(owner)") }
    if let place { facts.append("registered at \(place)") }
    return facts.joined(separator: ", ") + (reasons.isEmpty ? "" : ": " + reasons.map(\.description).joined(separator: ", "))
  }
}

extension Explanation.Reason: CustomStringConvertible {
  /// The end of a sentence that begins with the registration.
  public var description: String {
    switch self {
    case .lacksTags(let tags): "lacks the tag\(tags.count == 1 ? "" : "s") \(tags.joined(separator: ", "))"
    case .furtherTags(let tags): "has the further tag\(tags.count == 1 ? "" : "s") \(tags.joined(separator: ", "))"
    case .otherArguments(let types?): "takes \(types.isEmpty ? "no arguments" : "(\(types.joined(separator: ", ")))")"
    case .otherArguments(nil): "looks at its arguments by itself"
    case .overridden(let depth): depth == 0 ? "is overridden here" : "is overridden in the container at depth \(depth)"
    case .secondChoice: "is the second choice for these arguments"
    case .otherType: "is another type of that name"
    }
  }
}

// MARK: As data

extension Explanation: Encodable {
  /// Encodes `{type, tags, arguments, outcome, answers, others}`.
  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: Member.self)
    try members.encode(key.type, forKey: .type)
    try members.encode(key.sortedTags, forKey: .tags)
    try members.encode(argumentTypes, forKey: .arguments)
    try members.encode(outcome, forKey: .outcome)
    try members.encode(answers, forKey: .answers)
    try members.encode(others, forKey: .others)
  }

  private enum Member: CodingKey { case type, tags, arguments, outcome, answers, others }
}

extension Explanation.Candidate: Encodable {
  /// Encodes `{type, tags, depth, lifetime, context, arguments, isBuilt, isPending, owner, place, reasons}`, the reasons as text.
  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: Member.self)
    try members.encode(key.type, forKey: .type)
    try members.encode(key.sortedTags, forKey: .tags)
    try members.encode(depth, forKey: .depth)
    try members.encode("\(lifetime)", forKey: .lifetime)
    try members.encode(context, forKey: .context)
    try members.encode(argumentTypes, forKey: .arguments)
    try members.encode(isBuilt, forKey: .isBuilt)
    try members.encode(isPending, forKey: .isPending)
    try members.encode(owner, forKey: .owner)
    try members.encode(place, forKey: .place)
    try members.encode(reasons.map(\.description), forKey: .reasons)
  }

  private enum Member: CodingKey {
    case type, tags, depth, lifetime, context, arguments, isBuilt, isPending, owner, place, reasons
  }
}
