import Troupe

/// Registers counters with two lifetimes, and a stage that resolves them.
@Plugin(
  id: "@ID@", name: "@TITLE@", version: "0.1.0",
  settings: [.integer("start", default: 1, in: 0...1000000, "The first number of each counter")])
final class PluginAssembly: Assembly {
  func register(in registrar: any Registrar) {
    let plugin = registrar.plugin
    let start = plugin.configuration("start", as: Int.self) ?? 1

    // One for each scope, which is a piece of work of the host: `troupe run` has a scope for each file.
    registrar.register(
      (any Counter).self, id: "@UUID1@", name: "@NAME@-of-text", tags: "@NAME@", "@NAME@-of-text",
      metadata: .documentation("Makes a counter for each text.").merging(["unit": "lines"]) { $1 }, lifetime: .scoped
    ) { _ in
      MemoryCounter(start: start)
    }

    // One for all.
    registrar.register(
      (any Counter).self, id: "@UUID2@", name: "@NAME@-of-all", tags: "@NAME@", "@NAME@-of-all",
      metadata: .documentation("Makes one counter for all texts.").merging(["unit": "lines"]) { $1 }, lifetime: .singleton
    ) { _ in
      MemoryCounter(start: start)
    }

    registrar.register(
      (any Transform).self, id: "@UUID3@", name: "@NAME@", tags: "@NAME@",
      metadata: .documentation("Numbers the lines of a text, and counts the lines of all.")
    ) { resolver in
      Numbering(
        ofText: try resolver.resolve(tags: "@NAME@", "@NAME@-of-text"),
        ofAll: try resolver.resolve(tags: "@NAME@", "@NAME@-of-all"),
        plugin: plugin)
    }
  }
}
