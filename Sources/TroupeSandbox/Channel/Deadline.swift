internal import CSandbox
internal import Dispatch
internal import Glibc

/// A time at which a wait ends, on the clock that stands still while the machine sleeps (`CLOCK_MONOTONIC`).
package struct Deadline: Sendable, Comparable {
  let nanoseconds: UInt64

  /// The deadline of a wait without an end.
  package static let never = Deadline(nanoseconds: .max)

  package static var now: Deadline { Deadline(nanoseconds: troupe_channel_time()) }

  /// The time after a duration from now. A negative duration ends a wait at once.
  package static func after(_ duration: Duration) -> Deadline { now.advanced(by: duration) }

  /// The time after a duration, `never` if the clock cannot represent it. A negative duration counts as zero.
  func advanced(by duration: Duration) -> Deadline {
    let (seconds, attoseconds) = max(duration, .zero).components
    let (product, overflows) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    let sum = product.addingReportingOverflow(UInt64(attoseconds / 1_000_000_000))
    let end = sum.partialValue.addingReportingOverflow(nanoseconds)
    return overflows || sum.overflow || end.overflow ? .never : Deadline(nanoseconds: end.partialValue)
  }

  /// The time from another one to this one, at least zero.
  func duration(since start: Deadline) -> Duration {
    .nanoseconds(Int64(clamping: nanoseconds > start.nanoseconds ? nanoseconds - start.nanoseconds : 0))
  }

  package static func < (left: Deadline, right: Deadline) -> Bool { left.nanoseconds < right.nanoseconds }

  /// The time for Dispatch, whose clock is the same one on Linux.
  var dispatchTime: DispatchTime { self == .never ? .distantFuture : DispatchTime(uptimeNanoseconds: nanoseconds) }

  static func sleep(until time: Deadline) {
    var end = timespec(tv_sec: Int(time.nanoseconds / 1_000_000_000), tv_nsec: Int(time.nanoseconds % 1_000_000_000))
    while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, nil) == EINTR {}
  }
}
