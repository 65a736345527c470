/// Bytes that are being read, each after it was found to be there.
struct RecordReader {
  private let content: [UInt8]
  private var position = 0

  /// Reads from the first byte on.
  init(_ bytes: [UInt8]) { content = bytes }

  /// The one value that some bytes are. Throws a `RecordError` if they are not, or not all of them.
  static func value<Value: Recordable>(_ type: Value.Type = Value.self, _ bytes: [UInt8]) throws(RecordError) -> Value {
    var reader = RecordReader(bytes)
    let value = try Value(from: &reader)
    guard reader.left == 0 else { throw RecordError("\(reader.left) bytes are left") }
    return value
  }

  /// How many bytes have not been read.
  var left: Int { content.count - position }

  /// The next bytes.
  mutating func bytes(_ count: Int) throws(RecordError) -> ArraySlice<UInt8> {
    guard count >= 0, count <= left else { throw RecordError("\(count) bytes are wanted and \(left) are left") }
    defer { position += count }
    return content[position..<position + count]
  }

  /// The next number.
  mutating func number<Number: FixedWidthInteger>() throws(RecordError) -> Number {
    let size = MemoryLayout<Number>.size
    guard size <= left else { throw RecordError("\(size) bytes are wanted and \(left) are left") }
    defer { position += size }
    return content.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: position, as: Number.self) }
  }

  /// How many elements follow, each of at least a size. More than there is room for is a fault, before anybody makes room for them.
  mutating func count(ofSize size: Int) throws(RecordError) -> Int {
    let count = Int(try number() as UInt32)
    guard count <= left / size else { throw RecordError("\(count) elements are announced and \(left) bytes are left") }
    return count
  }
}

/// What is wrong with bytes that are not what was written.
struct RecordError: Error, Equatable, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
