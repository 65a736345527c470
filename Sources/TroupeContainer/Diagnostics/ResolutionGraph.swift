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
/// An array and a missing key are nodes as well. The edges are in compressed sparse rows: those of node n are
/// `edges[starts[n]..<starts[n + 1]]`, so that `DependencyAnalysis` needs no further index.
///
/// Time and memory are linear in the registrations, their dependencies, and the members of the arrays among these.
struct ResolutionGraph {
  enum Subject {
    /// An index of `snapshot.items`.
    case registration(Int)
    /// The registrations of the key's element type whose tags include those of the key.
    case array(AnyKey)
    case missing(AnyKey)
  }

  struct Node {
    let subject: Subject
    /// The depth of the container from which the node resolves its dependencies.
    let depth: Int
  }

  struct Edge {
    let target: Int
    let kind: DependencyKind
    let source: DependencySource
  }

  private(set) var snapshot: RegistrationSnapshot
  private(set) var nodes: [Node] = []
  private(set) var edges: [Edge] = []
  /// The index of the first edge of each node, and the number of edges at the end.
  private(set) var starts: [Int] = []
  /// The requests with arguments that the registration does not take: the node of the factory and the node of the registration.
  private(set) var argumentConflicts: [(node: Int, target: Int)] = []

  /// The nodes of registrations, by depth and item.
  private var registrationNodes: [Int?]
  private var arrayNodes: [ArrayRequest: Int] = [:]
  /// The arrays that a factory requests without arguments, other than lazily.
  private var plainArrays: Set<Int> = []
  private var missingNodes: [AnyKey: Int] = [:]

  private struct ArrayRequest: Hashable {
    let key: AnyKey
    let depth: Int
  }

  /// Creates the graph of all registrations that a resolve from a container can find.
  init(_ container: Container) {
    snapshot = RegistrationSnapshot(container)
    registrationNodes = Array(repeating: nil, count: snapshot.items.count * snapshot.containerCount)
    nodes.reserveCapacity(snapshot.items.count)
    for index in snapshot.visible() { _ = node(of: index, from: 0) }
    var next = 0
    while next < nodes.count {
      starts.append(edges.count)
      addEdges(of: next)
      next += 1
    }
    starts.append(edges.count)
    for array in plainArrays.sorted() {
      for edge in edges(of: array) where !acceptsNoArguments(edge.target) { argumentConflicts.append((array, edge.target)) }
    }
  }

  private func acceptsNoArguments(_ node: Int) -> Bool {
    guard case .registration(let item) = nodes[node].subject else { return true }
    return snapshot.mayAccept([], item)
  }

  func edges(of node: Int) -> ArraySlice<Edge> { edges[starts[node]..<starts[node + 1]] }

  /// Returns the entry of a registration, and nil for an array or a missing key.
  func entry(of node: Int) -> Entry? {
    guard case .registration(let index) = nodes[node].subject else { return nil }
    return snapshot.items[index].entry
  }

  func key(of node: Int) -> AnyKey {
    switch nodes[node].subject {
    case .registration(let index): snapshot.items[index].entry.key
    case .array(let key), .missing(let key): key
    }
  }

  /// Returns true if a resolve can find an item, directly or as a dependency.
  func isReached(_ item: Int) -> Bool {
    (0..<snapshot.containerCount).contains { registrationNodes[$0 * snapshot.items.count + item] != nil }
  }

  // MARK: Construction

  private mutating func node(of item: Int, from depth: Int) -> Int {
    let depth = snapshot.resolvingDepth(of: item, from: depth)
    let index = depth * snapshot.items.count + item
    if let known = registrationNodes[index] { return known }
    nodes.append(Node(subject: .registration(item), depth: depth))
    registrationNodes[index] = nodes.count - 1
    return nodes.count - 1
  }

  private mutating func addEdges(of node: Int) {
    switch nodes[node].subject {
    case .registration(let index):
      for dependency in snapshot.items[index].entry.knownDependencies.dependencies { add(dependency, of: node) }
    case .array(let key):
      for item in snapshot.candidates(AnyKey(metatype: key.element, tags: key.tags), from: nodes[node].depth) {
        let target = self.node(of: item, from: nodes[node].depth)
        edges.append(Edge(target: target, kind: .array, source: .known))
      }
    case .missing: break
    }
  }

  private mutating func add(_ dependency: Dependency, of node: Int) {
    let depth = nodes[node].depth
    var (key, kind) = (dependency.key, dependency.isOptional ? DependencyKind.optional : .required)
    // Each iteration removes one layer of the type: an optional, a lazy resolver or an array.
    while true {
      if let answer = snapshot.answer(key, dependency.argumentTypes, from: depth) {
        for item in answer.items {
          let target = self.node(of: item, from: depth)
          edges.append(Edge(target: target, kind: kind, source: dependency.source))
          if !answer.fits, kind != .lazy { argumentConflicts.append((node, target)) }
        }
        return
      }
      switch (key.metatype as? any Composite.Type)?.dependency {
      case .optional(let wrapped)?:
        if kind != .lazy { kind = .optional }
        key = AnyKey(metatype: wrapped, tags: key.tags)
      case .lazy(let wrapped)?:
        kind = .lazy
        key = AnyKey(metatype: wrapped, tags: key.tags)
      case .all?:
        let target = arrayNode(ArrayRequest(key: key, depth: depth))
        if kind != .lazy, dependency.argumentTypes?.isEmpty == true { plainArrays.insert(target) }
        edges.append(Edge(target: target, kind: kind == .lazy ? .lazy : .array, source: dependency.source))
        return
      case nil:
        edges.append(Edge(target: missingNode(key, depth), kind: kind, source: dependency.source))
        return
      }
    }
  }

  private mutating func arrayNode(_ request: ArrayRequest) -> Int {
    if let known = arrayNodes[request] { return known }
    nodes.append(Node(subject: .array(request.key), depth: request.depth))
    arrayNodes[request] = nodes.count - 1
    return nodes.count - 1
  }

  private mutating func missingNode(_ key: AnyKey, _ depth: Int) -> Int {
    if let known = missingNodes[key] { return known }
    nodes.append(Node(subject: .missing(key), depth: depth))
    missingNodes[key] = nodes.count - 1
    return nodes.count - 1
  }
}

extension AnyKey {
  /// The element type of an array or a set, and the type itself for any other type.
  fileprivate var element: any Any.Type {
    if case .all(let element)? = (metatype as? any Composite.Type)?.dependency { element } else { metatype }
  }
}

extension Entry {
  /// The known dependencies of the factory, and whether they are all.
  var knownDependencies: (knowledge: DependencyKnowledge, dependencies: [Dependency]) {
    let (details, learned) = (details, learned?.dependencies)
    let known = details.dependencies ?? []
    let all = known.adding(learned ?? [])
    // A weak entry has no factory.
    if kind == .weak || (details.dependencies != nil && !details.hasUnknownDependencies) { return (.complete, all) }
    return (learned == nil ? .unknown : .learned, all)
  }
}
