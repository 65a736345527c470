internal import TroupeHost

/// The page `index.html`: all plugins.
enum IndexPage {
  /// The number of plugins from which on the page has headings for initial letters.
  private static let letterCount = 40

  static func page(_ catalog: Catalog) -> SiteFile {
    SiteFile(
      path: PageFrame.Section.index.path,
      bytes: PageFrame.page("Plugins", .index) { html in
        html.element("h1", "Plugins")
        html.element("p", ["class": "lead"], catalog.summary + ".")
        if catalog.plugins.count < letterCount {
          html.pluginList(catalog.plugins[...])
        } else {
          html.letterSections(LetterIndex(catalog.plugins) { $0.name }) { $0.pluginList($1) }
        }
      })
  }
}

extension HTML {
  fileprivate mutating func pluginList(_ plugins: ArraySlice<CatalogPlugin>) {
    element("ul", ["class": "plugins"]) { html in
      for plugin in plugins { html.element("li") { $0.pluginRow(plugin) } }
    }
  }

  private mutating func pluginRow(_ plugin: CatalogPlugin) {
    element("div", ["class": "what"]) { html in
      html.element("a", ["class": "name", "href": plugin.path], plugin.name.onOneLine)
      html.element("p", ["class": "summary", "dir": "auto"]) { html in
        html.prose(
          plugin.description.isEmpty ? plugin.id ?? plugin.fileName : Documentation(description: plugin.description).summary)
      }
    }
    element("p", ["class": "facts"]) { html in
      html.element("span", ["class": "version"], plugin.version)
      html.element("span", plugin.languageName ?? "")
      if plugin.diagnosis != nil {
        html.element(
          "strong", ["class": "rejected"], plugin.plugin.state.diagnosis == nil ? "rejected" : plugin.plugin.state.name)
      } else {
        html.element("span", Self.contents(of: plugin))
      }
    }
  }

  private static func contents(of plugin: CatalogPlugin) -> String {
    guard plugin.isKnown else { return "not probed" }
    let counts = [
      (plugin.count(of: .function), "function"), (plugin.count(of: .transform), "transform"),
      (plugin.count(of: .factory), "other"),
    ].filter { $0.0 > 0 }
    if counts.isEmpty { return "registers nothing" }
    return counts.map { $0.1 == "other" ? "\($0.0) other" : counted($0.0, $0.1) }.joined(separator: ", ")
  }
}
