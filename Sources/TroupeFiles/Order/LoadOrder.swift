internal import TroupeManifest
internal import TroupeBase

/// The order in which plugins are loaded, each after its prerequisites, and the diagnoses of plugins whose requirements are not met.
///
/// A requirement in a manifest names a plugin with a version range, or a contract that any of several plugins may provide. The plugins that
/// meet it are the prerequisites. Four steps decide:
///
///     1. A plugin with a requirement that no plugin meets is rejected.
///     2. So is each plugin whose prerequisites are rejected: directly, or through others.
///     3. The remaining plugins are sorted topologically (A. B. Kahn, Topological sorting of large networks, 1962). Among the plugins that
///        are ready, the one that was found first comes first, so the order is that of discovery wherever it can be.
///     4. The plugins that cannot be sorted are in a cycle, or need a plugin in one.
///
/// A contract needs one provider. The others come first as well, unless they are in a cycle with the plugin.
///
/// Time and memory are linear in the plugins and their requirements, except for a logarithmic factor. A diagnosis has a bounded length, also
/// for a chain of thousands of plugins. A rejected plugin does not affect those that do not need it.
package struct LoadOrder {
  /// A plugin.
  package struct Node {
    let path: String
    let manifest: Manifest?
    /// What is wrong with the plugin itself, independent of other plugins.
    let diagnosis: Diagnosis?

    package init(path: String, manifest: Manifest?, diagnosis: Diagnosis?) {
      (self.path, self.manifest, self.diagnosis) = (path, manifest, diagnosis)
    }
  }

  /// What is wrong with each plugin. The diagnosis of a node stays.
  package private(set) var diagnoses: [Diagnosis?]
  /// The indexes of the plugins that can be loaded.
  package private(set) var order: [Int] = []
  /// For each plugin, the plugins that are loaded before it: all that it requires, and all providers of a contract that it requires. Empty for
  /// a rejected plugin.
  package private(set) var prerequisites: [[Int]]

  private let nodes: [Node]
  /// For each plugin that needs a rejected one, the path to the rejected one.
  private var paths: [RequirementPath?]

  package init(_ nodes: [Node]) {
    self.nodes = nodes
    diagnoses = nodes.map(\.diagnosis)
    prerequisites = Array(repeating: [], count: nodes.count)
    paths = Array(repeating: nil, count: nodes.count)
    var graph = Graph(nodes)
    rejectUnmet(graph)
    propagate(graph)
    addFurtherProblems(graph)
    sort(&graph)
  }
}

extension LoadOrder {
  /// The plugins that meet a requirement, as indexes.
  fileprivate enum Prerequisite {
    case plugin(Int)
    case contract(String, offeredBy: [Int])
  }

