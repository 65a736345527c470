/// A value with a binary form, for the cache of probes and for messages between a host and its child processes.
///
/// A type writes its members one after the other, and reads them in the same order. There are no names and no types in the bytes, so both
/// sides must be of the same release; what stores records stores a version with them.
///
/// ```swift
/// extension FileState: Recordable {
///   func write(to writer: inout RecordWriter) { writer.write(path, stamp) }
///
///   init(from reader: inout RecordReader) throws(ReadError) {
///     (path, stamp) = try reader.values()
///   }
/// }
/// ```
///
/// Reading never trusts the bytes: a plugin may have written them. A `ReadError` says what is malformed.
package protocol Recordable {
  func write(to writer: inout RecordWriter)
  init(from reader: inout RecordReader) throws(ReadError)
}

/// An encoder of records: numbers in the byte order of the machine, strings and lists prefixed by their count.
package struct RecordWriter {
  @usableFromInline package var bytes: [UInt8] = []

  package init() {}

  package static func bytes(_ value: some Recordable) -> [UInt8] {
    var writer = RecordWriter()
    writer.write(value)
    return writer.bytes
  }

  package mutating func write(_ value: some Recordable) { value.write(to: &self) }

  @inlinable package mutating func write<each Value: Recordable>(_ value: repeat each Value) {
    for value in repeat each value { value.write(to: &self) }
  }

  /// Writes the position of a value in a list of all values.
  package mutating func write<Value: Equatable>(_ value: Value, among all: [Value]) {
    guard let position = all.firstIndex(of: value) else { preconditionFailure("\(value) is not among \(all)") }
    write(number: UInt8(position))
  }

  @inlinable package mutating func write(number: some FixedWidthInteger) {
    withUnsafeBytes(of: number) { bytes.append(contentsOf: $0) }
  }

  package mutating func write(count: Int) { write(number: UInt32(count)) }

  package mutating func append(_ other: some Sequence<UInt8>) { bytes.append(contentsOf: other) }
  package mutating func append(_ other: UnsafeRawBufferPointer) { bytes.append(contentsOf: other) }
}

extension FixedWidthInteger {
  package func write(to writer: inout RecordWriter) { writer.write(number: self) }
  package init(from reader: inout RecordReader) throws(ReadError) { self = try reader.number() }
}

extension UInt8: Recordable {}
extension Int32: Recordable {}
extension UInt32: Recordable {}
extension Int64: Recordable {}
extension UInt64: Recordable {}

extension Bool: Recordable {
  package func write(to writer: inout RecordWriter) { writer.write(number: UInt8(self ? 1 : 0)) }

  package init(from reader: inout RecordReader) throws(ReadError) {
    switch try reader.number() as UInt8 {
    case 0: self = false
    case 1: self = true
    case let other: throw ReadError("\(other) is neither true nor false")
    }
  }
}

extension String: Recordable {
  package func write(to writer: inout RecordWriter) {
    var text = self
    text.withUTF8 {
      writer.write(count: $0.count)
      writer.append($0)
    }
  }

  package init(from reader: inout RecordReader) throws(ReadError) {
    let count = try reader.count(ofSize: 1)
    // A shorter text is stored in the value itself.
    if count > 15 { try reader.allocate(count) }
    guard let text = String(validating: try reader.bytes(count), as: UTF8.self) else {
      throw ReadError("a text is not UTF-8")
    }
    self = text
  }
}

extension Optional: Recordable where Wrapped: Recordable {
  package func write(to writer: inout RecordWriter) {
    writer.write(self != nil)
    if let self { writer.write(self) }
  }

  package init(from reader: inout RecordReader) throws(ReadError) {
    self = try Bool(from: &reader) ? .some(try Wrapped(from: &reader)) : nil
  }
}

extension Array: Recordable where Element: Recordable {
  package func write(to writer: inout RecordWriter) {
    writer.write(count: count)
    for element in self { writer.write(element) }
  }

  package init(from reader: inout RecordReader) throws(ReadError) {
    self.init()
    let count = try reader.count(ofSize: 1)
    try reader.allocate(count, of: MemoryLayout<Element>.stride)
    // The count of a damaged file may be too large to reserve memory for it.
    if reader.isLimited { reserveCapacity(count) }
    for _ in 0..<count { append(try Element(from: &reader)) }
  }
}

extension Dictionary: Recordable where Key == String, Value: Recordable {
  /// The keys are in ascending order, so equal dictionaries have equal bytes.
  package func write(to writer: inout RecordWriter) {
    writer.write(count: count)
    for (key, value) in sorted(by: { $0.key < $1.key }) {
      writer.write(key)
      writer.write(value)
    }
  }

  package init(from reader: inout RecordReader) throws(ReadError) {
    self.init()
    let count = try reader.count(ofSize: 2)
    // A table is at most three quarters full, and has twice the size of the one that it replaces.
    try reader.allocate(count, of: 4 * (MemoryLayout<Key>.stride + MemoryLayout<Value>.stride))
    for _ in 0..<count {
      let key = try String(from: &reader)
      self[key] = try Value(from: &reader)
    }
  }
}
