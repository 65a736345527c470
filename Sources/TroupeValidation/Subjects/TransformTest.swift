internal import CLinux
internal import Troupe
internal import TroupeHost

/// A transform under test.
struct TransformTest {
  let loaded: HostedPlugin
  let registration: Registration
  let subject: CheckedFile

  var seed: UInt64 { subject.seed }

  func begin(_ activity: String) { subject.begin("in its transform \(registration.name) \(activity)") }

  /// Makes an instance. Throws `NotApplicable` if only asynchronous code can.
  func make() throws -> any Transform {
    guard let transform = try loaded.make(registration) as? any Transform else {
      throw NotApplicable("its transform \(registration.name) is made by asynchronous code")
    }
    return transform
  }

  /// Passes an input through a new instance.
  func run(_ input: [UInt8], sizes: [Int] = [TransformInput.size], isOverwritten: Bool = false) throws -> TransformOutcome {
    TransformOutcome(try make(), input, sizes: sizes, isOverwritten: isOverwritten)
  }

  /// The first input of 1 MiB that the transform accepts; nil if it refuses all.
  func acceptedInput() -> [UInt8]? {
    TransformInput.candidates(seed: subject.seed).first { (try? run($0) != .failure) ?? false }
  }

  /// The first input that the transform accepts. Throws `NotApplicable` if it refuses all.
  func input() throws -> [UInt8] {
    guard let input = acceptedInput() else {
      throw NotApplicable("its transform \(registration.name) accepts none of the inputs")
    }
    return input
  }

  /// Feeds half of an accepted input, and then others until one is refused.
  func failHalfWay() throws -> (transform: any Transform, error: (any Error)?) {
    let (transform, output) = (try make(), Collector())
    let start = try input()
    try transform.feed(start.span.extracting(..<(start.count / 2)), to: output)
    do {
      try transform.feed([UInt8](repeating: 0xFF, count: 64).span, to: output)
      for other in TransformInput.candidates(4096, seed: seed) { try transform.feed(other.span, to: output) }
      try transform.finish(to: output)
    } catch {
      return (transform, error)
    }
    return (transform, nil)
  }

  /// Feeds two instances in turn, and compares their output with that of one alone.
  func interleaved() throws -> Finding {
    let input = Array(try input().prefix(65536))
    let expected = try run(input, sizes: [1000])
    let transforms = [try make(), try make()]
    let outputs = [Collector(), Collector()]
    for start in stride(from: 0, to: input.count, by: 1000) {
      for index in 0..<2 {
        try transforms[index].feed(input.span.extracting(start..<min(start + 1000, input.count)), to: outputs[index])
      }
    }
    for index in 0..<2 { try transforms[index].finish(to: outputs[index]) }
    return .expect(
      outputs.allSatisfy { .output($0.bytes) == expected }, "makes something else when two instances work in turn",
      remedy: "keep state in the instance, not in static variables")
  }

  /// The growth of the heap while 8 MiB pass through an instance, without the first.
  func memoryGrowth() throws -> Int {
    let input = try input()
    let (transform, output) = (try make(), Counter())
    // The input need not be valid when it is repeated.
    guard (try? transform.feed(input.span, to: output)) != nil else { return 0 }
    let before = linux_heap_in_use()
    for _ in 0..<8 {
      if (try? transform.feed(input.span, to: output)) == nil { break }
    }
    return linux_heap_in_use() - before
  }

  private final class Counter: TransformOutput {
    func write(_ bytes: Span<UInt8>) {}
  }
}
