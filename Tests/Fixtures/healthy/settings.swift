import Troupe

// A text with the typed values of declared settings.
@Plugin(
  id: "org.example.settings", name: "Settings", version: "1.0.0",
  settings: [
    .integer("width", default: 76, in: 1...1_000, "Bytes in a line"),
    .number("ratio", default: 0.5, in: 0...1, "Share of the input"),
    .boolean("strict", default: false, "Fail on long words"),
    .text("prefix", default: "> ", "Text before each line"),
    .choice("break", ["word", "character"], default: "word", "Where a line ends"),
    .integer("offset", default: -3, "Bytes to skip"),
  ])
struct SettingsPlugin: Assembly {
  func register(in registrar: any Registrar) {
    let plugin = registrar.plugin
    registrar.register(String.self, id: "5e1f0002-0000-4000-8000-000000000001", name: "values", tags: "settings") { _ in
      let width = plugin.configuration("width", as: Int.self) ?? 0
      let ratio = plugin.configuration("ratio", as: Double.self) ?? 0
      let strict = plugin.configuration("strict", as: Bool.self) ?? true
      let offset = plugin.configuration("offset", as: Int.self) ?? 0
      return "\(width + 1) \(ratio * 2) \(!strict) \(plugin.configuration("prefix") ?? "-")"
        + "\(plugin.configuration("break") ?? "-") \(offset)"
    }
  }
}
