/// A layered layout of a directed graph (Sugiyama's method): each edge leads to a later column, except for one edge of each cycle.
///
///     column 0    1        2
///       a ──────► b ─────► c
///       └──────── · ───────▲      a point where the edge passes column 1
///
/// The column of a node is the length of the longest path to it. Edges that pass a column have a point there, which is placed as a node
/// is. The order in a column follows the mean position of the neighbors, in a fixed number of sweeps.
struct LayeredLayout {
  /// A position: the column, and the distance of the center from the top.
  struct Position: Equatable {
    let column: Int
    var y: Double
  }

  /// The positions of the nodes.
  let nodes: [Position]
  /// For each edge, the positions that it passes, from its start to its end.
  let routes: [[Position]]
  /// The number of columns.
  let columnCount: Int
  /// The height of the whole.
  let height: Double

  /// Creates the layout of a graph.
  ///
  /// - Parameters:
  ///   - edges: Pairs of indices of nodes.
  ///   - nodeHeight: The height of a node with the distance to the next one.
  ///   - pointHeight: The same of a point of an edge.
  init(nodeCount: Int, edges: [(from: Int, to: Int)], nodeHeight: Double, pointHeight: Double) {
    let columns = Self.columns(nodeCount, edges)
    var graph = ColumnGraph(columns)
    let paths = edges.map { graph.addPath(from: $0.from, to: $0.to) }
    graph.sortColumns()
    let ys = graph.positions { $0 < nodeCount ? nodeHeight : pointHeight }
    let positions = graph.columns.indices.map { Position(column: graph.columns[$0], y: ys[$0]) }
    nodes = Array(positions.prefix(nodeCount))
    routes = paths.map { path in path.map { positions[$0] } }
    columnCount = (columns.max() ?? -1) + 1
    height = (ys.max() ?? 0) + nodeHeight / 2
  }

  /// Returns the column of each node: the length of the longest path to it. An edge that closes a cycle does not count.
  private static func columns(_ nodeCount: Int, _ edges: [(from: Int, to: Int)]) -> [Int] {
    var columns = Array(repeating: 0, count: nodeCount)
    var pending = Array(repeating: 0, count: nodeCount)
    var next = Array(repeating: [Int](), count: nodeCount)
    for edge in edges where edge.from != edge.to {
      pending[edge.to] += 1
      next[edge.from].append(edge.to)
    }
    var isPlaced = Array(repeating: false, count: nodeCount)
    var ready = (0..<nodeCount).filter { pending[$0] == 0 }
    var first = 0
    while true {
      // Without a node that has all its predecessors, the rest contains a cycle.
      guard let node = ready.popLast() ?? (first..<nodeCount).first(where: { !isPlaced[$0] }) else { return columns }
      if isPlaced[node] { continue }
      isPlaced[node] = true
      while first < nodeCount, isPlaced[first] { first += 1 }
      for other in next[node] where !isPlaced[other] {
        columns[other] = max(columns[other], columns[node] + 1)
        pending[other] -= 1
        if pending[other] == 0 { ready.append(other) }
      }
    }
  }
}

/// A graph whose edges lead from one column to the next.
private struct ColumnGraph {
  /// The column of each node or point.
  private(set) var columns: [Int]
  /// The nodes and points of each column, from the top.
  private var rows: [[Int]]
  private var before: [[Int]]
  private var after: [[Int]]

  init(_ columns: [Int]) {
    self.columns = columns
    rows = Array(repeating: [], count: (columns.max() ?? -1) + 1)
    for (node, column) in columns.enumerated() { rows[column].append(node) }
    before = Array(repeating: [], count: columns.count)
    after = before
  }

  /// Adds an edge with a point in each column between its ends. Returns the nodes and points that it passes.
  mutating func addPath(from: Int, to: Int) -> [Int] {
    // An edge that leads back passes the others without a place of its own.
    guard columns[from] < columns[to] else { return [from, to] }
    var path = [from]
    for column in (columns[from] + 1)..<columns[to] {
      path.append(columns.count)
      rows[column].append(columns.count)
      columns.append(column)
      before.append([])
      after.append([])
    }
    path.append(to)
    for (node, next) in zip(path, path.dropFirst()) {
      after[node].append(next)
      before[next].append(node)
    }
    return path
  }

  /// Sorts each column by the mean row of the neighbors in the one before it, and then in the one behind it.
  mutating func sortColumns() {
    var row = Array(repeating: 0.0, count: columns.count)
    func number(_ column: [Int]) { for (index, node) in column.enumerated() { row[node] = Double(index) } }
    rows.forEach(number)
    for sweep in 0..<8 {
      let isForward = sweep % 2 == 0
      for column in isForward ? Array(rows.indices) : rows.indices.reversed() {
        let keys = rows[column].map { node in Self.mean(isForward ? before[node] : after[node], row) ?? row[node] }
        // The sort is stable.
        rows[column] = zip(keys, rows[column]).enumerated().sorted { ($0.element.0, $0.offset) < ($1.element.0, $1.offset) }
          .map(\.element.1)
        number(rows[column])
      }
    }
  }

  /// Returns the centers: near the mean of the neighbors, with the distances that the heights need.
  func positions(_ height: (Int) -> Double) -> [Double] {
    var ys = Array(repeating: 0.0, count: columns.count)
    for row in rows {
      var top = 0.0
      for node in row {
        ys[node] = top + height(node) / 2
        top += height(node)
      }
    }
    for sweep in 0..<6 {
      for row in sweep % 2 == 0 ? Array(rows) : rows.reversed() {
        let wanted = row.map { Self.mean(before[$0] + after[$0], ys) ?? ys[$0] }
        let placed = Self.nearest(to: wanted, heights: row.map(height))
        for (node, y) in zip(row, placed) { ys[node] = y }
      }
    }
    let top = columns.indices.map { ys[$0] - height($0) / 2 }.min() ?? 0
    return ys.map { $0 - top }
  }

  private static func mean(_ nodes: [Int], _ values: [Double]) -> Double? {
    nodes.isEmpty ? nil : nodes.reduce(0) { $0 + values[$1] } / Double(nodes.count)
  }

  /// Returns the centers with the smallest squared distance to the wanted ones that keep their order and do not overlap.
  private static func nearest(to wanted: [Double], heights: [Double]) -> [Double] {
    var offsets: [Double] = []
    for index in heights.indices {
      offsets.append(index == 0 ? 0 : offsets[index - 1] + (heights[index - 1] + heights[index]) / 2)
    }
    // Without their offsets the centers must not decrease: neighbors that do get their common mean.
    var blocks: [(sum: Double, count: Int)] = []
    for (value, offset) in zip(wanted, offsets) {
      blocks.append((value - offset, 1))
      while blocks.count > 1, case let last = blocks[blocks.count - 1], case let previous = blocks[blocks.count - 2],
        previous.sum / Double(previous.count) > last.sum / Double(last.count)
      {
        blocks.removeLast(2)
        blocks.append((previous.sum + last.sum, previous.count + last.count))
      }
    }
    let means = blocks.flatMap { Array(repeating: $0.sum / Double($0.count), count: $0.count) }
    return zip(means, offsets).map(+)
  }
}
