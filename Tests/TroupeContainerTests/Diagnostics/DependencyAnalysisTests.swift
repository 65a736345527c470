import Testing

@testable import TroupeContainer

/// Analyzes a graph of numbers, given as lists of targets. A negative number is a weak edge to its complement.
private func analysis(_ lists: [[Int]]) -> DependencyAnalysis {
  DependencyAnalysis(targets: lists.map { $0.map { $0 < 0 ? ~$0 : $0 } }, strong: lists.map { $0.filter { $0 >= 0 } })
}

@Suite("The analysis of a graph finds cycles, paths and captive dependencies")
struct DependencyAnalysisTests {
  @Test("A shortest cycle of each component is found from its first node, and weak edges form no cycle")
  func cycles() {
    let graph = analysis([[1, 2], [2], [0, 3], [4], [~3], [5], [7], [6, 0], []])
    #expect(graph.cycles { _ in true } == [[0, 2], [5], [6, 7]])
    #expect(graph.cycles { $0 != 0 && $0 != 6 && $0 != 7 } == [[1, 2, 0], [5]])
    #expect(analysis([[1], [2, 3], [], [2]]).cycles { _ in true }.isEmpty)
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

  @Test("A singleton that holds a scoped node is found, also through transients and in cycles")
  func captives() {
    let lifetimes: [Lifetime] = [.singleton, .transient, .transient, .scoped, .singleton]
    func captives(_ lists: [[Int]]) -> [[Int]] { analysis(lists).captives { lifetimes[$0] }.map(\.nodes) }
    #expect(captives([[3], [], [], [], []]) == [[0, 3]])
    #expect(captives([[1], [2], [3], [], [1]]) == [[0, 1, 2, 3], [4, 1, 2, 3]])
    // A lazy node holds nothing, a scoped node may hold a singleton, and singletons hold each other.
    #expect(captives([[1, 4], [~3], [], [0], []]).isEmpty)
    // Through a cycle, with any of its members as the holder of the scoped node.
    #expect(captives([[1], [2], [1, 3], [], []]) == [[0, 1, 2, 3]])
    #expect(captives([[2], [2, 3], [1], [], []]) == [[0, 2, 1, 3]])
    #expect(captives([[1], [0, 3], [], [], []]) == [[0, 1, 3]])
  }

  @Test("A long path to a captive is shortened to its end and marked as shortened")
  func longPath() {
    // A chain of transients between a singleton and a scoped node.
    let graph = analysis((0..<9).map { [$0 + 1] } + [[]])
    func lifetime(_ node: Int) -> Lifetime { node == 0 ? .singleton : node == 9 ? .scoped : .transient }
    let captives = graph.captives(limit: 4, lifetime: lifetime)
    #expect(captives.map(\.nodes) == [[0, 1, 2, 3, 9]] && captives.map(\.isShortened) == [true])
    let whole = graph.captives(lifetime: lifetime)
    #expect(whole.map(\.nodes) == [Array(0...9)] && whole.map(\.isShortened) == [false])
  }

  @Test("A singleton may hold a transient")
  func lifetimes() {
    let container = Container()
    container.annotated(dependsOn: Key<Int>()).register(String.self, lifetime: .singleton) { _ in "" }
    container.annotated(dependsOn: []).register(Int.self) { _ in 1 }
    #expect(container.validate().findings.isEmpty)
  }

  @Test("The finding about a captive names the holder, the captive and the path")
  func captiveText() throws {
    let steps = [Int.self, Bool.self, String.self].map { ValidationReport.Step(AnyKey(metatype: $0, tags: []), nil) }
    let finding = ValidationReport.Finding(kind: .captive, subject: steps[0], path: steps)
    #expect(
      finding.problem
        == "Swift.Int holds Swift.String of a shorter life; dependency path: Swift.Int → Swift.Bool → Swift.String")
  }
}
