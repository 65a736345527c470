import Testing

@testable import TroupeSandbox

@Suite("Latencies")
struct LatenciesTests {
  @Test("A quantile exceeds the exact one by at most an eighth")
  func quantiles() throws {
    var latencies = Latencies()
    #expect(latencies.quantile(0.5) == nil)
    let values = (1...1000).map { UInt64($0 * $0 * 37) }
    for value in values { latencies.add(nanoseconds: value) }
    for share in [0.001, 0.1, 0.5, 0.99, 1] {
      let exact = Double(values[Int((1000 * share).rounded(.up)) - 1])
      let found = Double(try #require(latencies.quantile(share)) / .nanoseconds(1))
      #expect(found >= exact && found <= exact * 1.125, "\(share)")
    }
  }

  @Test("The shortest and the longest durations are counted", arguments: [UInt64(0), 1, 7, 8, 9, 15, 16, 1 << 40, .max])
  func extremes(nanoseconds: UInt64) throws {
    var latencies = Latencies()
    latencies.add(nanoseconds: nanoseconds)
    let found = try #require(latencies.quantile(1))
    #expect(found >= .nanoseconds(Int64(clamping: nanoseconds)) || nanoseconds > UInt64(Int64.max))
  }
}
