internal import FoundationEssentials
internal import TroupeHost

/// The section of a registration in the page of its plugin.
extension HTML {
  /// Writes the section of a registration.
  mutating func item(_ item: CatalogItem, _ tagAnchors: [String: String]) {
    element("section", ["class": "item", "aria-labelledby": item.anchor]) { html in
      html.element("h3", ["id": item.anchor]) { html in
        html.element("code", item.name.onOneLine)
        html.element("a", ["class": "anchor", "href": "#\(item.anchor)", "aria-label": "Link to \(item.name.onOneLine)"], "#")
      }
      html.paragraphs(item.documentation.description)
      html.code(item.declaration, label: "Signature of \(item.name.onOneLine)")
      html.facts(item, tagAnchors)
      html.parameters(item)
      html.examples(item)
      html.metadata(item)
      html.snippets(item)
    }
  }

  private mutating func facts(_ item: CatalogItem, _ tagAnchors: [String: String]) {
    let registration = item.registration
    element("dl", ["class": "properties"]) { html in
      if let contract = registration.contract { html.fact("Contract", contract) }
      if item.kind != .function { html.fact("Lifetime", "\(registration.lifetime)") }
      if let uuid = registration.uuid { html.fact("UUID", uuid.uuidString.lowercased()) }
      guard !registration.tags.isEmpty else { return }
      html.element("div") { html in
        html.element("dt", "Tags")
        html.element("dd") { html in
          for tag in registration.tags {
            let address = "\(PluginPage.prefix)\(PageFrame.Section.tags.path)#\(tagAnchors[tag] ?? "")"
            html.element("a", ["class": "tag", "href": address], tag.onOneLine)
          }
        }
      }
    }
  }

  private mutating func fact(_ name: String, _ value: String) {
    element("div") { html in
      html.element("dt", name)
      html.element("dd") { $0.element("code", value) }
    }
  }

  private mutating func parameters(_ item: CatalogItem) {
    let rows = item.parameterRows
    guard !rows.isEmpty else { return }
    let hasDirections = rows.contains { $0.direction != "in" }
    let texts = item.documentation.parameters
    let headings = ["Parameter", "Type"] + (hasDirections ? ["Direction"] : []) + (texts.isEmpty ? [] : ["Meaning"])
    table("Parameters of \(item.name.onOneLine)", headings) { html in
      for row in rows {
        html.element("tr") { html in
          html.element("th", ["scope": "row"]) { $0.element("code", row.name) }
          html.element("td") { $0.element("code", row.type) }
          if hasDirections { html.element("td", row.direction) }
          if !texts.isEmpty { html.element("td", ["dir": "auto"]) { $0.prose(texts[row.name] ?? "") } }
        }
      }
    }
  }

  private mutating func examples(_ item: CatalogItem) {
    let examples = item.documentation.examples
    guard !examples.isEmpty else { return }
    let isTransform = item.kind == .transform
    table(
      "Examples of \(item.name.onOneLine)",
      [isTransform ? "Input and arguments" : "Arguments", isTransform ? "Output" : "Result"]
    ) { html in
      for example in examples {
        html.element("tr") { html in
          html.element("td") { $0.element("code", example.arguments) }
          html.element("td") { $0.element("code", example.result) }
        }
      }
    }
  }

  private mutating func metadata(_ item: CatalogItem) {
    let entries = item.registration.metadata.filter { !Documentation.isDocumentation(key: $0.key) }.sorted { $0.key < $1.key }
    guard !entries.isEmpty else { return }
    table("Metadata of \(item.name.onOneLine)", ["Metadata", "Value"]) { html in
      for (key, value) in entries {
        html.element("tr") { html in
          html.element("th", ["scope": "row"]) { $0.element("code", key) }
          html.element("td", value)
        }
      }
    }
  }

  private mutating func snippets(_ item: CatalogItem) {
    let calls = Snippet.calls(of: item)
    guard !calls.isEmpty else { return }
    element("div", ["class": "calls"]) { html in
      for (index, snippet) in calls.enumerated() {
        let label = "\(snippet.language): \(item.name.onOneLine)"
        // The command is short; the programs open on request.
        guard index > 0 else {
          html.element("p", ["class": "kind"], snippet.language)
          html.code(snippet.code, label: label)
          continue
        }
        html.element("details") { html in
          html.element("summary", snippet.language)
          html.code(snippet.code, label: label)
        }
      }
    }
  }
}
