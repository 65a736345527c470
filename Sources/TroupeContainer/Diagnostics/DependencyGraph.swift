internal import FoundationEssentials

/// The registrations of a container and its ancestors with their dependencies, as `Container.graph()` returns it.
///
/// ```swift
/// let graph = container.graph()
/// try graph.dot.write(toFile: "container.dot", atomically: true, encoding: .utf8)   // dot -Tsvg container.dot
/// ```
///
/// The order of nodes and edges depends only on the order of the registrations.
public struct DependencyGraph: Sendable {
  /// A registration, an array of registrations, or a missing registration.
  public struct Node: Sendable, Identifiable {
    /// The kind of a node.
    public enum Kind: String, Sendable, Hashable, Codable {
      /// One registration.
      case registration
      /// The registrations of a requested array or set. Its edges lead to the members.
      case array
      /// A key that a factory needs and that is not registered.
      case missing
    }

    /// The extent to which the dependencies of a factory are known.
    public enum Knowledge: String, Sendable, Hashable, Codable {
      /// All are known, or are declared to be all.
      case complete
      /// Only the requests that the container recorded are known.
      case learned
      /// None are known, or not all: of an injection only the dependencies of its key paths.
      case unknown
    }

    /// The number of the node, its index in `nodes`.
    public let id: Int
    /// The kind.
    public let kind: Kind
    /// The key; of an array, the requested key.
    public let key: AnyKey
    /// The depth of its container, or of the container that was searched: 0 for the container of the call, 1 for its parent and so
    /// on.
    public let depth: Int
    /// The registration; nil for a node of another kind.
    public let registration: RegistrationSummary?
    /// The extent to which the dependencies of a registration are known; nil for a node of another kind.
    public let knowledge: Knowledge?
  }

  /// A dependency of a factory, or a member of an array.
  public struct Edge: Sendable, Hashable {
    /// The kind of a dependency.
    public enum Need: String, Sendable, Hashable, Codable {
      /// The factory resolves it, and fails if it is missing.
      case required
      /// It may be missing.
      case optional
      /// An array, which may be empty, or a member of one.
      case array
      /// Resolved only when the instance uses it.
      case lazy
    }

    /// The source of the information.
    public enum Source: String, Sendable, Hashable, Codable {
      /// The parameters of an initializer that `auto` calls, the key paths of an injection, or the membership in an array.
      case known
      /// A declaration.
      case declared
      /// A resolve while the container learned.
      case learned
    }

    /// The number of the dependent node.
    public let from: Int
    /// The number of the dependency's node.
    public let to: Int
    /// The kind of the dependency.
    public let need: Need
    /// The source of the information.
    public let source: Source
  }

  /// The nodes: registrations by depth and in the order of registration, then arrays, then missing keys.
  public let nodes: [Node]
  /// The edges, sorted by the dependent node, and then in the order of its requests.
  public let edges: [Edge]
}

extension Container {
  /// Returns the registrations that a resolve from here can find, with their known dependencies.
  ///
  /// A transient of an ancestor resolves its dependencies from the container of the resolve; its edges are the union for all
  /// containers. Makes no instance and loads no pending registration. Safe to call from any thread. Cost: that of `validate()`.
  public func graph() -> DependencyGraph {
    DependencyGraph(ResolutionGraph(self))
  }
}

extension DependencyGraph {
  init(_ model: ResolutionGraph) {
    // For each node of the model its number in this graph. Several nodes may be one registration.
    var ids = Array(repeating: 0, count: model.nodes.count)
    var nodes: [Node] = []
    let items = model.nodes.indices.compactMap { node -> (item: Int, node: Int)? in
      if case .registration(let item) = model.nodes[node].subject { (item, node) } else { nil }
    }
    var last: Int?
    for (item, node) in items.sorted(by: { $0 < $1 }) {
      if item != last { nodes.append(Node(id: nodes.count, model.snapshot.items[item])) }
      last = item
      ids[node] = nodes.count - 1
    }
    for kind in [Node.Kind.array, .missing] {
      for node in model.nodes.indices {
        switch (model.nodes[node].subject, kind) {
        case (.array(let key), .array), (.missing(let key), .missing):
          ids[node] = nodes.count
          nodes.append(Node(id: nodes.count, kind, key, depth: model.nodes[node].context))
        default: break
        }
      }
    }
    var seen: Set<Edge> = []
    var edges: [Edge] = []
    for node in model.nodes.indices {
      for edge in model.edges(of: node) {
        let new = Edge(from: ids[node], to: ids[edge.target], need: Edge.Need(edge.need), source: Edge.Source(edge.source))
        if seen.insert(new).inserted { edges.append(new) }
      }
    }
    // Sorting is stable.
    self.init(nodes: nodes, edges: edges.sorted { $0.from < $1.from })
  }
}

