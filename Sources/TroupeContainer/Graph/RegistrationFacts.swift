/// What `Container.explain(_:)` and `Container.graph()` tell of a registration.
public struct RegistrationFacts: Sendable {
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
  /// Whether it is a singleton that has its instance, or scoped and has it in the scope that was asked.
  public let isBuilt: Bool
  /// Whether it stands for one that is registered when somebody resolves it.
  public let isPending: Bool
  /// On whose behalf it was registered, such as a plugin's id, or nil.
  public let owner: String?
  /// Where it was registered, such as `Example/Services.swift:12`, or nil if that is not known.
  public let place: String?

  init(_ item: RegistrationSnapshot.Item) {
    let entry = item.entry
    key = entry.key
    depth = item.depth
    lifetime = entry.lifetime
    context = entry.context
    argumentTypes = entry.argumentTypes?.map { String(reflecting: $0) }
    isBuilt = item.isBuilt
    isPending = entry.kind == .pending
    owner = entry.owner?.name
    place = entry.place
  }

  /// What it takes, for a person; nil for a factory that takes no arguments or looks at them by itself.
  var arguments: String? {
    argumentTypes.flatMap { $0.isEmpty ? nil : "takes (\($0.joined(separator: ", ")))" }
  }
}

/// Where a factory runs.
public enum FactoryContext: String, Sendable, Hashable, Codable {
  /// In the context of whoever resolves.
  case any
  /// In an asynchronous context.
  case asynchronous
  /// On the main actor.
  case mainActor

  /// For a person; nil for any.
  var words: String? {
    switch self {
    case .any: nil
    case .asynchronous: "asynchronous"
    case .mainActor: "on the main actor"
    }
  }

  /// What becomes of a factory that needs something which runs here, and does not wait for it; for a person.
  var adviceToWhatNeedsIt: String {
    switch self {
    case .any: "resolve it"
    case .asynchronous: "let that wait, as auto { (…) async in … } and { resolver async throws in … } do"
    case .mainActor:
      "let that run there, with mainauto and isolation: MainActor.shared, or wait, as auto { (…) async in … } does"
    }
  }
}

extension Entry {
  /// Where the factory runs; for what is pending, anywhere, as far as anybody knows.
  final var context: FactoryContext {
    switch kind {
    case .plain, .arguments, .dynamic, .weak, .pending: .any
    case .async, .asyncArguments: .asynchronous
    case .main: .mainActor
    }
  }
}

// MARK: As data

extension RegistrationFacts: Encodable {
  /// Encodes `{type, tags, depth, lifetime, context, arguments, isBuilt, isPending, owner, place}`.
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
  }

  private enum Member: CodingKey {
    case type, tags, depth, lifetime, context, arguments, isBuilt, isPending, owner, place
  }
}
