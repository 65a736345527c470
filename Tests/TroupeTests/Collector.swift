import CTroupe
import Troupe

/// An error of an output, which a transform must rethrow unchanged.
struct OutputError: Error, Equatable {
  let number: Int
}

/// An output that collects bytes and refuses writes after a number of bytes.
final class Collector: TransformOutput {
  private(set) var pieces: [[UInt8]] = []
  /// The number of bytes after which it refuses.
  private let limit: Int
  /// The number of writes, including refused ones.
  private(set) var calls = 0

  init(limit: Int = .max) {
    self.limit = limit
  }

  var bytes: [UInt8] { Array(pieces.joined()) }
  var text: String { String(decoding: bytes, as: UTF8.self) }

  func write(_ bytes: Span<UInt8>) throws {
    calls += 1
    if self.bytes.count + bytes.count > limit { throw OutputError(number: calls) }
    pieces.append(bytes.indices.map { bytes[$0] })
  }
}

/// An output implemented in C that collects bytes and refuses writes after a number of bytes.
final class CCollector {
  private(set) var bytes: [UInt8] = []
  private let limit: Int
  private let refusal: troupe_status
  private let size: UInt32

  /// - Parameter size: The output's `struct_size`.
  init(limit: Int = .max, refusal: Int = TROUPE_OUT_OF_MEMORY, size: UInt32 = UInt32(MemoryLayout<COutput>.size)) {
    self.limit = limit
    self.refusal = troupe_status(refusal)
    self.size = size
  }

  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Calls C with this output.
  func call(_ body: (UnsafePointer<COutput>) -> troupe_status) -> troupe_status {
    var output = COutput(
      struct_size: size, reserved: 0, context: Unmanaged.passUnretained(self).toOpaque(),
      write: { output, bytes, count in
        guard let output else { return troupe_status(TROUPE_INVALID_ARGUMENT) }
        let collector = Unmanaged<CCollector>.fromOpaque(output.pointee.context).takeUnretainedValue()
        if collector.bytes.count + count > collector.limit { return collector.refusal }
        collector.bytes += UnsafeRawBufferPointer(start: bytes, count: count)
        return troupe_status(TROUPE_OK)
      })
    return withExtendedLifetime(self) { body(&output) }
  }
}
