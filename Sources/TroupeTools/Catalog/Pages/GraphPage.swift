internal import TroupeHost

/// The page `graph.html`: the dependencies of all plugins, as a picture and as a list.
enum GraphPage {
  static func page(_ catalog: Catalog) -> SiteFile {
    let graph = CatalogGraph(catalog)
    return SiteFile(
      path: PageFrame.Section.graph.path,
      bytes: PageFrame.page("Dependencies", .graph) { html in
        html.element("h1", "Dependencies")
        guard !graph.nodes.isEmpty else {
          return html.element("p", ["class": "lead"], "No plugin requires another one.")
        }
        html.element("p", ["class": "lead"]) { html in
          html.text(
            graph.isDrawable
              ? "Arrows lead from a plugin to the plugins and contracts that it requires, and from a contract to its providers."
              : "There are too many dependencies for a picture.")
        }
        if graph.isDrawable {
          html.graph(
            graph, title: "Dependencies of the plugins", description: "The list below the picture has the same content.",
            prefix: "")
        }
        html.element("h2", "Requirements")
        html.element("ul", ["class": "requirements"]) { html in
          for plugin in catalog.plugins where !plugin.requires.isEmpty {
            html.element("li") { html in
              html.element("a", ["href": plugin.path], plugin.name.onOneLine)
              html.requirements(of: plugin, catalog, prefix: "")
            }
          }
        }
      })
  }
}

extension HTML {
  /// Writes the requirements of a plugin as a list, with a link and, for an unmet one, the shortfall of each provider.
  mutating func requirements(of plugin: CatalogPlugin, _ catalog: Catalog, prefix: String) {
    element("ul") { html in
      for requirement in plugin.requires {
        html.element("li") { $0.requirement(requirement, catalog, prefix) }
      }
    }
  }

  private mutating func requirement(_ requirement: Requirement, _ catalog: Catalog, _ prefix: String) {
    element("code", requirement.description)
    let providers = catalog.providers(of: requirement)
    if providers.isEmpty { element("span", ["class": "rejected"], " not found") }
    for (index, provider) in providers.filter({ $0.shortfall == nil }).enumerated() {
      text(index == 0 ? ", provided by " : ", ")
      link(to: catalog.plugins[provider.index], prefix)
    }
    for provider in providers {
      guard let shortfall = provider.shortfall else { continue }
      let plugin = catalog.plugins[provider.index]
      text("; ")
      link(to: plugin, prefix)
      element("span", ["class": "rejected"], " " + Self.predicate(shortfall, plugin))
    }
  }

  private mutating func link(to plugin: CatalogPlugin, _ prefix: String) {
    element("a", ["href": prefix + plugin.path], plugin.name.onOneLine)
  }

  private static func predicate(_ shortfall: RequirementProviders.Shortfall, _ plugin: CatalogPlugin) -> String {
    switch shortfall {
    case .rejected: "cannot be used"
    case .otherVersion: "\(plugin.version) does not meet it"
    case .notRegistered: "declares it and does not register it"
    }
  }
}
