/// Algorithms on a directed graph: dependency cycles, paths from roots, and captive dependencies.
///
/// A captive dependency is an instance that is held by one of a longer life: a singleton that holds a scoped instance keeps it after
/// its scope ended. Transients live as long as their holder, so the holder may hold the captive through a chain of them.
///
/// The graph is in compressed sparse rows: the edges of node n are `targets[starts[n]..<starts[n + 1]]`. Each function takes time
/// and memory linear in nodes and edges. None recurses, so chains may have any length.
struct DependencyAnalysis {
  let targets: [Int]
  /// The index of the first edge of each node, and the number of edges at the end.
  let starts: [Int]
  /// For each edge, whether the factory resolves its target before it returns. Other edges form no cycles and hold nothing.
  let isStrong: [Bool]

  var nodeCount: Int { starts.count - 1 }

  // MARK: Dependency cycles

  /// Returns the strongly connected components over strong edges, dependencies first, each with its nodes (R. E. Tarjan,
  /// Depth-first search and linear graph algorithms, 1972).
  func components() -> [[Int]] {
    var order: [Int?] = Array(repeating: nil, count: nodeCount)
    var low = Array(repeating: 0, count: nodeCount)
    var isOpen = Array(repeating: false, count: nodeCount)
    var open: [Int] = []
    var components: [[Int]] = []
    var next = 0
    // The current path of the depth-first search, with the next edge of each node.
    var path: [(node: Int, edge: Int)] = []
    func enter(_ node: Int) {
      (order[node], low[node]) = (next, next)
      next += 1
      open.append(node)
      isOpen[node] = true
      path.append((node, starts[node]))
    }
    for start in 0..<nodeCount where order[start] == nil {
      enter(start)
      while let (node, edge) = path.last {
        guard edge < starts[node + 1] else {
          path.removeLast()
          if let outer = path.last?.node { low[outer] = min(low[outer], low[node]) }
          guard low[node] == order[node] else { continue }
          var component: [Int] = []
          repeat {
            let member = open.removeLast()
            isOpen[member] = false
            component.append(member)
          } while component.last != node
          components.append(component)
          continue
        }
        path[path.count - 1].edge += 1
        guard isStrong[edge] else { continue }
        let target = targets[edge]
        if let order = order[target] {
          if isOpen[target] { low[node] = min(low[node], order) }
        } else {
          enter(target)
        }
      }
    }
    return components
  }

  /// Returns a shortest cycle of each component that has cycles: one through the first node that the closure accepts. A cycle begins
  /// at that node and does not repeat it at the end. Components without such a node are omitted.
  func cycles(_ components: [[Int]], through isWanted: (Int) -> Bool) -> [[Int]] {
    var componentOf: [Int?] = Array(repeating: nil, count: nodeCount)
    var former: [Int?] = Array(repeating: nil, count: nodeCount)
    var cycles: [[Int]] = []
    for (number, component) in components.enumerated() {
      for node in component { componentOf[node] = number }
      let isCycle =
        component.count > 1
        || (starts[component[0]]..<starts[component[0] + 1]).contains { isStrong[$0] && targets[$0] == component[0] }
      guard isCycle, let start = component.filter(isWanted).min() else { continue }
      cycles.append(cycle(from: start, within: number, componentOf, &former))
    }
    return cycles.sorted { $0[0] < $1[0] }
  }

  /// - Parameter former: For each node that the search reaches, the node before it. Shared by the searches of all components.
  private func cycle(from start: Int, within component: Int, _ componentOf: [Int?], _ former: inout [Int?]) -> [Int] {
    var queue = [start]
    var next = 0
    while next < queue.count {
      let node = queue[next]
      next += 1
      for edge in starts[node]..<starts[node + 1] where isStrong[edge] && componentOf[targets[edge]] == component {
        let target = targets[edge]
        if target == start {
          var cycle = [node]
          while let last = cycle.last, last != start, let before = former[last] { cycle.append(before) }
          return cycle.reversed()
        }
        if former[target] == nil {
          former[target] = node
          queue.append(target)
        }
      }
    }
    return [start]
  }

  // MARK: Paths

  /// A breadth-first forest: a shortest path to each node from a root, which no other node needs.
  struct Paths {
    /// The node before each node. Nil for a root.
    fileprivate let former: [Int?]
    /// The first node of the path to each node.
    let root: [Int]

    /// Returns the last `limit` nodes of the path to a node, and whether the path is longer.
    func path(to node: Int, limit: Int) -> (nodes: [Int], isLonger: Bool) {
      var path = [node]
      while path.count < limit, let last = path.last, let before = former[last] { path.append(before) }
      return (path.reversed(), path.last.map { former[$0] != nil } ?? false)
    }
  }

