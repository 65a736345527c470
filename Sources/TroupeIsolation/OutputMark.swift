internal import Synchronization

/// Marks the next message of a worker after a log line, or before an error. The host then reads the output before the call returns.
package final class OutputMark: Sendable {
  private let isSet = Atomic(false)

  package init() {}

  /// Marks the next message.
  package func set() { isSet.store(true, ordering: .releasing) }

  /// Returns the bit for a message, and removes the mark.
  func takeBit() -> UInt32 {
    isSet.load(ordering: .relaxed) && isSet.exchange(false, ordering: .acquiringAndReleasing) ? Self.bit : 0
  }

  /// The bit in the kind of a marked message.
  static let bit: UInt32 = 1 << 31
}
