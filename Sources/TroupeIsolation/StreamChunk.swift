package import TroupeFiles

/// A piece of the input of a transform, in a `StreamRegion`.
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

  package func write(to writer: inout RecordWriter) {
    writer.write(number: object)
    writer.write(number: offset)
    writer.write(number: count)
  }

  package init(from reader: inout RecordReader) throws(ReadError) {
    (object, offset, count) = (try reader.number(), try reader.number(), try reader.number())
  }
}
