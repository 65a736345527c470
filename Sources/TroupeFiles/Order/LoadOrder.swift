internal import TroupeManifest
internal import TroupeBase

/// The dependencies between plugins, and the order of loading: each plugin after the plugins that it needs.
///
/// The order is the order of discovery except where a need requires another (A. B. Kahn, Topological sorting of large networks, 1962;
/// among the ready plugins the one found first comes first). A plugin whose needs cannot be met gets a fault; other plugins are not
/// affected. Time and memory are linear in the plugins and their needs, except for a logarithmic factor; the fault of each plugin has a
/// bounded length.
package struct LoadOrder {
  /// A plugin.
  package struct Node {
    /// The file.
    let path: String
    /// The manifest; nil if there is none.
    let manifest: Manifest?
    /// The fault of the plugin itself, independent of other plugins; nil if there is none.
    let fault: Diagnosis?

    package init(path: String, manifest: Manifest?, fault: Diagnosis?) {
      (self.path, self.manifest, self.fault) = (path, manifest, fault)
    }
  }

  /// The fault of each plugin, or nil; the fault of the node if there is one.
  package private(set) var faults: [Diagnosis?]
  /// The plugins without a fault in the order of loading.
  package private(set) var order: [Int] = []
  /// The plugins that each plugin needs, including all providers of a contract that it needs; empty for a plugin with a fault.
  package private(set) var needs: [[Int]]

  private let nodes: [Node]
  /// For each plugin that needs a faulty one, the path of needs to the faulty one; nil for the others.
  private var paths: [RequirementPath?]

  package init(_ nodes: [Node]) {
    self.nodes = nodes
    faults = nodes.map(\.fault)
    needs = Array(repeating: [], count: nodes.count)
    paths = Array(repeating: nil, count: nodes.count)
    var graph = Graph(nodes)
    rejectUnmet(graph)
    propagate(graph)
    addFurtherProblems(graph)
    sort(&graph)
  }
}

extension LoadOrder {
  /// A need, as indexes of plugins.
  fileprivate enum Prerequisite {
    case plugin(Int)
    case contract(String, offeredBy: [Int])
  }

