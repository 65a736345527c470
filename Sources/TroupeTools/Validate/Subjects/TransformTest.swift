internal import CLinux
internal import Troupe
internal import TroupeHost

/// A transform under test: makes instances, finds an input that the transform accepts, and runs it in pieces.
struct TransformTest {
  let loaded: HostedPlugin
  let registration: RegistrationDescription
  let subject: CheckedFile

  var seed: UInt64 { subject.request.seed }

  func begin(_ activity: String) { subject.begin("in its transform \(registration.name) \(activity)") }

  /// Makes an instance. Throws `NotApplicable` if only asynchronous code can.
  func make() throws -> any Transform {
    guard let transform = try loaded.make(registration) as? any Transform else {
      throw NotApplicable("its transform \(registration.name) is made by asynchronous code")
    }
    return transform
  }

  func run(_ input: [UInt8], sizes: [Int] = [TransformInput.size], isOverwritten: Bool = false) throws -> TransformOutcome {
    TransformOutcome(try make(), input, sizes: sizes, isOverwritten: isOverwritten)
  }

  /// The first input of 1 MiB that the transform accepts; nil if it refuses all.
  func acceptedInput() -> [UInt8]? {
    TransformInput.candidates(seed: seed).first { (try? run($0) != .failure) ?? false }
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
  func interleaved() throws -> CheckResult {
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
      outputs.allSatisfy { .output($0.bytes) == expected }, "gives different output when two instances work in turn",
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

/// The result of a transform for an input.
enum TransformOutcome: Equatable {
  case output([UInt8])
  case failure

  /// Feeds input in pieces.
  ///
  /// - Parameters:
  ///   - sizes: The sizes of the pieces, again and again; a size of zero feeds an empty piece.
  ///   - isOverwritten: True to overwrite the bytes of each piece after it was fed.
  init(_ transform: any Transform, _ input: [UInt8], sizes: [Int], isOverwritten: Bool = false) {
    let collector = Collector()
    do {
      var (start, index) = (0, 0)
      while start < input.count {
        let size = min(sizes[index % sizes.count], input.count - start)
        index += 1
        if isOverwritten {
          var piece = Array(input[start..<start + size])
          try transform.feed(piece.span, to: collector)
          piece.withUnsafeMutableBytes { for index in $0.indices { $0[index] = 0xAA } }
        } else {
          try transform.feed(input.span.extracting(start..<start + size), to: collector)
        }
        start += size
      }
      try transform.finish(to: collector)
      self = .output(collector.bytes)
    } catch {
      self = .failure
    }
  }
}

/// Keeps the bytes that a transform writes.
final class Collector: TransformOutput {
  private(set) var bytes: [UInt8] = []

  func write(_ bytes: Span<UInt8>) {
    bytes.withUnsafeBufferPointer { self.bytes.append(contentsOf: $0) }
  }
}

/// Refuses all bytes.
final class FailingOutput: TransformOutput {
  struct WriteError: Error {}

  private(set) var failures = 0

  func write(_ bytes: Span<UInt8>) throws {
    if bytes.isEmpty { return }
    failures += 1
    throw WriteError()
  }
}

/// The inputs that checks try, until a transform accepts one.
enum TransformInput {
  static let size = 1 << 20

  /// Makes inputs of a size, each when it is read: lines of text, digits, JSON, and random bytes.
  static func candidates(_ size: Int = size, seed: UInt64 = 1) -> some Sequence<[UInt8]> {
    let makers: [() -> [UInt8]] = [
      { repeated((0..<1000).map { "line \($0) of a text with words and numbers, such as \($0 * $0)\n" }.joined(), size) },
      // Hexadecimal, and Base64 in groups of four.
      { repeated("0123456789ABCDEF", size) },
      { repeated("[1,", 3) + repeated("1,", size - 5) + repeated("1]", 2) },
      {
        var generator = SeededGenerator(seed: seed)
        let words = (0..<max(size / 64, 1)).map { _ in generator.next() }
        return repeated(words.withUnsafeBytes { Array($0) }, size)
      },
    ]
    return makers.lazy.map { $0() }
  }

  private static func repeated(_ text: String, _ size: Int) -> [UInt8] { repeated(Array(text.utf8), size) }

  private static func repeated(_ piece: [UInt8], _ size: Int) -> [UInt8] {
    var bytes = piece
    // Doubled, which copies few large parts.
    while bytes.count < size { bytes += bytes }
    return Array(bytes.prefix(size))
  }
}
