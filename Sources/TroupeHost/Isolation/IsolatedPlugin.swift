internal import Troupe
internal import TroupeCall
internal import TroupeFiles
internal import TroupeIsolation
internal import TroupeProbing

/// The host's side of a plugin in a worker. Its functions and instances keep it, and it keeps the worker.
final class IsolatedPlugin: Sendable {
  let worker: PluginWorker
  private let interface: PluginInterface
  /// The id of the plugin.
  let id: String

  init(_ id: String, _ worker: PluginWorker, interface: PluginInterface) {
    (self.id, self.worker, self.interface) = (id, worker, interface)
  }

  deinit { interface.imageEnded(isMapped: false) }

  /// Returns the entries for the registrations of the plugin, and the faults of those that cannot be used from another process, with
  /// their positions in the summary.
  ///
  /// - Parameters:
  ///   - contexts: The isolation that each factory of the summary needs.
  ///   - firstRegistrationID: The ID of the first registration in the worker.
  func entries(
    _ summary: PluginSummary, _ contexts: [FactoryContext], firstRegistrationID: Int, factories: FactoryCatalog
  ) -> (entries: [Entry], refusals: [Int: Diagnosis]) {
    var entries: [Entry] = []
    var refusals: [Int: Diagnosis] = [:]
    var types = KnownTypes()
    for (index, (factory, context)) in zip(summary.factories, contexts).enumerated() {
      let remote = IsolatedFactory(
        plugin: self, registrationID: UInt32(firstRegistrationID + index), context: context)
      do throws(Diagnosis) {
        entries +=
          try factory.types == nil
          ? foreignEntries(factory, remote) : [swiftEntry(factory, remote, factories, &types)]
      } catch {
        refusals[index] = error.about(FactoryDeclaration.subject(factory.name))
      }
    }
    return (entries, refusals)
  }

  private func foreignEntries(
    _ factory: PluginSummary.Factory, _ remote: IsolatedFactory
  ) throws(Diagnosis) -> [Entry] {
    guard let uuid = factory.uuid, let type = try? FunctionType.parsing(factory.signature) else {
      throw Diagnosis(.invalidSignature, problem: "has a signature that this host does not know", remedy: "report a bug")
    }
    // The result of a factory is an instance, which stays in the worker.
    if let error = factory.contract == nil ? type.signature.transferError : type.signature.parameterTransferError {
      throw Diagnosis(.unavailable, problem: "cannot be called in a worker: \(error)", remedy: error.remedy)
    }
    let declaration = FactoryDeclaration(
      uuid: uuid, name: factory.name, contract: factory.contract, type: type, tags: factory.tags, metadata: factory.metadata,
      lifetime: factory.lifetime, isCallableFromAnyThread: factory.isCallableFromAnyThread)
    let tags = TagList(factory.tags, uuid)
    let entries: [Entry]
    if let contract = factory.contract {
      entries = [try transformEntry(remote, contract, tags, declaration.lifetime)]
    } else {
      let function = ForeignFunction(
        declaration, IsolatedFunction(declaration, registrationID: remote.registrationID, of: self))
      entries = [
        .plain(ForeignFunction.self, tags: tags, lifetime: .transient) { _ in function },
        .dynamic(Value.self, tags: tags, lifetime: .transient) { _, arguments in
          try function.call(FactoryArguments.values(of: arguments))
        },
      ]
    }
    entries.describe(as: Registration(plugin: id, declaration, key: entries[0].key))
    return entries
  }

  private func swiftEntry(
    _ factory: PluginSummary.Factory, _ remote: IsolatedFactory, _ factories: FactoryCatalog, _ types: inout KnownTypes
  ) throws(Diagnosis) -> Entry {
    let contract =
      factory.types.flatMap { factories.contractName(ofMangledType: $0.instance) }
      ?? String(factory.signature.split(separator: "-> ").last ?? "")
    let tags = TagList(factory.tags, factory.uuid)
    let entry = try transformEntry(remote, contract, tags, factory.lifetime)
    let arguments = factory.types?.arguments ?? []
    let knownArguments = arguments.compactMap { types[$0] }
    let argumentTypes = knownArguments.count == arguments.count ? knownArguments : nil
    entry.registrantInfo = Registration(
      plugin: id, uuid: factory.uuid, name: factory.name, contract: contract, tags: factory.tags, signature: factory.signature,
      lifetime: Lifetime(factory.lifetime), metadata: factory.metadata, place: factory.place, key: entry.key, function: nil,
      argumentTypes: argumentTypes, addresses: [], isCallableFromAnyThread: true)
    return entry
  }

  /// Returns the entry of a factory of transforms. Throws for another contract.
  private func transformEntry(
    _ remote: IsolatedFactory, _ contract: String, _ tags: TagList, _ lifetime: FactoryLifetime
  ) throws(Diagnosis) -> Entry {
    guard contract == Contract.transform.name else {
      throw Diagnosis(
        .unavailable, problem: "makes instances of \(contract), which cannot be used from another process",
        remedy: "run the plugin in the process of the host")
    }
    let (type, lifetime) = ((any Transform).self, Lifetime(lifetime))
    guard remote.context != .asynchronous else {
      return .asyncDynamic(type, tags: tags, lifetime: lifetime) { arguments in
        try await remote.instanceAsync(FactoryArguments.values(of: arguments))
      }
    }
    return .dynamic(type, tags: tags, lifetime: lifetime, isOnMainActor: remote.context == .mainActor) { _, arguments in
      try IsolatedTransform(remote, FactoryArguments.values(of: arguments))
    }
  }
}

/// The types of a report by their mangled names. Looks a limited number up, since each name that no image defines costs 0.3 ms.
private struct KnownTypes {
  private var types: [String: (any Any.Type)?] = [:]

  private static let maximumCount = 256

  subscript(_ name: String) -> (any Any.Type)? {
    mutating get {
      if let known = types[name] { return known }
      guard types.count < Self.maximumCount else { return nil }
      let type = MangledType(name)?.type
      types[name] = .some(type)
      return type
    }
  }
}
