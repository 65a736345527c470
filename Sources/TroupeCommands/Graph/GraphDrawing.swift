internal import TroupeHost

/// A graph to draw: nodes with lines of text, edges, and clusters that frame nodes. It is written as Graphviz or Mermaid.
///
/// ```swift
/// var drawing = GraphDrawing(title: "plugins")
/// drawing.clusters = [GraphDrawing.Cluster(lines: ["Geometry"])]
/// drawing.nodes = [
///   GraphDrawing.Node(lines: ["area", "double (double, double)"], style: .plain, cluster: 0),
///   GraphDrawing.Node(lines: ["org.example.units", "not found"], style: .missing),
/// ]
/// drawing.edges = [GraphDrawing.Edge(from: 0, to: 1, label: "requires ^1.2.0")]
/// print(drawing.dot)
/// ```
///
/// Styles say what a node means. Each language draws them in its own shapes and colors. All texts are quoted, and control characters
/// are escaped, so that a drawing of any names is valid.
struct GraphDrawing: Sendable {
  /// The meaning of a node, which decides its shape and its colors.
  enum NodeStyle: String, Sendable, CaseIterable {
    case plain
    /// A registration whose instance is shared.
    case emphasized
    /// A registration that is not loaded yet.
    case pending
    /// A registration with unknown dependencies.
    case unknown
    /// All registrations that a request for an array matches.
    case group
    /// The plugin to which the registrations of a cluster belong.
    case head
    case contract
    /// Something that is required and not there.
    case missing
    /// A plugin that cannot be used.
    case faulty
  }

  enum EdgeStyle: Sendable {
    case plain
    case dashed
    case dotted
    /// Drawn without an arrow.
    case undirected
  }

  struct Node: Sendable {
    let lines: [String]
    let style: NodeStyle
    /// The index of the cluster that frames the node.
    let cluster: Int?

    init(lines: [String], style: NodeStyle, cluster: Int? = nil) {
      (self.lines, self.style, self.cluster) = (lines, style, cluster)
    }
  }

  struct Edge: Sendable {
    /// The indices of two nodes.
    let from, to: Int
    let label: String
    let style: EdgeStyle

    init(from: Int, to: Int, label: String = "", style: EdgeStyle = .plain) {
      (self.from, self.to, self.label, self.style) = (from, to, label, style)
    }
  }

  /// A frame around nodes, with lines of text as its title.
  struct Cluster: Sendable {
    let lines: [String]
    let isFaulty: Bool

    init(lines: [String], isFaulty: Bool = false) {
      (self.lines, self.isFaulty) = (lines, isFaulty)
    }
  }

  private let title: String
  var nodes: [Node] = []
  var edges: [Edge] = []
  var clusters: [Cluster] = []

  init(title: String) {
    self.title = title
  }

  /// The indices of the nodes of each cluster, and of the nodes without a cluster.
  private var grouped: (clusters: [[Int]], others: [Int]) {
    var clusters = Array(repeating: [Int](), count: clusters.count)
    var others: [Int] = []
    for (index, node) in nodes.enumerated() {
      if let cluster = node.cluster { clusters[cluster].append(index) } else { others.append(index) }
    }
    return (clusters, others)
  }
}

// MARK: Graphviz

extension GraphDrawing {
  /// The drawing in the DOT language of Graphviz.
  var dot: String {
    var lines = [
      "digraph \(Self.quoted([title])) {", "  rankdir=LR", "  fontname=\"sans-serif\"",
      "  node [fontname=\"sans-serif\", fontsize=11, shape=box, style=\"filled,rounded\", fillcolor=white]",
      "  edge [fontname=\"sans-serif\", fontsize=9]",
    ]
    let grouped = grouped
    for (number, cluster) in clusters.enumerated() {
      let color = cluster.isFaulty ? ", color=\"#c0392b\", fontcolor=\"#c0392b\", style=\"dashed,rounded\"" : ", style=rounded"
      lines.append("  subgraph cluster_\(number) {")
      lines.append("    graph [label=\(Self.quoted(cluster.lines)), labeljust=l\(color)]")
      lines += grouped.clusters[number].map { "    " + dot(of: $0) }
      lines.append("  }")
    }
    lines += grouped.others.map { "  " + dot(of: $0) }
    for edge in edges {
      var attributes = edge.label.isEmpty ? [] : ["label=\(Self.quoted([edge.label]))"]
      switch edge.style {
      case .plain: break
      case .dashed: attributes.append("style=dashed")
      case .dotted: attributes.append("style=dotted")
      case .undirected: attributes += ["arrowhead=none", "color=\"#999999\""]
      }
      let list = attributes.isEmpty ? "" : " [\(attributes.joined(separator: ", "))]"
      lines.append("  n\(edge.from) -> n\(edge.to)\(list)")
    }
    return (lines + ["}"]).joined(separator: "\n") + "\n"
  }

  private func dot(of index: Int) -> String {
    let attributes = ["label=\(Self.quoted(nodes[index].lines))"] + nodes[index].style.dot
    return "n\(index) [\(attributes.joined(separator: ", "))]"
  }

