internal import TroupeHost

/// The page `functions.html`: all registrations from A to Z.
enum FunctionsPage {
  static func page(_ catalog: Catalog) -> SiteFile {
    let items = catalog.plugins.flatMap { plugin in plugin.items.map { (key: $0.name.lowercased(), plugin: plugin, item: $0) } }
      .sorted { ($0.key, $0.plugin.page, $0.item.anchor) < ($1.key, $1.plugin.page, $1.item.anchor) }
    let index = LetterIndex(items) { $0.key }
    return SiteFile(
      path: PageFrame.Section.functions.path,
      bytes: PageFrame.page("Functions", .functions) { html in
        html.element("h1", "Functions")
        html.element("p", ["class": "lead"], "All functions, transforms and other factories from A to Z.")
        html.letterSections(index) { html, entries in
          html.element("ul", ["class": "items"]) { html in
            for entry in entries { html.element("li") { $0.itemLink(entry.item, of: entry.plugin) } }
          }
        }
        if items.isEmpty { html.element("p", "No registration is known.") }
      })
  }
}

extension HTML {
  /// Writes a link to a registration, with its plugin and its summary.
  mutating func itemLink(_ item: CatalogItem, of plugin: CatalogPlugin) {
    element("a", ["href": "\(plugin.path)#\(item.anchor)"]) { $0.element("code", item.name.onOneLine) }
    element("span", ["class": "source"], "\(item.kind.rawValue) of \(plugin.name.onOneLine)")
    let summary = item.documentation.summary
    if !summary.isEmpty { element("span", ["class": "summary", "dir": "auto"]) { $0.prose(summary) } }
  }
}
