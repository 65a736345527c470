internal import TroupeManifest

/// Which plugin needs which, and in what order they are loaded so that each finds what it needs.
///
/// The order is that in which they were found, but for what a need changes (A. B. Kahn, Topological sorting of large networks,
/// 1962, with the plugin found first taken of those that are ready). A plugin whose needs cannot be met has a fault; the others
/// are not concerned. Time and memory are linear in the plugins and their needs, but for a logarithm.
struct Dependencies {
  /// What is known of one plugin.
  struct Node {
    /// The file, to name it.
    let path: String
    /// Nil if there is none.
    let manifest: Manifest?
    /// Why it cannot be loaded whatever the others are, or nil.
    let fault: PluginFault?
  }

  /// Why each plugin cannot be loaded, or nil; where a node had a fault, that one.
  private(set) var faults: [PluginFault?]
  /// Those without a fault, in the order in which they are loaded.
  private(set) var order: [Int] = []
  /// The plugins that each one needs, and those that offer a contract which it needs; none with a fault.
  private(set) var needs: [[Int]]

  private let nodes: [Node]
  /// For each plugin with a fault of this kind, the plugins that led to the fault: the last is the one at fault. None for the
  /// others.
  private var ways: [[Int]]

  /// Works everything out.
  init(_ nodes: [Node]) {
    self.nodes = nodes
    faults = nodes.map(\.fault)
    needs = Array(repeating: [], count: nodes.count)
    ways = needs
    var graph = Graph(nodes)
    rejectUnmet(graph)
    propagate(graph)
    tellAll(graph)
    sort(&graph)
  }
}

extension Dependencies {
  /// One need, as indexes.
  fileprivate enum Need {
    case plugin(Int)
    case contract(String, offeredBy: [Int])
  }

  /// Who needs whom.
  fileprivate struct Graph {
    var needs: [[Need]]
    /// For each plugin, those that need it or a contract that it offers.
    var dependents: [[Int]]
    /// The needs that nothing meets, as the end of a sentence that begins with the plugin, with what to do.
    var unmet: [(index: Int, problem: (problem: String, remedy: String))] = []

    init(_ nodes: [Node]) {
      needs = Array(repeating: [], count: nodes.count)
      dependents = Array(repeating: [], count: nodes.count)
      // Most plugins need nothing.
      guard nodes.contains(where: { $0.fault == nil && $0.manifest?.requires.isEmpty == false }) else { return }
      var identifiers: [String: Int] = [:]
      var offers: [String: [Int]] = [:]
      for (index, node) in nodes.enumerated() {
        // Of two with the same id the one found first counts, and the other has a fault.
        if let id = node.manifest?.id, identifiers[id] == nil { identifiers[id] = index }
        guard node.fault == nil else { continue }
        for contract in Set(node.manifest?.provides ?? []) { offers[contract, default: []].append(index) }
      }
      for (index, node) in nodes.enumerated() where node.fault == nil {
        for requirement in node.manifest?.requires ?? [] { add(requirement, of: index, nodes, identifiers, offers) }
      }
    }

    private mutating func add(
      _ requirement: Requirement, of index: Int, _ nodes: [Node], _ identifiers: [String: Int], _ offers: [String: [Int]]
    ) {
      switch requirement {
      case .plugin(let id, let range):
        guard let other = identifiers[id], let version = nodes[other].manifest?.version else {
          unmet.append(
            (
              index,
              ("needs \(requirement), and no plugin of that id was found", "install it, or name the directory that it is in")
            ))
          return
        }
        guard range.contains(version) else {
          let found = "needs \(requirement), and \(nodes[other].path) is version \(version)"
          unmet.append((index, (found, "install a version that will do")))
          return
        }
        needs[index].append(.plugin(other))
        dependents[other].append(index)
      case .contract(let name):
        let others = offers[name] ?? []
        if others.contains(index) { return }
        guard !others.isEmpty else {
          unmet.append(
            (index, ("needs the contract \(name), which no plugin that was found provides", "install one that does")))
          return
        }
        needs[index].append(.contract(name, offeredBy: others))
        for other in others { dependents[other].append(index) }
      }
    }
  }

