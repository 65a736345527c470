internal import TroupeHost
internal import TroupeBase

/// The data of the search, a script of its own, so that pages which no reader searches do not load it.
enum SearchData {
  /// Returns the file: one call of a function of the search script, with an array of [name, kind, plugin, address, summary, tags].
  static func file(_ catalog: Catalog, _ tagAnchors: [String: String]) -> SiteFile {
    var lines: [String] = []
    for plugin in catalog.plugins {
      let summary = Documentation(description: plugin.description).summary
      lines.append(line([plugin.name, "plugin", plugin.id ?? "", plugin.path, summary, ""]))
      for item in plugin.items {
        lines.append(
          line([
            item.name, item.kind.rawValue, plugin.name, "\(plugin.path)#\(item.anchor)", item.documentation.summary,
            item.registration.tags.joined(separator: " "),
          ]))
      }
    }
    for (tag, anchor) in tagAnchors.sorted(by: { $0.key < $1.key }) {
      lines.append(line([tag, "tag", "", "\(PageFrame.Section.tags.path)#\(anchor)", "", ""]))
    }
    return SiteFile(path: "catalog-search.js", bytes: Array("troupeCatalog([\n\(lines.joined(separator: ",\n"))\n]);\n".utf8))
  }

  private static func line(_ texts: [String]) -> String {
    "[" + texts.map { $0.onOneLine.inJSON }.joined(separator: ",") + "]"
  }
}
