internal import FoundationEssentials
internal import TroupeHost
internal import TroupeTools

/// The dependency graph of a program's container, read from the JSON that the program wrote with `container.graph().json`.
///
/// The command cannot look into the container of another process, so the program writes the graph as data, and the command draws it:
///
/// ```console
/// $ troupe graph --container container.json | dot -Tsvg > container.svg
/// ```
struct ContainerGraph: Decodable {
  /// A registration, an array of registrations, or a missing registration. Only registrations have the members from `lifetime` on.
  private struct Node: Decodable {
    let kind: DependencyGraph.NodeKind
    let type: String
    let tags: [String]
    let depth: Int
    let lifetime: String?
    let context: FactoryContext?
    let arguments: [String]?
    let isBuilt, isPending: Bool?
    let owner, location: String?
    let knowledge: DependencyKnowledge?

    private enum CodingKeys: String, CodingKey {
      case kind, type, tags, depth, lifetime, context, arguments, isBuilt, isPending, owner, knowledge
      case location = "place"
    }
  }

  private struct Edge: Decodable {
    let from, to: Int
    let kind: DependencyKind
    let source: DependencySource

    private enum CodingKeys: String, CodingKey {
      case from, to, source
      case kind = "need"
    }
  }

  private let nodes: [Node]
  private let edges: [Edge]
  /// The content of the file.
  private(set) var json: [UInt8] = []

  private enum CodingKeys: CodingKey { case nodes, edges }

  /// Reads the graph from a file, or from standard input if the path is `-`.
  init(contentsOf path: String) throws {
    let content = try InputFile.named([path])[0].content()
    guard var graph = try? JSONDecoder().decode(Self.self, from: Data(content)),
      graph.edges.allSatisfy({ graph.nodes.indices.contains($0.from) && graph.nodes.indices.contains($0.to) })
    else {
      throw Diagnosis(
        .invalidData, path, problem: "is not the graph of a container", remedy: "write one with container.graph().json")
    }
    graph.json = content
    self = graph
  }

  /// A node for each node of the graph. The registrations of each container are a cluster if there are several containers.
  var drawing: GraphDrawing {
    var drawing = GraphDrawing(title: "container")
    let depths = Set(nodes.map(\.depth)).sorted()
    if depths.count > 1 {
      drawing.clusters = depths.map { GraphDrawing.Cluster(lines: [$0 == 0 ? "container" : "parent \($0)"]) }
    }
    drawing.nodes = nodes.map { node in
      let cluster = node.kind == .registration && depths.count > 1 ? depths.firstIndex(of: node.depth) : nil
      return GraphDrawing.Node(lines: Self.lines(node), style: Self.style(node), cluster: cluster)
    }
    drawing.edges = edges.map { edge in
      let words = [
        edge.kind == .required || edge.kind == .array ? nil : edge.kind.rawValue,
        edge.source == .known ? nil : edge.source.rawValue,
      ]
      return GraphDrawing.Edge(
        from: edge.from, to: edge.to, label: words.compactMap(\.self).joined(separator: ", "), style: Self.style(edge))
    }
    return drawing
  }

  private static func lines(_ node: Node) -> [String] {
    let key = node.type + (node.tags.isEmpty ? "" : " [\(node.tags.joined(separator: ", "))]")
    guard node.kind == .registration else { return [key, node.kind == .missing ? "missing" : "all that fit"] }
    let isPending = node.isPending == true
    let facts: [String?] = [
      node.lifetime,
      node.isBuilt == true ? "built" : nil,
      isPending ? "to be loaded" : nil,
      node.context?.phrase,
      node.knowledge == .unknown && !isPending ? "needs unknown" : nil,
    ]
    let lines: [String?] = [
      key,
      node.arguments.flatMap { $0.isEmpty ? nil : "takes (\($0.joined(separator: ", ")))" },
      facts.compactMap(\.self).joined(separator: ", "),
      node.owner.map { "of \($0)" },
      node.location,
    ]
    return lines.compactMap(\.self)
  }

  private static func style(_ node: Node) -> GraphDrawing.NodeStyle {
    switch node.kind {
    case .registration where node.isPending == true: .pending
    case .registration where node.knowledge == .unknown: .unknown
    case .registration: node.lifetime == "singleton" ? .emphasized : .plain
    case .array: .group
    case .missing: .missing
    }
  }

  private static func style(_ edge: Edge) -> GraphDrawing.EdgeStyle {
    switch edge.kind {
    case .required: .plain
    case .optional, .array: .dashed
    case .lazy: .dotted
    }
  }
}
