internal import TroupeHost

/// Buffers writes to a stream, since a transform may write byte by byte.
package final class OutputBuffer: TransformOutput {
  private let stream: ByteStream
  private var pending: [UInt8] = []
  private static let capacity = 64 * 1024
  /// Empties the file before the first write.
  private var truncates: Bool

  package init(_ stream: ByteStream, truncates: Bool = false) {
    (self.stream, self.truncates) = (stream, truncates)
    pending.reserveCapacity(Self.capacity)
  }

  package func write(_ bytes: Span<UInt8>) throws {
    if pending.count + bytes.count > Self.capacity { try flush() }
    if bytes.count >= Self.capacity {
      try begin()
      try stream.write(bytes)
    } else {
      bytes.withUnsafeBufferPointer { pending.append(contentsOf: $0) }
    }
  }

  /// Removes the former content of the file, if that is still to be done.
  package func begin() throws {
    guard truncates else { return }
    truncates = false
    try stream.truncate()
  }

  package func flush() throws {
    guard !pending.isEmpty else { return }
    try begin()
    try pending.withUnsafeBufferPointer { try stream.write($0.span) }
    pending.removeAll(keepingCapacity: true)
  }
}
