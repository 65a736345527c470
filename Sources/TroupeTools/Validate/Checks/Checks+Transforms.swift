internal import Synchronization
internal import Troupe
internal import TroupeHost

/// The transforms, which fulfill the contract `troupe.transform/1`.
extension Checks {
  static let transforms: [Check] = [
    transforming(
      "transform-megabyte", level: 3, isGate: true, "A transform takes 1 MiB in one piece, or refuses it with an error."
    ) { test in
      _ = try test.make()
      _ = test.acceptedInput()
      return .passed
    },
    transforming("transform-empty-input", level: 3, "A transform can be finished without input.") { test in
      _ = try test.run([])
      return .passed
    },
    transforming("transform-same-output", level: 3, "Two instances give the same output for the same input.") { test in
      let input = try test.input()
      return .expect(
        try test.run(input) == test.run(input), "gives different output for the same input",
        remedy: "keep the state of a transform in its instance")
    },
    transforming("transform-error", level: 4, "A transform can be released after an error half way.") { test in
      let (transform, error) = try test.failHalfWay()
      test.begin("when it was released after an error")
      withExtendedLifetime(transform) {}
      if error == nil { throw NotApplicable("it accepts every input that the check tries") }
      return .passed
    },
    transforming(
      "transform-error-message", level: 4, severity: .warning, needs: ["transform-error"],
      "An error of a transform has a message."
    ) { test in
      guard let error = try test.failHalfWay().error as? TransformError else {
        throw NotApplicable("it accepts every input that the check tries")
      }
      return .expect(
        error.status == nil, "fails without a message", remedy: "return the reason from the function message of its table")
    },
    transforming("transform-one-byte", level: 4, needs: ["transform-error"], "A transform takes a single byte of any value.") {
      test in
      for byte in UInt8.min...UInt8.max { _ = try test.run([byte]) }
      return .passed
    },
    transforming(
      "transform-chunks", level: 4, needs: ["transform-same-output"], "1 MiB in every chunking gives the same bytes."
    ) { test in
      let input = try test.input()
      let whole = try test.run(input)
      for size in [1, 2, 3, 7, 61, 251, 1021, 4096, 8191, 65536, 65537, input.count - 1] {
        guard try test.run(input, sizes: [size]) == whole else {
          return .problem(
            "gives different output for pieces of \(size) bytes",
            remedy: "keep an incomplete unit for the next piece")
        }
      }
      var generator = SeededGenerator(seed: test.seed)
      let sizes = (0..<1000).map { _ in Int.random(in: 1...4096, using: &generator) }
      return .expect(
        try test.run(input, sizes: sizes) == whole, "gives different output for pieces of random sizes",
        remedy: "keep an incomplete unit for the next piece")
    },
    transforming("transform-empty-pieces", level: 4, needs: ["transform-same-output"], "Empty pieces change nothing.") { test in
      let input = Array(try test.input().prefix(65536))
      return .expect(
        try test.run(input, sizes: [0, 1000]) == test.run(input, sizes: [1000]),
        "gives different output with empty pieces between others",
        remedy: "do nothing for a count of zero")
    },
    transforming(
      "transform-borrowed-input", level: 4, needs: ["transform-same-output"], "A transform copies the input that it keeps."
    ) { test in
      let input = try test.input()
      return .expect(
        try test.run(input, sizes: [1000], isOverwritten: true) == test.run(input, sizes: [1000]),
        "reads the bytes of a piece after feed has returned", remedy: "copy the bytes that are needed later")
    },
    transforming(
      "transform-interleaved", level: 4, needs: ["transform-same-output"], "Two instances in turn do not affect each other."
    ) { test in
      try test.interleaved()
    },
    transforming(
      "transform-other-thread", level: 4, needs: ["transform-same-output"],
      "A transform works on another thread than the one that made it."
    ) { test in
      let input = Array(try test.input().prefix(65536))
      let expected = try test.run(input, sizes: [1000])
      let transform = UncheckedSendable(try test.make())
      let result = Mutex<TransformOutcome>(.failure)
      Threads.run(1) { _ in
        let run = TransformOutcome(transform.value, input, sizes: [1000])
        result.withLock { $0 = run }
      }
      return .expect(
        result.withLock { $0 } == expected, "gives different output on another thread than the one that made it",
        remedy: "keep state in the instance, not in variables of a thread")
    },
    transforming(
      "transform-eight-threads", level: 4, needs: ["transform-other-thread"], "Eight instances work on eight threads at once."
    ) { test in
      let input = Array(try test.input().prefix(65536))
      let expected = try test.run(input, sizes: [100])
      let transforms = UncheckedSendable(try (0..<8).map { _ in try test.make() })
      let isEqual = Mutex(true)
      Threads.run(8) { index in
        if TransformOutcome(transforms.value[index], input, sizes: [100]) != expected { isEqual.withLock { $0 = false } }
      }
      return .expect(
        isEqual.withLock { $0 }, "gives different output on eight threads at once", remedy: "keep state in the instance")
    },
    transforming("transform-abandoned", level: 4, "A transform can be released half way.") { test in
      let input = try test.input()
      let transform = try test.make()
      try transform.feed(input.span.extracting(..<(input.count / 2)), to: Collector())
      test.begin("when it was released without finish")
      withExtendedLifetime(transform) {}
      return .passed
    },
    transforming("transform-finish-twice", level: 4, "A second finish does no harm.") { test in
      let input = Array(try test.input().prefix(1000))
      let (transform, output) = (try test.make(), Collector())
      try transform.feed(input.span, to: output)
      try transform.finish(to: output)
      test.begin("in its second finish")
      try? transform.finish(to: output)
      return .passed
    },
    transforming("transform-failing-output", level: 4, "A transform stops when its output fails.") { test in
      let input = try test.input()
      let (transform, output) = (try test.make(), FailingOutput())
      do {
        try transform.feed(input.span, to: output)
        try transform.finish(to: output)
      } catch is FailingOutput.WriteError {
        return .passed
      } catch {
        return .problem("replaces the error of its output by another: \(error)", remedy: "return the status of output->write")
      }
      return .expect(
        output.failures == 0, "goes on after its output has failed", remedy: "return the status of output->write")
    },
    transforming(
      "transform-failing-allocation", level: 4, needs: ["instance-failing-allocation"],
      "A transform survives each failed allocation."
    ) { test in
      let input = Array(try test.input().prefix(65536))
      return try withFailingAllocations(of: test.loaded, test.subject, "in its transform \(test.registration.name)") {
        if let transform = try? test.make() { _ = TransformOutcome(transform, input, sizes: [8192]) }
      }
    },
    transforming("transform-leak", level: 4, needs: ["instance-leak"], "A transform that has worked leaves no memory behind.") {
      test in
      let input = Array(try test.input().prefix(10000))
      let growth = try HeapGrowth.perRound(200, within: test.subject.share) { _ = try test.run(input, sizes: [1000]) }
      return .expect(
        growth < 8, "leaks \(growth) bytes for each instance that has worked",
        remedy: "free in the destroy function what feed and finish allocate")
    },
    transforming(
      "transform-memory", level: 4, severity: .warning, needs: ["transform-abandoned"],
      "The memory of a transform does not grow with its input."
    ) { test in
      let growth = try test.memoryGrowth()
      return .expect(
        growth < 4 << 20, "keeps \(growth >> 20) MiB for an input of 8 MiB", remedy: "write output as soon as it is known")
    },
  ]

  /// A check of each transform.
  ///
  /// - Parameter isGate: True if the other checks of transforms need it.
  private static func transforming(
    _ name: String, level: Int, severity: Check.Severity = .failure, needs: [String] = [], isGate: Bool = false,
    _ summary: String, _ body: @escaping @Sendable (TransformTest) throws -> CheckResult
  ) -> Check {
    let needs = [activation, isGate ? "instance-create" : "transform-megabyte"] + needs
    return Check(name, level: level, severity: severity, needs: needs, summary) { subject in
      let loaded = try subject.use()
      let factories = try loaded.factories(ofContract: Contract.transform.name)
      return try checkEach(factories, subject, name: { "its transform \($0.name)" }) {
        try body(TransformTest(loaded: loaded, registration: $0, subject: subject))
      }
    }
  }
}