  /// Returns lines as a quoted string. In a label a backslash begins an escape and an ampersand an entity.
  private static func quoted(_ lines: [String]) -> String {
    let lines = escaped(lines) { scalar in
      switch scalar {
      case "\"": "\\\""
      case "\\": "\\\\"
      case "&": "&amp;"
      default: nil
      }
    }
    return "\"\(lines.joined(separator: "\\n"))\""
  }

  /// Returns lines with the replacements of some scalars. Shortens long lines and omits the last of many, because Graphviz reads
  /// strings of at most 16,384 bytes.
  private static func escaped(_ lines: [String], _ replacement: (Unicode.Scalar) -> String?) -> [String] {
    let (maximumLines, maximumBytes) = (24, 512)
    let isLong = lines.count > maximumLines
    let shown = lines.prefix(isLong ? maximumLines - 1 : maximumLines).map { line in
      var text = ""
      for scalar in line.escapingControls.unicodeScalars {
        guard text.utf8.count < maximumBytes else { return text + "… (\(line.utf8.count) bytes)" }
        if let replacement = replacement(scalar) { text += replacement } else { text.unicodeScalars.append(scalar) }
      }
      return text
    }
    return isLong ? shown + ["… \(lines.count - shown.count) more"] : shown
  }
}

extension GraphDrawing.NodeStyle {
  fileprivate var dot: [String] {
    switch self {
    case .plain: []
    case .emphasized: ["fillcolor=\"#d6e9ff\"", "penwidth=1.5"]
    case .pending: ["style=\"filled,rounded,dashed\"", "fillcolor=\"#f6f6f6\""]
    case .unknown: ["fillcolor=\"#fff6d6\""]
    case .group: ["shape=directory", "style=filled", "fillcolor=\"#eeeeee\""]
    case .head: ["shape=component", "style=filled", "fillcolor=\"#dff5e1\""]
    case .contract: ["shape=hexagon", "style=filled", "fillcolor=\"#efe3fb\""]
    case .missing: ["style=dashed", "color=\"#c0392b\"", "fontcolor=\"#c0392b\""]
    case .faulty: ["style=\"filled,dashed\"", "fillcolor=\"#fbe3e0\"", "color=\"#c0392b\"", "fontcolor=\"#c0392b\""]
    }
  }
}

// MARK: Mermaid

extension GraphDrawing {
  /// The drawing as a flowchart of Mermaid.
  var mermaid: String {
    var lines = ["flowchart LR"]
    let grouped = grouped
    for (number, cluster) in clusters.enumerated() {
      lines.append("  subgraph c\(number)[\(Self.mermaidQuoted(cluster.lines))]")
      lines += grouped.clusters[number].map { "    " + mermaid(of: $0) }
      lines.append("  end")
      if cluster.isFaulty { lines.append("  style c\(number) stroke:#c0392b,color:#c0392b,stroke-dasharray:4") }
    }
    lines += grouped.others.map { "  " + mermaid(of: $0) }
    for edge in edges {
      let arrow =
        switch edge.style {
        case .plain: "-->"
        case .dashed, .dotted: "-.->"
        case .undirected: "---"
        }
      let label = edge.label.isEmpty ? "" : "|\(Self.mermaidQuoted([edge.label]))|"
      lines.append("  n\(edge.from) \(arrow)\(label) n\(edge.to)")
    }
    let used = Set(nodes.map(\.style))
    lines += NodeStyle.allCases.filter { used.contains($0) }.compactMap { style in
      style.mermaid.map { "  classDef \(style.rawValue) \($0)" }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func mermaid(of index: Int) -> String {
    let style = nodes[index].style
    let text = Self.mermaidQuoted(nodes[index].lines)
    let shape =
      switch style {
      case .group: "[[\(text)]]"
      case .contract: "{{\(text)}}"
      case .head: "([\(text)])"
      case .plain, .emphasized, .pending, .unknown, .missing, .faulty: "[\(text)]"
      }
    return "n\(index)\(shape)" + (style.mermaid == nil ? "" : ":::\(style.rawValue)")
  }

  /// Returns lines as a quoted string. Characters with a meaning in Mermaid, Markdown or HTML are replaced by their numbers.
  private static func mermaidQuoted(_ lines: [String]) -> String {
    let lines = escaped(lines) { scalar in
      switch scalar {
      case "\"", "#", "&", "<", ">", "\\", "`", "%", "*", "_", "~", ";": "#\(scalar.value);"
      default: nil
      }
    }
    return "\"\(lines.joined(separator: "<br/>"))\""
  }
}

extension GraphDrawing.NodeStyle {
  fileprivate var mermaid: String? {
    switch self {
    case .plain: nil
    case .emphasized: "fill:#d6e9ff,stroke-width:2px"
    case .pending: "fill:#f6f6f6,stroke-dasharray:4"
    case .unknown: "fill:#fff6d6"
    case .group: "fill:#eeeeee"
    case .head: "fill:#dff5e1"
    case .contract: "fill:#efe3fb"
    case .missing: "fill:#ffffff,stroke:#c0392b,color:#c0392b,stroke-dasharray:4"
    case .faulty: "fill:#fbe3e0,stroke:#c0392b,color:#c0392b,stroke-dasharray:4"
    }
  }
}
