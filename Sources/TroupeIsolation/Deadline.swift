internal import CIsolation
internal import Dispatch

/// A time at which a wait ends, on the clock that stands still while the machine sleeps (`CLOCK_MONOTONIC`).
package struct Deadline: Sendable, Comparable {
  /// The time in nanoseconds of the clock.
  let nanoseconds: UInt64

  /// The deadline of a wait without an end.
  package static let never = Deadline(nanoseconds: .max)

  /// The time after a duration from now. A negative duration ends a wait at once.
  package static func after(_ duration: Duration) -> Deadline {
    let (seconds, attoseconds) = duration.components
    let (product, overflows) = UInt64(max(0, seconds)).multipliedReportingOverflow(by: 1_000_000_000)
    guard !overflows else { return never }
    let sum = product.addingReportingOverflow(UInt64(max(0, attoseconds / 1_000_000_000)))
    let end = sum.partialValue.addingReportingOverflow(troupe_channel_time())
    return sum.overflow || end.overflow ? never : Deadline(nanoseconds: end.partialValue)
  }

  package static func < (left: Deadline, right: Deadline) -> Bool { left.nanoseconds < right.nanoseconds }

  /// The time for Dispatch, whose clock is the same one on Linux.
  var dispatchTime: DispatchTime { self == .never ? .distantFuture : DispatchTime(uptimeNanoseconds: nanoseconds) }
}
