/// Decides how both sides of a slot wait: on the processor while calls follow each other closely and their answers come quickly, else in
/// the kernel, where waiting costs nothing.
struct Pacing: Sendable {
  /// The times of the last exchange in nanoseconds; see `Deadline`.
  private var start: UInt64 = 0
  private var end: UInt64 = 0

  /// The longest gap between two exchanges, and the longest exchange, for which a side spins, in nanoseconds. A side spins no longer.
  private static let limit: UInt64 = 50_000

  /// How to wait in an exchange that begins at a time.
  func wait(at time: UInt64) -> ChannelEnd.Wait {
    // The caller may have read the clock before the last exchange ended.
    (time <= end || time - end <= Self.limit) && end - start <= Self.limit ? .spinning : .asleep
  }

  /// Records the times of an exchange.
  mutating func recordExchange(from start: UInt64, to end: UInt64) { (self.start, self.end) = (start, end) }
}
