/// Which registration each factory would resolve, as a graph of indices: the model behind `validate()` and `graph()`.
///
/// A node is a registration together with the container from which its factory resolves. A transient of a parent resolves from the
/// container of the caller, so it can have different dependencies in the parent and in a child, and is one node for each:
///
///     parent:  Wheel (transient, needs Engine), Engine
///     child:   Engine
///
///     Wheel in child  ──▶ Engine of the child
///     Wheel in parent ──▶ Engine of the parent
///
/// An array and a missing key are nodes as well. Time and memory are linear in the registrations, their dependencies, and the members
/// of the arrays among these.
struct ResolutionGraph {
  struct Node: Hashable {
    let kind: DependencyGraph.NodeKind
    /// An index of `snapshot.items`, for a registration.
    let item: Int?
    let key: AnyKey
    /// The depth of the container from which the node resolves its dependencies.
    let depth: Int
  }

  struct Edge {
    let target: Int
    let kind: DependencyKind
    let source: DependencySource
  }

  let snapshot: RegistrationSnapshot
  private(set) var nodes: [Node] = []
  /// By node.
  private(set) var edges: [[Edge]] = []
  /// The requests with arguments that the registration does not take: the node of the factory or array, and that of the registration.
  private(set) var argumentConflicts: [(node: Int, target: Int)] = []
  /// The nodes of registrations, by depth and item.
  private var registrations: [Int?]
  /// The nodes of arrays and missing keys.
  private var others: [Node: Int] = [:]
  /// The arrays that a factory requests without arguments, other than lazily.
  private var plainArrays: Set<Int> = []

  /// Creates the graph of all registrations that a resolve from a container can find.
  init(_ container: Container) {
    snapshot = RegistrationSnapshot(container)
    registrations = Array(repeating: nil, count: snapshot.items.count * snapshot.containerCount)
    for item in snapshot.items.indices where snapshot.overriding(item) == nil { _ = node(of: item, from: 0) }
    var next = 0
    while next < nodes.count {
      for dependency in item(of: next)?.entry.knownDependencies.dependencies ?? [] { add(dependency, of: next) }
      next += 1
    }
  }

  /// Returns the registration of a node, and nil for an array or a missing key.
  func item(of node: Int) -> RegistrationSnapshot.Item? { nodes[node].item.map { snapshot.items[$0] } }

  /// Returns true if a resolve can find an item, directly or as a dependency.
  func isReached(_ item: Int) -> Bool {
    (0..<snapshot.containerCount).contains { registrations[$0 * snapshot.items.count + item] != nil }
  }

  // MARK: Construction

  private mutating func add(_ dependency: Dependency, of node: Int) {
    let depth = nodes[node].depth
    let request = snapshot.resolution(of: dependency.key, dependency.argumentTypes, from: depth)
    let kind: DependencyKind =
      request.isLazy ? .lazy : request.isOptional || dependency.isOptional ? .optional : .required
    func edge(_ target: Int, _ kind: DependencyKind) -> Edge { Edge(target: target, kind: kind, source: dependency.source) }
    switch request.target {
    case .registrations(let items, let fit):
      for item in items {
        let target = self.node(of: item, from: depth)
        edges[node].append(edge(target, kind))
        if !fit, kind != .lazy { argumentConflicts.append((node, target)) }
      }
    case .array(let element):
      let array = self.node(.array, request.key, depth)
      edges[node].append(edge(array, kind == .lazy ? .lazy : .array))
      if edges[array].isEmpty {
        for item in snapshot.candidates(element, from: depth) {
          let target = self.node(of: item, from: depth)
          edges[array].append(Edge(target: target, kind: .array, source: .known))
        }
      }
      if kind != .lazy, dependency.argumentTypes?.isEmpty == true, plainArrays.insert(array).inserted {
        for edge in edges[array] where self.item(of: edge.target)?.mayAccept([]) == false {
          argumentConflicts.append((array, edge.target))
        }
      }
    case .nothing: edges[node].append(edge(self.node(.missing, request.key, depth), kind))
    }
  }

  private mutating func node(of item: Int, from depth: Int) -> Int {
    let depth = snapshot.resolvingDepth(of: item, from: depth)
    let index = depth * snapshot.items.count + item
    if let known = registrations[index] { return known }
    registrations[index] = nodes.count
    return append(Node(kind: .registration, item: item, key: snapshot.items[item].entry.key, depth: depth))
  }

  private mutating func node(_ kind: DependencyGraph.NodeKind, _ key: AnyKey, _ depth: Int) -> Int {
    // A missing key is one node, whichever container was searched.
    let identity = Node(kind: kind, item: nil, key: key, depth: kind == .missing ? 0 : depth)
    if let known = others[identity] { return known }
    others[identity] = nodes.count
    return append(Node(kind: kind, item: nil, key: key, depth: depth))
  }

  private mutating func append(_ node: Node) -> Int {
    nodes.append(node)
    edges.append([])
    return nodes.count - 1
  }
}

extension Entry {
  /// The known dependencies of the factory, and whether they are all.
  var knownDependencies: (knowledge: DependencyKnowledge, dependencies: [Dependency]) {
    let (details, learned) = (details, learned?.dependencies)
    let known = details.dependencies ?? []
    let all = learned.map(known.adding) ?? known
    // A weak entry has no factory.
    if kind == .weak || (details.dependencies != nil && !details.hasUnknownDependencies) { return (.complete, all) }
    return (learned == nil ? .unknown : .learned, all)
  }
}