  private mutating func reject(_ index: Int, _ problem: (problem: String, remedy: String)) {
    guard faults[index] == nil else { return }
    faults[index] = PluginFault(
      path: nodes[index].path, code: .unmetRequirement, problem: problem.problem, remedy: problem.remedy)
  }

  private func name(_ index: Int) -> String { nodes[index].manifest?.id ?? nodes[index].path }

  /// Gives a fault to whoever needs a plugin that has one, and so on.
  private mutating func propagate(_ graph: Graph) {
    var waiting = faults.indices.filter { faults[$0] != nil }
    while let rejected = waiting.popLast() {
      for dependent in graph.dependents[rejected] where faults[dependent] == nil {
        guard let lost = graph.needs[dependent].first(where: { isLost($0) }) else { continue }
        let way = way(of: lost)
        ways[dependent] = way
        reject(dependent, problem(of: lost, way))
        waiting.append(dependent)
      }
    }
  }

  /// Gives a fault to those whose needs nothing meets, with all of them, each once.
  private mutating func rejectUnmet(_ graph: Graph) {
    for (index, needs) in Dictionary(grouping: graph.unmet, by: \.index) {
      var seen: Set<String> = []
      let problems = needs.map(\.problem).filter { seen.insert($0.problem).inserted }
      let remedy = problems.count == 1 ? problems[0].remedy : Self.severalRemedies
      reject(index, (problems.map(\.problem).joined(separator: "; "), remedy))
    }
  }

  /// Adds to the faults of those that lack several things what they do not say yet.
  private mutating func tellAll(_ graph: Graph) {
    guard ways.contains(where: { !$0.isEmpty }) else { return }
    var told = faults
    for index in nodes.indices where nodes[index].fault == nil && faults[index] != nil {
      let lost = graph.needs[index].filter { isLost($0) }
      let isFirst = ways[index].isEmpty
      guard lost.count > (isFirst ? 0 : 1) else { continue }
      var problems = isFirst ? [faults[index]?.problem].compactMap(\.self) : []
      // Of several ways to the same fault the first will do, and one that leads back here tells nothing.
      var ends: Set<Int> = []
      for need in lost {
        let way = way(of: need)
        guard !way.contains(index), ends.insert(way[way.count - 1]).inserted else { continue }
        problems.append(problem(of: need, way).problem)
      }
      guard problems.count > 1 else { continue }
      told[index] = PluginFault(
        path: nodes[index].path, code: .unmetRequirement, problem: problems.joined(separator: "; "),
        remedy: Self.severalRemedies)
    }
    faults = told
  }

  private static let severalRemedies = "install or fix each of them"

  /// The plugins that lead from a need that is lost to the fault.
  private func way(of need: Need) -> [Int] {
    let first =
      switch need {
      case .plugin(let other): other
      case .contract(_, let others): others[0]
      }
    return [first] + ways[first]
  }

  /// What is wrong with a need that is lost by a way, as the end of a sentence that begins with the plugin, with what to do.
  private func problem(of need: Need, _ way: [Int]) -> (problem: String, remedy: String) {
    let last = way[way.count - 1]
    let path = way.map { name($0) }.joined(separator: " → ")
    let what = if case .contract(let name, _) = need { ", which alone could provide the contract \(name)" } else { "" }
    let reason = faults[last]?.problem ?? "does not exist"
    return (
      "needs \(path)\(what), and \(way.count == 1 ? "that" : name(last)) \(reason)", faults[last]?.remedy ?? "fix it"
    )
  }

  /// Whether a need cannot be met since what would meet it has a fault.
  private func isLost(_ need: Need) -> Bool {
    switch need {
    case .plugin(let other): faults[other] != nil
    case .contract(_, let others): others.allSatisfy { faults[$0] != nil }
    }
  }