  /// The needs of all plugins.
  fileprivate struct Graph {
    var needs: [[Prerequisite]]
    /// For each plugin, the plugins that need it or a contract that it provides.
    var dependents: [[Int]]
    /// The needs that no plugin meets, each as the end of a sentence that begins with the plugin, and the remedy.
    var unmet: [(index: Int, problem: (problem: String, remedy: String))] = []

    init(_ nodes: [Node]) {
      needs = Array(repeating: [], count: nodes.count)
      dependents = Array(repeating: [], count: nodes.count)
      // Most plugins need nothing.
      guard nodes.contains(where: { $0.fault == nil && $0.manifest?.requires.isEmpty == false }) else { return }
      var identifiers: [String: Int] = [:]
      var offers: [String: [Int]] = [:]
      for (index, node) in nodes.enumerated() {
        // Of two plugins with the same id, the one found first counts. The other one has a fault.
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
    faults[index] = Diagnosis(.unmetRequirement, nodes[index].path, problem: problem.problem, remedy: problem.remedy)
  }

  private func name(_ index: Int) -> String { nodes[index].manifest?.id ?? nodes[index].path }

  /// Rejects the plugins that need a faulty one, directly or through others.
  private mutating func propagate(_ graph: Graph) {
    var waiting = faults.indices.filter { faults[$0] != nil }
    while let rejected = waiting.popLast() {
      for dependent in graph.dependents[rejected] where faults[dependent] == nil {
        guard let lost = graph.prerequisites[dependent].first(where: { isLost($0) }) else { continue }
        let path = path(of: lost)
        paths[dependent] = path
        reject(dependent, problem(of: lost, path))
        waiting.append(dependent)
      }
    }
  }

  /// Rejects the plugins with needs that no plugin meets. The fault has all of these needs.
  private mutating func rejectUnmet(_ graph: Graph) {
    for (index, needs) in Dictionary(grouping: graph.unmet, by: \.index) {
      var seen: Set<String> = []
      let problems = needs.map(\.problem).filter { seen.insert($0.problem).inserted }
      let remedy = problems.count == 1 ? problems[0].remedy : Self.severalRemedies
      reject(index, (problems.map(\.problem).joined(separator: "; "), remedy))
    }
  }

  /// Adds further problems to the faults of plugins that lack several needs.
  private mutating func addFurtherProblems(_ graph: Graph) {
    guard paths.contains(where: { $0 != nil }) else { return }
    var changed = faults
    for index in nodes.indices where nodes[index].fault == nil {
      guard let fault = faults[index] else { continue }
      // One path to each faulty plugin is enough. A path through this plugin ends at the same faulty plugin as its own path.
      var ends: Set<Int> = [paths[index]?.end ?? index]
      let lost = graph.prerequisites[index].filter { isLost($0) }.map { (need: $0, path: path(of: $0)) }
      let further = lost.filter { ends.insert($0.path.end).inserted }.map { problem(of: $0.need, $0.path).problem }
      guard !further.isEmpty else { continue }
      changed[index] = Diagnosis(
        .unmetRequirement, nodes[index].path, problem: ([fault.problem] + further).joined(separator: "; "),
        remedy: Self.severalRemedies)
    }
    faults = changed
  }

  private static let severalRemedies = "install or fix each of them"

  /// The path from a lost need to the faulty plugin.
  private func path(of need: Prerequisite) -> RequirementPath {
    let first =
      switch need {
      case .plugin(let other): other
      case .contract(_, let others): others[0]
      }
    return paths[first]?.prepending(first) ?? RequirementPath([first])
  }

  /// The problem of a lost need, as the end of a sentence that begins with the plugin, and the remedy.
  private func problem(of need: Prerequisite, _ path: RequirementPath) -> (problem: String, remedy: String) {
    let what = if case .contract(let name, _) = need { ", which alone could provide the contract \(name)" } else { "" }
    let reason = faults[path.end]?.problem ?? "does not exist"
    return (
      "needs \(path.text(name))\(what), and \(path.count == 1 ? "that" : name(path.end)) \(reason)",
      faults[path.end]?.remedy ?? "fix it"
    )
  }

  /// Whether all plugins that would meet a need have a fault.
  private func isLost(_ need: Prerequisite) -> Bool {
    switch need {
    case .plugin(let other): faults[other] != nil
    case .contract(_, let others): others.allSatisfy { faults[$0] != nil }
    }
  }

  /// Sorts the plugins without a fault. The remaining plugins are in a cycle or need a plugin in one.
  private mutating func sort(_ graph: inout Graph) {
    for index in nodes.indices where faults[index] == nil {
      needs[index] = graph.prerequisites[index].flatMap { need in
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
    /// The number of plugins that must be loaded before, including all providers of a needed contract.
    var missing = needs.map { Set($0).count }
    var ready = MinimumHeap(nodes.indices.filter { faults[$0] == nil && missing[$0] == 0 })
    /// The plugins that wait only for further providers of a contract that an earlier plugin provides.
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
        } else if graph.prerequisites[dependent].allSatisfy({ isMet($0, isPlaced) }) {
          satisfied.insert(dependent)
        }
      }
    }
    rejectCycles(graph, isPlaced)
  }

  private func isMet(_ need: Prerequisite, _ isPlaced: [Bool]) -> Bool {
    switch need {
    case .plugin(let other): isPlaced[other]
    case .contract(_, let others): others.contains { isPlaced[$0] }
    }
  }

  /// Rejects the plugins that could not be sorted. Each needs another such plugin, so that following the needs leads into a cycle.
  private mutating func rejectCycles(_ graph: Graph, _ isPlaced: [Bool]) {
    /// For each of these plugins, one that it waits for.
    let next = nodes.indices.map { index -> Int? in
      guard faults[index] == nil, !isPlaced[index] else { return nil }
      for need in graph.prerequisites[index] where !isMet(need, isPlaced) {
        switch need {
        case .plugin(let other): return other
        case .contract(_, let others): return others.first { faults[$0] == nil }
        }
      }
      return nil
    }
    var isSeen = Array(repeating: false, count: nodes.count)
    /// For each plugin, the first plugin of the cycle that following its needs reaches, and the path round the cycle from there.
    var cycles: [(entrance: Int, path: RequirementPath)?] = Array(repeating: nil, count: nodes.count)
    for start in nodes.indices where next[start] != nil && !isSeen[start] {
      var steps: [Int] = []
      var present = start
      while !isSeen[present], let following = next[present] {
        isSeen[present] = true
        steps.append(present)
        present = following
      }
      if cycles[present] == nil, let first = steps.lastIndex(of: present) {
        // The cycle twice, so that the path of each member is a slice.
        let round = Array(steps[first...] + steps[first...])
        let size = steps.count - first
        for offset in 0..<size {
          cycles[round[offset]] = (round[offset], RequirementPath(round[offset...(offset + size)]))
        }
        steps.removeSubrange(first...)
      }
      for step in steps { cycles[step] = cycles[present] }
    }
    for (index, cycle) in cycles.enumerated() {
      guard let (entrance, path) = cycle else { continue }
      let prefix = index == entrance ? "" : "needs \(name(entrance)), which "
      reject(
        index, ("\(prefix)needs itself: \(path.text(name))", "take one of these needs out of its plugin's manifest"))
      needs[index] = []
    }
  }
}

/// A priority queue of numbers, the least first.
private struct MinimumHeap {
  private var numbers: [Int]

  /// Creates a queue of numbers in ascending order.
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
