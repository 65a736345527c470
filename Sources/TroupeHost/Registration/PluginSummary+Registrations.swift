internal import FoundationEssentials
internal import Troupe
internal import TroupeProbing

extension PluginSummary {
  /// Creates the summary of registrations.
  init(_ registrations: [Registration], refusals: [Diagnosis]) {
    let factories = registrations.map(Factory.init)
    let known = factories.compactMap(\.self)
    self.init(factories: known, isComplete: known.count == factories.count, refusals: refusals)
  }
}

extension PluginSummary.Factory {
  /// Nil for a registration that only the image can describe: with a type without a name, or a tag that is neither a text nor a UUID.
  init?(_ registration: Registration) {
    var types: PluginSummary.Types?
    if registration.function == nil {
      let tags = registration.key.tagset.map(\.value)
      guard tags.allSatisfy({ $0 is String || $0 is UUID }), tags.count(where: { $0 is UUID }) < 2,
        let instance = _mangledTypeName(registration.key.metatype), let argumentTypes = registration.argumentTypes
      else { return nil }
      let arguments = argumentTypes.compactMap { _mangledTypeName($0) }
      guard arguments.count == argumentTypes.count else { return nil }
      types = PluginSummary.Types(instance: instance, arguments: arguments)
    }
    self.init(
      uuid: registration.uuid, name: registration.name, contract: registration.contract, tags: registration.tags,
      signature: registration.signature, lifetime: FactoryLifetime(registration.lifetime), metadata: registration.metadata,
      types: types,
      place: registration.place)
  }
}
