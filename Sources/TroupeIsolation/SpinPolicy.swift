/// Decides how both sides of a slot wait: on the processor while calls follow each other closely and their answers come quickly, else in
/// the kernel, where waiting costs nothing.
struct SpinPolicy: Sendable {
  /// The times of the last exchange in nanoseconds; see `Deadline`.
  private var start: UInt64 = 0
  private var end: UInt64 = 0
  /// Whether a side slept in it, which makes it longer by the time that two wake-ups take.
  private var hasSlept = false

  /// The longest gap between two exchanges, and the longest work of the worker, for which a side spins, in nanoseconds. A side spins no
  /// longer.
  private static let limit: UInt64 = 50_000
  private static let wakeUps: UInt64 = 100_000

  /// How to wait in an exchange that begins at a time.
  func wait(at time: UInt64) -> Mailbox.Wait {
    // The caller may have read the clock before the last exchange ended.
    let isClose = time <= end || time - end <= Self.limit
    let isShort = end - start <= (hasSlept ? Self.limit + Self.wakeUps : Self.limit)
    return isClose && isShort ? .spinning : .asleep
  }

  /// Records the times of an exchange.
  mutating func recordExchange(from start: UInt64, to end: UInt64, hasSlept: Bool) {
    (self.start, self.end, self.hasSlept) = (start, end, hasSlept)
  }
}
