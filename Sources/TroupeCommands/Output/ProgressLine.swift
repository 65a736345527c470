internal import Dispatch
internal import Glibc
internal import Synchronization
internal import TroupeHost
internal import TroupeTools

/// A progress line on standard error. Appears only on a terminal, after a delay, and changes at most once in each delay.
final class ProgressLine: Sendable {
  private struct State {
    /// The time of the last text, before the first text the start; nil without a start.
    var last: ContinuousClock.Instant?
    /// The text to show after the delay, and whether a task for it is scheduled.
    var waiting: String?
    var isScheduled = false
  }

  private let isShown: Bool
  private let delay: Duration
  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "troupe.progress")

  /// - Parameters:
  ///   - isWanted: True to show the line if standard error is a terminal.
  ///   - delay: The time before the first text and between two texts.
  init(isWanted: Bool = true, delay: Duration = .seconds(1)) {
    isShown = isWanted && isatty(STDERR_FILENO) == 1
    self.delay = delay
  }

  /// Replaces the text, or ignores the new one within the delay. For callers that call often.
  func show(_ text: @autoclosure () -> String) {
    guard isShown else { return }
    state.withLock { state in
      if rest(&state) <= .zero { show(text(), &state) }
    }
  }

  /// Replaces the text now or after the delay. For callers that may not call again soon.
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

  private func rest(_ state: inout State) -> Duration {
    let now = ContinuousClock.now
    let last = state.last ?? now
    state.last = last
    return delay - (now - last)
  }

  private func show(_ text: String, _ state: inout State) {
    (state.last, state.waiting) = (.now, nil)
    Terminal.showProgress(text)
  }

  /// Ends the line.
  ///
  /// - Parameter keepsText: True to leave the text on the terminal, false to erase it.
  func end(keepsText: Bool) {
    state.withLock { state in
      (state.last, state.waiting) = (nil, nil)
      Terminal.endProgress(keepsText: keepsText)
    }
  }
}

/// Shows the number of streamed bytes on the terminal, unless standard output is a terminal, too.
struct StreamProgress {
  private let line = ProgressLine(isWanted: isatty(StandardOutput.descriptor) == 0)
  private let start = ContinuousClock.now
  private var bytes = 0

  init() {}

  /// Counts streamed bytes.
  mutating func add(_ count: Int) {
    bytes += count
    line.show(text)
  }

  private var text: String {
    let seconds = Double((ContinuousClock.now - start).components.seconds)
    let megabytes = Double(bytes) / 1e6
    return "\(Int(megabytes)) MB, \(Int(megabytes / max(seconds, 1))) MB/s "
  }

  /// Ends the line and keeps its text.
  func end() { line.end(keepsText: true) }
}

extension ProbeProgress {
  /// One line such as `probing new plugins: 1 of 3 done, waiting for org.example.a and 1 more (up to 10 s of processor time)`. A
  /// narrow terminal cuts off its end.
  var line: String {
    let start = "probing new plugins: \(done) of \(count) done"
    guard let first = running.first else { return start }
    let others = running.count > 1 ? " and \(running.count - 1) more" : ""
    return "\(start), waiting for \(first)\(others) (up to \(seconds) s of processor time)"
  }

  /// The deadline, without a fraction if it is whole.
  private var seconds: String {
    let seconds = deadline / .seconds(1)
    return seconds == seconds.rounded() && seconds < 1e6 ? "\(Int(seconds))" : "\(seconds)"
  }
}
