/// The description of a registration in `Container.explain(_:)` and `Container.graph()`.
public struct RegistrationSummary: Sendable {
  /// The key.
  public let key: AnyKey
  /// The depth of its container: 0 for the container of the call, 1 for its parent and so on.
  public let depth: Int
  /// The lifetime of its instances.
  public let lifetime: Lifetime
  /// The context of its factory.
  public let context: FactoryContext
  /// The argument types of its factory; nil if the factory checks its arguments itself.
  public let argumentTypes: [String]?
  /// Whether its instance exists: of a singleton, or of a scoped registration in the scope of the call.
  public let isBuilt: Bool
  /// Whether it is pending: the first request for its instance loads the registration that replaces it.
  public let isPending: Bool
  /// The name of its owner, such as a plugin's id, or nil.
  public let owner: String?
  /// Its source location, such as `Example/Services.swift:12`, or nil if it is not known.
  public let location: String?

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
    location = entry.location
  }

  /// The argument types as text; nil for a factory without arguments or one that checks them itself.
  var arguments: String? {
    argumentTypes.flatMap { $0.isEmpty ? nil : "takes (\($0.joined(separator: ", ")))" }
  }
}

/// The context in which a factory runs.
public enum FactoryContext: String, Sendable, Hashable, Codable {
  /// The caller's context.
  case any
  /// An asynchronous context.
  case asynchronous
  /// The main actor.
  case mainActor

  /// The context as text; nil for any.
  var phrase: String? {
    switch self {
    case .any: nil
    case .asynchronous: "asynchronous"
    case .mainActor: "on the main actor"
    }
  }

  /// The remedy for a factory that does not wait for a dependency of this context.
  var remedyForDependent: String {
    switch self {
    case .any: "resolve it"
    case .asynchronous: "let that wait, as auto { (…) async in … } and { resolver async throws in … } do"
    case .mainActor:
      "let that run there, with mainauto and isolation: MainActor.shared, or wait, as auto { (…) async in … } does"
    }
  }
}

extension Entry {
  /// The context of the factory; `.any` for a pending entry, whose factory is not known.
  final var context: FactoryContext {
    switch kind {
    case .plain, .arguments, .dynamic, .weak, .pending: .any
    case .async, .asyncArguments: .asynchronous
    case .main: .mainActor
    }
  }
}

// MARK: As data

extension RegistrationSummary: Encodable {
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
    try members.encode(location, forKey: .location)
  }

  private enum Member: String, CodingKey {
    case type, tags, depth, lifetime, context, arguments, isBuilt, isPending, owner, location = "place"
  }
}
