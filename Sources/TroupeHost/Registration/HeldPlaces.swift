internal import FoundationEssentials
internal import Troupe
internal import TroupeCall
internal import TroupeFiles
internal import TroupeProbing

/// The lazy registrations of a plugin. The first resolve of one of them opens the plugin's image.
struct HeldPlaces {
  /// The registrations for the catalog.
  private(set) var registrations: [Registration] = []
  /// The entries for the container, without those whose types are unknown before the image is open.
  private(set) var entries: [(key: AnyKey, entry: Entry)] = []
  /// Whether there are registrations of such types.
  private(set) var hasUnknownTypes = false

  /// Creates the lazy registrations. Nil if the summary does not suffice, such as one from an older registry.
  ///
  /// - Parameter open: Opens the image, which replaces the lazy registrations by the actual ones. No effect if the image is open.
  init?(_ summary: PluginSummary, plugin: String, factories: FactoryCatalog, open: @escaping @Sendable () throws -> Void) {
    for factory in summary.factories {
      if let types = factory.types {
        addSwift(factory, types, plugin, factories, open)
      } else if !addForeign(factory, plugin, factories, open) {
        return nil
      }
    }
  }

  private mutating func addSwift(
    _ factory: PluginSummary.Factory, _ types: PluginSummary.Types, _ plugin: String, _ factories: FactoryCatalog,
    _ open: @escaping @Sendable () throws -> Void
  ) {
    let type = _typeByName(types.instance)
    let arguments = types.arguments.compactMap { _typeByName($0) }
    let argumentTypes = arguments.count == types.arguments.count ? arguments : nil
    let tags = Self.tags(factory)
    let key = AnyKey(metatype: type ?? Unknown.self, tags: tags)
    registrations.append(
      Registration(
        plugin: plugin, uuid: factory.uuid, name: factory.name,
        contract: type.flatMap { factories.contract(of: $0)?.name } ?? factory.contract, tags: factory.tags,
        signature: factory.signature, lifetime: Lifetime(factory.lifetime), metadata: factory.metadata, place: factory.place,
        key: key,
        function: nil, argumentTypes: argumentTypes, addresses: [], open: type == nil ? open : nil))
    if let type {
      add(
        .pending(
          type, tags: tags, lifetime: Lifetime(factory.lifetime), argumentTypes: argumentTypes, place: factory.place, load: open
        ))
    } else {
      hasUnknownTypes = true
    }
  }

  /// The placeholder for an unknown type.
  private enum Unknown {}

  private mutating func addForeign(
    _ factory: PluginSummary.Factory, _ plugin: String, _ factories: FactoryCatalog,
    _ open: @escaping @Sendable () throws -> Void
  ) -> Bool {
    guard let uuid = factory.uuid, let type = try? FunctionType.parsing(factory.signature) else { return false }
    let declaration = FactoryDeclaration(
      uuid: uuid, name: factory.name, contract: factory.contract, type: type, tags: factory.tags,
      metadata: factory.metadata, lifetime: factory.lifetime)
    let types: [any Any.Type] =
      if let contract = factory.contract {
        [factories.contract(named: contract)?.type ?? ForeignInstance.self]
      } else {
        [ForeignFunction.self, Value.self]
      }
    let tags = Self.tags(factory)
    registrations.append(Registration(plugin: plugin, declaration, key: AnyKey(metatype: types[0], tags: tags)))
    for type in types { add(.pending(type, tags: tags, lifetime: Lifetime(factory.lifetime), argumentTypes: nil, load: open)) }
    return true
  }

  private mutating func add(_ entry: Entry) { entries.append((entry.key, entry)) }

  private static func tags(_ factory: PluginSummary.Factory) -> TagList { TagList(factory.tags, factory.uuid) }
}
