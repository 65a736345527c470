internal import FoundationEssentials
internal import Troupe
internal import TroupeCall
internal import TroupeFiles

/// The container of a host, with the queries for those who know a contract, tags, a UUID or a description, but no Swift type: programs in C
/// and Python, commands, and plugins.
///
/// No second table of registrations exists: each entry of a plugin carries its `RegistrationDescription` as `registrantInfo`, and
/// `Entry.registration` reads it. Entries of the program have none; the queries from C return them as well. A query sees all of a change of
/// the container or none of it.
final class PluginRegistry: Sendable {
  /// The container of all plugins, in which the program registers as well.
  let container: Container
  /// The largest size in bytes of a buffer that a C function gets or returns as values.
  let maximumBufferSize: Int
  /// True to cancel the call that a thread waits for; see `PluginHost.Options.isInterrupted`.
  let isInterrupted: (@Sendable () -> Bool)?
  private let contracts: [String: Contract]
  /// The names of the contracts by the mangled names of their Swift types, to describe registrations whose plugins are not open.
  private let contractNames: [String: String]

  /// Creates an empty catalog that knows some contracts.
  ///
  /// Of two contracts with the same name the later one counts: a host puts its own ones first, so that a program, or a probe with its
  /// stricter check of tables, can replace them.
  init(
    contracts: [Contract], maximumBufferSize: Int = PreparedCall.defaultMaximumBufferSize,
    isInterrupted: (@Sendable () -> Bool)? = nil, log: Log = .standardError()
  ) {
    container = Container { failure in log.write(.debug, failure.owner?.name ?? "troupe", "\(failure)") }
    let named = Dictionary(contracts.map { ($0.name, $0) }) { _, last in last }
    self.contracts = named
    let counting = contracts.filter { named[$0.name]?.type == $0.type }
    let names = counting.compactMap { contract in _mangledTypeName(contract.type).map { ($0, contract.name) } }
    contractNames = Dictionary(names) { first, _ in first }
    (self.maximumBufferSize, self.isInterrupted) = (maximumBufferSize, isInterrupted)
  }

  func contract(named name: String) -> Contract? { contracts[name] }

  /// Returns the name of the contract whose instances are of a Swift type, or nil. Of several contracts for the type, the first one counts.
  func contractName(of type: any Any.Type) -> String? { _mangledTypeName(type).flatMap { contractNames[$0] } }

  /// Registers the entries of a plugin in one change of the container. Registers none of them if another plugin has one of their UUIDs.
  ///
  /// - Parameter old: The owner of the registrations that the entries replace; nil for none.
  /// - Returns: The reason why nothing was registered, or nil.
  func add(_ entries: [Entry], owner: Owner, replacing old: Owner? = nil) -> Diagnosis? {
    container.replace(owner: old, with: entries, owner: owner) { clash(with: entries) }
  }

  /// Runs under the lock of the container's writers, so that no other plugin registers a UUID between the check and the change.
  private func clash(with entries: [Entry]) -> Diagnosis? {
    for case let new as RegistrationDescription in entries.map(\.registrantInfo) {
      guard let uuid = new.uuid, let holder = holder(of: uuid), holder.plugin != new.plugin else { continue }
      return .duplicate(uuid, of: new.name, holder: holder)
    }
    return nil
  }

  // MARK: Queries

  /// Returns the entries of plugins with all of the tags and, if one is given, of the contract, in the order of registration.
  func entries(contract: String? = nil, tags: [String] = []) -> [Entry] {
    container.ownEntries(including: Set(tags.map(Self.tag))).filter { entry in
      entry.registration.map { contract == nil || $0.contract == contract } ?? false
    }
  }

  var all: [RegistrationDescription] { entries().compactMap(\.registration) }

  func holder(of uuid: UUID) -> RegistrationDescription? {
    container.ownEntries(including: [AnySendableHashable(uuid)]).lazy.compactMap(\.registration).first { $0.uuid == uuid }
  }

  /// Returns the tag for a text: a UUID if the text is one.
  static func tag(_ text: String) -> AnySendableHashable {
    UUID(parsing: text).map { AnySendableHashable($0) } ?? AnySendableHashable(text)
  }

  /// Returns the key under which a registration has its entry, as far as its description tells it.
  ///
  /// The type is `Any` if this process does not know it. The tags lack those that are neither text nor UUID. A C function has a second
  /// entry with the type `Value`, whose factory calls it.
  func key(of registration: RegistrationDescription) -> AnyKey {
    let type: any Any.Type =
      switch registration.types {
      case .c: registration.contract.map { contract(named: $0)?.type ?? ForeignInstance.self } ?? ForeignFunction.self
      case .swift(let instance, _): MangledType(instance)?.type ?? Any.self
      case .opaque: Any.self
      }
    return AnyKey(metatype: type, tags: TagList(registration.tags, registration.uuid))
  }

  /// Adds the contract of this host for the Swift type of a registration that the cache or a worker has described; see `asDeclared`.
  func described(_ registration: RegistrationDescription) -> RegistrationDescription {
    guard case .swift(let instance, _) = registration.types else { return registration }
    var described = registration
    // The $ is in the mangled name of a private type, with an address in the process of the plugin.
    described.contract = instance.contains("$") ? nil : contractNames[instance]
    return described
  }

  /// Returns the present entry of a registration: the one that it describes, else the one that has taken its key, as in another version of
  /// the plugin. Nil if there is neither, as after the plugin has been retired.
  private func entry(of registration: RegistrationDescription) -> Entry? {
    let exact = container[key(of: registration)]
    if let exact, exact.registration?.isSame(as: registration) == true { return exact }
    let same = container.ownEntries(including: []).filter { $0.registration?.isSame(as: registration) == true }
    return same.first { $0.registration?.types == registration.types } ?? same.first ?? exact
  }

