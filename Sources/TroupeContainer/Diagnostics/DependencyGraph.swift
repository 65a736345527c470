internal import FoundationEssentials

/// The registrations that a container can resolve and their known dependencies, as data.
///
/// ```swift
/// let container = Container()
/// container.register(factory: auto(Car.init))       // Car.init(engine: Engine, wheels: [Wheel])
/// container.register { _ in Wheel() }
/// let graph = container.graph()
/// // nodes: 0 Car, 1 Wheel, 2 [Wheel] (array), 3 Engine (missing)
/// // edges: 0 → 3 required, 0 → 2 array, 2 → 1 array
/// ```
///
/// An array and a missing key are nodes of their own: several factories can need the same array, whose edges lead to its members.
/// The order of nodes and edges depends only on the order of the registrations, so two graphs can be compared.
///
/// To draw the graph, write `json` to a file and run `troupe graph --container FILE | dot -Tsvg`; see <doc:DependencyGraphs>.
public struct DependencyGraph: Sendable, Encodable {
  /// What a node stands for.
  public enum NodeKind: String, Sendable, Hashable, Codable {
    case registration
    /// The registrations that a request for an array or a set matches.
    case array
    /// A key that a factory needs and that is not registered.
    case missing
  }

  /// A registration, an array of registrations, or a missing registration.
  public struct Node: Sendable, Identifiable {
    /// The index in `nodes`.
    public let id: Int
    /// The subject of the node: a registration, an array, or a missing key.
    public let kind: NodeKind
    /// The key; of an array, the requested key.
    public let key: AnyKey
    /// The depth of the container: 0 for the container of the call, 1 for its parent and so on. For an array or a missing key, the
    /// container that was searched.
    public let depth: Int
    /// Nil for an array and a missing key.
    public let registration: RegistrationSummary?
    /// Nil for an array and a missing key.
    public let knowledge: DependencyKnowledge?
  }

  /// A dependency of a factory, or a member of an array.
  public struct Edge: Sendable, Hashable {
    /// The id of the dependent node.
    public let from: Int
    /// The id of the dependency.
    public let to: Int
    /// How the node depends on the other.
    public let kind: DependencyKind
    /// How the container knows the dependency.
    public let source: DependencySource
  }

  /// Registrations by depth and in the order of registration, then arrays, then missing keys.
  public let nodes: [Node]
  /// Sorted by the dependent node, then in the order of its requests.
  public let edges: [Edge]

  /// The graph as JSON: `{nodes: [{id, kind, type, tags, depth, lifetime, context, arguments, isBuilt, isPending, owner, place,
  /// knowledge}], edges: [{from, to, need, source}]}`. Only registrations have the members from `lifetime` on. Tags are texts: a string is
  /// itself, and any other tag its description.
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
}

/// How a factory depends on a key.
public enum DependencyKind: String, Sendable, Hashable, Codable {
  /// The factory resolves it, and fails if it is missing.
  case required
  /// It may be missing.
  case optional
  /// An array, which may be empty, or a member of one.
  case array
  /// The instance resolves it later, through a `LazyResolver`.
  case lazy
}

/// How much is known about the dependencies of a factory.
public enum DependencyKnowledge: String, Sendable, Hashable, Codable {
  /// All are known, or declared to be all.
  case complete
  /// Only the requests that a learning container recorded are known.
  case learned
  /// Some may be unknown. Of an injection with blocks, only the key paths are known.
  case unknown
}

extension Container {
  /// Returns the registrations that a resolve from here can find, with their known dependencies.
  ///
  /// A transient of an ancestor resolves its dependencies from the container of the resolve; its edges are the union for all
  /// containers. Makes no instance and loads no pending registration. Safe to call from any thread. Cost: that of `validate()`.
  public func graph() -> DependencyGraph { DependencyGraph(ResolutionGraph(self)) }
}

// MARK: From the resolution graph

extension DependencyGraph {
  init(_ graph: ResolutionGraph) {
    let (resolved, items) = (graph.nodes, graph.snapshot.items)
    // Registrations in their order, then arrays, then missing keys.
    let order = resolved.map { $0.item ?? items.count + ($0.kind == .array ? 0 : 1) }
    var ids = Array(repeating: 0, count: resolved.count)
    var nodes: [Node] = []
    var former: Int?
    for node in resolved.indices.sorted(by: { order[$0] < order[$1] }) {
      let (item, index) = (graph.item(of: node), resolved[node].item)
      // The resolution graph has a node for each container from which a registration resolves; here they are one node.
      if index == nil || index != former {
        nodes.append(
          Node(
            id: nodes.count, kind: resolved[node].kind, key: resolved[node].key, depth: item?.depth ?? resolved[node].depth,
            registration: item.map(RegistrationSummary.init), knowledge: item?.entry.knownDependencies.knowledge))
      }
      former = index
      ids[node] = nodes.count - 1
    }
    var seen: Set<Edge> = []
    let edges = graph.nodes.indices.flatMap { node in
      graph.edges[node].map { Edge(from: ids[node], to: ids[$0.target], kind: $0.kind, source: $0.source) }
    }.filter { seen.insert($0).inserted }
    // Sorting is stable, so the edges of a node stay in the order of its requests.
    self.init(nodes: nodes, edges: edges.sorted { $0.from < $1.from })
  }
}

// MARK: Encoding

extension DependencyGraph.Edge: Encodable {
  private enum CodingKeys: String, CodingKey {
    case from, to, source
    case kind = "need"
  }
}

extension DependencyGraph.Node: Encodable {
  /// Encodes `{id, kind, type, tags, depth}`, and for a registration also its summary and `{knowledge}`.
  public func encode(to encoder: any Encoder) throws {
    if let registration { try registration.encode(to: encoder) } else { try key.encode(to: encoder) }
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(id, forKey: .id)
    try members.encode(kind, forKey: .kind)
    try members.encode(depth, forKey: .depth)
    try members.encodeIfPresent(knowledge, forKey: .knowledge)
  }

  private enum CodingKeys: CodingKey { case id, kind, depth, knowledge }
}
