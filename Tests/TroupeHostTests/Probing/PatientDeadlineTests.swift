import Testing

@testable import TroupeHost

/// Deadlines that are held against instants, not against the clock.
@Suite("A patient deadline")
struct PatientDeadlineTests {
  private let start = ContinuousClock.now

  /// At which of some looks a deadline is over, each so long after the one before.
  private func looks(_ length: Duration, _ pauses: [Duration]) -> [Bool] {
    var deadline = PatientDeadline(length, from: start)
    var now = start
    return pauses.map { pause in
      now += pause
      return deadline.isOver(at: now)
    }
  }

  @Test("is over after its time, for who looks often enough")
  func often() {
    let pauses = [Duration](repeating: .milliseconds(100), count: 21)
    #expect(looks(.seconds(2), pauses) == [Bool](repeating: false, count: 19) + [true, true])
  }

  @Test("counts a span in which nobody looked as no more than two looks")
  func stopped() {
    let pauses: [Duration] = [.seconds(3600), .seconds(3600), .milliseconds(99), .milliseconds(1)]
    #expect(looks(.milliseconds(500), pauses) == [false, false, false, true])
  }

  @Test("says how long to wait: not past its end, and not for long")
  func wait() {
    var deadline = PatientDeadline(.milliseconds(130), from: start)
    #expect(deadline.wait == .milliseconds(100))
    _ = deadline.isOver(at: start + .milliseconds(100))
    #expect(deadline.wait == .milliseconds(30))
    _ = deadline.isOver(at: start + .milliseconds(200))
    #expect(deadline.wait == .zero)
  }
}
