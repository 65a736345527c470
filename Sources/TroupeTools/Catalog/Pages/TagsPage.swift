internal import TroupeHost

/// The page `tags.html`: all tags with their registrations.
enum TagsPage {
  static func page(_ catalog: Catalog, _ anchors: [String: String]) -> SiteFile {
    var entries: [String: [(CatalogPlugin, CatalogItem)]] = [:]
    for plugin in catalog.plugins {
      for item in plugin.items { for tag in item.registration.tags { entries[tag, default: []].append((plugin, item)) } }
    }
    let tags = entries.keys.map { (key: $0.lowercased(), tag: $0) }.sorted { ($0.key, $0.tag) < ($1.key, $1.tag) }.map(\.tag)
    return SiteFile(
      path: PageFrame.Section.tags.path,
      bytes: PageFrame.page("Tags", .tags) { html in
        html.element("h1", "Tags")
        html.element("p", ["class": "lead"], "A request names tags, and gets the registrations that have all of them.")
        if tags.isEmpty { html.element("p", "No tag is known.") }
        html.element("ul", ["class": "tags"]) { html in
          for tag in tags { html.element("li") { $0.element("a", ["href": "#\(anchors[tag] ?? "")"], tag.onOneLine) } }
        }
        for tag in tags {
          html.element("section", ["aria-labelledby": anchors[tag]]) { html in
            html.element("h2", ["id": anchors[tag]], tag.onOneLine)
            html.element("ul", ["class": "items"]) { html in
              for (plugin, item) in entries[tag] ?? [] { html.element("li") { $0.itemLink(item, of: plugin) } }
            }
          }
        }
      })
  }

  /// Returns the identifiers of the headings of all tags.
  static func anchors(_ catalog: Catalog) -> [String: String] {
    var names = UniqueNames()
    var anchors: [String: String] = [:]
    for tag in catalog.plugins.flatMap(\.items).flatMap(\.registration.tags) where anchors[tag] == nil {
      anchors[tag] = names.name(for: "tag-" + tag)
    }
    return anchors
  }
}