  /// Returns shortest paths to all nodes. A node that only cycles lead to has a root in a cycle.
  func paths() -> Paths {
    var isTarget = Array(repeating: false, count: nodeCount)
    for node in 0..<nodeCount {
      for edge in starts[node]..<starts[node + 1] where targets[edge] != node { isTarget[targets[edge]] = true }
    }
    var former: [Int?] = Array(repeating: nil, count: nodeCount)
    var root: [Int?] = former
    var queue: [Int] = []
    func spread() {
      var next = 0
      while next < queue.count {
        let node = queue[next]
        next += 1
        for edge in starts[node]..<starts[node + 1] where root[targets[edge]] == nil {
          (former[targets[edge]], root[targets[edge]]) = (node, root[node])
          queue.append(targets[edge])
        }
      }
      queue = []
    }
    for node in 0..<nodeCount where !isTarget[node] {
      root[node] = node
      queue.append(node)
    }
    spread()
    // The other nodes are in cycles, or reachable only from cycles.
    for node in 0..<nodeCount where root[node] == nil {
      root[node] = node
      queue = [node]
      spread()
    }
    return Paths(former: former, root: root.enumerated().map { node, root in root ?? node })
  }

  // MARK: Captive dependencies

  /// Returns a path from each node that holds captive dependencies to the one with the shortest life.
  ///
  /// - Parameters:
  ///   - components: The result of `components`.
  ///   - limit: The maximum number of nodes in a path, since many nodes may hold the same node through the same long chain. A longer
  ///     path omits the nodes before the last one and is `isShortened`.
  ///   - rank: Returns the lifetime of a node: a higher number lives longer, and nil lives as long as the holder.
  func captives(
    _ components: [[Int]], limit: Int = 16, rank: (Int) -> Int?
  ) -> [(nodes: [Int], isShortened: Bool)] {
    // The shortest life that each node holds, the next node towards it, and the node that has it.
    var shortest: [Int?] = Array(repeating: nil, count: nodeCount)
    var towards: [Int?] = shortest
    var ends: [Int?] = shortest
    var captives: [(nodes: [Int], isShortened: Bool)] = []

    /// Finds the shortest life that a node holds, except through other members of its cycle.
    func shortestHeld(by node: Int, inside cycle: Set<Int> = []) -> (rank: Int, target: Int)? {
      var found: (rank: Int, target: Int)?
      for edge in starts[node]..<starts[node + 1] where isStrong[edge] {
        let target = targets[edge]
        guard let rank = rank(target) ?? (cycle.contains(target) ? nil : shortest[target]), rank < found?.rank ?? .max else {
          continue
        }
        found = (rank, target)
      }
      return found
    }

    for component in components {
      // The nodes of a cycle that live as long as their holder hold all that the cycle holds. The shortest lives spread against the
      // edges, from the direct holders.
      let cycle = component.count > 1 ? Set(component) : []
      for node in component {
        guard let found = shortestHeld(by: node, inside: cycle) else { continue }
        (shortest[node], towards[node]) = (found.rank, found.target)
        ends[node] = rank(found.target) == nil ? ends[found.target] : found.target
      }
      if component.count > 1 { spread(in: component, rank: rank, &shortest, &towards, &ends) }
      for node in component {
        guard let own = rank(node), let found = shortestHeld(by: node), found.rank < own else { continue }
        var path = [node, found.target]
        while path.count < limit, let last = path.last, rank(last) == nil, let next = towards[last] { path.append(next) }
        let isShortened = path.last.map { rank($0) == nil } ?? false
        if isShortened, let end = ends[found.target] { path.append(end) }
        captives.append((path, isShortened))
      }
    }
    return captives.sorted { $0.nodes[0] < $1.nodes[0] }
  }

  /// Lets the nodes of a cycle that live as long as their holder hold the dependencies of the others.
  private func spread(
    in component: [Int], rank: (Int) -> Int?, _ shortest: inout [Int?], _ towards: inout [Int?], _ ends: inout [Int?]
  ) {
    let members = Set(component.filter { rank($0) == nil })
    var holders: [Int: [Int]] = [:]
    for node in members {
      for edge in starts[node]..<starts[node + 1] where isStrong[edge] && members.contains(targets[edge]) {
        holders[targets[edge], default: []].append(node)
      }
    }
    // Holders of the shortest lives come first, so that each node is visited once.
    var isVisited: Set<Int> = []
    for start in members.sorted(by: { (shortest[$0] ?? .max, $0) < (shortest[$1] ?? .max, $1) }) {
      guard shortest[start] != nil, isVisited.insert(start).inserted else { continue }
      var waiting = [start]
      while let node = waiting.popLast() {
        for holder in holders[node] ?? [] where isVisited.insert(holder).inserted {
          (shortest[holder], towards[holder], ends[holder]) = (shortest[node], node, ends[node])
          waiting.append(holder)
        }
      }
    }
  }
}
