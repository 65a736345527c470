import Troupe

/// Filters lines by a regular expression.
@Plugin(
  id: "org.example.grep", name: "Grep", version: "1.0.0", description: "Filters lines by regular expressions.",
  settings: [.text("pattern", default: "", "An extended regular expression; without one every line passes")])
final class GrepPlugin: Assembly {
  func register(in registrar: any Registrar) {
    let plugin = registrar.plugin

    // Takes its pattern from the configuration, so that it can be combined with other transforms that have no parameters.
    registrar.register(
      (any Transform).self, id: "6d9a5a0e-5a57-4d0f-8a55-3f5a1f6f0c01", name: "grep", tags: "text", "filter", "grep",
      metadata: .documentation(
        "Passes the lines that match the setting pattern and drops the others.",
        examples: [#""one\ntwo\n""#: #""one\ntwo\n""#])
    ) { _ in
      try LineFilter(pattern: plugin.configuration("pattern") ?? "")
    }

    // Takes its pattern as an argument of the caller.
    registrar.register(
      (any Transform).self, id: "6d9a5a0e-5a57-4d0f-8a55-3f5a1f6f0c02", name: "grep-for", tags: "grep-for",
      metadata: .documentation(
        "Passes the lines that match a pattern and drops the others.",
        parameters: ["pattern": "An extended regular expression."], examples: [#""one\ntwo\n", "^t""#: #""two\n""#])
    ) { _, pattern in
      try LineFilter(pattern: pattern)
    }
  }
}
