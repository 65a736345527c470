/// Counts durations, each with an error of at most an eighth.
package struct Latencies: Sendable, Equatable {
  /// The counts of durations below 8 ns, and then of eight equal parts between each power of two and the next.
  private var counts = [UInt64](repeating: 0, count: 64 * 8)
  private var total: UInt64 = 0

  package init() {}

  package mutating func add(nanoseconds: UInt64) {
    let exponent = 63 - max(nanoseconds, 1).leadingZeroBitCount
    let index = exponent < 3 ? Int(nanoseconds) : (exponent - 2) * 8 + Int(nanoseconds >> (exponent - 3)) & 7
    counts[index] += 1
    total += 1
  }

  /// Returns the duration that a share of all durations, from 0 to 1, does not exceed; nil without any.
  package func quantile(_ share: Double) -> Duration? {
    guard total > 0 else { return nil }
    let rank = max(1, (Double(total) * share).rounded(.up))
    var sum: UInt64 = 0
    for (index, count) in counts.enumerated() {
      sum += count
      guard Double(sum) >= rank else { continue }
      let end = index < 8 ? UInt64(index) : UInt64(index % 8 + 9) << (index / 8 - 1)
      return .nanoseconds(Int64(clamping: end))
    }
    return nil
  }
}
