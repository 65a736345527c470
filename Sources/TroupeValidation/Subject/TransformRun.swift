internal import Troupe

/// The result of a transform for an input.
enum TransformRun: Equatable {
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

  var isSuccess: Bool { self != .failure }
}

/// Keeps the bytes that a transform writes.
final class Collector: TransformOutput {
  private(set) var bytes: [UInt8] = []

  func write(_ bytes: Span<UInt8>) {
    bytes.withUnsafeBufferPointer { self.bytes.append(contentsOf: $0) }
  }
}

/// Refuses all bytes.
final class RefusingOutput: TransformOutput {
  struct Refusal: Error {}

  private(set) var refusals = 0

  func write(_ bytes: Span<UInt8>) throws {
    if bytes.isEmpty { return }
    refusals += 1
    throw Refusal()
  }
}

/// The inputs that checks try, until a transform accepts one.
enum TransformInput {
  static let size = 1 << 20

  /// Inputs of a size: lines of text, digits, random bytes, and JSON.
  static func candidates(_ size: Int = size, seed: UInt64 = 1) -> [[UInt8]] {
    func filled(_ piece: (Int) -> String) -> [UInt8] {
      var bytes: [UInt8] = []
      var number = 0
      while bytes.count < size {
        bytes += piece(number).utf8
        number += 1
      }
      return Array(bytes.prefix(size))
    }
    var generator = SeededGenerator(seed: seed)
    return [
      filled { "line \($0) of a text with words and numbers, such as \($0 &* $0)\n" },
      // Hexadecimal and Base64 in groups of four.
      filled { _ in "0123456789ABCDEF" },
      (0..<size).map { _ in UInt8.random(in: 0...255, using: &generator) },
      Array(("[" + String(repeating: "1,", count: max(size / 2 - 1, 0)) + "1]").utf8),
    ]
  }
}
