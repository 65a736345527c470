internal import FoundationEssentials

/// What can be written as bytes and read from them again: in the registry, and in what a probe and its host tell each other.
protocol Recordable {
  /// Writes the value behind what has been written.
  func write(to writer: inout RecordWriter)
  /// Reads a value. Throws a `RecordError` if there is none.
  init(from reader: inout RecordReader) throws(RecordError)
}

/// Bytes that are being written: numbers in the byte order of the machine, texts and lists behind their number of elements.
struct RecordWriter {
  private(set) var bytes: [UInt8] = []

  init() {}

  /// The bytes of one value.
  static func bytes(_ value: some Recordable) -> [UInt8] {
    var writer = RecordWriter()
    writer.write(value)
    return writer.bytes
  }

  mutating func write(_ value: some Recordable) { value.write(to: &self) }

  mutating func write(number: some FixedWidthInteger) {
    withUnsafeBytes(of: number) { bytes.append(contentsOf: $0) }
  }

  mutating func write(count: Int) { write(number: UInt32(count)) }

  mutating func append(_ other: some Sequence<UInt8>) { bytes.append(contentsOf: other) }
}

extension FixedWidthInteger {
  func write(to writer: inout RecordWriter) { writer.write(number: self) }
  init(from reader: inout RecordReader) throws(RecordError) { self = try reader.number() }
}

extension UInt8: Recordable {}
extension Int32: Recordable {}
extension UInt32: Recordable {}
extension Int64: Recordable {}
extension UInt64: Recordable {}

extension Bool: Recordable {
  func write(to writer: inout RecordWriter) { writer.write(number: UInt8(self ? 1 : 0)) }

  init(from reader: inout RecordReader) throws(RecordError) {
    switch try reader.number() as UInt8 {
    case 0: self = false
    case 1: self = true
    case let other: throw RecordError("\(other) is neither true nor false")
    }
  }
}

extension String: Recordable {
  func write(to writer: inout RecordWriter) {
    var text = self
    text.withUTF8 {
      writer.write(count: $0.count)
      writer.append($0)
    }
  }

  init(from reader: inout RecordReader) throws(RecordError) {
    guard let text = String(validating: try reader.bytes(reader.count(ofSize: 1)), as: UTF8.self) else {
      throw RecordError("a text is not UTF-8")
    }
    self = text
  }
}

extension Optional: Recordable where Wrapped: Recordable {
  func write(to writer: inout RecordWriter) {
    writer.write(self != nil)
    if let self { writer.write(self) }
  }

  init(from reader: inout RecordReader) throws(RecordError) {
    self = try Bool(from: &reader) ? .some(try Wrapped(from: &reader)) : nil
  }
}

extension Array: Recordable where Element: Recordable {
  func write(to writer: inout RecordWriter) {
    writer.write(count: count)
    for element in self { writer.write(element) }
  }

  init(from reader: inout RecordReader) throws(RecordError) {
    self.init()
    let count = try reader.count(ofSize: 1)
    // Not reserved at once: what claims to follow may be more than there is memory for.
    for _ in 0..<count { append(try Element(from: &reader)) }
  }
}

extension Dictionary: Recordable where Key == String, Value: Recordable {
  /// In the order of the keys, so that the same dictionary is the same bytes.
  func write(to writer: inout RecordWriter) {
    writer.write(count: count)
    for (key, value) in sorted(by: { $0.key < $1.key }) {
      writer.write(key)
      writer.write(value)
    }
  }

  init(from reader: inout RecordReader) throws(RecordError) {
    self.init()
    for _ in 0..<(try reader.count(ofSize: 2)) {
      let key = try String(from: &reader)
      self[key] = try Value(from: &reader)
    }
  }
}

extension UUID: Recordable {
  func write(to writer: inout RecordWriter) { withUnsafeBytes(of: uuid) { writer.append($0) } }

  init(from reader: inout RecordReader) throws(RecordError) {
    let bytes = try reader.bytes(16)
    var uuid: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    withUnsafeMutableBytes(of: &uuid) { $0.copyBytes(from: bytes) }
    self.init(uuid: uuid)
  }
}

extension ContentHash: Recordable {
  func write(to writer: inout RecordWriter) { writer.append(bytes) }

  init(from reader: inout RecordReader) throws(RecordError) {
    guard let hash = ContentHash(bytes: Array(try reader.bytes(ContentHash.size))) else { throw RecordError("no hash") }
    self = hash
  }
}

extension Pins.Entry: Recordable {
  func write(to writer: inout RecordWriter) {
    writer.write(hash)
    writer.write(plugin)
  }

  init(from reader: inout RecordReader) throws(RecordError) {
    let hash = try ContentHash(from: &reader)
    guard let entry = Self(hash, plugin: try String(from: &reader)) else { throw RecordError("no pin") }
    self = entry
  }
}
