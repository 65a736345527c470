internal import CSandbox
package import TroupeFiles

/// The memory of a stream that both processes share: two counters, room for input, and room for output.
///
/// The host writes the input in parts while the worker transforms the earlier ones, and reads the output while the worker writes more.
package struct StreamRegion {
  /// The sizes of the two rooms in bytes.
  package static let inputSize = 64 << 10
  package static let outputSize = 192 << 10
  /// The size of a part of the input.
  package static let partSize = 8 << 10
  /// The size of the region. The counters are on cache lines of their own.
  package static let size = headerSize + inputSize + outputSize
  private static let headerSize = 128

  private let bytes: UnsafeMutableRawBufferPointer
  private let start: UnsafeMutableRawPointer

  /// - Parameter bytes: Aligned memory of `size` bytes.
  package init?(_ bytes: UnsafeMutableRawBufferPointer) {
    guard bytes.count >= Self.size, let start = bytes.baseAddress else { return nil }
    (self.bytes, self.start) = (bytes, start)
  }

  /// The number of bytes of input that the host has written.
  package var inputCount: Int {
    get { Int(truncatingIfNeeded: troupe_counter_read(start)) }
    nonmutating set { troupe_counter_write(start, UInt64(newValue)) }
  }

  /// Waits until the host has written more input than a number of bytes. Returns the number of bytes.
  package func waitForInput(beyond count: Int) -> Int { Int(truncatingIfNeeded: troupe_counter_wait(start, UInt64(count))) }

  /// The number of bytes of output that the worker has written.
  package var outputCount: Int {
    get { Int(truncatingIfNeeded: troupe_counter_read(start + 64)) }
    nonmutating set { troupe_counter_write(start + 64, UInt64(newValue)) }
  }

  package var input: UnsafeMutableRawBufferPointer { room(Self.headerSize, Self.inputSize) }
  package var output: UnsafeMutableRawBufferPointer { room(Self.headerSize + Self.inputSize, Self.outputSize) }

  private func room(_ offset: Int, _ size: Int) -> UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(rebasing: bytes[offset..<offset + size])
  }
}

/// A chunk of the input of a transform, in a `StreamRegion`.
package struct StreamChunk: Sendable, Recordable {
  /// The number of the transform.
  package var object: UInt32
  /// The offset of the region in the heap.
  package var offset: UInt64
  /// The number of bytes of input.
  package var count: UInt32

  package init(object: UInt32, offset: Int, count: Int) {
    (self.object, self.offset, self.count) = (object, UInt64(offset), UInt32(count))
  }

  package func write(to writer: inout RecordWriter) { writer.write(object, offset, count) }

  package init(from reader: inout RecordReader) throws(ReadError) { (object, offset, count) = try reader.values() }
}
