internal import TroupeHost

/// The page of a plugin.
enum PluginPage {
  /// The path from a page to the root of the site.
  static let prefix = "../"
  /// The number of plugins up to which the page has a picture of the dependencies.
  private static let graphLimit = 20

  static func page(_ catalog: Catalog, _ index: Int, requiredBy: [Int], _ tagAnchors: [String: String]) -> SiteFile {
    let plugin = catalog.plugins[index]
    let sections = CatalogItem.RegistrationKind.allCases.map { kind in (kind, plugin.items.filter { $0.kind == kind }) }.filter
    {
      !$0.1.isEmpty
    }
    let bytes = PageFrame.page(plugin.name.onOneLine, nil, prefix: prefix) { html in
      html.element("div", ["class": "columns"]) { html in
        html.element("article") { html in
          html.head(of: plugin)
          for (kind, items) in sections {
            html.element("section", ["aria-labelledby": kind.heading.anchor]) { html in
              html.element("h2", ["id": kind.heading.anchor], kind.heading.title)
              for item in items { html.item(item, tagAnchors) }
            }
          }
          html.settings(of: plugin)
          html.dependencies(of: plugin, catalog, index, requiredBy, hasGraph: requiredBy.count <= graphLimit)
        }
        if !sections.isEmpty { html.contents(sections, of: plugin, isRequired: !requiredBy.isEmpty) }
      }
    }
    return SiteFile(path: plugin.path, bytes: bytes)
  }
}

extension CatalogItem.RegistrationKind {
  fileprivate var heading: (anchor: String, title: String) {
    switch self {
    case .function: ("functions", "Functions")
    case .transform: ("transforms", "Transforms")
    case .factory: ("factories", "Other factories")
    }
  }
}

extension HTML {
  fileprivate mutating func head(of plugin: CatalogPlugin) {
    let manifest = plugin.plugin.manifest
    element("h1", plugin.name.onOneLine)
    if !plugin.description.isEmpty { element("div", ["class": "lead"]) { $0.paragraphs(plugin.description) } }
    diagnosis(of: plugin)
    let library = plugin.plugin.library.map { Path.lastComponent(of: $0) }
    let facts: [(String, String?)] = [
      ("Id", plugin.id), ("Version", manifest?.version.description), ("Language", plugin.languageName),
      ("File", plugin.fileName), ("Library", library), ("ABI", manifest?.abi.description),
    ]
    element("dl", ["class": "properties"]) { html in
      for case (let name, let value?) in facts {
        html.element("div") { html in
          html.element("dt", name)
          html.element("dd") { $0.element("code", value.onOneLine) }
        }
      }
    }
  }

  /// Writes why a plugin cannot be used, or that its registrations are unknown.
  private mutating func diagnosis(of plugin: CatalogPlugin) {
    if let diagnosis = plugin.diagnosis {
      element("section", ["class": "notice fault", "aria-labelledby": "fault"]) { html in
        html.element("h2", ["id": "fault"], "This plugin cannot be used")
        html.element("p") { html in
          html.element("strong", "Reason: ")
          html.text(diagnosis.problem)
        }
        guard !diagnosis.remedy.isEmpty else { return }
        html.element("p") { html in
          html.element("strong", "Remedy: ")
          html.text(diagnosis.remedy)
        }
      }
    } else if !plugin.isKnown {
      element("section", ["class": "notice", "aria-labelledby": "unknown"]) { html in
        html.element("h2", ["id": "unknown"], "The registrations are unknown")
        html.markup(
          "<p>No host has loaded this plugin yet. <code>troupe catalog --probe</code> loads it in a child process.</p>")
      }
    } else if plugin.items.isEmpty {
      element("p", ["class": "notice"], "This plugin registers nothing.")
    }
  }

  fileprivate mutating func dependencies(
    of plugin: CatalogPlugin, _ catalog: Catalog, _ index: Int, _ requiredBy: [Int], hasGraph: Bool
  ) {
    guard plugin.hasDependencies || !requiredBy.isEmpty else { return }
    element("section", ["aria-labelledby": "dependencies"]) { html in
      html.element("h2", ["id": "dependencies"], "Dependencies")
      if !plugin.requires.isEmpty {
        html.element("h3", "Requires")
        html.requirements(of: plugin, catalog, prefix: PluginPage.prefix)
      }
      if !plugin.provides.isEmpty {
        html.element("h3", "Provides the contracts")
        html.element("ul") { html in for name in plugin.provides { html.element("li") { $0.element("code", name) } } }
      }
      if !requiredBy.isEmpty {
        html.element("h3", "Required by")
        html.element("ul") { html in
          for other in requiredBy.map({ catalog.plugins[$0] }) {
            html.element("li") { $0.element("a", ["href": PluginPage.prefix + other.path], other.name.onOneLine) }
          }
        }
      }
      guard hasGraph else { return }
      let graph = CatalogGraph(catalog, around: index, requiredBy: requiredBy)
      guard !graph.edges.isEmpty else { return }
      html.graph(
        graph, title: "Dependencies of \(plugin.name.onOneLine)",
        description: "The lists above have the same content.", prefix: PluginPage.prefix)
    }
  }

  fileprivate mutating func settings(of plugin: CatalogPlugin) {
    guard plugin.hasSettings, let id = plugin.id else { return }
    element("section", ["aria-labelledby": "settings"]) { html in
      html.element("h2", ["id": "settings"], "Settings")
      html.table("Settings", ["Key", "Value", "Default", "Meaning"]) { html in
        for setting in plugin.settings {
          html.element("tr") { html in
            html.element("th", ["scope": "row"]) { $0.element("code", setting.key) }
            html.element("td", setting.expectation)
            html.element("td") { setting.defaultValue.isEmpty ? $0.text("empty") : $0.element("code", setting.defaultValue) }
            html.element("td", ["dir": "auto"]) { $0.prose(setting.description) }
          }
        }
      }
      let setting = plugin.settings[0]
      html.code(
        "--set " + ShellCode.word("\(id):\(setting.key)=\(setting.defaultValue)"), label: "Option of the command for a setting")
    }
  }

  /// Writes the list of registrations beside the article.
  fileprivate mutating func contents(
    _ sections: [(CatalogItem.RegistrationKind, [CatalogItem])], of plugin: CatalogPlugin, isRequired: Bool
  ) {
    element("nav", ["class": "contents", "aria-label": "On this page"]) { html in
      for (kind, items) in sections {
        html.element("p", ["class": "kind"], kind.heading.title)
        html.element("ul") { html in
          for item in items {
            html.element("li") { $0.element("a", ["href": "#\(item.anchor)"], item.name.onOneLine) }
          }
        }
      }
      if plugin.hasSettings { html.contentsLink("settings", "Settings") }
      if plugin.hasDependencies || isRequired { html.contentsLink("dependencies", "Dependencies") }
    }
  }

  private mutating func contentsLink(_ anchor: String, _ title: String) {
    element("p", ["class": "kind"]) { $0.element("a", ["href": "#\(anchor)"], title) }
  }
}

extension CatalogPlugin {
  fileprivate var hasSettings: Bool { !settings.isEmpty && id != nil }
  fileprivate var hasDependencies: Bool { !requires.isEmpty || !provides.isEmpty }
}
