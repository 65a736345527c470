package import TroupeFiles

/// A piece of the input of a transform, in a region of the shared memory: room for the input, and then room for the output.
package struct StreamPiece: Sendable, Recordable {
  /// The number of the transform.
  package var object: UInt32
  /// The offset of the region in the area.
  package var offset: UInt64
  /// The sizes of the two parts in bytes.
  package var inputSize: UInt32
  package var outputSize: UInt32
  /// The number of bytes of input.
  package var count: UInt32

  package init(object: UInt32, offset: Int, inputSize: Int, outputSize: Int, count: Int) {
    (self.object, self.offset) = (object, UInt64(offset))
    (self.inputSize, self.outputSize, self.count) = (UInt32(inputSize), UInt32(outputSize), UInt32(count))
  }

  package func write(to writer: inout RecordWriter) {
    writer.write(number: object)
    writer.write(number: offset)
    for number in [inputSize, outputSize, count] { writer.write(number: number) }
  }

  package init(from reader: inout RecordReader) throws(ReadError) {
    (object, offset) = (try reader.number(), try reader.number())
    (inputSize, outputSize, count) = (try reader.number(), try reader.number(), try reader.number())
  }
}