  fileprivate struct Graph {
    var prerequisites: [[Prerequisite]]
    /// For each plugin, the plugins that require it or a contract that it provides.
    var dependents: [[Int]]
    /// The requirements that no plugin meets. A problem is the end of a sentence that begins with the plugin.
    var unmet: [(index: Int, problem: (problem: String, remedy: String))] = []

    init(_ nodes: [Node]) {
      prerequisites = Array(repeating: [], count: nodes.count)
      dependents = Array(repeating: [], count: nodes.count)
      // Most plugins require nothing.
      guard nodes.contains(where: { $0.diagnosis == nil && $0.manifest?.requires.isEmpty == false }) else { return }
      var identifiers: [String: Int] = [:]
      var offers: [String: [Int]] = [:]
      for (index, node) in nodes.enumerated() {
        // Of two plugins with the same ID, the one found first counts. The other one is rejected.
        if let id = node.manifest?.id, identifiers[id] == nil { identifiers[id] = index }
        guard node.diagnosis == nil else { continue }
        for contract in Set(node.manifest?.provides ?? []) { offers[contract, default: []].append(index) }
      }
      for (index, node) in nodes.enumerated() where node.diagnosis == nil {
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
              ("needs \(requirement), and no plugin of that id was found", "install it, or search its directory as well")
            ))
          return
        }
        guard range.contains(version) else {
          let found = "needs \(requirement), and \(nodes[other].path) is version \(version)"
          unmet.append((index, (found, "install \(requirement)")))
          return
        }
        prerequisites[index].append(.plugin(other))
        dependents[other].append(index)
      case .contract(let name):
        let others = offers[name] ?? []
        if others.contains(index) { return }
        guard !others.isEmpty else {
          unmet.append(
            (
              index,
              ("needs the contract \(name), which no plugin that was found provides", "install a plugin that provides it")
            ))
          return
        }
        prerequisites[index].append(.contract(name, offeredBy: others))
        for other in others { dependents[other].append(index) }
      }
    }
  }

  private mutating func reject(_ index: Int, _ problem: (problem: String, remedy: String)) {
    guard diagnoses[index] == nil else { return }
    diagnoses[index] = Diagnosis(.unmetRequirement, nodes[index].path, problem: problem.problem, remedy: problem.remedy)
  }

  private func name(_ index: Int) -> String { nodes[index].manifest?.id ?? nodes[index].path }

  /// Rejects the plugins that need a rejected one, directly or through others.
  private mutating func propagate(_ graph: Graph) {
    var waiting = diagnoses.indices.filter { diagnoses[$0] != nil }
    while let rejected = waiting.popLast() {
      for dependent in graph.dependents[rejected] where diagnoses[dependent] == nil {
        guard let lost = graph.prerequisites[dependent].first(where: { isLost($0) }) else { continue }
        let path = path(of: lost)
        paths[dependent] = path
        reject(dependent, problem(of: lost, path))
        waiting.append(dependent)
      }
    }
  }

  /// Rejects the plugins with requirements that no plugin meets. The diagnosis has all of them.
  private mutating func rejectUnmet(_ graph: Graph) {
    for (index, unmet) in Dictionary(grouping: graph.unmet, by: \.index) {
      var seen: Set<String> = []
      let problems = unmet.map(\.problem).filter { seen.insert($0.problem).inserted }
      let remedy = problems.count == 1 ? problems[0].remedy : Self.severalRemedies
      reject(index, (problems.map(\.problem).joined(separator: "; "), remedy))
    }
  }

  /// Adds further problems to the diagnoses of plugins that lack several prerequisites.
  private mutating func addFurtherProblems(_ graph: Graph) {
    guard paths.contains(where: { $0 != nil }) else { return }
    var changed = diagnoses
    for index in nodes.indices where nodes[index].diagnosis == nil {
      guard let diagnosis = diagnoses[index] else { continue }
      // One path to each rejected plugin is enough. A path through this plugin ends at the same rejected plugin as its own path.
      var ends: Set<Int> = [paths[index]?.end ?? index]
      let lost = graph.prerequisites[index].filter { isLost($0) }.map { (prerequisite: $0, path: path(of: $0)) }
      let further = lost.filter { ends.insert($0.path.end).inserted }.map { problem(of: $0.prerequisite, $0.path).problem }
      guard !further.isEmpty else { continue }
      changed[index] = Diagnosis(
        .unmetRequirement, nodes[index].path, problem: ([diagnosis.problem] + further).joined(separator: "; "),
        remedy: Self.severalRemedies)
    }
    diagnoses = changed
  }

  private static let severalRemedies = "install or fix each of them"

  /// The path from a lost prerequisite to the plugin that was rejected first.
  private func path(of prerequisite: Prerequisite) -> RequirementPath {
    let first =
      switch prerequisite {
      case .plugin(let other): other
      case .contract(_, let others): others[0]
      }
    return paths[first]?.prepending(first) ?? RequirementPath([first])
  }

  /// The problem of a lost prerequisite, as the end of a sentence that begins with the plugin, and the remedy.
  private func problem(of prerequisite: Prerequisite, _ path: RequirementPath) -> (problem: String, remedy: String) {
    let what = if case .contract(let name, _) = prerequisite { ", which alone could provide the contract \(name)" } else { "" }
    let reason = diagnoses[path.end]?.problem ?? "does not exist"
    return (
      "needs \(path.text(name))\(what), and \(path.count == 1 ? "that" : name(path.end)) \(reason)",
      diagnoses[path.end]?.remedy ?? "fix it"
    )
  }

  /// Returns whether all plugins that would meet the requirement are rejected.
  private func isLost(_ prerequisite: Prerequisite) -> Bool {
    switch prerequisite {
    case .plugin(let other): diagnoses[other] != nil
    case .contract(_, let others): others.allSatisfy { diagnoses[$0] != nil }
    }
  }

  /// Sorts the plugins that are not rejected.
  private mutating func sort(_ graph: inout Graph) {
    for index in nodes.indices where diagnoses[index] == nil {
      prerequisites[index] = graph.prerequisites[index].flatMap { prerequisite in
        switch prerequisite {
        case .plugin(let other): [other]
        case .contract(_, let others): others.filter { diagnoses[$0] == nil }
        }
      }
    }
    guard prerequisites.contains(where: { !$0.isEmpty }) else {
      order = nodes.indices.filter { diagnoses[$0] == nil }
      return
    }
    var isPlaced = Array(repeating: false, count: nodes.count)
    /// How many plugins have to be placed before, including all providers of a contract.
    var missing = prerequisites.map { Set($0).count }
    var ready = MinimumHeap(nodes.indices.filter { diagnoses[$0] == nil && missing[$0] == 0 })
    /// These wait only for further providers of a contract that an earlier plugin provides.
    var satisfied = MinimumHeap([])
    while true {
      guard let next = ready.popFirst() ?? satisfied.popFirst() else { break }
      guard !isPlaced[next] else { continue }
      isPlaced[next] = true
      order.append(next)
      for dependent in Set(graph.dependents[next]) where diagnoses[dependent] == nil && !isPlaced[dependent] {
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

  private func isMet(_ prerequisite: Prerequisite, _ isPlaced: [Bool]) -> Bool {
    switch prerequisite {
    case .plugin(let other): isPlaced[other]
    case .contract(_, let others): others.contains { isPlaced[$0] }
    }
  }

  /// Rejects the plugins that could not be sorted. Each needs another such plugin, so following them leads into a cycle.
  private mutating func rejectCycles(_ graph: Graph, _ isPlaced: [Bool]) {
    /// For each of these plugins, one that it waits for.
    let next = nodes.indices.map { index -> Int? in
      guard diagnoses[index] == nil, !isPlaced[index] else { return nil }
      for prerequisite in graph.prerequisites[index] where !isMet(prerequisite, isPlaced) {
        switch prerequisite {
        case .plugin(let other): return other
        case .contract(_, let others): return others.first { diagnoses[$0] == nil }
        }
      }
      return nil
    }
    var isSeen = Array(repeating: false, count: nodes.count)
    /// For each plugin, the first plugin of the cycle that it leads to, and the path round the cycle from there.
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
      prerequisites[index] = []
    }
  }
}

/// A path from a plugin through its prerequisites. A message shows only both ends, so the path keeps no more of them.
private struct RequirementPath {
  /// The number of plugins that a message shows at each end.
  private static let shown = 5

  private var first: [Int]
  private var last: [Int]
  private(set) var count: Int

  /// A path has at least one plugin.
  init(_ indexes: some RandomAccessCollection<Int>) {
    (first, last, count) = (Array(indexes.prefix(Self.shown)), Array(indexes.suffix(Self.shown)), indexes.count)
  }

  /// The rejected plugin.
  var end: Int { last[last.count - 1] }

  func prepending(_ index: Int) -> RequirementPath {
    var path = self
    path.first = [index] + first.prefix(Self.shown - 1)
    if last.count < Self.shown { path.last = [index] + last }
    path.count += 1
    return path
  }

  /// Joins the names with arrows. A count replaces the middle of a long path.
  func text(_ name: (Int) -> String) -> String {
    let hidden = count - 2 * Self.shown
    let names = (first + last.suffix(max(0, count - Self.shown))).map(name)
    guard hidden > 0 else { return names.joined(separator: " → ") }
    return (names.prefix(Self.shown) + ["… \(hidden) more …"] + names.suffix(Self.shown)).joined(separator: " → ")
  }
}

/// A binary heap: a priority queue with the least number first.
private struct MinimumHeap {
  private var numbers: [Int]

  /// The numbers must be in ascending order.
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
