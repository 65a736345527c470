/// A time after which something is late, of which only that counts which this process was there to see.
///
/// Where a process is stopped, a machine suspended, or its memory copied to another one, hours may pass between two looks at
/// the clock, and whoever is waited for may have been stopped all the while.
struct PatientDeadline {
  private var left: Duration
  private var last: ContinuousClock.Instant

  /// How long to wait at most between two looks. More than twice as much does not count.
  static let pause: Duration = .milliseconds(100)

  /// A deadline so long after an instant.
  init(_ length: Duration, from now: ContinuousClock.Instant = .now) {
    (left, last) = (length, now)
  }

  /// Looks at the clock, and tells whether the time is over.
  mutating func isOver(at now: ContinuousClock.Instant = .now) -> Bool {
    left -= min(now - last, Self.pause * 2)
    last = now
    return left <= .zero
  }

  /// How long to wait before the next look, as far as nothing else happens.
  var wait: Duration { max(min(left, Self.pause), .zero) }
}
