/// Buffers for reading files one after the other. The next file reuses the buffers of the previous one.
///
/// Not thread-safe. A reader may keep a piece: an array with two references is copied before a change.
package final class BufferPool {
  /// The size of a piece in bytes.
  static let pieceSize = 4096

  private var pieces: [[UInt8]] = []

  /// Creates an empty pool.
  package init() {}

  /// Removes a piece from the pool, or creates one. Its content is arbitrary.
  func take() -> [UInt8] { pieces.popLast() ?? Array(repeating: 0, count: Self.pieceSize) }

  /// Returns a piece to the pool.
  func give(_ piece: consuming [UInt8]) { pieces.append(piece) }
}
