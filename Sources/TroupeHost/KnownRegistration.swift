package import FoundationEssentials
package import TroupeContainer
internal import TroupeFiles
package import TroupeManifest
internal import TroupeProbing

/// A registration that is known without running code of its plugin.
package struct KnownRegistration: Sendable {
  /// The file of the plugin.
  package let path: String
  package let uuid: UUID?
  package let name: String
  package let contract: String?
  package let tags: [String]
  /// The parameters and the result: a C function type, or a Swift one.
  package let signature: String
  package let lifetime: Lifetime
  package let metadata: [String: String]
  /// Whether it is a plain function in C.
  package let isFunction: Bool

  /// The texts for users in the metadata.
  package var documentation: Documentation { Documentation(metadata: metadata) }
}

extension KnownRegistration {
  /// Describes a registration of a probe.
  init(path: String, _ factory: PluginSummary.Factory, _ factories: FactoryCatalog) {
    let contract = factory.types.map { factories.contractName(ofMangledType: $0.instance) } ?? factory.contract
    self.init(
      path: path, uuid: factory.uuid, name: factory.name, contract: contract, tags: factory.tags,
      signature: factory.signature, lifetime: Lifetime(factory.lifetime), metadata: factory.metadata,
      isFunction: factory.types == nil && factory.contract == nil)
  }

  /// Describes a function of an adoption file.
  init(path: String, _ declaration: FactoryDeclaration) {
    self.init(
      path: path, uuid: declaration.uuid, name: declaration.name, contract: declaration.contract,
      tags: declaration.tags.sorted(), signature: declaration.type.text, lifetime: Lifetime(declaration.lifetime),
      metadata: declaration.metadata, isFunction: declaration.contract == nil)
  }
}
