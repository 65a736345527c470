internal import TroupeHost

/// Draws a `CatalogGraph` as SVG, with the positions of a `LayeredLayout`.
extension HTML {
  /// The sizes of a picture in pixels.
  private enum Size {
    static let nodeWidth = 200.0
    static let nodeHeight = 44.0
    /// The distance of two columns.
    static let columnWidth = 280.0
    static let margin = 8.0
    /// The number of characters of a title that a node has room for.
    static let titleLength = 26
  }

  /// Writes a graph as SVG, with links to the pages of plugins. The style sheet sets the colors.
  ///
  /// - Parameters:
  ///   - title: The accessible name; `description` is the accessible description.
  ///   - prefix: The path from the page to the root of the site.
  mutating func graph(_ graph: CatalogGraph, title: String, description: String, prefix: String) {
    let layout = LayeredLayout(
      nodeCount: graph.nodes.count, edges: graph.edges.map { ($0.from, $0.to) }, nodeHeight: Size.nodeHeight + 14,
      pointHeight: 16)
    let width = Double(layout.columnCount - 1) * Size.columnWidth + Size.nodeWidth + 2 * Size.margin
    let height = layout.height + 2 * Size.margin
    element("div", ["class": "graph", "tabindex": "0", "role": "group", "aria-label": title]) { html in
      html.element(
        "svg",
        [
          "xmlns": "http://www.w3.org/2000/svg", "viewBox": "0 0 \(Self.text(width)) \(Self.text(height))",
          "width": Self.text(width), "height": Self.text(height), "role": "group",
          "aria-labelledby": "graph-title graph-description",
        ]
      ) { html in
        html.element("title", ["id": "graph-title"], title)
        html.element("desc", ["id": "graph-description"], description)
        for (edge, route) in zip(graph.edges, layout.routes) { html.edge(edge, route) }
        for (node, position) in zip(graph.nodes, layout.nodes) { html.node(node, position, prefix) }
      }
    }
  }

  private mutating func edge(_ edge: CatalogGraph.Edge, _ route: [LayeredLayout.Position]) {
    var path = ""
    for (index, (start, end)) in zip(route, route.dropFirst()).enumerated() {
      let (x1, y1) = (Self.left(start) + Size.nodeWidth, Self.top(start))
      let (x2, y2) = (Self.left(end), Self.top(end))
      let bend = max(40, (x2 - x1) / 2)
      if index == 0 { path += "M\(Self.text(x1)) \(Self.text(y1))" } else { path += "L\(Self.text(x1)) \(Self.text(y1))" }
      path +=
        "C\(Self.text(x1 + bend)) \(Self.text(y1)) \(Self.text(x2 - bend)) \(Self.text(y2)) \(Self.text(x2)) \(Self.text(y2))"
    }
    let state = edge.isMet ? "" : " unmet"
    element("path", ["class": (edge.isOffer ? "edge offer" : "edge") + state, "d": path, "aria-hidden": "true"], "")
    guard let end = route.last else { return }
    let (x, y) = (Self.left(end), Self.top(end))
    let tip =
      "M\(Self.text(x - 8)) \(Self.text(y - 5))L\(Self.text(x)) \(Self.text(y))L\(Self.text(x - 8)) \(Self.text(y + 5))Z"
    element("path", ["class": "tip" + state, "d": tip, "aria-hidden": "true"], "")
  }

  private mutating func node(_ node: CatalogGraph.Node, _ position: LayeredLayout.Position, _ prefix: String) {
    let (x, y) = (Self.left(position), Self.top(position) - Size.nodeHeight / 2)
    func content(_ html: inout HTML) {
      html.element(
        "rect",
        [
          "x": Self.text(x), "y": Self.text(y), "width": Self.text(Size.nodeWidth), "height": Self.text(Size.nodeHeight),
          "rx": "6",
        ], "")
      html.element("text", ["class": "name", "x": Self.text(x + 10), "y": Self.text(y + 18)], Self.cut(node.title))
      html.element("text", ["class": "note", "x": Self.text(x + 10), "y": Self.text(y + 35)], Self.cut(node.note))
    }
    guard let page = node.page else { return element("g", ["class": "node \(node.kind.rawValue)"], content) }
    element("a", ["class": "node \(node.kind.rawValue)", "href": prefix + page], content)
  }

  private static func left(_ position: LayeredLayout.Position) -> Double {
    Size.margin + Double(position.column) * Size.columnWidth
  }

  private static func top(_ position: LayeredLayout.Position) -> Double { Size.margin + position.y }

  /// Returns a number with one digit after the point.
  private static func text(_ number: Double) -> String {
    let tenths = Int((number * 10).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(Double(tenths) / 10)"
  }

  /// Returns a text that fits into a node.
  private static func cut(_ text: String) -> String {
    let text = text.onOneLine
    return text.count <= Size.titleLength ? text : text.prefix(Size.titleLength - 1) + "…"
  }
}
