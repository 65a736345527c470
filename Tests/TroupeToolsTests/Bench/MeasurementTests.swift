import Testing
import TroupeTools

@Suite("Measurement")
struct MeasurementTests {
  @Test("Quantiles are samples that at least that share of all does not exceed")
  func quantiles() {
    let measurement = Measurement(samples: (1...100).reversed().map(Double.init), runs: 100)
    #expect(measurement.median == 50)
    #expect(measurement.quantile(0.95) == 95)
    #expect(measurement.quantile(0.99) == 99)
    #expect(measurement.quantile(0) == 1)
    #expect(measurement.quantile(1) == 100)
    #expect(measurement.noise == 0.5)
    let single = Measurement(samples: [7], runs: 1)
    #expect(single.quantile(0.99) == 7)
    #expect(single.noise == 0)
  }

  @Test("Work is measured at least once, in batches of equal size")
  func batches() {
    var counts: [Int] = []
    let measurement = Measurement(for: .zero) { counts.append($0) }
    #expect(measurement.samples.count == 1)
    #expect(measurement.runs == counts.last)
    #expect(counts.first == 1)
    #expect(counts == counts.sorted())
  }

  @Test("An error of the work ends the measurement")
  func failure() {
    struct TestError: Error {}
    var count = 0
    #expect(throws: TestError.self) {
      _ = try Measurement(for: .seconds(86_400)) { (_: Int) throws in
        count += 1
        if count > 20 { throw TestError() }
      }
    }
    #expect(count == 21)
  }
}
