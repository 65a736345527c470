/// A bounds-checked decoder of records; see `Recordable`.
///
/// The bytes may come from a plugin, which can announce a million elements in four bytes. So every count is compared with the bytes that are
/// left, and the memory of all decoded values with a limit, before anything is allocated.
package struct RecordReader {
  @usableFromInline let content: [UInt8]
  @usableFromInline var position = 0
  /// The bytes that the decoded values have in memory.
  private var memory = 0
  private let maximumMemory: Int

  /// - Parameter memory: The limit of the memory of the decoded values, in bytes. One byte can become an element of 100 bytes.
  package init(_ bytes: [UInt8], memory: Int = .max) { (content, maximumMemory) = (bytes, memory) }

  /// Decodes one value. Throws also if bytes are left.
  package static func value<Value: Recordable>(
    _ type: Value.Type = Value.self, _ bytes: [UInt8], memory: Int = .max
  ) throws(ReadError) -> Value {
    var reader = RecordReader(bytes, memory: memory)
    let value = try Value(from: &reader)
    guard reader.left == 0 else { throw ReadError("\(reader.left) bytes are left") }
    return value
  }

  @inlinable package var left: Int { content.count - position }

  package mutating func bytes(_ count: Int) throws(ReadError) -> ArraySlice<UInt8> {
    guard count >= 0, count <= left else { throw ReadError("\(count) bytes are wanted and \(left) are left") }
    defer { position += count }
    return content[position..<position + count]
  }

  @inlinable package mutating func number<Number: FixedWidthInteger>() throws(ReadError) -> Number {
    let size = MemoryLayout<Number>.size
    guard size <= left else { throw ReadError("\(size) bytes are wanted and \(left) are left") }
    defer { position += size }
    return content.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: position, as: Number.self) }
  }

  /// Reads values of any types, such as all members of a type: `(path, stamp) = try reader.values()`.
  @inlinable package mutating func values<each Value: Recordable>() throws(ReadError) -> (repeat each Value) {
    (repeat try (each Value)(from: &self))
  }

  /// Reads the position of a value in a list of all values.
  ///
  /// - Parameter kind: What the values are, for the error.
  package mutating func value<Value>(among all: [Value], _ kind: String) throws(ReadError) -> Value {
    let position: UInt8 = try number()
    guard all.indices.contains(Int(position)) else { throw ReadError("\(position) is no \(kind)") }
    return all[Int(position)]
  }

  /// Reads the number of elements, each of at least `size` bytes. Throws if the rest is too short for them, so that the caller does not
  /// reserve memory for a wrong number.
  package mutating func count(ofSize size: Int) throws(ReadError) -> Int {
    let count = Int(try number() as UInt32)
    guard count <= left / size else { throw ReadError("\(count) elements are announced and \(left) bytes are left") }
    return count
  }

  /// Accounts for the memory of a value before it is allocated. Throws if it is more than is left.
  package mutating func allocate(_ count: Int, of size: Int = 1) throws(ReadError) {
    let (bytes, overflow) = count.multipliedReportingOverflow(by: size)
    guard count > 0 else { return }
    // Includes the header of the object and the rounding of the allocator.
    memory = overflow || bytes > .max - memory - Self.objectSize ? .max : memory + bytes + Self.objectSize
    guard memory <= maximumMemory else {
      throw ReadError("the values need \(memory) bytes of memory, and have \(maximumMemory)", memory: memory)
    }
  }

  /// An array may then reserve what `allocate` has accounted for.
  package var isLimited: Bool { maximumMemory < .max }

  private static let objectSize = 48
}

/// Malformed content of a file or a record: the end of a sentence that begins with the file or the record.
package struct ReadError: Error, Equatable, CustomStringConvertible {
  package let description: String
  /// The memory in bytes that the values need, if the error is that this exceeds the limit of the reader.
  package let memory: Int?

  package init(_ description: String, memory: Int? = nil) {
    (self.description, self.memory) = (description, memory)
  }
}
