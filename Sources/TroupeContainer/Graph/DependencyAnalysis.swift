/// What there is to be found in a directed graph whose nodes are numbers: rings, ways, and what lives shorter than what holds it.
///
/// All of it takes time and memory in proportion to the nodes and edges, and none of it recurses, so that a chain may be as long as
/// it likes.
struct DependencyAnalysis {
  /// The targets of the edges, one node's after the other's.
  let targets: [Int]
  /// For each node, where its edges begin; and the end of all.
  let starts: [Int]
  /// For each edge, whether what it leads to is needed at once.
  let isStrong: [Bool]

  /// The number of nodes.
  var count: Int { starts.count - 1 }

  // MARK: Rings

  /// The strongly connected components over strong edges, those first that others lead to, each with its nodes
  /// (R. E. Tarjan, Depth-first search and linear graph algorithms, 1972).
  func components() -> [[Int]] {
    var order = Array(repeating: -1, count: count)
    var low = Array(repeating: 0, count: count)
    var isOpen = Array(repeating: false, count: count)
    var open: [Int] = []
    var components: [[Int]] = []
    var next = 0
    // Where the walk is: the nodes from its start to the present, and which edge of each comes next.
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

  /// A shortest ring through one of the nodes of each component that has rings, beginning there and not repeating it at its
  /// end; the first of those nodes through which a closure wants a ring. Components without such a node are left out.
  func rings(_ components: [[Int]], through isWanted: (Int) -> Bool) -> [[Int]] {
    var member = Array(repeating: -1, count: count)
    var former = Array(repeating: -1, count: count)
    var rings: [[Int]] = []
    for (number, component) in components.enumerated() {
      for node in component { member[node] = number }
      let isRing =
        component.count > 1
        || (starts[component[0]]..<starts[component[0] + 1]).contains { isStrong[$0] && targets[$0] == component[0] }
      guard isRing, let start = component.filter(isWanted).min() else { continue }
      rings.append(ring(from: start, within: number, member, &former))
    }
    return rings.sorted { $0[0] < $1[0] }
  }

  private func ring(from start: Int, within component: Int, _ member: [Int], _ former: inout [Int]) -> [Int] {
    var queue = [start]
    var next = 0
    while next < queue.count {
      let node = queue[next]
      next += 1
      for edge in starts[node]..<starts[node + 1] where isStrong[edge] && member[targets[edge]] == component {
        let target = targets[edge]
        if target == start {
          var ring = [node]
          while let last = ring.last, last != start { ring.append(former[last]) }
          return ring.reversed()
        }
        if former[target] < 0 {
          former[target] = node
          queue.append(target)
        }
      }
    }
    return [start]
  }

  // MARK: Ways

  /// How each node is reached from those that nobody needs.
  struct Ways {
    fileprivate var former: [Int]
    /// Where the way to each node begins.
    fileprivate(set) var root: [Int]

    /// The last nodes of the way to a node, no more than some number, and whether the way is longer.
    func way(to node: Int, limit: Int) -> (nodes: [Int], isLonger: Bool) {
      var way = [node]
      while way.count < limit, let last = way.last, former[last] >= 0 { way.append(former[last]) }
      return (way.reversed(), way.last.map { former[$0] >= 0 } ?? false)
    }
  }

  /// The shortest ways to all nodes, each from a node that no other one leads to, if there is one.
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
    // What is left is in rings, or behind rings alone.
    for node in 0..<count where ways.root[node] < 0 {
      ways.root[node] = node
      queue = [node]
      spread()
    }
    return ways
  }

  // MARK: Lives

  /// For each node that holds something of a shorter life, directly or through what lives as long as what holds it: the way to the
  /// shortest life that it holds, and whether nodes before its last one are left out.
  ///
  /// - Parameters:
  ///   - components: As `components` gives them.
  ///   - limit: How many nodes of a way are given at most. Many may hold the same thing through the same long chain.
  ///   - rank: How long a node lives, more being longer; nil for as long as what holds it.
  func captives(
    _ components: [[Int]], limit: Int = 16, rank: (Int) -> Int?
  ) -> [(nodes: [Int], isShortened: Bool)] {
    /// The shortest life that is held through a node, the node itself included, and the edge's target towards it, or -1.
    var shortest: [Int?] = Array(repeating: nil, count: count)
    var towards = Array(repeating: -1, count: count)
    /// The node of the shortest life at the end of the way, or -1.
    var ends = Array(repeating: -1, count: count)
    var captives: [(nodes: [Int], isShortened: Bool)] = []

    /// Looks at what a node holds, not through members of its own ring.
    func look(_ node: Int, inside ring: Set<Int> = []) -> (rank: Int, target: Int)? {
      var found: (rank: Int, target: Int)?
      for edge in starts[node]..<starts[node + 1] where isStrong[edge] {
        let target = targets[edge]
        guard let rank = rank(target) ?? (ring.contains(target) ? nil : shortest[target]), rank < found?.rank ?? .max else {
          continue
        }
        found = (rank, target)
      }
      return found
    }

    for component in components {
      // What is in a ring and lives as long as what holds it holds all that the ring holds: passed on against the edges, from
      // those that hold the shortest life directly.
      let ring = component.count > 1 ? Set(component) : []
      for node in component {
        guard let found = look(node, inside: ring) else { continue }
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

  /// Has the nodes of a ring that live as long as what holds them hold what the others of them hold.
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
    // Those that hold the shortest lives come first, so that nothing has to be passed on twice.
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
