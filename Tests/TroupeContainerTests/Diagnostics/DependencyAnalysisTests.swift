import Testing

@testable import TroupeContainer

/// Analyzes a graph of numbers, given as lists of targets. A negative number is a weak edge to its complement.
private func analysis(_ lists: [[Int]]) -> DependencyAnalysis {
  var starts = [0]
  for list in lists { starts.append(starts[starts.count - 1] + list.count) }
  let edges = lists.flatMap(\.self)
  return DependencyAnalysis(targets: edges.map { $0 < 0 ? ~$0 : $0 }, starts: starts, isStrong: edges.map { $0 >= 0 })
}

@Suite("The analysis of a graph finds cycles, paths and captive dependencies")
struct DependencyAnalysisTests {
  @Test("A shortest cycle of each component is found from its first node, and weak edges form no cycle")
  func cycles() {
    let graph = analysis([[1, 2], [2], [0, 3], [4], [~3], [5], [7], [6, 0], []])
    let components = graph.components()
    #expect(Set(components.map { $0.sorted() }) == [[0, 1, 2], [3], [4], [5], [6, 7], [8]])
    #expect(graph.cycles(components) { _ in true } == [[0, 2], [5], [6, 7]])
    #expect(graph.cycles(components) { $0 != 0 && $0 != 6 && $0 != 7 } == [[1, 2, 0], [5]])
  }

  @Test("Components follow the components that they lead to")
  func order() {
    let components = analysis([[1], [2, 3], [], [2]]).components()
    #expect(components == [[2], [3], [1], [0]])
  }

  @Test("Paths are the shortest ones from nodes without dependents, and unreachable cycles have their own roots")
  func paths() {
    let paths = analysis([[1], [2], [], [2, 4], [], [6], [5]]).paths()
    #expect(paths.path(to: 2, limit: 9).nodes == [3, 2])
    #expect(paths.path(to: 6, limit: 9).nodes == [5, 6])
    #expect(paths.path(to: 0, limit: 9).nodes == [0])
    #expect(paths.root == [0, 0, 3, 3, 3, 5, 5])
    let long = analysis([[1], [2], [3], []]).paths().path(to: 3, limit: 2)
    #expect(long.nodes == [2, 3] && long.isLonger)
  }

  @Test("A node that holds a shorter-lived one is found, also through nodes without a lifetime and in cycles")
  func captives() {
    /// Nodes 0 and 4 are long-lived, 1 and 2 have no lifetime, and 3 is short-lived.
    let ranks: [Int?] = [100, nil, nil, 50, 100]
    func captives(_ lists: [[Int]]) -> [[Int]] {
      let graph = analysis(lists)
      return graph.captives(graph.components()) { ranks[$0] }.map(\.nodes)
    }
    #expect(captives([[3], [], [], [], []]) == [[0, 3]])
    #expect(captives([[1], [2], [3], [], [1]]) == [[0, 1, 2, 3], [4, 1, 2, 3]])
    // A lazy node holds nothing, a short-lived node may hold a long-lived one, and equals hold each other.
    #expect(captives([[1, 4], [~3], [], [0], []]).isEmpty)
    // Through a cycle, with any of its members as the holder of the short-lived node.
    #expect(captives([[1], [2], [1, 3], [], []]) == [[0, 1, 2, 3]])
    #expect(captives([[2], [2, 3], [1], [], []]) == [[0, 2, 1, 3]])
    #expect(captives([[1], [0, 3], [], [], []]) == [[0, 1, 3]])
  }

  @Test("A long path to a captive is shortened to its end and marked as shortened")
  func longPath() {
    // A chain of nodes without a lifetime, between a long-lived and a short-lived one.
    let graph = analysis((0..<9).map { [$0 + 1] } + [[]])
    let captives = graph.captives(graph.components(), limit: 4) { $0 == 0 ? 100 : $0 == 9 ? 50 : nil }
    #expect(captives.map(\.nodes) == [[0, 1, 2, 3, 9]] && captives.map(\.isShortened) == [true])
    let whole = graph.captives(graph.components()) { $0 == 0 ? 100 : $0 == 9 ? 50 : nil }
    #expect(whole.map(\.nodes) == [Array(0...9)] && whole.map(\.isShortened) == [false])
  }

  @Test("A singleton may hold a transient, which has no lifetime rank")
  func lifetimes() throws {
    let container = Container()
    container.annotated(dependsOn: Key<Int>()).register(String.self, lifetime: .singleton) { _ in "" }
    container.annotated(dependsOn: []).register(Int.self) { _ in 1 }
    #expect(container.validate().findings.isEmpty)
    #expect(try #require(Lifetime.singleton.rank) > 0 && Lifetime.transient.rank == nil)
  }

  @Test("The finding about a captive names the holder, the captive and the path")
  func captiveText() throws {
    let steps = [Int.self, Bool.self, String.self].map { ValidationReport.Step(AnyKey(metatype: $0, tags: []), nil) }
    let finding = ValidationReport.Finding(kind: .captive, subject: steps[0], path: steps, isShortened: false)
    #expect(
      finding.problem
        == "Swift.Int holds Swift.String of a shorter life; dependency path: Swift.Int → Swift.Bool → Swift.String")
  }
}
