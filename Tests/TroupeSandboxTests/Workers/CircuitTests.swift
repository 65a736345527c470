import Testing

@testable import TroupeSandbox

@Suite("Circuits")
struct CircuitTests {
  let start = Deadline(nanoseconds: 1_000_000_000)

  func time(_ seconds: Double) -> Deadline { start.advanced(by: .seconds(seconds)) }

  @Test("The first restart has no delay, and each later one has twice the delay")
  func delays() {
    var circuit = Circuit()
    let times = (0..<5).map { _ in circuit.recordEnd(at: start, jitter: 0) }
    #expect(times == [0, 0.05, 0.1, 0.2, 0.4].map(time))
    #expect(circuit.state == .closed)
  }

  @Test("Jitter shortens a delay by up to a half")
  func jitter() {
    var circuit = Circuit()
    _ = circuit.recordEnd(at: start, jitter: 1)
    let shortest = circuit.recordEnd(at: start, jitter: 1)
    #expect(shortest == time(0.025))
  }

  @Test("The sixth end in 60 s opens the circuit, and later ones do not count after 60 s")
  func opening() {
    var circuit = Circuit()
    for second in 0..<5 { _ = circuit.recordEnd(at: time(Double(second)), jitter: 0) }
    var later = circuit
    let end = circuit.recordEnd(at: time(59), jitter: 0)
    #expect(end == time(69))
    #expect(circuit.state == .open(until: time(69)))
    let openUntil = circuit.recordStart(at: time(68))
    #expect(openUntil == time(69))
    _ = later.recordEnd(at: time(60), jitter: 0)
    #expect(later.state == .closed)
  }

  @Test("A success on trial closes the circuit, and an end on trial opens it for twice the time, up to a limit")
  func trial() {
    var circuit = Circuit()
    for _ in 0..<6 { _ = circuit.recordEnd(at: start, jitter: 0) }
    let firstTrial = circuit.recordStart(at: time(10))
    #expect(firstTrial == nil)
    #expect(circuit.state == .halfOpen)
    let secondEnd = circuit.recordEnd(at: time(10), jitter: 0)
    #expect(secondEnd == time(30))
    let secondTrial = circuit.recordStart(at: time(30))
    #expect(secondTrial == nil)
    var failing = circuit
    let isClosed = circuit.recordSuccess()
    #expect(isClosed)
    #expect(circuit.state == .closed)
    let isClosedTwice = circuit.recordSuccess()
    #expect(isClosedTwice == false)
    let next = circuit.recordEnd(at: time(30), jitter: 0)
    #expect(next == time(30))
    var now = time(30)
    for _ in 0..<10 {
      let next = failing.recordEnd(at: now, jitter: 0)
      let trial = failing.recordStart(at: next)
      #expect(trial == nil)
      #expect(next <= now.advanced(by: .seconds(300)))
      now = next
    }
    let last = failing.recordEnd(at: now, jitter: 0)
    #expect(last == now.advanced(by: .seconds(300)))
  }
}
