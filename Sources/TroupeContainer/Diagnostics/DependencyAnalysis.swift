/// The analysis of a directed graph whose nodes are numbers: dependency cycles, paths, and captive dependencies, which live shorter
/// than their holder.
///
/// Each function takes time and memory in proportion to the nodes and edges. None recurses, so that chains may have any length.
struct DependencyAnalysis {
  /// The targets of the edges, grouped by node.
  let targets: [Int]
  /// For each node the index of its first edge; then the number of edges.
  let starts: [Int]
  /// For each edge whether the factory resolves its target at once.
  let isStrong: [Bool]

  /// The number of nodes.
  var count: Int { starts.count - 1 }

  // MARK: Dependency cycles

  /// Returns the strongly connected components over strong edges, dependencies first, each with its nodes (R. E. Tarjan,
  /// Depth-first search and linear graph algorithms, 1972).
  func components() -> [[Int]] {
    var order = Array(repeating: -1, count: count)
    var low = Array(repeating: 0, count: count)
    var isOpen = Array(repeating: false, count: count)
    var open: [Int] = []
    var components: [[Int]] = []
    var next = 0
    // The current path of the depth-first search, with the next edge of each node.
    var way: [(node: Int, edge: Int)] = []
    func enter(_ node: Int) {
      (order[node], low[node]) = (next, next)
      next += 1
      open.append(node)
      isOpen[node] = true
      way.append((node, starts[node]))
    }
    for start in 0..<count where order[start] < 0 {
      enter(start)
      while let (node, edge) = way.last {
        guard edge < starts[node + 1] else {
          way.removeLast()
          if let outer = way.last?.node { low[outer] = min(low[outer], low[node]) }
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
        way[way.count - 1].edge += 1
        guard isStrong[edge] else { continue }
        let target = targets[edge]
        if order[target] < 0 { enter(target) } else if isOpen[target] { low[node] = min(low[node], order[target]) }
      }
    }
    return components
  }

  /// Returns for each component with cycles a shortest cycle through one of its nodes: the first node for which a closure returns
  /// true. A cycle begins at that node and does not repeat it at the end. Components without such a node are omitted.
  func cycles(_ components: [[Int]], through isWanted: (Int) -> Bool) -> [[Int]] {
    var member = Array(repeating: -1, count: count)
    var former = Array(repeating: -1, count: count)
    var cycles: [[Int]] = []
    for (number, component) in components.enumerated() {
      for node in component { member[node] = number }
      let isCycle =
        component.count > 1
        || (starts[component[0]]..<starts[component[0] + 1]).contains { isStrong[$0] && targets[$0] == component[0] }
      guard isCycle, let start = component.filter(isWanted).min() else { continue }
      cycles.append(cycle(from: start, within: number, member, &former))
    }
    return cycles.sorted { $0[0] < $1[0] }
  }

  private func cycle(from start: Int, within component: Int, _ member: [Int], _ former: inout [Int]) -> [Int] {
    var queue = [start]
    var next = 0
    while next < queue.count {
      let node = queue[next]
      next += 1
      for edge in starts[node]..<starts[node + 1] where isStrong[edge] && member[targets[edge]] == component {
        let target = targets[edge]
        if target == start {
          var cycle = [node]
          while let last = cycle.last, last != start { cycle.append(former[last]) }
          return cycle.reversed()
        }
        if former[target] < 0 {
          former[target] = node
          queue.append(target)
        }
      }
    }
    return [start]
  }

  // MARK: Paths

  /// A path to each node from a node that no other node needs.
  struct Ways {
    fileprivate var former: [Int]
    /// The first node of each path.
    fileprivate(set) var root: [Int]

    /// Returns the last nodes of the path to a node, at most some number, and whether the path is longer.
    func way(to node: Int, limit: Int) -> (nodes: [Int], isLonger: Bool) {
      var way = [node]
      while way.count < limit, let last = way.last, former[last] >= 0 { way.append(former[last]) }
      return (way.reversed(), way.last.map { former[$0] >= 0 } ?? false)
    }
  }

  /// Returns the shortest paths to all nodes, each from a node without incoming edges if there is one.
  func ways() -> Ways {
    var isTarget = Array(repeating: false, count: count)
    for node in 0..<count {
      for edge in starts[node]..<starts[node + 1] where targets[edge] != node { isTarget[targets[edge]] = true }
    }
    var ways = Ways(former: Array(repeating: -1, count: count), root: Array(repeating: -1, count: count))
    var queue: [Int] = []
    func spread() {
      var next = 0
      while next < queue.count {
        let node = queue[next]
        next += 1
        for edge in starts[node]..<starts[node + 1] where ways.root[targets[edge]] < 0 {
          (ways.former[targets[edge]], ways.root[targets[edge]]) = (node, ways.root[node])
          queue.append(targets[edge])
        }
      }
      queue = []
    }
    for node in 0..<count where !isTarget[node] {
      ways.root[node] = node
      queue.append(node)
    }
    spread()
    // The other nodes are in cycles, or reachable only from cycles.
    for node in 0..<count where ways.root[node] < 0 {
      ways.root[node] = node
      queue = [node]
      spread()
    }
    return ways
  }

  // MARK: Captive dependencies

  /// Returns the nodes that hold a node of a shorter life, directly or through nodes that live as long as their holder. Each comes
  /// with the path to the shortest life that it holds, and whether nodes before the last one are omitted.
  ///
  /// - Parameters:
  ///   - components: The result of `components`.
  ///   - limit: The maximum number of nodes in a path. Many nodes may hold the same node through the same long chain.
  ///   - rank: Returns the lifetime of a node, a higher number living longer; nil for the lifetime of the holder.
  func captives(
    _ components: [[Int]], limit: Int = 16, rank: (Int) -> Int?
  ) -> [(nodes: [Int], isShortened: Bool)] {
    /// The shortest life that a node holds or has, and the edge's target towards it, or -1.
    var shortest: [Int?] = Array(repeating: nil, count: count)
    var towards = Array(repeating: -1, count: count)
    /// The node with the shortest life at the end of the path, or -1.
    var ends = Array(repeating: -1, count: count)
    var captives: [(nodes: [Int], isShortened: Bool)] = []

    /// Finds the shortest life that a node holds, except through other members of its cycle.
    func look(_ node: Int, inside cycle: Set<Int> = []) -> (rank: Int, target: Int)? {
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
        guard let found = look(node, inside: cycle) else { continue }
        (shortest[node], towards[node]) = (found.rank, found.target)
        ends[node] = rank(found.target) == nil ? ends[found.target] : found.target
      }
      if component.count > 1 { settle(component, rank: rank, &shortest, &towards, &ends) }
      for node in component {
        guard let own = rank(node), let found = look(node), found.rank < own else { continue }
        var way = [node, found.target]
        while way.count < limit, let last = way.last, rank(last) == nil { way.append(towards[last]) }
        let isShortened = way.last.map { rank($0) == nil } ?? false
        captives.append((isShortened ? way + [ends[found.target]] : way, isShortened))
      }
    }
    return captives.sorted { $0.nodes[0] < $1.nodes[0] }
  }

  /// Lets the nodes of a cycle that live as long as their holder hold the dependencies of the others.
  private func settle(
    _ component: [Int], rank: (Int) -> Int?, _ shortest: inout [Int?], _ towards: inout [Int], _ ends: inout [Int]
  ) {
    let members = Set(component.filter { rank($0) == nil })
    var holders: [Int: [Int]] = [:]
    for node in members {
      for edge in starts[node]..<starts[node + 1] where isStrong[edge] && members.contains(targets[edge]) {
        holders[targets[edge], default: []].append(node)
      }
    }
    // Holders of the shortest lives come first, so that each node is visited once.
    var isSettled: Set<Int> = []
    for start in members.sorted(by: { (shortest[$0] ?? .max, $0) < (shortest[$1] ?? .max, $1) }) {
      guard shortest[start] != nil, isSettled.insert(start).inserted else { continue }
      var waiting = [start]
      while let node = waiting.popLast() {
        for holder in holders[node] ?? [] where isSettled.insert(holder).inserted {
          (shortest[holder], towards[holder], ends[holder]) = (shortest[node], node, ends[node])
          waiting.append(holder)
        }
      }
    }
  }
}
