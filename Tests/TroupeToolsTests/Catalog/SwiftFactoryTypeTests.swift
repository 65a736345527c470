import Testing

@testable import TroupeTools

@Suite("Types of factories in Swift") struct SwiftFactoryTypeTests {
  @Test(
    "Commas and arrows within a parameter do not end it",
    arguments: [
      ("() -> Engine", []), ("(String, Int) -> any Transform", ["String", "Int"]),
      ("(Dictionary<String, Int>, Bool) -> Engine", ["Dictionary<String, Int>", "Bool"]),
      ("((Int, Int) -> String, Int) -> Engine", ["(Int, Int) -> String", "Int"]),
      ("(Array<(Int) -> Int>) -> (Int, Int)", ["Array<(Int) -> Int>"]), ("(Int, Int)", []), ("Engine", []),
    ])
  func parameters(text: String, expected: [String]) {
    #expect(SwiftFactoryType(text).parameters.map(\.text) == expected)
  }

  @Test("Only the integers of the standard library have a number as a sample")
  func integers() {
    let samples = SwiftFactoryType("(Int, UInt8, Interval, Double) -> Engine").parameters.map(\.type.sample.json)
    #expect(samples == ["1", "1", "null", "1.5"])
  }
}
