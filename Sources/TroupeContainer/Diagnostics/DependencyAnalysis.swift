/// Algorithms on a directed graph: dependency cycles, paths from roots, and captive dependencies.
///
/// Each function takes time and memory linear in nodes and edges. None recurses, so chains may have any length.
struct DependencyAnalysis {
  /// The dependencies of each node.
  private let targets: [[Int]]
  /// Those that the factory resolves before it returns. Others form no cycles and hold nothing.
  private let strong: [[Int]]
  /// The nodes with a strong edge to each node.
  private let holders: [[Int]]

  init(targets: [[Int]], strong: [[Int]]) {
    (self.targets, self.strong) = (targets, strong)
    var holders: [[Int]] = Array(repeating: [], count: strong.count)
    for (node, targets) in strong.enumerated() { for target in targets { holders[target].append(node) } }
    self.holders = holders
  }

  /// A breadth-first forest: a shortest path to each node that it reaches, from the root of its tree.
  struct Forest {
    /// The node before each node. Nil for a root.
    private var former: [Int?]
    /// The root of the tree of each node. Nil for a node out of reach.
    private(set) var root: [Int?]

    fileprivate init(nodeCount: Int) {
      former = Array(repeating: nil, count: nodeCount)
      root = former
    }

    /// Adds trees of the nodes that the roots lead to, except nodes of other trees. Returns the added nodes, the nearest first.
    @discardableResult
    fileprivate mutating func grow(
      from roots: [Int], along edges: [[Int]], where isWanted: (Int) -> Bool = { _ in true }
    ) -> [Int] {
      var added = roots.filter { root[$0] == nil }
      for node in added { root[node] = node }
      var next = 0
      while next < added.count {
        let node = added[next]
        next += 1
        for target in edges[node] where root[target] == nil && isWanted(target) {
          (former[target], root[target]) = (node, root[node])
          added.append(target)
        }
      }
      return added
    }

    /// Returns the last `limit` nodes of the path to a node, and whether the path is longer.
    func path(to node: Int, limit: Int = .max) -> (nodes: [Int], isLonger: Bool) {
      var path = [node]
      while path.count < limit, let before = former[path[path.count - 1]] { path.append(before) }
      return (path.reversed(), former[path[path.count - 1]] != nil)
    }
  }

  /// Returns shortest paths to all nodes from nodes that no other node needs. A node that only cycles lead to has a root in a cycle.
  func paths() -> Forest {
    var isTarget = Array(repeating: false, count: targets.count)
    for (node, targets) in targets.enumerated() { for target in targets where target != node { isTarget[target] = true } }
    var forest = Forest(nodeCount: targets.count)
    forest.grow(from: targets.indices.filter { !isTarget[$0] }, along: targets)
    for node in targets.indices { forest.grow(from: [node], along: targets) }
    return forest
  }

  // MARK: Dependency cycles

  /// Returns a shortest cycle of each strongly connected component that has cycles: one through the first node that the closure accepts.
  /// A cycle begins at that node and does not repeat it at the end. Components without such a node are omitted.
  func cycles(through isWanted: (Int) -> Bool) -> [[Int]] {
    let components = components()
    var componentOf = Array(repeating: 0, count: strong.count)
    for (number, component) in components.enumerated() { for node in component { componentOf[node] = number } }
    var forest = Forest(nodeCount: strong.count)
    return components.indices.compactMap { number -> [Int]? in
      guard let start = components[number].filter(isWanted).min() else { return nil }
      let reached = forest.grow(from: [start], along: strong) { componentOf[$0] == number }
      return reached.first { strong[$0].contains(start) }.map { forest.path(to: $0).nodes }
    }.sorted { $0[0] < $1[0] }
  }

  /// Returns the strongly connected components over strong edges (M. Sharir, A strong-connectivity algorithm and its applications in data
  /// flow analysis, 1981): a search against the edges, which begins at the nodes that a depth-first search leaves last.
  private func components() -> [[Int]] {
    var finished: [Int] = []
    var isKnown = Array(repeating: false, count: strong.count)
    for start in strong.indices where !isKnown[start] {
      isKnown[start] = true
      // The current path of the depth-first search, with the next edge of each node.
      var path = [(node: start, edge: 0)]
      while let (node, edge) = path.last {
        guard edge < strong[node].count else {
          finished.append(node)
          path.removeLast()
          continue
        }
        path[path.count - 1].edge += 1
        let target = strong[node][edge]
        if isKnown[target] { continue }
        isKnown[target] = true
        path.append((target, 0))
      }
    }
    var forest = Forest(nodeCount: strong.count)
    return finished.reversed().map { forest.grow(from: [$0], along: holders) }.filter { !$0.isEmpty }
  }

  // MARK: Captive dependencies

  /// Returns a path from each singleton to a scoped node that it holds, and so keeps after its scope ended. A transient lives as long as
  /// its holder, so the path may lead through transients.
  ///
  /// - Parameter limit: The maximum number of nodes before the scoped one, since many nodes may hold the same node through the same long
  ///   chain. A longer path omits the nodes in front of the last one and is `isShortened`.
  func captives(limit: Int = 16, lifetime: (Int) -> Lifetime) -> [(nodes: [Int], isShortened: Bool)] {
    var forest = Forest(nodeCount: strong.count)
    forest.grow(from: strong.indices.filter { lifetime($0) == .scoped }, along: holders) { lifetime($0) == .transient }
    return strong.indices.filter { lifetime($0) == .singleton }.compactMap { node in
      guard let target = strong[node].first(where: { forest.root[$0] != nil }), let captive = forest.root[target] else {
        return nil
      }
      let path = forest.path(to: target, limit: limit)
      let nodes = [node] + path.nodes.reversed()
      return path.isLonger ? (Array(nodes.dropLast()) + [captive], true) : (nodes, false)
    }
  }
}
