package import TroupeHost

/// The plugins of a site with their known registrations. The pages, the search and the checks of `troupe catalog` read it.
///
/// ```swift
/// let registrations = host.knownRegistrations()
/// let catalog = Catalog(host.plugins, registrations)
/// for page in catalog.pages() { print(page.path, page.bytes.count) }
/// ```
package struct Catalog: Sendable {
  /// The plugins, sorted by name.
  package let plugins: [CatalogPlugin]
  private let providers: RequirementProviders

  package init(_ plugins: [Plugin], _ known: [(path: String, registrations: [RegistrationDescription])]) {
    let registrations = known.flatMap(\.registrations)
    let known = Dictionary(known.map { ($0.path, $0.registrations) }) { first, _ in first }
    let names = Dictionary(registrations.filter(\.isFunction).map { ($0.name, 1) }, uniquingKeysWith: +)
    let tags = Dictionary(registrations.filter { !$0.isFunction }.flatMap(\.tags).map { ($0, 1) }, uniquingKeysWith: +)
    // Admitted plugins first, since a rejected one may have the id of another.
    var pageNames = UniqueNames()
    let sorted = plugins.filter { $0.state.diagnosis == nil } + plugins.filter { $0.state.diagnosis != nil }
    let entries = sorted.map { plugin in
      CatalogPlugin(plugin, known[plugin.path] ?? [], page: pageNames.name(for: CatalogPlugin.pageName(plugin)), names, tags)
    }
    let all = entries.map { (key: $0.name.lowercased(), plugin: $0) }
      .sorted { ($0.key, $0.plugin.page) < ($1.key, $1.plugin.page) }.map(\.plugin)
    self.plugins = all
    providers = RequirementProviders(all.map(\.plugin)) { index, contract in
      // The manifest is all that is known of a plugin that was never probed.
      !all[index].isKnown || all[index].items.contains { $0.registration.contract == contract }
    }
  }

  /// Returns the plugin with the id of a requirement, or all plugins that declare its contract, each with its shortfall.
  func providers(of requirement: Requirement) -> [RequirementProviders.Provider] { providers.providers(of: requirement) }

  package var functionCount: Int { plugins.reduce(0) { $0 + $1.count(of: .function) } }
  package var transformCount: Int { plugins.reduce(0) { $0 + $1.count(of: .transform) } }
  /// The plugins that can be loaded and whose registrations are unknown, since they have never been probed.
  package var unknownPlugins: [CatalogPlugin] { plugins.filter { !$0.isKnown && $0.diagnosis == nil } }

  /// The number of plugins, functions and transforms, and of the plugins whose registrations are unknown.
  package var summary: String {
    let unknown = unknownPlugins.count
    let counts = [(functionCount, "function"), (transformCount, "transform")].filter { $0.0 > 0 }.map { counted($0.0, $0.1) }
    let contents = counts.isEmpty ? "" : " with " + counts.joined(separator: " and ")
    let note = unknown == 0 ? "" : ". The registrations of \(counted(unknown, "plugin")) are unknown"
    return counted(plugins.count, "plugin") + contents + note
  }
}
