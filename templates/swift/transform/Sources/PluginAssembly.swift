import Troupe

/// Registers two stages of a stream: the prefix of the first is a setting, that of the second an argument.
@Plugin(
  id: "@ID@", name: "@TITLE@", version: "0.1.0",
  settings: [
    .text("prefix", default: "> ", "Text before each line"),
    .integer("longest", default: 1048576, in: 1...1073741824, "Bytes in the longest line"),
  ])
final class PluginAssembly: Assembly {
  func register(in registrar: any Registrar) {
    let plugin = registrar.plugin
    let longest = plugin.configuration("longest", as: Int.self) ?? 1048576

    registrar.register(
      (any Transform).self, id: "@UUID1@", name: "@NAME@", tags: "text", "@NAME@",
      metadata: .documentation("Writes the setting prefix in front of each line.")
    ) { _ in
      LinePrefix(plugin.configuration("prefix") ?? "> ", longest: longest)
    }

    registrar.register(
      (any Transform).self, id: "@UUID2@", name: "@NAME@-with", tags: "@NAME@-with",
      metadata: .documentation("Writes its argument in front of each line.")
    ) { (_, prefix: String) in
      LinePrefix(prefix, longest: longest)
    }
  }
}