  /// Puts those without a fault in order; those that are left need themselves, or somebody who does.
  private mutating func sort(_ graph: inout Graph) {
    for index in nodes.indices where faults[index] == nil {
      needs[index] = graph.needs[index].flatMap { need in
        switch need {
        case .plugin(let other): [other]
        case .contract(_, let others): others.filter { faults[$0] == nil }
        }
      }
    }
    guard needs.contains(where: { !$0.isEmpty }) else {
      order = nodes.indices.filter { faults[$0] == nil }
      return
    }
    var isPlaced = Array(repeating: false, count: nodes.count)
    /// How many plugins have to come before, all that offer a contract among them.
    var missing = needs.map { Set($0).count }
    var ready = MinimumHeap(nodes.indices.filter { faults[$0] == nil && missing[$0] == 0 })
    /// Those that wait for nobody but a further one that offers a contract which they have already.
    var satisfied = MinimumHeap([])
    while true {
      guard let next = ready.popFirst() ?? satisfied.popFirst() else { break }
      guard !isPlaced[next] else { continue }
      isPlaced[next] = true
      order.append(next)
      for dependent in Set(graph.dependents[next]) where faults[dependent] == nil && !isPlaced[dependent] {
        missing[dependent] -= 1
        if missing[dependent] == 0 {
          ready.insert(dependent)
        } else if graph.needs[dependent].allSatisfy({ isMet($0, isPlaced) }) {
          satisfied.insert(dependent)
        }
      }
    }
    rejectRings(graph, isPlaced)
  }

  private func isMet(_ need: Need, _ isPlaced: [Bool]) -> Bool {
    switch need {
    case .plugin(let other): isPlaced[other]
    case .contract(_, let others): others.contains { isPlaced[$0] }
    }
  }

  /// Gives a fault to those that could not be placed: each needs another such plugin, so that the way ends in a ring.
  private mutating func rejectRings(_ graph: Graph, _ isPlaced: [Bool]) {
    /// One that each of them waits for.
    let next = nodes.indices.map { index -> Int? in
      guard faults[index] == nil, !isPlaced[index] else { return nil }
      for need in graph.needs[index] where !isMet(need, isPlaced) {
        switch need {
        case .plugin(let other): return other
        case .contract(_, let others): return others.first { faults[$0] == nil }
        }
      }
      return nil
    }
    var rings: [Int: [Int]] = [:]
    var seen: [Int: Int] = [:]
    for start in nodes.indices where next[start] != nil {
      var way: [Int] = []
      var present = start
      while seen[present] == nil, let following = next[present] {
        seen[present] = start
        way.append(present)
        present = following
      }
      if seen[present] == start, let first = way.firstIndex(of: present) {
        for member in way[first...] { rings[member] = Array(way[first...]) }
      }
    }
    /// Where the way from a plugin enters a ring.
    var entrances: [Int: Int] = [:]
    for index in nodes.indices where next[index] != nil {
      var (way, present) = ([Int](), index)
      // Every plugin waits for one other, so that each step leads nearer to the ring.
      while rings[present] == nil, entrances[present] == nil, let following = next[present] {
        way.append(present)
        present = following
      }
      present = entrances[present] ?? present
      for step in way { entrances[step] = present }
      guard let ring = rings[present], let first = ring.firstIndex(of: present) else { continue }
      let path = (ring[first...] + ring[..<first] + [present]).map { name($0) }.joined(separator: " → ")
      reject(
        index,
        (
          index == present ? "needs itself: \(path)" : "needs \(name(present)), which needs itself: \(path)",
          "take one of these needs out of its plugin's manifest"
        ))
      needs[index] = []
    }
  }
}

/// Numbers of which the least comes first.
private struct MinimumHeap {
  private var numbers: [Int]

  /// Takes numbers in ascending order.
  init(_ sorted: [Int]) { numbers = sorted }

  mutating func insert(_ number: Int) {
    numbers.append(number)
    var child = numbers.count - 1
    while child > 0, numbers[child] < numbers[(child - 1) / 2] {
      numbers.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  mutating func popFirst() -> Int? {
    guard let first = numbers.first, let last = numbers.popLast() else { return nil }
    guard !numbers.isEmpty else { return first }
    numbers[0] = last
    var parent = 0
    while true {
      var least = 2 * parent + 1
      if least + 1 < numbers.count, numbers[least + 1] < numbers[least] { least += 1 }
      guard least < numbers.count, numbers[least] < numbers[parent] else { break }
      numbers.swapAt(parent, least)
      parent = least
    }
    return first
  }
}