  // MARK: Instances

  /// Returns the entries of `entries(contract:tags:)`, none of them pending: opens the plugins of pending entries and searches again, until
  /// one search finds no pending entry.
  ///
  /// - Throws: A `RegistrationError` if a plugin cannot be opened.
  func openEntries(contract: String?, tags: [String]) throws -> [Entry] {
    try container.loaded({ entries(contract: contract, tags: tags) }) { entry, error in
      entry.registration.map { RegistrationError(registration: $0, cause: error) } ?? error
    }
  }

  /// Returns an instance of a registration, and opens its plugin. A plain function returns its `ForeignFunction` if there are no arguments,
  /// otherwise the result of a call.
  ///
  /// - Parameter scope: The container to resolve from, below `container`; nil for `container`.
  /// - Throws: A `ResolutionError`, an error of the factory, or a `CallError` or `Diagnosis` for unsuitable arguments.
  func instance(of registration: RegistrationDescription, arguments: FactoryArguments, in scope: Container? = nil) throws -> Any
  {
    try instance(of: openEntry(of: registration), arguments: arguments, in: scope)
  }

  /// Returns an instance of an entry of a plugin that is open; see `instance(of:arguments:in:)`.
  func instance(of entry: Entry, arguments: FactoryArguments, in scope: Container? = nil) throws -> Any {
    let (values, isCalled) = try values(for: entry, arguments)
    let instance = try (scope ?? container).instance(of: entry, arguments: values)
    return try isCalled ? call(instance, arguments) : instance
  }

  /// Returns the instance of `instance(of:arguments:in:)`, also from an asynchronous factory or one on the main actor.
  nonisolated(nonsending)
    func instanceAsync(
      of registration: RegistrationDescription, arguments: FactoryArguments, in scope: Container? = nil
    ) async throws -> Any
  {
    try await instanceAsync(of: openEntry(of: registration), arguments: arguments, in: scope)
  }

  /// Returns the instance of `instance(of:arguments:in:)`, also from an asynchronous factory or one on the main actor.
  nonisolated(nonsending)
    func instanceAsync(of entry: Entry, arguments: FactoryArguments, in scope: Container? = nil) async throws -> Any
  {
    let (values, isCalled) = try values(for: entry, arguments)
    let instance = try await (scope ?? container).instanceAsync(of: entry, arguments: values)
    return try isCalled ? call(instance, arguments) : instance
  }

  /// Returns the entry of a registration after its plugin was opened.
  private func openEntry(of registration: RegistrationDescription) throws -> Entry {
    let found = try container.loaded({ entry(of: registration).map { [$0] } ?? [] }) { $1 }
    guard let entry = found.first else { throw ResolutionError(key(of: registration), reason: .notFound) }
    return entry
  }

  /// Returns the arguments for the factory of an entry. A plain function is an instance without arguments: `isCalled` is then true if the
  /// caller's arguments are for a call of that instance.
  private func values(for entry: Entry, _ arguments: FactoryArguments) throws -> (values: [Any], isCalled: Bool) {
    guard let function = entry.registration?.function else {
      return (try arguments.values(for: entry.argumentTypes ?? entry.registration?.knownArgumentTypes ?? []), false)
    }
    if entry.registration?.isFunction == true { return ([], !arguments.isEmpty) }
    return (try arguments.values(for: function), false)
  }

  private func call(_ instance: Any, _ arguments: FactoryArguments) throws -> Any {
    guard let function = instance as? ForeignFunction else { return instance }
    let read = try self.arguments(for: function.signature, of: function.registration.plugin, isIsolated: function.isIsolated) {
      try arguments.values(for: $0, functions: $1)
    }
    return try withExtendedLifetime(read.callbacks) { try function.call(read.values) }
  }
}

extension Diagnosis {
  /// Returns the diagnosis of a factory with the UUID of another registration.
  static func duplicate(_ uuid: UUID, of name: String, holder: RegistrationDescription) -> Diagnosis {
    Diagnosis(
      .duplicateUUID, RegistrationDescription.subject(name),
      problem: "has the UUID \(uuid.uuidString.lowercased()), which \"\(holder.name)\" of \(holder.plugin) already has",
      remedy: "make another with uuidgen")
  }
}

/// Queries from C, which also return registrations of the program.
extension PluginRegistry {
  /// Returns the entries of a contract with all of the tags, in the order of registration: those of plugins, and those of the program in
  /// the host's container or in a scope.
  ///
  /// - Parameter scope: A container below the host's, whose registrations match as well; nil for none.
  func entries(ofContract name: String, tags: [String], in scope: Container?) -> [Entry] {
    let wanted = Set(tags.map(Self.tag))
    guard let contract = contract(named: name) else {
      // The instances of all unknown contracts have the same type. Only plugins register them, and they do so in the host's container.
      return container.entries(of: ForeignInstance.self, including: wanted).filter { $0.registration?.contract == name }
    }
    // Several contracts may have the same type.
    return (scope ?? container).entries(of: contract.type, including: wanted).filter {
      $0.registration.map { $0.contract == name } ?? true
    }
  }

  /// Returns a text that names an entry and its registrant, for an error.
  func name(of entry: Entry) -> String {
    entry.registration.map { "\($0.name) \($0.distinction)" } ?? "\(entry.key) (the program)"
  }
}
