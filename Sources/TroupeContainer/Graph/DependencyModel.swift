/// Who needs what in a container, as numbers: registrations, arrays of them, and what is missing are nodes, and needs are edges.
///
/// A transient is made by the container that is asked for it and finds what it needs from there, so that one registration of a
/// parent may be several nodes. Time and memory are linear in the registrations, what they need and what the arrays among this
/// are made of.
struct DependencyModel {
  /// What a node stands for.
  enum Subject {
    /// An item of the snapshot.
    case registration(Int)
    /// Everything with a type and tags that include some.
    case array(AnyKey)
    /// Something that nothing is registered under.
    case missing(AnyKey)
  }

  struct Node {
    let subject: Subject
    /// The depth of the container that looks for what it needs.
    let context: Int
  }

  /// How a factory needs something.
  enum Need: Sendable {
    /// It is made with what needs it, and an error if it is missing.
    case required
    /// It may be missing.
    case optional
    /// As a member of an array, which may be empty.
    case array
    /// Not before the instance is used.
    case lazy
  }

  struct Edge {
    let target: Int
    let need: Need
    let source: Dependency.Source
  }

  private(set) var snapshot: RegistrationSnapshot
  private(set) var nodes: [Node] = []
  /// The edges of all nodes, one node's after the other's.
  private(set) var edges: [Edge] = []
  /// For each node, where its edges begin; and the end of all.
  private(set) var starts: [Int] = []
  /// For what is asked for with arguments that it does not take: who asks and what is there, as nodes.
  private(set) var mismatches: [(node: Int, target: Int)] = []

  /// For each container and item its node, or -1.
  private var registrationNodes: [Int]
  private var arrayNodes: [Place: Int] = [:]
  /// Those that somebody asks for without arguments, as soon as it is made.
  private var plainArrays: Set<Int> = []
  private var missingNodes: [AnyKey: Int] = [:]

  private struct Place: Hashable {
    let key: AnyKey
    let context: Int
  }

  /// Follows everything that can be seen from a container.
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
      for edge in edges(of: array) where !takesNothing(edge.target) { mismatches.append((array, edge.target)) }
    }
  }

  /// Whether a registration can be resolved without arguments, as far as can be told.
  private func takesNothing(_ node: Int) -> Bool {
    guard case .registration(let item) = nodes[node].subject else { return true }
    return snapshot.mayTake([], item)
  }

  /// The edges of a node.
  func edges(of node: Int) -> ArraySlice<Edge> { edges[starts[node]..<starts[node + 1]] }

  /// The entry of a node that is a registration.
  func entry(of node: Int) -> Entry? {
    guard case .registration(let index) = nodes[node].subject else { return nil }
    return snapshot.items[index].entry
  }

  /// What a node is called.
  func key(of node: Int) -> AnyKey {
    switch nodes[node].subject {
    case .registration(let index): snapshot.items[index].entry.key
    case .array(let key), .missing(let key): key
    }
  }

  /// Whether an item can be seen, or is needed by what can.
  func isReached(_ item: Int) -> Bool {
    (0..<snapshot.containerCount).contains { registrationNodes[$0 * snapshot.items.count + item] >= 0 }
  }

  // MARK: Making it

  private mutating func node(of item: Int, from context: Int) -> Int {
    let context = snapshot.context(of: item, from: context)
    let place = context * snapshot.items.count + item
    if registrationNodes[place] < 0 {
      registrationNodes[place] = nodes.count
      nodes.append(Node(subject: .registration(item), context: context))
    }
    return registrationNodes[place]
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
    // Each turn takes one layer off the type.
    while true {
      if let answer = snapshot.answer(key, dependency.argumentTypes, from: context) {
        for item in answer.items {
          let target = self.node(of: item, from: context)
          edges.append(Edge(target: target, need: need, source: dependency.source))
          if !answer.fits, need != .lazy { mismatches.append((node, target)) }
        }
        return
      }
      switch (key.metatype as? any Composite.Type)?.need {
      case .optional(let wrapped)?:
        if need != .lazy { need = .optional }
        key = AnyKey(metatype: wrapped, tags: key.tags)
      case .lazy(let wrapped)?:
        need = .lazy
        key = AnyKey(metatype: wrapped, tags: key.tags)
      case .all?:
        let place = Place(key: key, context: context)
        if arrayNodes[place] == nil {
          arrayNodes[place] = nodes.count
          nodes.append(Node(subject: .array(key), context: context))
        }
        if let target = arrayNodes[place] {
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
  /// The element's type of an array or a set; the type itself for anything else.
  fileprivate var element: any Any.Type {
    if case .all(let element)? = (metatype as? any Composite.Type)?.need { element } else { metatype }
  }
}

/// What is known of the needs of a factory.
enum Knowledge: String, Sendable {
  /// All of it, or what somebody has said is all.
  case complete
  /// What it resolved while its container learned, which need not be all.
  case learned
  /// Nothing, or not all.
  case unknown
}

extension Entry {
  /// What its factory resolves, as far as that is known, and how far that is.
  var knowledge: (extent: Knowledge, dependencies: [Dependency]) {
    let (details, learned) = (details, learned?.dependencies)
    let known = details.dependencies ?? []
    let all = known.adding(learned ?? [])
    // A weak entry has no factory.
    if kind == .weak || (details.dependencies != nil && !details.mayNeedMore) { return (.complete, all) }
    return (learned == nil ? .unknown : .learned, all)
  }
}
