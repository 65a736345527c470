internal import FoundationEssentials

/// What is registered in a container and its parents, and who needs what, as `Container.graph()` gives it.
///
/// ```swift
/// let graph = container.graph()
/// try graph.dot.write(toFile: "container.dot", atomically: true, encoding: .utf8)   // dot -Tsvg container.dot
/// ```
///
/// Nodes and edges are in an order that depends on that of the registrations alone.
public struct DependencyGraph: Sendable {
  /// A registration, an array of them, or something that is missing.
  public struct Node: Sendable, Identifiable {
    /// What a node stands for.
    public enum Kind: String, Sendable, Hashable, Codable {
      /// One registration.
      case registration
      /// Everything that a factory gets which asks for an array or a set. Its edges lead to the members.
      case array
      /// Something that is needed and not registered.
      case missing
    }

    /// How much is known of what a factory resolves.
    public enum Knowledge: String, Sendable, Hashable, Codable {
      /// All, or what somebody has said is all.
      case complete
      /// What it resolved while its container learned.
      case learned
      /// Nothing, or not all: of an injection only what its key paths need.
      case unknown
    }

    /// The number of the node, its index among all.
    public let id: Int
    /// What it stands for.
    public let kind: Kind
    /// The key. Of an array, what is asked for.
    public let key: AnyKey
    /// In which container it is, or is looked for: 0 for the one that was asked, 1 for its parent and so on.
    public let depth: Int
    /// The registration; nil for what is none.
    public let registration: RegistrationFacts?
    /// How much is known of what the factory of a registration resolves; nil for what is none.
    public let knowledge: Knowledge?
  }

  /// That a factory needs something, or that an array has a member.
  public struct Edge: Sendable, Hashable {
    /// How it is needed.
    public enum Need: String, Sendable, Hashable, Codable {
      /// It is made with what needs it, and an error if it is missing.
      case required
      /// It may be missing.
      case optional
      /// As an array, which may be empty, or as a member of one.
      case array
      /// Not before the instance is used.
      case lazy
    }

    /// How it is known.
    public enum Source: String, Sendable, Hashable, Codable {
      /// From the parameters of an initialiser that `auto` calls, from the key paths of an injection, or since an array is made
      /// of it.
      case known
      /// Since somebody has said so.
      case declared
      /// Since it was resolved while the container learned.
      case learned
    }

    /// The number of the node that needs something.
    public let from: Int
    /// The number of what is needed.
    public let to: Int
    /// How it is needed.
    public let need: Need
    /// How it is known.
    public let source: Source
  }

  /// Registrations by depth and in the order of registration, then arrays, then what is missing.
  public let nodes: [Node]
  /// By the nodes that need something, and then in the order in which they do.
  public let edges: [Edge]
}

extension Container {
  /// What is registered here and in parents, as far as a resolve from here would find it, and who needs what, as far as that is
  /// known.
  ///
  /// A transient of a parent finds what it needs from the container that is asked for it; its edges are all that it has for
  /// anybody. Nothing is made, and nothing that is pending is loaded. Safe to call from any thread. Cost: as `validate()`.
  public func graph() -> DependencyGraph {
    DependencyGraph(DependencyModel(self))
  }
}

extension DependencyGraph {
  init(_ model: DependencyModel) {
    // For each node of the model its number here. Several may be one registration.
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
    let registration = RegistrationFacts(item)
    self.init(
      id: id, kind: .registration, key: registration.key, depth: item.depth, registration: registration, knowledge: knowledge)
  }

  fileprivate init(id: Int, _ kind: Kind, _ key: AnyKey, depth: Int) {
    self.init(id: id, kind: kind, key: key, depth: depth, registration: nil, knowledge: nil)
  }
}

extension DependencyGraph.Edge.Need {
  fileprivate init(_ need: DependencyModel.Need) {
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
  /// The graph in the language of Graphviz: `dot -Tsvg` makes a picture of it.
  public var dot: String { drawing.dot }

  /// The graph as a flowchart of Mermaid, which many pages that show Markdown draw.
  public var mermaid: String { drawing.mermaid }

  /// The graph as JSON: `{nodes: [{id, kind, type, tags, depth, lifetime, context, arguments, isBuilt, isPending, owner, place,
  /// knowledge}], edges: [{from, to, need, source}]}`. What is no registration has nothing from `lifetime` on.
  public var json: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    do {
      return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
    } catch {
      // Only numbers that JSON does not have cannot be encoded, and there are none of them here.
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
        ? .pending : knowledge == .unknown ? .unknown : registration?.lifetime == .singleton ? .emphasised : .plain
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
        registration.context.words,
        knowledge == .unknown && !registration.isPending ? "needs unknown" : nil,
      ] as [String?]
    let lines =
      [
        key.description, registration.arguments, facts.compactMap(\.self).joined(separator: ", "),
        registration.owner.map { "of \($0)" }, registration.place,
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
  /// Encodes `{id, kind, type, tags, depth}`, and of a registration what there is to say about it, and `{knowledge}`, beside
  /// that.
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
