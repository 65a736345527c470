package import TroupeCall
package import TroupeFiles

/// Reads values from a message of another process, which may contain anything.
package struct ValueDecoder {
  private var record: RecordReader
  private let callback: (UInt32) throws -> Callback
  private let handle: (UInt64, String) throws -> ForeignHandle
  private let shared: (Range<Int>) throws -> UnsafeMutableRawPointer

  /// The greatest depth of arrays and structures within each other: that of signatures, and one for the outputs of a call.
  private static let maximumDepth = Signature.maximumDepth + 1

  /// - Parameters:
  ///   - record: The rest of a private copy of the message, with the memory that the values may have.
  ///   - callback: Returns the callback that the receiver gave a number.
  ///   - shared: Returns the address of a range of the heap that both processes share.
  ///   - handle: Returns the handle that has a number and is of a type.
  package init(
    _ record: RecordReader, callback: @escaping (UInt32) throws -> Callback = { throw ReadError("there is no callback \($0)") },
    shared: @escaping (Range<Int>) throws -> UnsafeMutableRawPointer = { _ in throw ReadError("there is no shared memory") },
    handle: @escaping (UInt64, String) throws -> ForeignHandle = { number, _ in throw ReadError("there is no handle \(number)")
    }
  ) {
    (self.record, self.callback, self.handle, self.shared) = (record, callback, handle, shared)
  }

  /// The memory of a handle with the closure that releases it.
  private static let handleSize = 256

  /// Reads the next value.
  ///
  /// - Throws: A `ReadError` if the bytes are malformed, and the errors of the closures.
  package mutating func value() throws -> Value { try value(depth: 0) }

  /// Throws a `ReadError` if bytes are left.
  package func end() throws(ReadError) {
    guard record.left == 0 else { throw ReadError("\(record.left) bytes are left") }
  }

  private mutating func value(depth: Int) throws -> Value {
    guard depth <= Self.maximumDepth else { throw ReadError("values are nested too deeply") }
    let number: UInt8 = try record.number()
    guard let kind = ValueKind(rawValue: number) else { throw ReadError("\(number) is no kind of a value") }
    switch kind {
    case .void: return .void
    case .no: return .bool(false)
    case .yes: return .bool(true)
    case .integer: return .integer(Int128(try record.number() as Int64))
    case .wideInteger: return .integer(try record.number())
    case .float: return .float(Float(bitPattern: try record.number()))
    case .double: return .double(Double(bitPattern: try record.number()))
    case .longDouble: return .longDouble(LongDouble(parts: (try record.number(), try record.number())))
    case .noText: return .string(nil)
    case .text:
      // A host in C copies each text to memory of its own.
      try record.allocate(1)
      return .string(try String(from: &record))
    case .null: return .null
    case .bytes:
      let count = try record.count(ofSize: 1)
      try record.allocate(count)
      return .bytes(Array(try record.bytes(count)))
    case .array:
      let count = try record.count(ofSize: 1)
      // A host in C makes a value of as many bytes for each.
      try record.allocate(count, of: 2 * MemoryLayout<Value>.stride)
      var elements: [Value] = []
      if record.isLimited { elements.reserveCapacity(count) }
      for _ in 0..<count { elements.append(try value(depth: depth + 1)) }
      return .array(elements)
    case .structure:
      let count = try record.count(ofSize: 5)
      try record.allocate(count, of: MemoryLayout<Value.Field>.stride)
      var fields: [Value.Field] = []
      if record.isLimited { fields.reserveCapacity(count) }
      for _ in 0..<count { fields.append(Value.Field(try String(from: &record), try value(depth: depth + 1))) }
      return .structure(fields)
    case .packed: return try packedArray()
    case .shared: return try sharedMemory()
    case .callback: return .callback(try callback(record.number()))
    case .handle:
      try record.allocate(1, of: Self.handleSize)
      return .handle(try handle(record.number(), String(from: &record)))
    }
  }

  private mutating func sharedMemory() throws -> Value {
    let (number, offset, count): (UInt8, UInt64, UInt64) = (try record.number(), try record.number(), try record.number())
    guard let type = ScalarCode(rawValue: number)?.type, let start = Int(exactly: offset), count > 0,
      count <= UInt64(Int.max / 16),
      start <= Int.max / 2
    else { throw ReadError("shared memory is malformed") }
    return .memory(ForeignMemory(type, at: try shared(start..<start + Int(count) * type.size), count: Int(count)))
  }

  private mutating func packedArray() throws -> Value {
    let number: UInt8 = try record.number()
    guard let type = ScalarCode(rawValue: number)?.type else { throw ReadError("\(number) is no code of a number's type") }
    let count = try record.count(ofSize: type.size)
    try record.allocate(count, of: type == .bool ? 2 : type.size)
    var bytes = try record.bytes(count * type.size)
    // A Swift `Bool` is no other value.
    if type == .bool { for index in bytes.indices where bytes[index] > 1 { bytes[index] = 1 } }
    let array = bytes.withUnsafeBytes { Value.PackedArray(type, count: count, copying: $0.baseAddress) }
    guard let array else { throw ReadError("there is no memory for \(count) elements") }
    return .packedArray(array)
  }
}
