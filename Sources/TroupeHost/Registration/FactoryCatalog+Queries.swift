internal import Troupe

/// Queries from C.
extension FactoryCatalog {
  /// A registration that matches a query.
  enum Match {
    case plugin(Registration)
    /// Registered by the program in the host's container or in a scope of it.
    case program(Entry)

    /// All tags, the UUID included.
    var tags: Set<AnySendableHashable> {
      switch self {
      case .plugin(let registration): registration.key.tagset
      case .program(let entry): entry.key.tagset
      }
    }

    /// The registration and its registrant, for an error.
    var name: String {
      switch self {
      case .plugin(let registration): "\(registration.name) \(registration.distinction)"
      case .program(let entry): "\(entry.key) (the program)"
      }
    }
  }

  /// Returns the registrations of a contract that have all of the tags, in the order of registration.
  ///
  /// - Parameter scope: A container below the host's, whose registrations match as well; nil for none.
  func matches(contract name: String, tags: [String], in scope: Container?) -> [Match] {
    let registrations = registrations(contract: name, tags: tags)
    // The program cannot register instances of an unknown contract, which has no Swift type.
    guard let contract = contract(named: name) else { return registrations.map(Match.plugin) }
    let entries = (scope ?? container).entries(of: contract.type, including: Set(tags.map(Self.tag)))
    let own = entries.filter { !$0.allowsPartialTags }
    guard !own.isEmpty else { return registrations.map(Match.plugin) }
    let overridden = Set(own.map(\.key))
    let places = Dictionary(entries.enumerated().map { ($1.key, $0) }) { first, _ in first }
    let plugins = registrations.filter { !overridden.contains($0.key) }.map { (key: $0.key, match: Match.plugin($0)) }
    // The sort is stable: registrations of unknown types, which are not in the container, come last.
    return (plugins + own.map { (key: $0.key, match: Match.program($0)) })
      .sorted { places[$0.key] ?? .max < places[$1.key] ?? .max }.map(\.match)
  }

  /// Returns an instance of a match. Throws what `instance(of:arguments:in:)` throws.
  func instance(of match: Match, arguments: FactoryArguments, in scope: Container?) throws -> Any {
    switch match {
    case .plugin(let registration): try instance(of: registration, arguments: arguments, in: scope)
    case .program(let entry):
      try (scope ?? container).instance(of: entry, arguments: arguments.values(for: entry.argumentTypes ?? []))
    }
  }
}
