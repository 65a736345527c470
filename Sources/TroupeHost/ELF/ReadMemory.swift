/// Memory to read into, for whoever reads one file after the other: what a file needs no more, the next one gets.
///
/// For one thread. A piece that somebody still looks at stays as it is, since an array that has two owners is copied before it
/// is changed.
package final class ReadMemory {
  /// The number of bytes in each piece.
  static let pieceSize = 4096

  private var pieces: [[UInt8]] = []

  /// Makes memory of which nothing is there yet.
  package init() {}

  /// A piece that holds anything.
  func take() -> [UInt8] { pieces.popLast() ?? Array(repeating: 0, count: Self.pieceSize) }

  /// Takes a piece back.
  func give(_ piece: consuming [UInt8]) { pieces.append(piece) }
}
