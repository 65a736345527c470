internal import FoundationEssentials
internal import Synchronization
internal import Troupe
internal import TroupeCall

/// The registrations of a host's plugins, in order. Resolves instances of them.
final class FactoryCatalog: Sendable {
  /// The container of the host, with the entries of all plugins.
  let container: Container
  /// The largest size in bytes of a buffer that a C function gets or returns as values.
  let maximumBufferSize: Int
  private let contracts: [String: Contract]
  private let registrations = Mutex(RegistrationList())
  private let changes = Atomic(0)

  /// Creates an empty catalog with some contracts; of two with the same name the later one counts.
  init(contracts: [Contract], maximumBufferSize: Int = PreparedCall.defaultMaximumBufferSize, log: Log = .standardError()) {
    container = Container { failure in log.write(.debug, failure.owner?.name ?? "troupe", "\(failure)") }
    self.contracts = Dictionary(contracts.map { ($0.name, $0) }) { _, last in last }
    self.maximumBufferSize = maximumBufferSize
  }

  /// Returns the contract with a name, or nil if it is unknown.
  func contract(named name: String) -> Contract? { contracts[name] }

  /// Returns the contract whose instances have a Swift type, or nil.
  func contract(of type: any Any.Type) -> Contract? { contracts.values.first { $0.type == type } }

  /// All registrations, in order.
  var all: [Registration] { registrations.withLock { $0.all } }

  /// Returns the registration with a UUID, or nil if the UUID is free.
  func holder(of uuid: UUID) -> Registration? {
    registrations.withLock { $0.holder(of: uuid) }
  }

  /// Publishes the registrations of a plugin in one step for all readers. Returns the clash, and publishes nothing, if another plugin has
  /// registered one of the UUIDs meanwhile.
  ///
  /// - Parameter old: The owner of the plugin's earlier registrations, which the same step removes. A registration under the same key
  ///   replaces the earlier one at its position.
  func add(
    _ new: [Registration], entries: [(key: AnyKey, entry: Entry)], owner: Owner, replacing old: Owner? = nil
  ) -> UUIDClash? {
    let clash = registrations.withLock { registrations in
      let clash = registrations.clash(with: new)
      if clash == nil {
        if old == nil { registrations.append(new) } else { registrations.replace(owner.name, with: new) }
      }
      return clash
    }
    if clash == nil {
      container.replace(owner: old, with: entries.map(\.entry), owner: owner)
      changes.add(1, ordering: .releasing)
    }
    return clash
  }

  /// Unregisters all factories of an owner, the plugin of that id.
  func removeAll(of owner: Owner) {
    registrations.withLock { $0.removeAll(of: owner.name) }
    container.unregister(owner: owner)
    changes.add(1, ordering: .releasing)
  }

  /// The number of changes of the registrations.
  var changeCount: Int { changes.load(ordering: .acquiring) }

  /// Returns the registrations that have all of the tags and, if one is given, the contract.
  func registrations(contract: String?, tags: [String]) -> [Registration] {
    let wanted = Set(tags.map(Self.tag))
    return all.filter { (contract == nil || $0.contract == contract) && $0.key.tagset.isSuperset(of: wanted) }
  }

  /// Returns the tag for a text: a UUID if the text has that form.
  static func tag(_ text: String) -> AnySendableHashable {
    UUID(reading: text).map { AnySendableHashable($0) } ?? AnySendableHashable(text)
  }

  /// Returns an instance of a registration. A plain function returns itself if there are no arguments, otherwise its result.
  ///
  /// - Parameter scope: The container to resolve from, one below `container`; nil for `container`.
  /// - Throws: A `ResolutionError`, the error of the factory, or a `CallError` or `ArgumentError` for arguments that do not fit.
  func instance(of registration: Registration, arguments: FactoryArguments, in scope: Container? = nil) throws -> Any {
    let factory = try factory(of: registration, arguments)
    let instance = try (scope ?? container).instance(of: factory.entry, arguments: factory.values)
    return try factory.isCalled ? call(instance, arguments) : instance
  }

  /// Returns the instance of `instance(of:arguments:in:)`, also of an asynchronous factory and of one on the main actor.
  nonisolated(nonsending)
    func instanceAsync(
      of registration: Registration, arguments: FactoryArguments, in scope: Container? = nil
    ) async throws -> Any
  {
    let factory = try factory(of: registration, arguments)
    let instance = try await (scope ?? container).instanceAsync(of: factory.entry, arguments: factory.values)
    return try factory.isCalled ? call(instance, arguments) : instance
  }

  /// Returns the entry of a registration. Opens the plugin if the type is unknown without it.
  ///
  /// - Returns: The entry, the arguments for it, and whether to call the instance, a function, with the caller's arguments.
  private func factory(
    of registration: Registration, _ arguments: FactoryArguments
  ) throws -> (entry: Entry, values: [Any], isCalled: Bool) {
    if let open = registration.open {
      try open()
      guard let opened = all.first(where: { $0.isSame(as: registration) && $0.open == nil }) else {
        throw ResolutionError(registration.key, reason: .notFound)
      }
      return try factory(of: opened, arguments)
    }
    guard let entry = container[registration.key] else {
      throw ResolutionError(registration.key, reason: .notFound)
    }
    if registration.isFunction { return (entry, [], !arguments.isEmpty) }
    let values: [Any] =
      switch registration.function {
      case let signature?: try arguments.values(for: signature)
      case nil: try arguments.values(for: entry.argumentTypes ?? [])
      }
    return (entry, values, false)
  }

  private func call(_ instance: Any, _ arguments: FactoryArguments) throws -> Any {
    guard let function = instance as? ForeignFunction else { return instance }
    return try call(function) { try arguments.values(for: $0, functions: $1) }
  }
}
