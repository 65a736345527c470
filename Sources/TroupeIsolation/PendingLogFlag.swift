internal import Synchronization

/// Marks the next message of each slot of a worker after a log line, or before an error. The host then reads the output before the call
/// returns. Each slot has a mark of its own, since the call that wrote the line may be any of those in flight.
package final class PendingLogFlag: Sendable {
  /// The number of marks so far.
  private let count = Atomic<UInt64>(0)

  package init() {}

  /// Marks the next message of each slot.
  package func set() { count.add(1, ordering: .releasing) }

  /// Returns the bit for a message of a slot.
  ///
  /// - Parameter known: The number of marks at its last message.
  func bit(after known: inout UInt64) -> UInt32 {
    let now = count.load(ordering: .acquiring)
    defer { known = now }
    return now == known ? 0 : Self.bit
  }

  /// The bit in the kind of a marked message.
  static let bit: UInt32 = 1 << 31
}
