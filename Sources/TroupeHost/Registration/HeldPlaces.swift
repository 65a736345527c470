internal import FoundationEssentials
internal import Troupe
internal import TroupeCall

/// The places in the container of what a plugin registers, held for it until its image is opened, which happens when one of them is
/// resolved.
struct HeldPlaces {
  /// As the catalog has them.
  private(set) var registrations: [Registration] = []
  /// As the container has them. There is none for what is of a type that nobody in this process can know before the image is open.
  private(set) var entries: [(key: AnyKey, entry: Entry)] = []
  /// Whether there are such types.
  private(set) var hasUnknownTypes = false

  /// Makes the places. Nil if what the plugin is said to register cannot be: an older registry, say.
  ///
  /// - Parameter open: Opens the image, so that the registrations themselves take the places; does nothing if that has been done.
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
        signature: factory.signature, lifetime: factory.lifetime, metadata: factory.metadata, place: factory.place, key: key,
        function: nil, argumentTypes: argumentTypes, addresses: [], open: type == nil ? open : nil))
    if let type {
      add(
        .pending(
          type, tags: tags, lifetime: factory.lifetime, argumentTypes: argumentTypes, place: factory.place, load: open))
    } else {
      hasUnknownTypes = true
    }
  }

  /// What stands for a type that is not known.
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
    for type in types { add(.pending(type, tags: tags, lifetime: factory.lifetime, argumentTypes: nil, load: open)) }
    return true
  }

  private mutating func add(_ entry: Entry) { entries.append((entry.key, entry)) }

  private static func tags(_ factory: PluginSummary.Factory) -> TagList { TagList(factory.tags, factory.uuid) }
}
