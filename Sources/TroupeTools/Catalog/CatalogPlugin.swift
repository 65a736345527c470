internal import TroupeHost

/// A plugin of a catalog.
package struct CatalogPlugin: Sendable {
  /// The snapshot of the plugin in its host.
  let plugin: Plugin
  /// The registrations, in the order of their names.
  let items: [CatalogItem]
  /// The name of its page, without the suffix: the id, unless another plugin has it.
  let page: String

  /// - Parameters:
  ///   - names: The number of functions with a name in the catalog.
  ///   - tags: The number of factories with a tag in the catalog.
  init(
    _ plugin: Plugin, _ registrations: [RegistrationDescription], page: String, _ names: [String: Int], _ tags: [String: Int]
  ) {
    (self.plugin, self.page) = (plugin, page)
    var anchors = UniqueNames()
    items = registrations.sorted { ($0.name, $0.signature) < ($1.name, $1.signature) }.map { registration in
      CatalogItem(registration, anchors: &anchors, names, tags)
    }
  }

  /// The name of the page of a plugin: its id or, without one or with one of more than 200 bytes, a part of the name of its file. The
  /// name of a file has at most 255 bytes.
  static func pageName(_ plugin: Plugin) -> String {
    if let id = plugin.manifest?.id, id.utf8.count <= 200 { return id }
    return "~" + UniqueNames.replacingCharacters(in: Path.lastComponent(of: plugin.path)).prefix(50)
  }

  var id: String? { plugin.manifest?.id }
  /// The name for users, or that of the file if the manifest cannot be read.
  var name: String { plugin.manifest?.name ?? fileName }
  var fileName: String { Path.lastComponent(of: plugin.path) }
  /// The version; empty if the manifest cannot be read.
  var version: String { plugin.manifest?.version.description ?? "" }
  /// The programming language for readers, such as `Swift`; nil if the manifest cannot be read.
  var languageName: String? { plugin.manifest.map { $0.language.prefix(1).uppercased() + $0.language.dropFirst() } }
  var description: String { plugin.manifest?.description ?? "" }
  var requires: [Requirement] { plugin.manifest?.requires ?? [] }
  var provides: [String] { plugin.manifest?.provides ?? [] }
  var settings: [Setting] { plugin.manifest?.settings ?? [] }
  var path: String { "plugins/\(page).html" }
  /// The fault of its file or of the last attempt to load it; nil for a plugin that can be used.
  var diagnosis: Diagnosis? { plugin.state.diagnosis ?? plugin.previousRejection }
  var isKnown: Bool { plugin.registrationCount != nil || !items.isEmpty }

  func count(of kind: CatalogItem.RegistrationKind) -> Int { items.count { $0.kind == kind } }
}
