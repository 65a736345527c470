internal import TroupeBase

/// A path of needs. Keeps only the plugins at both ends.
struct RequirementPath {
  /// The number of plugins that a fault shows at each end.
  private static let shown = 5

  private var first: [Int]
  private var last: [Int]
  private(set) var count: Int

  /// Creates a path through at least one plugin.
  init(_ indexes: some RandomAccessCollection<Int>) {
    (first, last, count) = (Array(indexes.prefix(Self.shown)), Array(indexes.suffix(Self.shown)), indexes.count)
  }

  /// The faulty plugin.
  var end: Int { last[last.count - 1] }

  /// Returns the path with another plugin before it.
  func prepending(_ index: Int) -> RequirementPath {
    var path = self
    path.first = [index] + first.prefix(Self.shown - 1)
    if last.count < Self.shown { path.last = [index] + last }
    path.count += 1
    return path
  }

  /// The names with arrows between them. A count replaces the middle of a long path.
  func text(_ name: (Int) -> String) -> String {
    let hidden = count - 2 * Self.shown
    let names = (first + last.suffix(max(0, count - Self.shown))).map(name)
    guard hidden > 0 else { return names.joined(separator: " → ") }
    return (names.prefix(Self.shown) + ["… \(hidden) more …"] + names.suffix(Self.shown)).joined(separator: " → ")
  }
}
