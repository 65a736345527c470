internal import Glibc
package import TroupeHost

/// Where a command line searches for plugins, for the commands and remedies that a tool suggests.
package struct PluginSearch: Sendable {
  /// The directories of `--plugins`. Without one, those of `TROUPE_PLUGIN_PATH` or the conventional ones are searched.
  let named: [String]

  package init(named: [String]) { self.named = named }

  /// Another command for the same plugins.
  package func command(_ words: String) -> String {
    (["troupe", words] + named.flatMap { ["--plugins", $0] }).joined(separator: " ")
  }

  /// The failure of a command that finds no plugin with an id.
  package func unknown(_ id: String, among plugins: [Plugin]) -> Diagnosis {
    let named = plugins.filter { $0.manifest?.name == id }.compactMap { $0.manifest?.id }
    if !named.isEmpty {
      return Diagnosis(
        .unavailable, problem: "\(id.shortened().onOneLine) is the name of \(named.listed(atMost: 5))",
        remedy: "give \(named.count == 1 ? "the id" : "one of the ids")")
    }
    var status = stat()
    let isFile = stat(id, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    let file = isFile ? "; write ./\(id) for the file of this name" : ""
    let ids = isFile ? [] : plugins.compactMap { $0.manifest?.id }
    return Diagnosis.unknown(
      "plugin", id, among: ids, code: .unavailable, otherwise: "\(command("list")) shows the plugins\(file)")
  }
}
