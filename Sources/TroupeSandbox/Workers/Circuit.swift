/// Limits the restarts of a worker (the pattern "circuit breaker").
///
/// A closed circuit allows a restart after a delay, which grows with each restart. Too many restarts in a window open the circuit, which
/// then allows none for a time. After that it is half open and allows one start. A call that succeeds closes the circuit. Another end of the
/// worker opens it for twice the time.
package struct Circuit: Sendable {
  package struct Limits: Sendable {
    /// The number of restarts in `window` that are allowed.
    package var restarts = 5
    package var window = Duration.seconds(60)
    /// The delay of the second restart in a window; the first has none, and each later one has twice the delay.
    package var delay = Duration.milliseconds(50)
    /// How long the circuit is open at first, and at most.
    package var pause = Duration.seconds(10)
    var longestPause = Duration.seconds(300)

    package init() {}
  }

  /// Whether the worker may be started.
  package enum State: Sendable, Equatable {
    case closed
    /// It may not be started before a time.
    case open(until: Deadline)
    /// It has been started on trial.
    case halfOpen
  }

  package private(set) var state = State.closed
  private let limits: Limits
  /// The times of the restarts in the window, the oldest first.
  private var restarts: [Deadline] = []
  private var pause: Duration

  package init(_ limits: Limits = Limits()) { (self.limits, pause) = (limits, limits.pause) }

  /// Records an end of the worker. Returns the time from which it may be started again.
  ///
  /// - Parameter jitter: A random number from 0 to 1, which shortens the delay by up to a half. Workers that end together then start at
  ///   different times.
  package mutating func recordEnd(at now: Deadline, jitter: Double) -> Deadline {
    if state == .halfOpen {
      pause = min(pause * 2, limits.longestPause)
      return open(at: now)
    }
    restarts.removeAll { $0.advanced(by: limits.window) <= now }
    guard restarts.count < limits.restarts else { return open(at: now) }
    restarts.append(now)
    guard restarts.count > 1 else { return now }
    let delay = limits.delay * (1 << min(restarts.count - 2, 20))
    return now.advanced(by: delay * (1 - jitter / 2))
  }

  private mutating func open(at now: Deadline) -> Deadline {
    let end = now.advanced(by: pause)
    state = .open(until: end)
    return end
  }

  /// Records a start of the worker. Returns nil if it is allowed, else the time until which the circuit is open.
  mutating func recordStart(at now: Deadline) -> Deadline? {
    guard case .open(let end) = state else { return nil }
    guard now >= end else { return end }
    state = .halfOpen
    return nil
  }

  /// Records a call that succeeded. Returns whether that closed the circuit.
  mutating func recordSuccess() -> Bool {
    guard state == .halfOpen else { return false }
    (state, restarts, pause) = (.closed, [], limits.pause)
    return true
  }
}
