import Testing

import TroupeContainer

private final class Node: Sendable {}

/// A graph of registrations, some of which need keys that are not registered.
private struct Graph {
  /// The dependencies of each node; a number beyond the nodes is a missing key.
  let dependencies: [[Int]]

  init(_ generator: inout some RandomNumberGenerator) {
    let count = Int.random(in: 1...9, using: &generator)
    let missing = Int.random(in: 0...1, using: &generator)
    dependencies = (0..<count).map { _ in
      (0..<Int.random(in: 0...2, using: &generator)).map { _ in Int.random(in: 0..<count + missing, using: &generator) }
    }
  }

  /// The keys that a node needs, directly or through others.
  func needs(of node: Int) -> Set<Int> {
    var needs: Set<Int> = []
    var waiting = dependencies[node]
    while let next = waiting.popLast() {
      if needs.insert(next).inserted, next < dependencies.count { waiting += dependencies[next] }
    }
    return needs
  }

  /// Whether an instance of a node can be made: all that it needs is registered, and nothing of that needs itself.
  func isComplete(_ node: Int) -> Bool {
    needs(of: node).union([node]).allSatisfy { $0 < dependencies.count && !needs(of: $0).contains($0) }
  }

  func container() -> Container {
    let container = Container()
    for (number, dependencies) in dependencies.enumerated() {
      let keys = dependencies.map { AnyKey(Node.self, tags: $0) }
      container.annotated(dependsOn: keys).register(Node.self, tags: number) { resolver in
        for dependency in dependencies { _ = try resolver.resolve(Node.self, tags: dependency) }
        return Node()
      }
    }
    return container
  }
}

/// SplitMix64 (Steele, Lea and Flood, 2014).
private struct SplitMix64: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }
}

@Suite("Validation of random graphs agrees with resolves and a plain search")
struct RandomGraphTests {
  @Test(
    "Validation finds the missing keys and the dependency cycles, and each resolve succeeds or fails, as a search of the graph says"
  )
  func comparison() throws {
    var generator = SplitMix64(state: 16)
    for number in 0..<2000 {
      let graph = Graph(&generator)
      let container = graph.container()
      let nodes = graph.dependencies.indices
      let report = container.validate()
      let missing = Set(graph.dependencies.joined()).filter { $0 >= nodes.count }
      let reported = Set(report.problems.filter { $0.kind == .missing }.map(\.subject.key))
      #expect(reported == Set(missing.map { AnyKey(Node.self, tags: $0) }), "graph \(number): \(graph)")
      let hasCycle = nodes.contains { graph.needs(of: $0).contains($0) }
      let cycles = report.problems.filter { $0.kind == .cycle }
      #expect(cycles.isEmpty == !hasCycle, "graph \(number): \(graph)")
      for cycle in cycles {
        let steps = try cycle.path.map { step in
          try #require(nodes.first { AnyKey(Node.self, tags: $0) == step.key })
        }
        #expect(steps.count > 1 && steps.first == steps.last)
        #expect(zip(steps, steps.dropFirst()).allSatisfy { graph.dependencies[$0].contains($1) }, "graph \(number): \(graph)")
      }
      for node in nodes {
        let isMade = (try? container.resolve(Node.self, tags: node)) != nil
        #expect(isMade == graph.isComplete(node), "graph \(number), node \(node): \(graph)")
      }
    }
  }
}
