/// A registration as `Container.explain(_:)` and `Container.graph()` describe it. It keeps no reference to the registration.
public struct RegistrationSummary: Sendable {
  /// The registered type and tags.
  public let key: AnyKey
  /// The depth of its container: 0 for the container of the call, 1 for its parent and so on.
  public let depth: Int
  /// How long instances live.
  public let lifetime: Lifetime
  /// Where the factory runs.
  public let context: FactoryContext
  /// Nil for a factory that checks its arguments itself.
  public let argumentTypes: [String]?
  /// True if the instance of a singleton exists, or that of a scoped registration in the scope of the call.
  public let isBuilt: Bool
  /// True if the first request for an instance will load a plugin, whose registration replaces this one.
  public let isPending: Bool
  /// The name of the owner, such as a plugin's id.
  public let owner: String?
  /// The source location, such as `Example/Services.swift:12`, if it is known.
  public let location: String?

  init(_ item: RegistrationSnapshot.Item) {
    let entry = item.entry
    key = entry.key
    depth = item.depth
    lifetime = entry.lifetime
    context = entry.context
    argumentTypes = entry.argumentTypes?.map { typeName($0) }
    isBuilt = item.isBuilt
    isPending = entry.kind == .pending
    owner = entry.owner?.name
    location = entry.location
  }
}

/// The isolation that a factory needs.
public enum FactoryContext: String, Sendable, Hashable, Codable {
  /// In the caller's context.
  case any
  /// In an asynchronous context, so that a synchronous factory cannot resolve it.
  case asynchronous
  /// On the main actor, so that only factories there and asynchronous ones can resolve it.
  case mainActor

  /// Such as "on the main actor"; nil for `.any`.
  package var phrase: String? {
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
  /// `.any` for a pending entry, whose factory is not known.
  package final var context: FactoryContext {
    switch kind {
    case .plain, .arguments, .dynamic, .weak, .pending: .any
    case .async, .asyncArguments: .asynchronous
    case .main: .mainActor
    }
  }
}

// MARK: Encoding

extension RegistrationSummary: Encodable {
  /// Encodes `{type, tags, depth, lifetime, context, arguments, isBuilt, isPending, owner, place}`.
  public func encode(to encoder: any Encoder) throws {
    try key.encode(to: encoder)
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(depth, forKey: .depth)
    try members.encode("\(lifetime)", forKey: .lifetime)
    try members.encode(context, forKey: .context)
    try members.encode(argumentTypes, forKey: .arguments)
    try members.encode(isBuilt, forKey: .isBuilt)
    try members.encode(isPending, forKey: .isPending)
    try members.encode(owner, forKey: .owner)
    try members.encode(location, forKey: .place)
  }

  private enum CodingKeys: CodingKey { case depth, lifetime, context, arguments, isBuilt, isPending, owner, place }
}
