package import TroupeHost

/// Finds which plugins of a list meet a requirement, and why others do not.
package struct RequirementProviders: Sendable {
  /// A plugin that a requirement names, or that declares its contract.
  package struct Provider: Sendable {
    /// In the list of plugins.
    package let index: Int
    /// Why the plugin does not meet the requirement; nil if it does.
    package let shortfall: Shortfall?
  }

  /// Why a plugin does not meet a requirement.
  package enum Shortfall: Sendable {
    case rejected
    /// Its version is not in the range of the requirement.
    case otherVersion
    /// The manifest declares the contract, and no registration has it.
    case notRegistered
  }

  private let plugins: [Plugin]
  /// The first admitted plugin of each id, or else the first.
  private let indices: [String: Int]
  /// The plugins that declare a contract, by its name.
  private let providers: [String: [Provider]]

  /// - Parameter registersFactory: Returns true if the plugin at an index of the list registers a factory of a contract.
  package init(_ plugins: [Plugin], registersFactory: (_ index: Int, _ contract: String) -> Bool) {
    self.plugins = plugins
    var (indices, providers): ([String: Int], [String: [Provider]]) = ([:], [:])
    for (index, plugin) in plugins.enumerated() {
      guard let manifest = plugin.manifest else { continue }
      // The host rejects one of two plugins with one id.
      if indices[manifest.id].map({ plugins[$0].state.diagnosis != nil && plugin.state.diagnosis == nil }) ?? true {
        indices[manifest.id] = index
      }
      for contract in Set(manifest.provides) {
        let shortfall: Shortfall? = plugin.isRejected ? .rejected : registersFactory(index, contract) ? nil : .notRegistered
        providers[contract, default: []].append(Provider(index: index, shortfall: shortfall))
      }
    }
    (self.indices, self.providers) = (indices, providers)
  }

  package func index(of id: String) -> Int? { indices[id] }

  /// Returns the plugin with the id of a requirement, or all plugins that declare its contract, each with its shortfall.
  package func providers(of requirement: Requirement) -> [Provider] {
    switch requirement {
    case .contract(let name): return providers[name] ?? []
    case .plugin(let id, let range):
      guard let index = indices[id], let version = plugins[index].manifest?.version else { return [] }
      let shortfall: Shortfall? = plugins[index].isRejected ? .rejected : range.contains(version) ? nil : .otherVersion
      return [Provider(index: index, shortfall: shortfall)]
    }
  }
}

extension Plugin {
  /// True if the host rejects the plugin, or rejected the same files earlier.
  fileprivate var isRejected: Bool { (state.diagnosis ?? previousRejection) != nil }
}
