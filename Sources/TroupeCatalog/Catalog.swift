package import TroupeHost

/// The plugins of a catalogue with their known registrations.
///
/// ```swift
/// let registrations = host.knownRegistrations()
/// let catalog = Catalog(host.plugins, registrations)
/// for page in catalog.pages() { print(page.path, page.bytes.count) }
/// ```
package struct Catalog: Sendable {
  /// The plugins, sorted by name.
  package let plugins: [CatalogPlugin]
  /// The indices of the plugins by their ids; without rejected plugins whose id another one has.
  private let indices: [String: Int]
  /// The indices of the plugins that declare a contract, by its name.
  private let providers: [String: [Int]]

  /// Creates the catalogue of the plugins and the known registrations of a host.
  package init(_ plugins: [Plugin], _ registrations: [KnownRegistration]) {
    let known = Dictionary(grouping: registrations, by: \.path)
    let names = Dictionary(registrations.filter(\.isFunction).map { ($0.name, 1) }, uniquingKeysWith: +)
    let tags = Dictionary(registrations.filter { !$0.isFunction }.flatMap(\.tags).map { ($0, 1) }, uniquingKeysWith: +)
    // Admitted plugins first, since a rejected one may have the id of another.
    var pageNames = UniqueNames()
    let sorted = plugins.filter { $0.state.fault == nil } + plugins.filter { $0.state.fault != nil }
    let entries = sorted.map { plugin in
      CatalogPlugin(plugin, known[plugin.path] ?? [], page: pageNames.name(for: CatalogPlugin.pageName(plugin)), names, tags)
    }
    self.plugins = entries.map { (key: $0.name.lowercased(), plugin: $0) }
      .sorted { ($0.key, $0.plugin.page) < ($1.key, $1.plugin.page) }.map(\.plugin)
    var (indices, providers): ([String: Int], [String: [Int]]) = ([:], [:])
    for (index, plugin) in self.plugins.enumerated() {
      if let id = plugin.id, plugin.page == id { indices[id] = index }
      for contract in plugin.provides { providers[contract, default: []].append(index) }
    }
    (self.indices, self.providers) = (indices, providers)
  }

  /// Returns the index of the plugin with an id.
  func index(of id: String) -> Int? { indices[id] }

  /// Returns the indices of the plugins that meet a requirement, or that would in another version.
  func providers(of requirement: Requirement) -> [Int] {
    switch requirement {
    case .plugin(let id, _): indices[id].map { [$0] } ?? []
    case .contract(let name): providers[name] ?? []
    }
  }

  /// The number of plain functions.
  package var functionCount: Int { plugins.reduce(0) { $0 + $1.count(of: .function) } }
  /// The number of transforms.
  package var transformCount: Int { plugins.reduce(0) { $0 + $1.count(of: .transform) } }
  /// The plugins that can be loaded and whose registrations are unknown, since they have never been probed.
  package var unknownPlugins: [CatalogPlugin] { plugins.filter { !$0.isKnown && $0.fault == nil } }
}