extension DependencyGraph.Node {
  fileprivate init(id: Int, _ item: RegistrationSnapshot.Item) {
    let knowledge: Knowledge =
      switch item.entry.knowledge.extent {
      case .complete: .complete
      case .learned: .learned
      case .unknown: .unknown
      }
    let registration = RegistrationSummary(item)
    self.init(
      id: id, kind: .registration, key: registration.key, depth: item.depth, registration: registration, knowledge: knowledge)
  }

  fileprivate init(id: Int, _ kind: Kind, _ key: AnyKey, depth: Int) {
    self.init(id: id, kind: kind, key: key, depth: depth, registration: nil, knowledge: nil)
  }
}

extension DependencyGraph.Edge.Need {
  fileprivate init(_ need: ResolutionGraph.Need) {
    self =
      switch need {
      case .required: .required
      case .optional: .optional
      case .array: .array
      case .lazy: .lazy
      }
  }
}

extension DependencyGraph.Edge.Source {
  fileprivate init(_ source: Dependency.Source) {
    self =
      switch source {
      case .initializer: .known
      case .declared: .declared
      case .learned: .learned
      }
  }
}

// MARK: Renderings

extension DependencyGraph {
  /// The graph in the language of Graphviz, for `dot -Tsvg`.
  public var dot: String { drawing.dot }

  /// The graph as a flowchart of Mermaid, which many Markdown viewers draw.
  public var mermaid: String { drawing.mermaid }

  /// The graph as JSON: `{nodes: [{id, kind, type, tags, depth, lifetime, context, arguments, isBuilt, isPending, owner, place,
  /// knowledge}], edges: [{from, to, need, source}]}`. Only registrations have the members from `lifetime` on.
  public var json: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    do {
      return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
    } catch {
      // Only numbers outside of JSON's range cannot be encoded, and the graph has none.
      preconditionFailure("a graph could not be written as JSON: \(error)")
    }
  }

  private var drawing: GraphDrawing {
    var drawing = GraphDrawing(title: "container")
    let depths = Set(nodes.map(\.depth)).sorted()
    if depths.count > 1 {
      for depth in depths {
        drawing.clusters.append(GraphDrawing.Cluster(lines: [depth == 0 ? "container" : "parent \(depth)"]))
      }
    }
    for node in nodes {
      let cluster = node.kind == .registration && depths.count > 1 ? depths.firstIndex(of: node.depth) : nil
      drawing.nodes.append(GraphDrawing.Node(lines: node.lines, style: node.style, cluster: cluster))
    }
    for edge in edges {
      let style: GraphDrawing.EdgeStyle =
        switch edge.need {
        case .required: .plain
        case .optional, .array: .dashed
        case .lazy: .dotted
        }
      let words = [
        edge.need == .required || edge.need == .array ? "" : edge.need.rawValue,
        edge.source == .known ? "" : edge.source.rawValue,
      ]
      drawing.edges.append(
        GraphDrawing.Edge(
          from: edge.from, to: edge.to, label: words.filter { !$0.isEmpty }.joined(separator: ", "), style: style))
    }
    return drawing
  }
}

extension DependencyGraph.Node {
  fileprivate var style: GraphDrawing.NodeStyle {
    switch kind {
    case .registration:
      registration?.isPending == true
        ? .pending : knowledge == .unknown ? .unknown : registration?.lifetime == .singleton ? .emphasized : .plain
    case .array: .group
    case .missing: .missing
    }
  }

  fileprivate var lines: [String] {
    guard let registration else { return [key.description, kind == .missing ? "missing" : "all that fit"] }
    let facts =
      [
        "\(registration.lifetime)",
        registration.isBuilt ? "built" : nil,
        registration.isPending ? "to be loaded" : nil,
        registration.context.phrase,
        knowledge == .unknown && !registration.isPending ? "needs unknown" : nil,
      ] as [String?]
    let lines =
      [
        key.description, registration.arguments, facts.compactMap(\.self).joined(separator: ", "),
        registration.owner.map { "of \($0)" }, registration.location,
      ] as [String?]
    return lines.compactMap(\.self)
  }
}

// MARK: As data

extension DependencyGraph: Encodable {
  /// Encodes `{nodes, edges}`.
  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: Member.self)
    try members.encode(nodes, forKey: .nodes)
    try members.encode(edges, forKey: .edges)
  }

  private enum Member: CodingKey { case nodes, edges }
}

extension DependencyGraph.Edge: Encodable {}

extension DependencyGraph.Node: Encodable {
  /// Encodes `{id, kind, type, tags, depth}`, and for a registration also its facts and `{knowledge}`.
  public func encode(to encoder: any Encoder) throws {
    try registration?.encode(to: encoder)
    var members = encoder.container(keyedBy: Member.self)
    try members.encode(id, forKey: .id)
    try members.encode(kind, forKey: .kind)
    try members.encode(key.type, forKey: .type)
    try members.encode(key.sortedTags, forKey: .tags)
    try members.encode(depth, forKey: .depth)
    try members.encodeIfPresent(knowledge, forKey: .knowledge)
  }

  private enum Member: CodingKey { case id, kind, type, tags, depth, knowledge }
}
