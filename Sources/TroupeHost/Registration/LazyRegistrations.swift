internal import FoundationEssentials
internal import Troupe
internal import TroupeCall
internal import TroupeFiles
internal import TroupeProbing

/// The lazy registrations of a plugin: pending entries for its factories. The first resolve of one opens the plugin, whose own
/// registrations replace them.
struct LazyRegistrations {
  private(set) var entries: [Entry] = []
  /// Whether the process does not know the types of some factories before the plugin is open. Their entries have a substitute type.
  private(set) var hasUnknownTypes = false
  /// The keys of the factories in Swift whose types the process knows.
  private(set) var knownKeys: [AnyKey] = []

  /// Creates the entries. Nil if one cannot be created, for example for the summary of an older version, or for a type that only the open
  /// plugin can tell; see `MangledType`.
  ///
  /// - Parameter open: Opens the plugin; does nothing if it is open.
  init?(_ summary: PluginSummary, plugin: String, factories: FactoryCatalog, open: @escaping @Sendable () throws -> Void) {
    for factory in summary.factories {
      let isAdded =
        if let types = factory.types {
          addSwift(factory, types, plugin, factories, open)
        } else {
          addForeign(factory, plugin, factories, open)
        }
      guard isAdded else { return nil }
    }
  }

  /// The type of entries whose type is unknown. No request names it.
  private enum Unknown {}

  private mutating func addSwift(
    _ factory: PluginSummary.Factory, _ types: PluginSummary.Types, _ plugin: String, _ factories: FactoryCatalog,
    _ open: @escaping @Sendable () throws -> Void
  ) -> Bool {
    let arguments = types.arguments.compactMap { MangledType($0) }
    guard let instance = MangledType(types.instance), arguments.count == types.arguments.count else { return false }
    let type = instance.type
    let knownArguments = arguments.compactMap(\.type)
    let argumentTypes = knownArguments.count == arguments.count ? knownArguments : nil
    // Factories of several unknown types may have equal tags.
    let tags = TagList(factory.tags + (type == nil ? [types.instance] : []), factory.uuid)
    let known: any Any.Type = type ?? Unknown.self
    let entry = Entry.pending(
      known, tags: tags, lifetime: Lifetime(factory.lifetime), argumentTypes: argumentTypes,
      location: factory.place, load: open)
    entry.registrantInfo = Registration(
      plugin: plugin, uuid: factory.uuid, name: factory.name,
      contract: factories.contractName(ofMangledType: types.instance), tags: factory.tags,
      signature: factory.signature, lifetime: Lifetime(factory.lifetime), metadata: factory.metadata, place: factory.place,
      key: entry.key, function: nil, argumentTypes: argumentTypes, addresses: [], isCallableFromAnyThread: true)
    entries.append(entry)
    if type == nil { hasUnknownTypes = true } else { knownKeys.append(entry.key) }
    return true
  }

  private mutating func addForeign(
    _ factory: PluginSummary.Factory, _ plugin: String, _ factories: FactoryCatalog,
    _ open: @escaping @Sendable () throws -> Void
  ) -> Bool {
    guard let uuid = factory.uuid, let type = try? FunctionType.parsing(factory.signature) else { return false }
    let declaration = FactoryDeclaration(
      uuid: uuid, name: factory.name, contract: factory.contract, type: type, tags: factory.tags,
      metadata: factory.metadata, lifetime: factory.lifetime,
      isCallableFromAnyThread: factory.isCallableFromAnyThread)
    let types: [any Any.Type] =
      if let contract = factory.contract {
        [factories.contract(named: contract)?.type ?? ForeignInstance.self]
      } else {
        [ForeignFunction.self, Value.self]
      }
    let tags = TagList(factory.tags, factory.uuid)
    let new = types.map {
      Entry.pending($0, tags: tags, lifetime: Lifetime(factory.lifetime), argumentTypes: nil, location: nil, load: open)
    }
    new.describe(as: Registration(plugin: plugin, declaration, key: new[0].key))
    entries += new
    return true
  }
}
