/// The dependencies in a container, as a graph of numbers: registrations, arrays and missing registrations are nodes, dependencies
/// are edges.
///
/// A transient resolves its dependencies from the container of the resolve, so one registration of an ancestor may be several
/// nodes. Time and memory are linear in the registrations, their dependencies, and the members of the arrays among these.
struct ResolutionGraph {
  /// The subject of a node.
  enum Subject {
    /// An item of the snapshot.
    case registration(Int)
    /// The registrations of a type whose tags include some.
    case array(AnyKey)
    /// A key without a registration.
    case missing(AnyKey)
  }

  struct Node {
    let subject: Subject
    /// The depth of the container from which the node resolves its dependencies.
    let context: Int
  }

  /// The kind of a dependency.
  enum Need: Sendable {
    /// The factory resolves it, and fails if it is missing.
    case required
    /// It may be missing.
    case optional
    /// A member of an array, which may be empty.
    case array
    /// Resolved only when the instance uses it.
    case lazy
  }

  struct Edge {
    let target: Int
    let need: Need
    let source: Dependency.Source
  }

  private(set) var snapshot: RegistrationSnapshot
  private(set) var nodes: [Node] = []
  /// The edges of all nodes, grouped by node.
  private(set) var edges: [Edge] = []
  /// For each node the index of its first edge; then the number of edges.
  private(set) var starts: [Int] = []
  /// The requests with arguments that the registration does not take: the node of the factory and the node of the registration.
  private(set) var mismatches: [(node: Int, target: Int)] = []

  /// For each container and item the node, or -1.
  private var registrationNodes: [Int]
  private var arrayNodes: [ArrayRequest: Int] = [:]
  /// The arrays that a factory requests without arguments, other than lazily.
  private var plainArrays: Set<Int> = []
  private var missingNodes: [AnyKey: Int] = [:]

  private struct ArrayRequest: Hashable {
    let key: AnyKey
    let context: Int
  }

  /// Creates the model of all registrations that a resolve from a container can find.
  init(_ container: Container) {
    snapshot = RegistrationSnapshot(container)
    registrationNodes = Array(repeating: -1, count: snapshot.items.count * snapshot.containerCount)
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
      for edge in edges(of: array) where !acceptsNoArguments(edge.target) { mismatches.append((array, edge.target)) }
    }
  }

  /// Whether a registration can be resolved without arguments, as far as is known.
  private func acceptsNoArguments(_ node: Int) -> Bool {
    guard case .registration(let item) = nodes[node].subject else { return true }
    return snapshot.mayAccept([], item)
  }

  /// Returns the edges of a node.
  func edges(of node: Int) -> ArraySlice<Edge> { edges[starts[node]..<starts[node + 1]] }

  /// Returns the entry of a node that is a registration.
  func entry(of node: Int) -> Entry? {
    guard case .registration(let index) = nodes[node].subject else { return nil }
    return snapshot.items[index].entry
  }

  /// Returns the key of a node.
  func key(of node: Int) -> AnyKey {
    switch nodes[node].subject {
    case .registration(let index): snapshot.items[index].entry.key
    case .array(let key), .missing(let key): key
    }
  }

  /// Whether a resolve can find an item, directly or as a dependency.
  func isReached(_ item: Int) -> Bool {
    (0..<snapshot.containerCount).contains { registrationNodes[$0 * snapshot.items.count + item] >= 0 }
  }

  // MARK: Construction

  private mutating func node(of item: Int, from context: Int) -> Int {
    let context = snapshot.context(of: item, from: context)
    let location = context * snapshot.items.count + item
    if registrationNodes[location] < 0 {
      registrationNodes[location] = nodes.count
      nodes.append(Node(subject: .registration(item), context: context))
    }
    return registrationNodes[location]
  }

  private mutating func addEdges(of node: Int) {
    switch nodes[node].subject {
    case .registration(let index):
      for dependency in snapshot.items[index].entry.knowledge.dependencies { add(dependency, of: node) }
    case .array(let key):
      for item in snapshot.candidates(AnyKey(metatype: key.element, tags: key.tags), from: nodes[node].context) {
        let target = self.node(of: item, from: nodes[node].context)
        edges.append(Edge(target: target, need: .array, source: .initializer))
      }
    case .missing: break
    }
  }

  private mutating func add(_ dependency: Dependency, of node: Int) {
    let context = nodes[node].context
    var (key, need) = (dependency.key, dependency.isOptional ? Need.optional : .required)
    // Each iteration removes one layer of the type.
    while true {
      if let answer = snapshot.answer(key, dependency.argumentTypes, from: context) {
        for item in answer.items {
          let target = self.node(of: item, from: context)
          edges.append(Edge(target: target, need: need, source: dependency.source))
          if !answer.fits, need != .lazy { mismatches.append((node, target)) }
        }
        return
      }
      switch (key.metatype as? any Composite.Type)?.dependency {
      case .optional(let wrapped)?:
        if need != .lazy { need = .optional }
        key = AnyKey(metatype: wrapped, tags: key.tags)
      case .lazy(let wrapped)?:
        need = .lazy
        key = AnyKey(metatype: wrapped, tags: key.tags)
      case .all?:
        let request = ArrayRequest(key: key, context: context)
        if arrayNodes[request] == nil {
          arrayNodes[request] = nodes.count
          nodes.append(Node(subject: .array(key), context: context))
        }
        if let target = arrayNodes[request] {
          if need != .lazy, dependency.argumentTypes?.isEmpty == true { plainArrays.insert(target) }
          edges.append(Edge(target: target, need: need == .lazy ? .lazy : .array, source: dependency.source))
        }
        return
      case nil:
        if missingNodes[key] == nil {
          missingNodes[key] = nodes.count
          nodes.append(Node(subject: .missing(key), context: context))
        }
        if let target = missingNodes[key] { edges.append(Edge(target: target, need: need, source: dependency.source)) }
        return
      }
    }
  }
}

extension AnyKey {
  /// The element type of an array or a set; the type itself for any other type.
  fileprivate var element: any Any.Type {
    if case .all(let element)? = (metatype as? any Composite.Type)?.dependency { element } else { metatype }
  }
}

/// The extent to which the dependencies of a factory are known.
enum Knowledge: String, Sendable {
  /// All are known, or are declared to be all.
  case complete
  /// Only the requests that the container recorded are known.
  case learned
  /// None are known, or not all.
  case unknown
}

extension Entry {
  /// The known dependencies of the factory, and the extent to which they are known.
  var knowledge: (extent: Knowledge, dependencies: [Dependency]) {
    let (details, learned) = (details, learned?.dependencies)
    let known = details.dependencies ?? []
    let all = known.adding(learned ?? [])
    // A weak entry has no factory.
    if kind == .weak || (details.dependencies != nil && !details.hasUnknownDependencies) { return (.complete, all) }
    return (learned == nil ? .unknown : .learned, all)
  }
}
