import Testing

@testable import TroupeTools

@Suite("Generated arguments")
struct SeededGeneratorTests {
  @Test("A seed gives the same numbers each time, and another seed others")
  func repetition() {
    func numbers(_ seed: UInt64) -> [UInt64] {
      var generator = SeededGenerator(seed: seed)
      return (0..<100).map { _ in generator.next() }
    }
    #expect(numbers(1) == numbers(1))
    #expect(Set(numbers(1)).isDisjoint(with: numbers(2)))
    // The first numbers of SplitMix64 for the seed 0.
    #expect(numbers(0).prefix(2) == [0xE220_A839_7B1D_CDAF, 0x6E78_9E6A_A1B9_65F4])
  }

  @Test("An input has the size that was asked for, and no candidate equals another", arguments: [64, 1000, 1 << 20])
  func inputs(size: Int) {
    let candidates = Array(TransformInput.candidates(size, seed: 7))
    #expect(candidates.allSatisfy { $0.count == size })
    #expect(Set(candidates).count == candidates.count)
  }
}
