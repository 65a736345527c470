import Testing

@testable import TroupeTools

@Suite("Layout of the graph") struct LayeredLayoutTests {
  private func layout(_ count: Int, _ edges: [(Int, Int)]) -> LayeredLayout {
    LayeredLayout(nodeCount: count, edges: edges.map { (from: $0.0, to: $0.1) }, nodeHeight: 50, pointHeight: 10)
  }

  @Test("A node stands behind all nodes that lead to it")
  func columns() {
    let layout = layout(5, [(0, 1), (1, 2), (0, 2), (3, 2)])
    #expect(layout.nodes.map(\.column) == [0, 1, 2, 0, 0])
    #expect(layout.columnCount == 3)
  }

  @Test("An edge passes a point in each column between its ends")
  func routes() {
    let layout = layout(3, [(0, 1), (1, 2), (0, 2)])
    #expect(layout.routes.map { $0.map(\.column) } == [[0, 1], [1, 2], [0, 1, 2]])
    #expect(layout.routes[2].first == layout.nodes[0] && layout.routes[2].last == layout.nodes[2])
  }

  @Test("Nodes of a column do not overlap")
  func distances() {
    let edges = (0..<40).map { ($0, 40 + $0 * $0 % 7) }
    let layout = layout(47, edges)
    for column in 0..<layout.columnCount {
      let ys = layout.nodes.filter { $0.column == column }.map(\.y).sorted()
      for (upper, lower) in zip(ys, ys.dropFirst()) { #expect(lower - upper >= 49.999) }
    }
    #expect(layout.nodes.allSatisfy { $0.y >= 24.999 && $0.y + 25 <= layout.height + 0.001 })
  }

  @Test("Cycles, an edge to its own node and an empty graph have a layout")
  func cycles() {
    let layout = layout(4, [(0, 1), (1, 2), (2, 0), (3, 3)])
    #expect(layout.routes.map(\.count) == [2, 2, 2, 2])
    #expect(layout.nodes[0].column < layout.nodes[1].column)
    #expect(self.layout(0, []).columnCount == 0)
  }
}
