internal import TroupeFiles

/// A message about a content in the heap, which is too large for a line.
///
/// A host writes the content and then sends `isInHeap`. A worker sends `wantsRoom`, gets `isInHeap` with a region, or `isRefused`, and answers
/// with the same kind after it has written the content.
struct LargeMessage {
  /// The kinds of these messages, which no other message has.
  static let isInHeap: UInt32 = 0x0100_0000
  static let wantsRoom: UInt32 = 0x0100_0001
  static let isRefused: UInt32 = 0x0100_0002

  /// The kind of the message that has the content.
  let kind: UInt32
  let offset: Int
  let count: Int

  init(kind: UInt32, offset: Int, count: Int) { (self.kind, self.offset, self.count) = (kind, offset, count) }

  /// Reads a message, which may contain anything; nil if it is malformed.
  init?(_ bytes: RawSpan) {
    guard bytes.byteCount == 20 else { return nil }
    let (offset, count) = bytes.withUnsafeBytes {
      ($0.loadUnaligned(fromByteOffset: 4, as: UInt64.self), $0.loadUnaligned(fromByteOffset: 12, as: UInt64.self))
    }
    guard let offset = Int(exactly: offset), let count = Int(exactly: count) else { return nil }
    (kind, self.offset, self.count) = (bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }, offset, count)
  }

  var bytes: [UInt8] {
    var record = RecordWriter()
    record.write(number: kind)
    record.write(number: UInt64(offset))
    record.write(number: UInt64(count))
    return record.bytes
  }
}
