internal import Troupe

/// The result of a transform for an input.
enum TransformOutcome: Equatable {
  case output([UInt8])
  case failure

  /// Feeds input in pieces.
  ///
  /// - Parameters:
  ///   - sizes: The sizes of the pieces, again and again; a size of zero feeds an empty piece.
  ///   - isOverwritten: Whether to overwrite the bytes of each piece after it was fed.
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
