/// A language with templates for plugins.
package enum TemplateLanguage: String, CaseIterable, Encodable, Sendable {
  case c
  case cpp = "c++"
  case swift, rust, zig, json

  /// The kinds of plugins that the templates have. An adoption file declares functions only.
  package var kinds: [TemplateKind] { self == .json ? [.functions] : TemplateKind.allCases }
}
