package import TroupeHost

/// Measures calls of a function, or a transform.
package struct Benchmark {
  private let duration: Duration

  /// - Parameter duration: The time to measure for.
  package init(for duration: Duration) { self.duration = duration }

  /// Measures calls of a C function with the same arguments, and of an empty function of its type. Throws a `Diagnosis` for a function in
  /// a worker.
  package func calls(
    of registration: RegistrationDescription, _ host: PluginHost, reading arguments: PluginHost.ArgumentReader
  ) throws -> BenchReport {
    try PluginActivity(function: registration.name, of: registration.plugin).during {
      // The larger part for the function.
      let (calls, empty) = try host.with(registration, reading: arguments) { function, values in
        guard !function.isIsolated else {
          throw Diagnosis(
            .unavailable, function.name, problem: "runs in a worker, whose calls this command does not measure",
            remedy: "leave out --isolate; troupe workers measures empty calls")
        }
        let empty = try function.withEmptyFunction()
        return (
          try Measurement(for: duration * 4 / 5) { count in for _ in 0..<count { _ = try function.call(values) } },
          try Measurement(for: duration / 5) { count in for _ in 0..<count { _ = try empty.call(values) } }
        )
      }
      return BenchReport(function: registration, calls, empty: empty)
    }
  }

  // MARK: Transforms

  /// Counts the bytes that a transform writes.
  private final class Counter: TransformOutput {
    private(set) var count = 0

    func write(_ bytes: Span<UInt8>) { count += bytes.count }
  }

  /// Measures new transforms, each with the whole input.
  ///
  /// - Parameters:
  ///   - files: The input, which is held in memory; 16 MiB of text if there are none.
  ///   - makeStage: Makes a transform of the registration.
  package func transforms(
    of registration: RegistrationDescription, input files: [InputFile], _ makeStage: () async throws -> Pipeline.Stage
  ) async throws -> BenchReport {
    let input = files.isEmpty ? Self.text : Array(try files.map { try $0.content() }.joined())
    let clock = ContinuousClock()
    let end = clock.now + duration
    var output = 0
    var times: [Double] = []
    repeat {
      let stage = try await makeStage()
      let counter = Counter()
      let time = try PluginActivity(stage.name, of: [stage.plugin]).during {
        try clock.measure {
          do {
            for start in stride(from: 0, to: input.count, by: TransformStream.pieceSize) {
              let piece = input.span.extracting(start..<min(start + TransformStream.pieceSize, input.count))
              try stage.transform.feed(piece, to: counter)
            }
            try stage.transform.finish(to: counter)
          } catch {
            throw Diagnosis(.invalidData, stage.name, problem: "\(error)")
          }
        }
      }
      output = counter.count
      times.append(time / .nanoseconds(1))
    } while clock.now < end
    return BenchReport(
      transform: registration, Measurement(samples: times, runs: times.count), input: input.count, output: output)
  }

  /// Lines with words.
  private static var text: [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(16 << 20)
    var number = 0
    while text.count < 16 << 20 {
      text += "line \(number) of a text with words and numbers, such as \(number * number)\n".utf8
      number += 1
    }
    return text
  }
}
