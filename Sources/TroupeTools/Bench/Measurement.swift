/// Times repeated work in samples.
///
/// A sample is one run, or the mean of as many runs as fill 10 µs, so that reading the clock takes less than a hundredth of it.
package struct Measurement {
  /// The time of one run in each sample, in nanoseconds and ascending. Never empty.
  package let samples: [Double]
  package let runs: Int

  /// - Parameter samples: At least one.
  package init(samples: [Double], runs: Int) {
    (self.samples, self.runs) = (samples.sorted(), runs)
  }

  private static let shortestSample = Duration.microseconds(10)

  /// Bounds the runs of a sample if the compiler has removed the work.
  private static let maximumCount = 1 << 30

  /// Measures work for some time, at least once.
  ///
  /// The first runs determine the number of runs in a sample and do not count.
  ///
  /// - Parameters:
  ///   - duration: The time to measure for. There are at most 100,000 samples.
  ///   - body: Runs the work `count` times.
  package init(for duration: Duration, _ body: (_ count: Int) throws -> Void) rethrows {
    let clock = ContinuousClock()
    let shortest = max(Self.shortestSample, duration / 100_000)
    var count = 1
    while case let time = try clock.measure({ try body(count) }), time < shortest, count < Self.maximumCount {
      // At least twice as many.
      let expected = Double(count) * (shortest / max(time, .nanoseconds(1)))
      count = max(2 * count, Int(min(expected, Double(Self.maximumCount))))
    }
    var samples: [Double] = []
    let end = clock.now + duration
    repeat {
      samples.append(try clock.measure { try body(count) } / .nanoseconds(1) / Double(count))
    } while clock.now < end
    self.init(samples: samples, runs: samples.count * count)
  }

  package var median: Double { quantile(0.5) }

  /// Returns the least sample that a share of all samples does not exceed.
  package func quantile(_ share: Double) -> Double {
    let rank = (Double(samples.count) * share).rounded(.up)
    return samples[min(max(Int(rank), 1), samples.count) - 1]
  }

  /// The variation of the samples: half of the distance between the quartiles, as a share of the median.
  package var noise: Double { median > 0 ? (quantile(0.75) - quantile(0.25)) / 2 / median : 0 }
}
