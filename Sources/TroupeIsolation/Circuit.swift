/// Decides when a worker that has ended may be started again: after a delay that grows with each restart, and for some time not at all if it
/// keeps ending.
///
/// The circuit is closed while the worker may be started. Too many restarts in a short time open it. After some time it is half open: the
/// worker is started once, and a call that succeeds closes the circuit again, while another end of the worker opens it for twice the time.
package struct Circuit: Sendable {
  /// When to start again.
  package struct Limits: Sendable {
    /// The number of restarts in `window` that are allowed.
    package var restarts = 5
    package var window = Duration.seconds(60)
    /// The delay of the second restart in a window; the first has none, and each later one has twice the delay.
    package var delay = Duration.milliseconds(50)
    /// How long the circuit is open at first, and at most.
    package var pause = Duration.seconds(10)
    package var longestPause = Duration.seconds(300)

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

  /// Notes that the worker has ended, at a time. Returns the time from which it may be started again.
  ///
  /// - Parameter jitter: A random number from 0 to 1. The delay is shortened by up to a half, so that workers that end together do not
  ///   start together.
  package mutating func ended(at now: Deadline, jitter: Double) -> Deadline {
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

  /// Notes that the worker is started, at a time. Returns false if the circuit is open at that time.
  package mutating func start(at now: Deadline) -> Bool {
    guard case .open(let end) = state else { return true }
    guard now >= end else { return false }
    state = .halfOpen
    return true
  }

  /// Notes that a call has succeeded. Returns whether that closed the circuit.
  package mutating func succeeded() -> Bool {
    guard state == .halfOpen else { return false }
    (state, restarts, pause) = (.closed, [], limits.pause)
    return true
  }
}
