internal import Dispatch
internal import Glibc
internal import Synchronization

/// A line on standard error that tells how far something has come, for a person who waits: only on a terminal, only when it takes
/// longer than a delay, and no oftener than that.
final class ProgressLine: Sendable {
  private struct State {
    /// When the last text was shown, or the first was to be; nil before.
    var last: ContinuousClock.Instant?
    /// The text that waits for its time, and whether somebody is going to show it then.
    var waiting: String?
    var isScheduled = false
  }

  private let isShown: Bool
  private let delay: Duration
  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "troupe.progress")

  /// - Parameters:
  ///   - isWanted: Whether there is to be a line if standard error is a terminal.
  ///   - delay: How long nothing is shown, and then how long a text stands at least.
  init(isWanted: Bool = true, delay: Duration = .seconds(1)) {
    isShown = isWanted && isatty(STDERR_FILENO) == 1
    self.delay = delay
  }

  /// Shows a text in place of the one before, unless it is too early for one: whoever has much to tell will have another.
  func show(_ text: @autoclosure () -> String) {
    guard isShown else { return }
    state.withLock { state in
      if rest(&state) <= .zero { show(text(), &state) }
    }
  }

  /// Shows a text in place of the one before, now or as soon as it is time: for whoever does not know when there will be another.
  func announce(_ text: @autoclosure () -> String) {
    guard isShown else { return }
    state.withLock { announce(text(), &$0) }
  }

  private func announce(_ text: String, _ state: inout State) {
    let rest = rest(&state)
    guard rest > .zero else { return show(text, &state) }
    state.waiting = text
    guard !state.isScheduled else { return }
    state.isScheduled = true
    queue.asyncAfter(deadline: .now() + .nanoseconds(Int(rest / .nanoseconds(1)))) { [weak self] in
      self?.state.withLock { state in
        state.isScheduled = false
        if let text = state.waiting { self?.announce(text, &state) }
      }
    }
  }

  /// How long it still is too early for a text.
  private func rest(_ state: inout State) -> Duration {
    let now = ContinuousClock.now
    let last = state.last ?? now
    state.last = last
    return delay - (now - last)
  }

  private func show(_ text: String, _ state: inout State) {
    (state.last, state.waiting) = (.now, nil)
    Terminal.showStatus(text)
  }

  /// Leaves the line, if there is one, to what comes next.
  ///
  /// - Parameter keepsText: Whether what it says still holds.
  func end(keepsText: Bool) {
    state.withLock { state in
      (state.last, state.waiting) = (nil, nil)
      Terminal.endStatus(keepsText: keepsText)
    }
  }
}
