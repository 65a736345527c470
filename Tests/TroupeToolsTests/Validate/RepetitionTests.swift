import Testing

@testable import TroupeTools

@Suite("Repeated work of a check")
struct RepetitionTests {
  @Test("Work is repeated as often as requested, or once without time")
  func count() {
    #expect(Repetition.run(1000, within: .seconds(3600)) {} == 1000)
    #expect(Repetition.run(1000, within: .zero) {} == 1)
  }
}
