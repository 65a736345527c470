import Testing

@testable import TroupeIsolation

@Suite("Circuits")
struct CircuitTests {
  let start = Deadline(nanoseconds: 1_000_000_000)

  func time(_ seconds: Double) -> Deadline { start.advanced(by: .seconds(seconds)) }

  @Test("The first restart has no delay, and each later one has twice the delay")
  func delays() {
    var circuit = Circuit()
    let times = (0..<5).map { _ in circuit.ended(at: start, jitter: 0) }
    #expect(times == [0, 0.05, 0.1, 0.2, 0.4].map(time))
    #expect(circuit.state == .closed)
  }

  @Test("Jitter shortens a delay by up to a half")
  func jitter() {
    var circuit = Circuit()
    _ = circuit.ended(at: start, jitter: 1)
    let shortest = circuit.ended(at: start, jitter: 1)
    #expect(shortest == time(0.025))
  }

  @Test("The sixth end in 60 s opens the circuit, and later ones do not count after 60 s")
  func opening() {
    var circuit = Circuit()
    for second in 0..<5 { _ = circuit.ended(at: time(Double(second)), jitter: 0) }
    var later = circuit
    let end = circuit.ended(at: time(59), jitter: 0)
    #expect(end == time(69))
    #expect(circuit.state == .open(until: time(69)))
    let isStartedEarly = circuit.start(at: time(68))
    #expect(isStartedEarly == false)
    _ = later.ended(at: time(60), jitter: 0)
    #expect(later.state == .closed)
  }

  @Test("A success on trial closes the circuit, and an end on trial opens it for twice the time, up to a limit")
  func trial() {
    var circuit = Circuit()
    for _ in 0..<6 { _ = circuit.ended(at: start, jitter: 0) }
    let isOnTrial = circuit.start(at: time(10))
    #expect(isOnTrial)
    #expect(circuit.state == .halfOpen)
    let secondEnd = circuit.ended(at: time(10), jitter: 0)
    #expect(secondEnd == time(30))
    let isOnTrialAgain = circuit.start(at: time(30))
    #expect(isOnTrialAgain)
    var failing = circuit
    let isClosed = circuit.succeeded()
    #expect(isClosed)
    #expect(circuit.state == .closed)
    let isClosedTwice = circuit.succeeded()
    #expect(isClosedTwice == false)
    let next = circuit.ended(at: time(30), jitter: 0)
    #expect(next == time(30))
    var now = time(30)
    for _ in 0..<10 {
      let next = failing.ended(at: now, jitter: 0)
      let isStarted = failing.start(at: next)
      #expect(isStarted)
      #expect(next <= now.advanced(by: .seconds(300)))
      now = next
    }
    let last = failing.ended(at: now, jitter: 0)
    #expect(last == now.advanced(by: .seconds(300)))
  }
}
