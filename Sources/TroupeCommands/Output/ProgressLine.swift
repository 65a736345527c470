internal import Glibc
internal import Synchronization

/// A line on standard error that tells how far something has come, for a person who waits: only on a terminal, only when it takes
/// more than a second, and at most once a second.
final class ProgressLine: Sendable {
  private struct State {
    var last = ContinuousClock.now
    /// The width of what stands there.
    var width = 0
  }

  private let isShown: Bool
  private let state = Mutex(State())

  /// - Parameter isWanted: Whether there is to be a line if standard error is a terminal.
  init(isWanted: Bool = true) {
    isShown = isWanted && isatty(STDERR_FILENO) == 1
  }

  /// Shows a text in place of the one before.
  func show(_ text: @autoclosure () -> String) {
    guard isShown else { return }
    state.withLock { state in
      let now = ContinuousClock.now
      guard now - state.last >= .seconds(1) else { return }
      state.last = now
      let line = text()
      write("\r" + line.padding(to: state.width))
      state.width = line.count
    }
  }

  /// Leaves the line, if there is one, to what comes next.
  ///
  /// - Parameter keepsText: Whether what it says still holds.
  func end(keepsText: Bool) {
    state.withLock { state in
      guard state.width > 0 else { return }
      write(keepsText ? "\n" : "\r" + String(repeating: " ", count: state.width) + "\r")
      state.width = 0
    }
  }

  private func write(_ text: String) { try? StandardStream.error.write(Array(text.utf8).span) }
}
